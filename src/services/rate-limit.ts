// How often an account may call, how many answers are kept open for it, and whose turn it is to have a log read: in
// memory, reported in the fields of the IETF draft. How many reports may be unfinished is in accept-report.ts.
import { untilAborted } from '../core/abortable.ts';

export interface RateLimits {
  readonly callsPerMinute: number;
  readonly creationsPerMinute: number;
}

const WINDOW_MS = 60_000;
/** Each one reads the database once a second. */
const MOST_HELD = 200;
/** Each one takes a processor for seconds, beside the investigations of the same process. */
const MOST_READINGS = 2;

/** Times (ms) of the calls that count, oldest first. */
export type CallTimes = readonly number[];

/** `resetSeconds`: until the oldest call stops counting. */
export interface QuotaState {
  readonly times: CallTimes;
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** One more call at `now`. A refused call does not count, so that waiting always helps. */
export function takeFromQuota(times: CallTimes, quota: number, now: number): QuotaState {
  // A clock that was set back must not lock anyone out: times in the future do not count.
  const counting = times.filter((time) => time > now - WINDOW_MS && time <= now);
  const allowed = counting.length < quota;
  const after = allowed ? [...counting, now] : counting;
  const oldest = after[0] ?? now;
  const resetSeconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1_000));
  return { times: after, allowed, remaining: quota - after.length, resetSeconds };
}

interface RateVerdict {
  readonly allowed: boolean;
  /** Seconds to wait; 0 where allowed. */
  readonly retryAfter: number;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); empty where there is no limit. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What each kind counts against. Pages have their own quota, so that a person's program does not lock them out. */
const QUOTAS = { call: ['calls'], creation: ['calls', 'creations'], page: ['pages'] } as const;

export interface RateLimiter {
  /** Counts the call unless it is refused. */
  take(accountId: string, kind: keyof typeof QUOTAS, now: Date): RateVerdict;
  /**
   * Counts an answer that is kept open, such as a stream, until it is released; null: the account has as many as it
   * may.
   */
  hold(accountId: string): Hold | null;
  /**
   * Waits until this process may read a log for the account; the turn lasts until its release. Throws the
   * signal's reason when aborted, and its place is the next one's then.
   */
  takeTurn(accountId: string, signal: AbortSignal): Promise<Hold>;
}

export interface Hold {
  /** Idempotent. */
  release(): void;
}

export function createRateLimiter(limits: RateLimits | 'off'): RateLimiter {
  // Open answers are limited even where calls are not.
  const hold = createHolder();
  const takeTurn = createTurnstile(MOST_READINGS);
  if (limits === 'off') return { take: () => ({ allowed: true, retryAfter: 0, headers: {} }), hold, takeTurn };
  const times = new Map<string, CallTimes>();
  const { callsPerMinute: calls, creationsPerMinute: creations } = limits;
  const quotas = { calls, creations, pages: calls } as const;
  return {
    hold,
    takeTurn,
    take: (accountId, kind, now) => {
      const taken = QUOTAS[kind].map((name) => {
        const key = `${name} ${accountId}`;
        return { name, key, state: takeFromQuota(times.get(key) ?? [], quotas[name], now.getTime()) };
      });
      const refused = taken.filter(({ state }) => !state.allowed);
      if (refused.length === 0) for (const { key, state } of taken) times.set(key, state.times);
      const countLeft = (state: QuotaState) => state.remaining + (state.allowed && refused.length > 0 ? 1 : 0);
      return {
        allowed: refused.length === 0,
        retryAfter: Math.max(0, ...refused.map(({ state }) => state.resetSeconds)),
        headers: {
          'RateLimit-Policy': taken.map(({ name }) => `"${name}";q=${quotas[name]};w=${WINDOW_MS / 1_000}`).join(', '),
          RateLimit: taken
            .map(({ name, state }) => `"${name}";r=${countLeft(state)};t=${state.resetSeconds}`)
            .join(', '),
        },
      };
    },
  };
}

function createHolder(): RateLimiter['hold'] {
  const held = new Map<string, Set<Hold>>();
  return (accountId) => {
    const own = held.get(accountId) ?? new Set();
    if (own.size >= MOST_HELD) return null;
    const hold: Hold = {
      release: () => {
        own.delete(hold);
        if (own.size === 0) held.delete(accountId);
      },
    };
    held.set(accountId, own.add(hold));
    return hold;
  };
}

/** In order of arrival, but an account with a turn waits for those that have none. */
function createTurnstile(most: number): RateLimiter['takeTurn'] {
  const running = new Map<Hold, string>();
  const waiting = new Map<() => void, string>();
  const next = (): void => {
    const busy = new Set(running.values());
    const [begin] = [...waiting].find(([, accountId]) => !busy.has(accountId)) ?? [...waiting][0] ?? [];
    if (running.size < most) begin?.();
  };
  return async (accountId, signal) => {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<Hold>();
    const begin = () => {
      const turn: Hold = { release: () => void (running.delete(turn) && next()) };
      waiting.delete(begin);
      running.set(turn, accountId);
      resolve(turn);
    };
    waiting.set(begin, accountId);
    next();
    try {
      return await untilAborted(promise, signal);
    } catch (error) {
      // Its turn may have come in the same moment.
      if (!waiting.delete(begin)) (await promise).release();
      throw error;
    }
  };
}
