// When a webhook that was not delivered is tried again: ten attempts over about three days.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first, second … ninth failed attempt, in milliseconds. */
const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Each wait is up to so much shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.1;
const LONGEST_WAIT = 24 * HOUR;

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export type NextAttempt = { readonly kind: 'later'; readonly runAt: string } | { readonly kind: 'dead' };

export interface FailedAttempt {
  /** Attempts made since it was first sent, or sent again, this one included: from 1. */
  readonly attempts: number;
  /** `Retry-After` as it came; empty where there was none. */
  readonly retryAfter: string;
  readonly now: Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * When to try again after a failed attempt, or `dead` after the last. Counted in attempts, not in time passed, so that a clock that jumps
 * neither loses nor repeats one. `Retry-After` can only lengthen a wait, to at most 24 h: a receiver that could shorten it would use up its own attempts.
 */
export function nextAttempt(failed: FailedAttempt): NextAttempt {
  const wait = WAITS[failed.attempts - 1];
  if (wait === undefined) return { kind: 'dead' };
  const jittered = wait * (1 - JITTER + 2 * JITTER * failed.random());
  const asked = Math.min(retryAfterWait(failed.retryAfter, failed.now), LONGEST_WAIT);
  const runAt = new Date(failed.now.getTime() + Math.round(Math.max(jittered, asked)));
  return { kind: 'later', runAt: runAt.toISOString() };
}

/** Milliseconds that a `Retry-After` header (seconds, or a date of RFC 9110) asks for; 0 where it is garbage or past. */
function retryAfterWait(header: string, now: Date): number {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  if (!HTTP_DATE.test(text)) return 0;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
