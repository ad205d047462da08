// A lock between processes that the operating system frees when its holder dies, even by kill -9.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const BUSY = 5;
const POLL_MS = 50;

/**
 * Waits for the lock that `file` stands for and holds it until disposed. The file stays empty.
 * SQLite's exclusive transaction is the one portable way in Node to the file locks of the operating system:
 * there is no process id to compare and nothing stale to clear. Throws the signal's reason when aborted.
 */
export async function acquireProcessLock(file: string, signal: AbortSignal): Promise<Disposable> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!tryLock(database)) await sleep(POLL_MS, undefined, { signal });
  } catch (error) {
    database.close();
    signal.throwIfAborted();
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
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
