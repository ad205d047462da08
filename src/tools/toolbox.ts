// Everything that the agent may do on one commit, by name.
import { toUnifiedPatch } from '../core/diff/unified-patch.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { blameTool } from './blame.ts';
import { ciLogTool } from './ci-log.ts';
import { compareTool } from './compare.ts';
import { createFileTool, deleteFileTool, renameFileTool, replaceTool } from './edit-tools.ts';
import { createEditedTree } from './edited-tree.ts';
import { historyTool } from './history.ts';
import { listFilesTool } from './list-files.ts';
import { outlineTool } from './outline-files.ts';
import { createOverlay, type Overlay } from './overlay.ts';
import { ownersTool } from './owners.ts';
import { readFilesTool } from './read-files.ts';
import { searchTool } from './search-code.ts';

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
    listFilesTool(source),
    readFilesTool(source),
    outlineTool(source),
    searchTool(source),
    historyTool(repository, tree),
    blameTool(source),
    compareTool(repository, tree, async () => clean(toUnifiedPatch(overlay.changeSet()))),
    ciLogTool(ciLog),
    ownersTool(repository),
    replaceTool(overlay, clean),
    createFileTool(overlay),
    deleteFileTool(overlay),
    renameFileTool(overlay),
  ];
  return { tools, overlay };
}
