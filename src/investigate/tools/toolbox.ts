// Everything that the agent may do on one commit, by name.
import { toUnifiedPatch } from 'causeway-diff';
import type { Repository } from 'causeway-git-objects';
import type { Tool } from '../../core/report/index.ts';
import { defineCiLogTool } from './ci-log.ts';
import { defineBlameTool, defineCompareTool, defineHistoryTool } from './commits.ts';
import { defineCreateFileTool, defineDeleteFileTool, defineRenameFileTool, defineReplaceTool } from './edit-tools.ts';
import { type FindInstalled, NOTHING_INSTALLED } from './installed.ts';
import { defineListFilesTool } from './list-files.ts';
import { addRepositories, type OtherRepository } from './other-repositories.ts';
import { createOverlay, type Overlay, type OverlayOptions } from './overlay.ts';
import { defineOwnersTool } from './owners.ts';
import { defineOutlineTool, defineReadFilesTool } from './read-files.ts';
import { defineSearchTool } from './search-code.ts';

export interface Toolbox {
  /** Always the same, in the same order, with the same bytes: they are part of the prefix that endpoints cache. */
  readonly tools: readonly Tool[];
  /** Holds what the editing tools did; without edits at first. */
  readonly overlay: Overlay;
}

export interface ToolboxOptions extends OverlayOptions {
  /** As it may be shown: without secrets. */
  readonly repository: Repository;
  /** Log of the failed run; null where the report is not about one. */
  readonly ciLog: string | null;
  readonly findInstalled?: FindInstalled;
  /** That may be read as well; absent: none. */
  readonly others?: readonly OtherRepository[];
}

/** Tools of one run. Running the recorded edits again on a new toolbox of the same commit brings the overlay back. */
export function createToolbox({
  repository,
  ciLog,
  findInstalled = NOTHING_INSTALLED,
  others = [],
  ...options
}: ToolboxOptions): Toolbox {
  const { tree, clean } = options;
  const overlay = createOverlay(options);
  const tools = [
    defineListFilesTool(overlay),
    defineReadFilesTool(overlay, repository, findInstalled),
    defineOutlineTool(overlay),
    defineSearchTool(overlay, findInstalled),
    defineHistoryTool(repository, tree),
    defineBlameTool(overlay),
    defineCompareTool(repository, tree, async (path) => {
      const { base, files } = overlay.changeSet();
      const wanted = path === '' ? files : files.filter((file) => file.path === path);
      return clean(toUnifiedPatch({ base, files: wanted }));
    }),
    defineCiLogTool(ciLog),
    defineOwnersTool(repository),
    defineReplaceTool(overlay),
    defineCreateFileTool(overlay),
    defineDeleteFileTool(overlay),
    defineRenameFileTool(overlay),
  ];
  return { tools: addRepositories(tools, others), overlay };
}
