// Before the sign-in nobody is known: what strangers may ask of us is bounded for all of them together.
import { takeFromQuota } from '../../services/rate-limit.ts';
import { WebRefusal } from '../refusal.ts';

/** A minute, of everybody. Forms cost a little; ways back from GitHub cost a write and some questions there. */
export const AT_THE_DOOR = { forms: 600, waysBack: 60, exchangesAtOnce: 8 } as const;

/** How long somebody waits for one of the exchanges to end: each takes half a minute at most. */
const EXCHANGE_SECONDS = 10;

export interface Threshold {
  /** For each POST of a sign-in. Refuses with 429. */
  countForm(): void;
  /** For each way back from GitHub that is ours. Refuses with 429. */
  countWayBack(): void;
  /** Refuses with 429 where too many are under way. */
  exchange<T>(work: () => Promise<T>): Promise<T>;
}

export function createThreshold(now: () => Date): Threshold {
  let underWay = 0;
  return {
    countForm: counter(AT_THE_DOOR.forms, now),
    countWayBack: counter(AT_THE_DOOR.waysBack, now),
    exchange: async (work) => {
      if (underWay >= AT_THE_DOOR.exchangesAtOnce) throw tooMany(EXCHANGE_SECONDS);
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
      }
    },
  };
}

function counter(quota: number, now: () => Date): () => void {
  let times: readonly number[] = [];
  return () => {
    const taken = takeFromQuota(times, quota, now().getTime());
    times = taken.times;
    if (!taken.allowed) throw tooMany(taken.resetSeconds);
  };
}

function tooMany(seconds: number): WebRefusal {
  const words = `Too many people sign in at once: wait ${seconds} s, and load this page again.`;
  return new WebRefusal(429, words, { 'Retry-After': String(seconds) });
}
