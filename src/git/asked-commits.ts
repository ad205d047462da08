// Who asks for a commit that another asks for waits with them, and what was refused just now is not asked for again at once.
import { createSingleFlight } from './single-flight.ts';

const REFUSAL_LASTS_MS = 60_000;

export interface AskedCommits {
  /** Does `work`, which fetches the commit that `key` names and says whether it is there, or joins one that is under way. */
  ask(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<boolean>): Promise<boolean>;
}

/** `refusalLastsMs`: how long a refused commit counts as refused (default one minute). */
export function createAskedCommits(refusalLastsMs = REFUSAL_LASTS_MS): AskedCommits {
  const flights = createSingleFlight<boolean>();
  const refused = new Map<string, number>();

  function isRefused(key: string): boolean {
    return performance.now() < (refused.get(key) ?? 0);
  }

  function remember(key: string): void {
    for (const [old, until] of refused) if (until <= performance.now()) refused.delete(old);
    refused.set(key, performance.now() + refusalLastsMs);
  }

  return {
    async ask(key, signal, work) {
      if (isRefused(key)) return false;
      const isThere = await flights.join(key, signal, work);
      if (!isThere) remember(key);
      return isThere;
    },
  };
}
