// Checkpoints of a SQLite file: what is in its log is brought into the file by a thread, so that no commit waits for that.
import type Sqlite from 'better-sqlite3';
import { AskedThread } from '../redact/asked-thread.ts';
import { forgetErased } from './sqlite-engine.ts';

export interface Checkpoints extends AsyncDisposable {
  /** To be called after every commit. */
  committed(): void;
  /** As `forgetErased`; where the thread is at work, after that. */
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

const SCRIPT = new URL('./checkpoint-worker.ts', import.meta.url);
const CLOSED = 'The database is closed: nothing is left to bring into its file.';

/** Pages of which the file knows nothing. SQLite's own bound: the commit that reached it did the work itself, 4 to 26 ms, five times a second at 200 deliveries. */
const ENOUGH_PAGES = 1_000;
/** At so many (64 MB) a commit does it all the same: where the log never rests, the thread does not come to its end. */
const MOST_PAGES = 16_000;
/** A disk that needs longer does not answer; then every commit looks after the log itself, as without a thread. */
const LIMIT_MS = 60_000;

/** The checkpoints of the file that `connection` has open. The thread starts when the log is first long enough. */
export function createCheckpoints(connection: Sqlite.Database, file: string): Checkpoints {
  const thread = new AskedThread<CheckpointRequest, object>({ script: SCRIPT, closed: CLOSED });
  const size = connection.prepare<[], LogSize>('pragma wal_checkpoint(noop)');
  let [isAtWork, isOver, isToForget] = [false, false, false];
  connection.pragma(`wal_autocheckpoint = ${MOST_PAGES}`);

  async function bringOver(): Promise<void> {
    isAtWork = true;
    const asked = await thread.ask({ file }, LIMIT_MS).catch(() => null);
    isAtWork = false;
    // Closing the file does the rest.
    if (isOver || asked === null) return;
    if (asked.kind === 'failed') {
      isOver = true;
      connection.pragma(`wal_autocheckpoint = ${ENOUGH_PAGES}`);
    }
    // A transaction that is under way refuses checkpoints, and its commit comes here as well.
    if (!connection.inTransaction) committed();
  }

  function committed(): void {
    if (isAtWork) return;
    try {
      look();
    } catch {
      // A full disk, for one: what was committed stands, and the next commit looks again.
    }
  }

  function look(): void {
    if (isToForget) forgetErased(connection);
    isToForget = false;
    if (isOver) return;
    const { log = 0, checkpointed = 0 } = size.get() ?? {};
    if (log - checkpointed >= ENOUGH_PAGES) void bringOver();
  }

  return {
    committed,
    forget() {
      if (isAtWork) isToForget = true;
      else forgetErased(connection);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await thread[Symbol.asyncDispose]();
    },
  };
}
