// How long a job waits after failures in a row of what it depends on: seconds at first, ten minutes at most.

export interface Pauses {
  /** Milliseconds to wait after one more failure of this subject. */
  next(subject: string, shortestMs?: number): number;
  /** It succeeded, or is over: its next failure is a first one. */
  end(subject: string): void;
}

const FIRST_MS = 1_000;
/** After eleven failures in a row. */
export const LONGEST_PAUSE_MS = 600_000;
const MOST_SUBJECTS = 10_000;

/**
 * Doubled each time: seven failures in a row cost two minutes, an outage is asked about every ten minutes. Counted in
 * memory, by failures and not by age: a restart, or what waited for something else before, begins with a second again.
 */
export function createPauses(longestMs = LONGEST_PAUSE_MS): Pauses {
  const failures = new Map<string, number>();
  return {
    next(subject, shortestMs = 0) {
      const before = failures.get(subject) ?? 0;
      failures.delete(subject);
      failures.set(subject, before + 1);
      const [oldest] = failures.keys();
      if (failures.size > MOST_SUBJECTS && oldest !== undefined) failures.delete(oldest);
      return Math.max(shortestMs, Math.min(longestMs, FIRST_MS * 2 ** before));
    },
    end: (subject) => void failures.delete(subject),
  };
}
