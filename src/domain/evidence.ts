// Evidence: what one step of an investigation found, with the exact query and what was cut.

/** One step as the interface shows it: the exact query, its result, what it means. */
export interface InvestigationStep {
  readonly action: string;
  readonly result: string;
  readonly analysis: string;
}
