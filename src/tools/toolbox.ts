// Everything that the agent may do on one commit, by name.
import { toUnifiedPatch } from '../core/diff/unified-patch.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { defineBlameTool } from './blame.ts';
import { defineCiLogTool } from './ci-log.ts';
import { defineCompareTool } from './compare.ts';
import { defineCreateFileTool, defineDeleteFileTool, defineRenameFileTool, defineReplaceTool } from './edit-tools.ts';
import { createEditedTree } from './edited-tree.ts';
import { defineHistoryTool } from './history.ts';
import { defineListFilesTool } from './list-files.ts';
import { defineOutlineTool } from './outline-files.ts';
import { createOverlay, type Overlay } from './overlay.ts';
import { defineOwnersTool } from './owners.ts';
import { defineReadFilesTool } from './read-files.ts';
import { defineSearchTool } from './search-code.ts';

export interface Toolbox {
  /** Always the same, in the same order, with the same bytes: they are part of the prefix that endpoints cache. */
  readonly tools: readonly Tool[];
  /** Holds what the editing tools did; without edits at first. */
  readonly overlay: Overlay;
}

export interface ToolboxOptions {
  /** As it may be shown: without secrets. */
  readonly repository: Repository;
  /** The commit that is investigated, as it may be shown. */
  readonly tree: SourceTree;
  /** The same commit as it is: edits are made on what is really there. */
  readonly rawTree: SourceTree;
  /** Takes out of a whole text what may not be shown; lines keep their numbers. */
  readonly clean: (text: string) => Promise<string>;
  /** Log of the failed run; null where the report is not about one. */
  readonly ciLog: string | null;
}

/** Tools of one run. Running the recorded edits again on a new toolbox of the same commit brings the overlay back. */
export function createToolbox({ repository, tree, rawTree, clean, ciLog }: ToolboxOptions): Toolbox {
  const overlay = createOverlay(rawTree, clean);
  const source = createEditedTree(tree, overlay, clean);
  const tools = [
    defineListFilesTool(source),
    defineReadFilesTool(source),
    defineOutlineTool(source),
    defineSearchTool(source),
    defineHistoryTool(repository, tree),
    defineBlameTool(source),
    defineCompareTool(repository, tree, async () => clean(toUnifiedPatch(overlay.changeSet()))),
    defineCiLogTool(ciLog),
    defineOwnersTool(repository),
    defineReplaceTool(overlay, clean),
    defineCreateFileTool(overlay),
    defineDeleteFileTool(overlay),
    defineRenameFileTool(overlay),
  ];
  return { tools, overlay };
}
