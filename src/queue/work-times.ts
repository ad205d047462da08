// The times by which a worker of either engine works.

/** Milliseconds; defaults in brackets. */
export interface WorkTimes {
  /** How long a claim holds without a sign of life (30,000; between processes 15,000); renewed every third of it. */
  readonly leaseMs?: number;
  /** Pause between two looks for work (500); a commit that it hears of cuts it short. */
  readonly pollMs?: number;
  /** How long stopping waits for aborted handlers (5,000). */
  readonly stopMs?: number;
  /** How long after the start a job waits that was there at three ends of its process (1,000); up to four times that after more. */
  readonly suspectMs?: number;
}

export const WORK_TIMES = { leaseMs: 30_000, pollMs: 500, stopMs: 5_000, suspectMs: 1_000 } as const;
