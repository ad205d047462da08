// Evidence: what one step of an investigation found, with the exact query and what was cut.
import type { ChangeSet } from './diff/diff.ts';
import type { ToolDescription } from './model.ts';

/**
 * A lookup either found something, found nothing, or failed; the three are never mixed up. `cut` says what was left out
 * ("": nothing).
 */
export type Finding =
  | { readonly status: 'found'; readonly text: string; readonly cut: string }
  | { readonly status: 'nothing'; readonly text: string }
  | { readonly status: 'failed'; readonly text: string };

/** One step as the interface shows it: the exact query, its result, what it means. */
export interface InvestigationStep {
  readonly action: string;
  readonly result: string;
  readonly analysis: string;
}

/** Where the result of a step comes from. What monitoring systems gave is not shown on public repositories. */
export type StepSource = 'report' | 'log' | 'repository' | 'monitoring';

/** A step as it is stored. The interface does not show the source. */
export interface SourcedStep extends InvestigationStep {
  /** Absent: the repository. */
  readonly source?: StepSource;
  /** What kind of lookup it was, for those of triage and of the model's tools that other code asks about. */
  readonly lookup?: StepLookup;
}

/** `history`, `blame` and `compare` are what git says of commits. */
export type StepLookup = 'rank_suspects' | 'history' | 'blame' | 'compare';

export interface Tool extends ToolDescription {
  /** Where its results come from. Absent: the repository. */
  readonly source?: StepSource;
  /** Of its steps; absent: no other code asks. */
  readonly lookup?: StepLookup;
  /**
   * Runs the tool with the arguments as the model wrote them. Never throws for what the model can put right (malformed
   * or wrong arguments, nothing there): that is a finding. Throws only aborts and faults of our own.
   */
  run(rawArguments: string, signal: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  /** The exact query in words, as the investigation step shows it: `search "x" in src/ at 1a2b3c4`. */
  readonly action: string;
  readonly finding: Finding;
}

/** What an investigation may do on one commit: lookups, and edits that are kept aside of it. */
export interface Workbench {
  readonly tools: readonly Tool[];
  /** What the edits come to; its base is the commit. */
  changeSet(): ChangeSet;
}
