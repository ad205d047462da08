// Evidence: what one step of an investigation found, with the exact query and what was cut.

/** A lookup either found something, found nothing, or failed; the three are never mixed up. `cut` says what was left out ("": nothing). */
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
