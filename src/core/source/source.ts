// The source of projects, as the App sees it: what is opened for a report, and how people are told of it.
import type { Repository, SearchCut } from 'causeway-git-objects';
import { CausewayError } from '../errors.ts';
import type { Project } from '../project/index.ts';

export interface Source {
  /**
   * Updates the project's repository and opens it. Throws `repository_unreachable` (says what failed, without
   * credentials), `repository_empty` (no commit), `access_lost`, or SourceBusy.
   */
  open(project: Project, signal: AbortSignal): Promise<Repository>;
  /** Removes the local copy of the repository. Waits for other processes that have it open, at most until `signal`. */
  forget(projectId: string, signal?: AbortSignal): Promise<void>;
}

/** The repository cannot be read now; the run continues at `retryAt`. */
export class SourceBusy extends CausewayError {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, options?: ErrorOptions) {
    super('repository_unreachable', message, options);
    this.retryAt = retryAt;
  }
}

/** What is read where no revision is asked for: on this disk that is whatever is checked out. */
export function nameBranch({ defaultBranch }: Pick<Repository, 'defaultBranch'>): string {
  return defaultBranch === '' ? 'the commit that is checked out' : defaultBranch;
}

/** Why a search of a commit with the model's edits on it is incomplete. */
export type OverlaySearchCut =
  | SearchCut
  /** Edited files, which a search of the commit does not see. */
  | { readonly kind: 'edited_files'; readonly paths: readonly string[] };

export function describeSearchCut(cut: OverlaySearchCut): string {
  switch (cut.kind) {
    case 'limit':
      return `Only the first ${cut.limit} hits; there are more.`;
    case 'timeout':
      return 'Stopped for lack of time: later files were not searched. Use a simpler pattern or fewer paths.';
    case 'unreadable_names':
      return `${cut.hits} hit(s) in files whose names are not UTF-8.`;
    case 'large_files':
      return `${cut.files} file(s) over ${describeSize(cut.largest)} were not searched.`;
    case 'missing_contents':
      return 'Contents that are missing in the repository were not searched.';
    case 'unknown_paths':
      return `No file of this commit is at ${cut.paths.map((path) => JSON.stringify(path)).join(', ')}.`;
    case 'refused_alternatives':
      return `Not searched, since they are no valid expressions: ${cut.alternatives.join(' and ')}.`;
    case 'edited_files':
      return `The edited files were not searched: ${cut.paths.join(', ')}.`;
  }
}

function describeSize(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
