// Evidence: what one step of an investigation found, with the exact query and what was cut.
import type { ChangeSet } from 'causeway-diff';
import type { ToolDescription } from 'causeway-models';

/** A lookup found something, found nothing, or failed. `cut`: what was left out ("" if nothing). */
export type LookupFinding =
  | { readonly status: 'found'; readonly text: string; readonly cut: string }
  | { readonly status: 'nothing'; readonly text: string }
  | { readonly status: 'failed'; readonly text: string };

/** One step as the API shows it: the exact query, its result, and what that means. */
export interface InvestigationStep {
  readonly action: string;
  readonly result: string;
  readonly analysis: string;
}

/** The origin of a step's result. Results from monitoring are not shown on public repositories. */
export type StepSource = 'report' | 'log' | 'repository' | 'monitoring';

/** A step as stored. The API does not show the source. */
export interface SourcedStep extends InvestigationStep {
  /** Absent: the repository. */
  readonly source?: StepSource;
  /** The kind of lookup, for those that other code treats specially. */
  readonly lookup?: StepLookup;
  /** Another repository that was looked into, `owner/name`; absent: the project's own. */
  readonly repository?: string;
}

/**
 * `log` is what a log of the report says of its failure; `history`, `blame` and `compare` are what git says of commits; `signals`, `rank_files` and `rank_functions` are how
 * the suspects were found; `place` shows the likeliest of them, `callers`, `callees` and `tests` what is around it.
 */
export type StepLookup =
  | 'log'
  | 'signals'
  | 'rank_files'
  | 'rank_functions'
  | 'rank_suspects'
  | 'place'
  | 'callers'
  | 'callees'
  | 'tests'
  | 'history'
  | 'blame'
  | 'compare';

export interface Tool extends ToolDescription {
  /** Origin of its results. Absent: the repository. */
  readonly source?: StepSource;
  /** The kind of its steps; absent if no other code needs it. */
  readonly lookup?: StepLookup;
  /**
   * Runs the tool with the model's raw arguments. Problems that the model can correct (bad arguments, nothing found)
   * are findings. Throws only when aborted or on internal faults.
   */
  run(rawArguments: string, signal: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  /** The exact query as the step shows it: `search "x" in src/ at 1a2b3c4`. */
  readonly action: string;
  readonly finding: LookupFinding;
  /** Another repository that was looked into, `owner/name`; absent: the project's own. */
  readonly repository?: string;
}

/** What an investigation can do on one commit: lookups, and edits kept in memory. */
export interface Workbench {
  readonly tools: readonly Tool[];
  /** The edits so far, against the commit. */
  changeSet(): ChangeSet;
}
