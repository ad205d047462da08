// A conclusion's claims, and the steps that have to support them.

import type { StepLookup, StepSource } from '../core/report/index.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';

/**
 * `proven`: a quotation was found in its step. `assumed`: something else supports it, and it is shown as an assumption.
 */
export interface CheckedClaim {
  readonly text: string;
  readonly support: 'proven' | 'assumed';
  /** A quotation that holds is from the repository: a reporter can write anything into the report and its log. */
  readonly seenInSource: boolean;
  /** Those that hold. */
  readonly citations: readonly Citation[];
  /** Those that exist; `seen`: a step that is cited with success names the file. */
  readonly places: readonly (CitedPlace & { readonly seen: boolean })[];
}

/** A step with its number in the transcript and its result as the model saw it. */
export interface GroundStep {
  readonly number: number;
  /** The exact query in words. */
  readonly action: string;
  readonly result: string;
  readonly source?: StepSource;
  readonly lookup?: StepLookup;
  readonly repository?: string;
  /** What the step was, `found` if absent. Edits and failures repeat the model's own words and prove nothing. */
  readonly kind?: 'found' | 'nothing' | 'failed' | 'edit';
}

export type DraftClaim = ConclusionDraft['rootCause'][number];

export type Citation = DraftClaim['citations'][number];

export type CitedPlace = DraftClaim['places'][number];
