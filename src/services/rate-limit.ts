// How often an account may call, and how many answers are held open for it: kept in memory, the rate told in the fields of the IETF draft.

export interface RateLimits {
  readonly callsPerMinute: number;
  readonly creationsPerMinute: number;
}

const WINDOW_MS = 60_000;
/** Each of them looks into the database once a second: 200 of one account are some 400 small reads a second. */
const MOST_HELD = 200;

/** Times (ms) of the calls that count, oldest first. */
export type CallTimes = readonly number[];

/** A quota after one more call was asked for. `resetSeconds`: until the oldest call stops counting. */
export interface QuotaState {
  readonly times: CallTimes;
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** One call more at `now`. A refused call does not count, so that waiting always helps. */
export function takeFromQuota(times: CallTimes, quota: number, now: number): QuotaState {
  // A clock that was set back must not lock anyone out: times in the future are forgotten.
  const counting = times.filter((time) => time > now - WINDOW_MS && time <= now);
  const allowed = counting.length < quota;
  const after = allowed ? [...counting, now] : counting;
  const oldest = after[0] ?? now;
  return {
    times: after,
    allowed,
    remaining: quota - after.length,
    resetSeconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1_000)),
  };
}

interface RateVerdict {
  readonly allowed: boolean;
  /** Seconds to wait; 0 where allowed. */
  readonly retryAfter: number;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers); empty where there is no limit. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What each kind counts against. */
const QUOTAS = { call: ['calls'], creation: ['calls', 'creations'], page: ['pages'] } as const;

export interface RateLimiter {
  /** Counts the call unless it is refused. Pages have a quota of their own, as large as that of calls: nobody's program shuts them out. */
  take(accountId: string, kind: keyof typeof QUOTAS, now: Date): RateVerdict;
  /** Counts an answer that is held open, such as a stream, until it is let go; null: the account has as many as it may. */
  hold(accountId: string): Hold | null;
}

export interface Hold {
  /** Again and again is the same as once. */
  release(): void;
}

export function createRateLimiter(limits: RateLimits | 'off'): RateLimiter {
  const hold = holds();
  if (limits === 'off') return { take: () => ({ allowed: true, retryAfter: 0, headers: {} }), hold };
  const times = new Map<string, CallTimes>();
  const { callsPerMinute: calls, creationsPerMinute: creations } = limits;
  const quotas = { calls, creations, pages: calls } as const;
  return {
    hold,
    take: (accountId, kind, now) => {
      const taken = QUOTAS[kind].map((name) => {
        const key = `${name} ${accountId}`;
        return { name, key, state: takeFromQuota(times.get(key) ?? [], quotas[name], now.getTime()) };
      });
      const refused = taken.filter(({ state }) => !state.allowed);
      if (refused.length === 0) for (const { key, state } of taken) times.set(key, state.times);
      const left = (state: QuotaState) => state.remaining + (state.allowed && refused.length > 0 ? 1 : 0);
      return {
        allowed: refused.length === 0,
        retryAfter: Math.max(0, ...refused.map(({ state }) => state.resetSeconds)),
        headers: {
          'RateLimit-Policy': taken.map(({ name }) => `"${name}";q=${quotas[name]};w=${WINDOW_MS / 1_000}`).join(', '),
          RateLimit: taken.map(({ name, state }) => `"${name}";r=${left(state)};t=${state.resetSeconds}`).join(', '),
        },
      };
    },
  };
}

/** Held answers are bounded whatever the rate: an operator who lifts that one has not thought of these. */
function holds(): RateLimiter['hold'] {
  const held = new Map<string, number>();
  return (accountId) => {
    const count = held.get(accountId) ?? 0;
    if (count >= MOST_HELD) return null;
    held.set(accountId, count + 1);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(accountId) ?? 1) - 1;
        if (left === 0) held.delete(accountId);
        else held.set(accountId, left);
      },
    };
  };
}
