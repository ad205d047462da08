// How sure a result is: from what code could check of it, never from what the model says of itself.
import type { Outcome } from '../core/outcome/index.ts';

/** What was proven about a result. */
export interface ConfidenceInputs {
  readonly outcome: Outcome;
  /** Claims by their support; dropped ones count as claimed and not proven. */
  readonly claims: { readonly proven: number; readonly assumed: number; readonly dropped: number };
  readonly quotations: { readonly given: number; readonly false: number };
  /**
   * The best place of a proven claim: a frame of the report's trace, a file of the cited steps, a file that exists,
   * none.
   */
  readonly place: 'frame' | 'read' | 'exists' | 'none';
  /**
   * `already_fixed`: the commit was found. `code_fix`: the edits parse and change code at a place of a proven claim.
   */
  readonly backed: boolean;
  /** Claims that a quotation of the repository proves. */
  readonly inSource: number;
  readonly reproduced: boolean;
  readonly guards: 'clean' | 'needs_person' | 'blocked';
  readonly partial: boolean;
  /** The outcome is not the one that the model gave, since its proof is missing. */
  readonly downgraded: boolean;
}

/** Quotations are the only proof of the cause itself. */
const CLAIMS = 0.4;

/**
 * A stack frame shows that the program was there; a file that was read and cited is likely; one that merely exists says
 * little.
 */
const PLACE = { frame: 0.2, read: 0.12, exists: 0.04, none: 0 } as const;

/**
 * Edits that parse, at a cause that was shown, prove an understanding of the source; a commit in the history is its own
 * inputs.
 */
const BACKED = 0.2;

/** Where no edit or commit can back a result (`not_a_bug`, `action_recommended`): for each further claim proven. */
const FURTHER_CLAIM = 0.05;

const MOST_FURTHER = 3;

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
 * `0.95 × (0.4 × share of claims proven + place + backed + reproduction + guards) × (1 − 0.5 × share of false
 * quotations)`, capped at 0.6 for a partial run and at 0.3 for a downgraded outcome; rounded down to hundredths. Null
 * where no cause is claimed or proven: a number would look as if one were. Without edits or a commit behind it
 * a result reaches 0.66 at most, 0.80 where four claims of `not_a_bug` or `action_recommended` are proven by the
 * repository; 0.78, from which a pull request may open unasked,
 * takes every claim proven and a failure that was seen, or a frame.
 */
export function computeConfidence(inputs: ConfidenceInputs): number | null {
  if (inputs.outcome === 'inconclusive' || inputs.outcome === 'needs_information' || inputs.outcome === 'facts_only')
    return null;
  const { proven, assumed, dropped } = inputs.claims;
  if (proven === 0) return null;
  const sum =
    CLAIMS * (proven / (proven + assumed + dropped)) +
    PLACE[inputs.place] +
    (inputs.backed ? BACKED : weighFurtherClaims(inputs)) +
    (inputs.reproduced ? REPRODUCED : 0) +
    (inputs.backed ? GUARDS[inputs.guards] : 0);
  const { given, false: invented } = inputs.quotations;
  const honest = given === 0 ? 1 : 1 - FALSE_QUOTATIONS * (invented / given);
  const most = Math.min(inputs.partial ? PARTIAL_MOST : 1, inputs.downgraded ? DOWNGRADED_MOST : 1);
  // Never rounded up over a threshold; the millionth takes back what adding fractions lost.
  return Math.floor(Math.min(MOST * sum * honest, most) * 100 + 1e-6) / 100;
}

function weighFurtherClaims({ outcome, inSource }: ConfidenceInputs): number {
  if (outcome !== 'not_a_bug' && outcome !== 'action_recommended') return 0;
  return FURTHER_CLAIM * Math.min(MOST_FURTHER, Math.max(0, inSource - 1));
}
