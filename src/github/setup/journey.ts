// A browser on its way to GitHub and back: known by a state that GitHub returns and a cookie that only that browser has.
import { randomBytes } from 'node:crypto';
import { isSame } from './one-time-code.ts';

export interface Journey {
  readonly state: string;
  readonly cookie: string;
  /** Where GitHub will reach the service. */
  readonly publicUrl: string;
}

export interface Journeys {
  /** The one before ends: there is one App to be made. */
  begin(publicUrl: string): Journey;
  /** The journey that comes back, once; null where it is none of ours or is older than an hour. */
  end(state: string, cookie: string): Journey | null;
}

/** As long as GitHub's own code holds. */
const LONGEST_MS = 60 * 60 * 1_000;

export function createJourneys(now: () => Date): Journeys {
  let current: (Journey & { readonly until: number }) | null = null;
  return {
    begin: (publicUrl) => {
      const [state, cookie] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      current = { state, cookie, publicUrl, until: now().getTime() + LONGEST_MS };
      return current;
    },
    end: (state, cookie) => {
      const begun = current;
      const isOurs = begun !== null && isSame(begun.state, state) && isSame(begun.cookie, cookie);
      if (!isOurs || begun.until < now().getTime()) return null;
      current = null;
      return begun;
    },
  };
}
