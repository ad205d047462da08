// GitHub's two limits: the primary one says when it opens again, the secondary one sometimes how long to wait.
import type { Answer, Asked } from './read-failure.ts';

/** Neither a clock that is a little off nor a nonsense header may make us ask without a pause, or never again. */
const SHORTEST_MS = 10_000;
const LONGEST_MS = 24 * 60 * 60_000;

/** When to ask again; null where the answer is about something else. `said`: GitHub's words. */
export function limitedUntil(
  { status, headers }: Answer,
  said: string,
  { now, patience }: Pick<Asked, 'now' | 'patience'>,
): Date | null {
  if (status !== 403 && status !== 429) return null;
  // The call that a missing permission refused may have been the last of the hour.
  if (/not accessible by integration|suspended/i.test(said)) return null;
  const wait = waitOf(headers['retry-after'], now);
  if (wait !== null) return within(now, wait);
  if (isSpent(headers)) return resetOf(headers, now) ?? patience.refused();
  return status === 429 || /rate limit|abuse/i.test(said) ? patience.refused() : null;
}

/** The same for a GraphQL answer, whose status is 200. */
export function graphqlLimitedUntil(
  headers: Answer['headers'],
  { now, patience }: Pick<Asked, 'now' | 'patience'>,
): Date {
  const wait = waitOf(headers['retry-after'], now);
  if (wait !== null) return within(now, wait);
  return (isSpent(headers) ? resetOf(headers, now) : null) ?? patience.refused();
}

function isSpent(headers: Answer['headers']): boolean {
  return String(headers['x-ratelimit-remaining'] ?? '').trim() === '0';
}

function resetOf(headers: Answer['headers'], now: Date): Date | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000;
  return Number.isFinite(reset) ? within(now, reset - now.getTime()) : null;
}

/** Seconds or a date, as milliseconds from now; null where there is none that can be read. */
function waitOf(header: string | number | undefined, now: Date): number | null {
  const text = String(header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : until - now.getTime();
}

function within(now: Date, wait: number): Date {
  return new Date(now.getTime() + Math.min(LONGEST_MS, Math.max(SHORTEST_MS, wait)));
}
