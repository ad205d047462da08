// Tells those who wait that something about a run has changed, in this process and in those beside it; they look again themselves.

/** A word from another process may get lost, so every wait also ends by time: the hub makes waiting quick, not right. */
export interface Changes {
  notify(runId: string): void;
  /** Resolves at the next change of the run, after `ms` at the latest, or when the signal aborts; never rejects. */
  next(runId: string, ms: number, signal: AbortSignal): Promise<void>;
}

export interface ChangesHub extends Changes {
  /** Another process has changed the run. */
  heard(runId: string): void;
}

/** `tellOthers`: called with each change of this process. */
export function createChanges(tellOthers: (runId: string) => void = () => {}): ChangesHub {
  const waiting = new Map<string, Set<() => void>>();
  const wakeAll = (runId: string) => {
    for (const wake of waiting.get(runId) ?? []) wake();
  };
  return {
    notify: (runId) => {
      wakeAll(runId);
      tellOthers(runId);
    },
    heard: wakeAll,
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
