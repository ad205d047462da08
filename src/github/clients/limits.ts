// GitHub's two limits: the primary one says when it opens again, the secondary one sometimes how long to wait.
import { isSpent, resetOf, waitOf } from './limit-headers.ts';
import type { Answer, Asked } from './read-failure.ts';

type Limited = Pick<Asked, 'now' | 'patience' | 'resource'>;

/** Neither a clock that is a little off nor a nonsense header may make us ask without a pause, or never again. */
const SHORTEST_MS = 10_000;
const LONGEST_MS = 24 * 60 * 60_000;

/** When to ask again, which holds from now on; null where the answer is about something else. `said`: GitHub's words. */
export function limitedUntil({ status, headers }: Answer, said: string, asked: Limited): Date | null {
  if (status !== 403 && status !== 429) return null;
  // The call that a missing permission refused may have been the last of the hour.
  if (/not accessible by integration|suspended/i.test(said)) return null;
  const isLimit = waitOf(headers['retry-after'], asked.now) !== null || isSpent(headers);
  return isLimit || status === 429 || /rate limit|abuse/i.test(said) ? heldBack(headers, asked) : null;
}

/** The same for a GraphQL answer that says it was limited, with the status 200. */
export function heldBack(headers: Answer['headers'], { now, patience, resource }: Limited): Date {
  const wait = waitOf(headers['retry-after'], now);
  const named = wait === null && isSpent(headers) ? resetOf(headers) : null;
  const reset = named === null ? null : within(now, named.getTime() - now.getTime());
  const until = reset ?? (wait === null ? patience.refused() : within(now, wait));
  // An hour that is used up is counted for each resource; a secondary limit is one for all of them.
  patience.limit(until, reset === null ? null : resource);
  return until;
}

function within(now: Date, wait: number): Date {
  return new Date(now.getTime() + Math.min(LONGEST_MS, Math.max(SHORTEST_MS, wait)));
}
