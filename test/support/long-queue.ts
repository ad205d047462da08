// A queue as long as after a bad day: jobs written straight into the table, in as many groups as wanted.
import Sqlite from 'better-sqlite3';
import type { JobKind } from '../../src/core/queue.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { claimNextJob, createJobTable, releaseRunning } from '../../src/queue/job-table.ts';

export interface LongQueue {
  readonly file: string;
  readonly kind: JobKind;
  readonly jobs: number;
  readonly groups: number;
  /** When they are due. */
  readonly runAt: Date;
}

/** The file must have its tables. */
export function fillQueue({ file, kind, jobs, groups, runAt }: LongQueue): void {
  using database = closing(file);
  const insert = database.it.prepare(
    `INSERT INTO jobs (id, kind, subject, group_key, urgency, state, run_at, attempts, failures)
      VALUES (?, ?, ?, ?, 'person', 'waiting', ?, 0, 0)`,
  );
  const due = runAt.getTime();
  database.it.transaction(() => {
    for (let job = 0; job < jobs; job++) {
      insert.run(`job_long${job}`, kind, `run_long${job}`, `grp_${job % groups}`, new Date(due + job).toISOString());
    }
  })();
}

/** Makes the file with its tables. */
export async function emptyStore(file: string): Promise<void> {
  const store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: createJobTable() });
  await store[Symbol.asyncDispose]();
}

export interface ClaimTimes {
  /** Milliseconds of each claim. */
  readonly claims: readonly number[];
  /** Of as many transactions in turn with them that change one row: what the disk and its sync cost by themselves. */
  readonly writes: readonly number[];
}

/** Claims `count` jobs, and ends none of them. */
export async function claimTimes(queue: LongQueue, count: number, perGroup: number): Promise<ClaimTimes> {
  const seal = createSeal(Buffer.alloc(32, 7));
  const store = await openSqliteStore({ file: queue.file, seal, enqueuer: createJobTable() });
  try {
    await store.database.write(releaseRunning);
    const claims: number[] = [];
    const writes: number[] = [];
    const now = new Date(Date.now() + 1e6).toISOString();
    for (let at = 0; at < count; at++) {
      const begun = performance.now();
      const request = { kind: queue.kind, perGroup, maxLost: 3 };
      const held = await store.database.write((trx) => claimNextJob(trx, now, request));
      const claimed = performance.now();
      await store.database.write((trx) => trx.updateTable('jobs').set({ failures: at }).where('seq', '=', 1).execute());
      claims.push(claimed - begun);
      writes.push(performance.now() - claimed);
      if (held === null) throw new Error(`nothing to claim after ${at} claims`);
    }
    return { claims, writes };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** How many jobs are stored. */
export function queueLength(file: string): number {
  using database = closing(file);
  return Number(database.it.prepare('SELECT count(*) FROM jobs').pluck().get());
}

function closing(file: string): { readonly it: Sqlite.Database } & Disposable {
  const it = new Sqlite(file);
  return { it, [Symbol.dispose]: () => void it.close() };
}
