// One at a time: callers in this process share a piece of work, processes take turns by a file lock.
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { raceAbort } from './abort.ts';
import { GitFailure } from './git-failure.ts';

export interface SingleFlight<T> {
  /** Starts `work` for `key`, or joins the one under way. The work is aborted once no caller waits for it. */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, { readonly result: Promise<T>; readonly abort: AbortController; waiting: number }>();
  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      let flight = flights.get(key);
      if (flight === undefined) {
        const abort = new AbortController();
        flight = { result: work(abort.signal), abort, waiting: 0 };
        flights.set(key, flight);
      }
      flight.waiting += 1;
      try {
        return await raceAbort(flight.result, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.abort.abort();
        }
      }
    },
  };
}

const BUSY = 5;
const POLL_MS = 50;
const MAX_WAIT_MS = 120_000;

/**
 * Waits for the lock that `file` represents and holds it until disposed; the operating system frees it when its holder
 * dies, even by kill -9. SQLite's exclusive transaction is the one portable way in Node to such locks. Throws the
 * signal's reason when aborted, and `locked` after `maxWaitMs`.
 */
export async function acquireProcessLock(
  file: string,
  signal: AbortSignal,
  maxWaitMs: number = MAX_WAIT_MS,
): Promise<Disposable> {
  const database = new DatabaseSync(file, { timeout: 0 });
  const deadline = performance.now() + maxWaitMs;
  try {
    while (!tryLock(database)) {
      if (performance.now() >= deadline) throw toStillLocked(file, maxWaitMs);
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    database.close();
    signal.throwIfAborted();
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

function toStillLocked(file: string, waitedMs: number): GitFailure {
  return new GitFailure(
    'locked',
    `Another process is using the copy of this repository in ${dirname(dirname(file))} and has not released it for ${Math.round(waitedMs / 1000)} s. End that process, or wait for it, then try again.`,
  );
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return false;
    throw error;
  }
}
