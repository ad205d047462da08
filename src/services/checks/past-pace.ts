// How fast the past is read: an installation's calls are for what happens now, so that those for the past of its many repositories are spread.

export interface PastPace {
  /** When the next page may be read for that installation, in milliseconds; now or before: at once. */
  readyAt(installationId: number, now: number): number;
  spent(installationId: number, calls: number, now: number): void;
}

/** GitHub gives every installation 5,000 calls an hour at the least; a fifth of them goes to the past, two repositories' share at once. */
const CALLS_AN_HOUR = 1_000;
const MS_A_CALL = 3_600_000 / CALLS_AN_HOUR;
/** Below this it waits until there are so many again. */
const LEAST_CALLS = 50;

/** Known to this process alone: a new start begins with a full allowance. */
export function createPastPace(): PastPace {
  const left = new Map<number, { readonly calls: number; readonly at: number }>();
  const allowed = (installationId: number, now: number): number => {
    const known = left.get(installationId);
    return known === undefined
      ? CALLS_AN_HOUR
      : Math.min(CALLS_AN_HOUR, known.calls + Math.max(0, now - known.at) / MS_A_CALL);
  };
  return {
    readyAt: (installationId, now) => {
      const missing = LEAST_CALLS - allowed(installationId, now);
      return missing <= 0 ? now : now + missing * MS_A_CALL;
    },
    spent: (installationId, calls, now) =>
      void left.set(installationId, { calls: allowed(installationId, now) - calls, at: now }),
  };
}
