// Checkpoints of a SQLite file: what is in its log is brought into the file by a thread, so that no commit waits for that.
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { AskedThread } from '../redact/asked-thread.ts';
import { forgetErased } from './sqlite-engine.ts';

export interface Checkpoints extends AsyncDisposable {
  /** To be called after every commit. */
  committed(): void;
  /** As `forgetErased`; where the thread is at work, somebody reads or a transaction is under way, after that, and at the latest when this is disposed of. */
  forget(): void;
}

export interface CheckpointRequest {
  readonly file: string;
}

interface LogSize {
  /** Pages in the log. */
  readonly log: number;
  /** Those of them that are in the file as well. */
  readonly checkpointed: number;
}

const EMPTY: LogSize = { log: 0, checkpointed: 0 };
const SCRIPT = new URL('./checkpoint-worker.ts', import.meta.url);
const CLOSED = 'The database is closed: nothing is left to bring into its file.';

/** Pages of which the file knows nothing. SQLite's own bound: the commit that reached it did the work itself, 4 to 26 ms, five times a second at 200 deliveries. */
const ENOUGH_PAGES = 1_000;
/** At so many (64 MB) a commit does it all the same: where the log never rests, the thread does not come to its end. */
const MOST_PAGES = 16_000;
/** A disk that needs longer does not answer. */
const LIMIT_MS = 60_000;
/** The service has 9 s to end, and a file to close then. Where the disk does not answer, the thread is left to the end of the process. */
const END_LIMIT_MS = 5_000;
/** After a thread that failed commits look after the log themselves for so long: most often the disk was full. */
const REST_MS = 60_000;
/** Whoever reads keeps the log from being emptied; not every commit tries again. */
const FORGET_EVERY_MS = 1_000;

/** The checkpoints of the file that `connection` has open. The thread starts when the log is first long enough. */
export function createCheckpoints(connection: Sqlite.Database, file: string): Checkpoints {
  const thread = new AskedThread<CheckpointRequest, object>({ script: SCRIPT, closed: CLOSED });
  const size = connection.prepare<[], LogSize>('pragma wal_checkpoint(noop)');
  /** What the thread is asked to do; null: nothing. */
  let work: Promise<void> | null = null;
  let isClosed = false;
  /** The log when the thread last ended. While somebody reads it comes no further, so that more must have been written before it is asked again. */
  let known: LogSize = EMPTY;
  let restsUntil = 0;
  /** Since when something waits to be forgotten, or was last tried; null: nothing does. */
  let toForget: number | null = null;
  const commitsLookAfterIt = (pages: number) => connection.pragma(`wal_autocheckpoint = ${pages}`);
  commitsLookAfterIt(MOST_PAGES);

  async function bringOver(): Promise<void> {
    const asked = await thread.ask({ file }, LIMIT_MS).catch(() => null);
    work = null;
    // Closing the file does the rest.
    if (isClosed || asked === null) return;
    attempt(() => {
      known = size.get() ?? EMPTY;
      if (asked.kind === 'failed') {
        restsUntil = performance.now() + REST_MS;
        commitsLookAfterIt(ENOUGH_PAGES);
      }
      // A transaction that is under way refuses checkpoints, and its commit comes to `committed`.
      if (!connection.inTransaction) forgetAtLast();
    });
  }

  /** A thread that is ended while it loads the SQLite library takes the process with it (an abort in Node-API, seen with Node 24). */
  async function endThread(): Promise<void> {
    await work;
    await thread[Symbol.asyncDispose]();
  }

  function look(): void {
    if (toForget !== null && performance.now() >= toForget) forgetAtLast();
    if (performance.now() < restsUntil) return;
    if (pagesSince(known, size.get() ?? EMPTY) < ENOUGH_PAGES) return;
    if (restsUntil > 0) commitsLookAfterIt(MOST_PAGES);
    restsUntil = 0;
    work = bringOver();
  }

  function forgetAtLast(): void {
    if (toForget === null) return;
    toForget = forgetErased(connection) ? null : performance.now() + FORGET_EVERY_MS;
  }

  return {
    committed() {
      if (work === null) attempt(look);
    },
    forget() {
      toForget = 0;
      if (work === null) attempt(forgetAtLast);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.race([endThread(), sleep(END_LIMIT_MS, undefined, { ref: false })]);
      if (connection.open && !connection.inTransaction) attempt(forgetAtLast);
    },
  };
}

/** Of those that are not in the file, how many were written since the log was `before`. */
function pagesSince(before: LogSize, { log, checkpointed }: LogSize): number {
  const beganAnew = log < before.log || checkpointed < before.checkpointed;
  return Math.min(log - checkpointed, beganAnew ? log : log - before.log);
}

/** A full disk, for one, is no reason against what was committed: the next commit looks again. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}
