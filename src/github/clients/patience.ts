// How long to stay away after a secondary limit that names no time: GitHub asks for a minute at least, and longer each time.

const FIRST_MS = 60_000;
const LONGEST_MS = 30 * 60_000;

export interface Patience {
  /** Until when nothing should be asked. Refusals within one wait count once. */
  refused(): Date;
  answered(): void;
}

export function createPatience(now: () => Date): Patience {
  let waitMs = 0;
  let until = 0;
  return {
    refused() {
      const moment = now().getTime();
      if (moment >= until) {
        waitMs = Math.min(LONGEST_MS, waitMs === 0 ? FIRST_MS : waitMs * 2);
        until = moment + waitMs;
      }
      return new Date(until);
    },
    answered() {
      // An answer to what was asked before the refusal says nothing.
      if (now().getTime() >= until) waitMs = 0;
    },
  };
}
