// A lock between processes that the operating system frees when its holder dies, even by kill -9.
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from '../core/errors.ts';

const BUSY = 5;
const POLL_MS = 50;
const LONGEST_WAIT_MS = 120_000;

/**
 * Waits for the lock that `file` stands for and holds it until disposed. The file stays empty.
 * SQLite's exclusive transaction is the one portable way in Node to the file locks of the operating system:
 * there is no process id to compare and nothing stale to clear. Throws the signal's reason when aborted, and
 * `repository_unreachable` after `longestWaitMs`: a paused holder would be waited for in silence.
 */
export async function acquireProcessLock(
  file: string,
  signal: AbortSignal,
  longestWaitMs: number = LONGEST_WAIT_MS,
): Promise<Disposable> {
  const database = new DatabaseSync(file, { timeout: 0 });
  const deadline = performance.now() + longestWaitMs;
  try {
    while (!tryLock(database)) {
      if (performance.now() >= deadline) throw held(file, longestWaitMs);
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    database.close();
    signal.throwIfAborted();
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

function held(file: string, waitedMs: number): CausewayError {
  return new CausewayError(
    'repository_unreachable',
    `Another Causeway process is using the copy of this repository in ${dirname(dirname(file))} and did not let go of it for ${Math.round(waitedMs / 1000)} s. End that process, or wait for it, then try again.`,
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
