// Going through many things in one call: others get their turn in between, and the work as a whole has an end.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Effort } from '../core/paths.ts';

// A few milliseconds of work before others get their turn.
const STEPS_PER_TURN = 200_000;

/** What one call may spend; shared by all that it goes through. */
export interface Budget extends Effort {
  readonly limit: number;
  /** At so many steps the next turn is due. */
  turnAt: number;
}

type Outcome<T> =
  | { readonly kind: 'first'; readonly item: T }
  | { readonly kind: 'none' }
  /** The budget was spent after so many items; the others were not looked at. */
  | { readonly kind: 'stopped'; readonly after: number };

export function createBudget(limit: number): Budget {
  return { steps: 0, limit, turnAt: STEPS_PER_TURN };
}

/** The first item that passes `test`, which adds what it costs to the budget. */
export async function findInTurns<T>(
  items: readonly T[],
  test: (item: T) => boolean,
  budget: Budget,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  for (const [index, item] of items.entries()) {
    if (budget.steps >= budget.limit) return { kind: 'stopped', after: index };
    if (budget.steps >= budget.turnAt) await takeBreak(budget, signal);
    budget.steps += 1;
    if (test(item)) return { kind: 'first', item };
  }
  return { kind: 'none' };
}

async function takeBreak(budget: Budget, signal: AbortSignal): Promise<void> {
  await breathe();
  signal.throwIfAborted();
  budget.turnAt = budget.steps + STEPS_PER_TURN;
}
