// What one attempt at an answer can come to besides an answer, and what is to be done about it.
import type { TurnUsage } from '../ports/model.ts';
import type { Feature } from './dialect.ts';

export type Fault =
  /** The endpoint cannot now; `waitMs` is what it asked for, if it asked. `isLimit`: it wants to hear nothing, from nobody. */
  | { readonly kind: 'unavailable'; readonly detail: string; readonly waitMs: number | null; readonly isLimit: boolean }
  /** The answer is of no use; asking again may help so many times. */
  | { readonly kind: 'misbehaved'; readonly detail: string; readonly retries: number }
  | { readonly kind: 'rejected' | 'overflow' | 'refused'; readonly detail: string }
  /** The endpoint does not know a part of the request that can be left out. */
  | { readonly kind: 'unsupported'; readonly feature: Feature; readonly detail: string };

/** Ends one attempt. `detail` is a sentence for a person, with the repair and without the key. */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
  readonly fault: Fault;
  /** What the attempt cost all the same; null where the endpoint had not begun to answer. */
  spent: TurnUsage | null = null;

  constructor(fault: Fault) {
    super(fault.detail);
    this.fault = fault;
  }
}

/** An answer that cannot be used; most models do better when asked once or twice more. */
export function misbehaved(detail: string, retries = 2): AttemptFailed {
  return new AttemptFailed({ kind: 'misbehaved', detail, retries });
}

export function unavailable(detail: string): AttemptFailed {
  return new AttemptFailed({ kind: 'unavailable', detail, waitMs: null, isLimit: false });
}
