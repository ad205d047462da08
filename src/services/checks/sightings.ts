// A red check as the ledger of failures keeps it, and what the ledger knows of a failure.

import type { FailureHistory } from '../../ci/judge.ts';
import type { Check, Verdict } from '../../core/check.ts';
import type { Failure, Sighting } from '../../core/failure.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { FailureStatistics, FailureStore } from '../../db/store.ts';

/** Where a check was seen. */
export interface SeenAt {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly isOnDefault: boolean;
  readonly isTrusted: boolean;
}

export function toSeenAt(sha: string, place: HeadPlace): SeenAt {
  return {
    ...{ sha, branch: place.branch, isOnDefault: place.kind === 'default', isTrusted: isTrusted(place) },
    pullRequest: place.kind === 'pull_request' ? place.number : null,
  };
}

/** Whoever puts a pull request into the merge queue stands behind it. */
function isTrusted(place: HeadPlace): boolean {
  if (place.kind !== 'pull_request') return place.kind === 'default';
  return place.isQueue || (place.isTrusted && !place.isFork);
}

/** Equal for the same red check, whoever tells of it: a run has a number, a status only its moment. */
export function makeSightingKey({ runId, name, endedAt, startedAt }: Check, sha: string): string {
  return runId === null ? `status ${name} ${sha} ${endedAt || startedAt}` : `run ${runId}`;
}

/** `at`: of a check that does not say when it ended. */
export function toSighting(check: Check, where: SeenAt, verdict: Verdict, at: string): Sighting {
  const key = makeSightingKey(check, where.sha);
  return { key, ...where, app: check.app, checkName: check.name, verdict, at: check.endedAt || check.startedAt || at };
}

export interface Known {
  readonly failure: Failure;
  readonly habits: FailureStatistics;
}

/** Null: it was never seen. `where`: what is judged. */
export async function readKnown(
  store: Pick<FailureStore, 'readFailureStatistics' | 'findFailureByFingerprint'>,
  of: { readonly projectId: string; readonly fingerprint: string },
  where: SeenAt,
): Promise<Known | null> {
  const failure = await store.findFailureByFingerprint(of.projectId, of.fingerprint);
  if (failure === null) return null;
  const asked = { isTrustedOnly: where.isTrusted, besides: where };
  return { failure, habits: await store.readFailureStatistics(failure.id, asked) };
}

/** `greenAt`: since when the base is green; "" where it is not. From then on it is not what breaks this, whatever the ledger has open. */
export function toHistory(known: Known | null, { isOnDefault }: SeenAt, greenAt: string): FailureHistory | null {
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
