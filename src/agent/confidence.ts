// How far a result may be believed, 0 to 1, from what code has checked; the model's own word counts for nothing.
import type { Outcome } from '../core/issue.ts';

/** What was proven about a result. */
export interface Proof {
  readonly outcome: Outcome;
  /** Claims by their support; dropped ones count as claimed and not proven. */
  readonly claims: { readonly proven: number; readonly assumed: number; readonly dropped: number };
  readonly quotations: { readonly given: number; readonly false: number };
  /** The firmest place of a proven claim: a frame of the report's trace, a file of the cited steps, one that exists, none. */
  readonly place: 'frame' | 'read' | 'exists' | 'none';
  /** Of `already_fixed` the commit was found; of `code_fix` the edits parse, and change code at a place of a proven claim. */
  readonly backed: boolean;
  readonly reproduced: boolean;
  readonly guards: 'clean' | 'needs_person' | 'blocked';
  readonly partial: boolean;
  /** The outcome is not the one that the model gave, since its proof is missing. */
  readonly downgraded: boolean;
}

/** Quotations are the only proof of the cause itself. */
const CLAIMS = 0.4;
/** A stack frame says that the program was there; a file that was read and cited is likely; a file that exists is little. */
const PLACE = { frame: 0.2, read: 0.12, exists: 0.04, none: 0 } as const;
/** Edits that parse, where the cause was shown, show that the source was understood; a commit that stands in the history is its own proof. */
const BACKED = 0.2;
/** A failure that can be shown again can be shown to be gone. */
const REPRODUCED = 0.1;
/** A change to what checks the change proves itself less. */
const GUARDS = { clean: 0.1, needs_person: 0.04, blocked: 0 } as const;
/** Nothing was run, so nothing is ever certain. */
const MOST = 0.95;
const PARTIAL_MOST = 0.6;
const DOWNGRADED_MOST = 0.3;
/** Half of the belief goes with the last quotation: who invents some is less to be believed in the rest. */
const FALSE_QUOTATIONS = 0.5;

/**
 * `0.95 × (0.4 × share of claims proven + place + backed + reproduction + guards) × (1 − 0.5 × share of false quotations)`, capped
 * at 0.6 for a partial run and at 0.3 for a downgraded outcome; rounded down to hundredths. Null where no cause is claimed or proven:
 * a number would look as if one were. Without edits or a commit behind it (`not_a_bug`, `action_recommended`) a result reaches 0.66
 * at most; 0.78, from which a pull request may open unasked, takes every claim proven and a failure that was seen, or a frame.
 */
export function confidenceOf(proof: Proof): number | null {
  if (proof.outcome === 'inconclusive' || proof.outcome === 'needs_information' || proof.outcome === 'facts_only')
    return null;
  const { proven, assumed, dropped } = proof.claims;
  if (proven === 0) return null;
  const sum =
    CLAIMS * (proven / (proven + assumed + dropped)) +
    PLACE[proof.place] +
    (proof.backed ? BACKED : 0) +
    (proof.reproduced ? REPRODUCED : 0) +
    (proof.backed ? GUARDS[proof.guards] : 0);
  const { given, false: invented } = proof.quotations;
  const honest = given === 0 ? 1 : 1 - FALSE_QUOTATIONS * (invented / given);
  const most = Math.min(proof.partial ? PARTIAL_MOST : 1, proof.downgraded ? DOWNGRADED_MOST : 1);
  // Never rounded up over a threshold; the millionth takes back what adding fractions lost.
  return Math.floor(Math.min(MOST * sum * honest, most) * 100 + 1e-6) / 100;
}
