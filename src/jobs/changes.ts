// Tells those who wait in this process that something about a run has changed; they look again themselves.

/** Other processes change things too, so every wait also ends by time: the hub makes waiting quick, not right. */
export interface Changes {
  notify(runId: string): void;
  /** Resolves at the next change of the run, after `ms` at the latest, or when the signal aborts; never rejects. */
  next(runId: string, ms: number, signal: AbortSignal): Promise<void>;
}

export function createChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify: (runId) => {
      for (const wake of waiting.get(runId) ?? []) wake();
    },
    next: (runId, ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const wakers = waiting.get(runId) ?? new Set();
        waiting.set(runId, wakers);
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          wakers.delete(finish);
          if (wakers.size === 0 && waiting.get(runId) === wakers) waiting.delete(runId);
          resolve();
        };
        const timer = setTimeout(finish, ms);
        signal.addEventListener('abort', finish, { once: true });
        wakers.add(finish);
      }),
  };
}
