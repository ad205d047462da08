// What the ledger says of a failure to whoever judges it: of trusted places nothing but what trusted ones have shown.

import type { FailureHistory } from '../../ci/judge.ts';
import type { Failure } from '../../core/failure.ts';
import type { FailureStore, Habits } from '../../db/store.ts';
import type { SeenAt } from './sighting-of.ts';

export interface Known {
  readonly failure: Failure;
  readonly habits: Habits;
}

/** Null: it was never seen. `where`: what is judged. */
export async function knownOf(
  store: Pick<FailureStore, 'habits' | 'failureOf'>,
  of: { readonly projectId: string; readonly fingerprint: string },
  where: SeenAt,
): Promise<Known | null> {
  const failure = await store.failureOf(of.projectId, of.fingerprint);
  if (failure === null) return null;
  const asked = { isTrustedOnly: where.isTrusted, besides: where };
  return { failure, habits: await store.habits(failure.id, asked) };
}

/** `greenAt`: since when the base is green; "" where it is not. From then on it is not what breaks this, whatever the ledger has open. */
export function historyOf(known: Known | null, { isOnDefault }: SeenAt, greenAt: string): FailureHistory | null {
  if (known === null) return null;
  const { failure, habits } = known;
  const isGreenSince = greenAt !== '' && Date.parse(greenAt) > (Date.parse(habits.lastOnDefaultAt) || 0);
  // What comes and goes in pull requests alone may be their own doing.
  const isChance = !isOnDefault || habits.flakyOnDefault > 0;
  return {
    isOpenOnDefault: failure.state === 'open' && failure.isOnDefault && !isGreenSince,
    ...{ hits: habits.heads, flakyHits: isChance ? habits.flakyHeads : 0 },
    ...{ pullRequests: habits.pullRequests, branches: habits.branches },
  };
}
