// A database that is away postpones a job, and never counts as a failed try: locked by another process, or not reached.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { wireTo } from '../support/cut-connections.ts';
import { until } from '../support/patience.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { job, plenty, recorder } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';
import { writeMigrated } from '../support/sqlite-template.ts';

const all = { run: plenty };
/** The pauses between tries pass a thousand times as fast. */
const begun = performance.now();
const now = () => new Date(Date.now() + (performance.now() - begun) * 1_000);

/** A store whose writers wait 50 ms for a lock, and another connection that holds the lock on demand. */
async function lockable() {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const file = path.join(folder.path, 'causeway.db');
  await writeMigrated(file);
  const jobs = createJobTable();
  const seal = createSeal(Buffer.alloc(32, 7));
  const store = opening.use(await openSqliteStore({ file, seal, enqueuer: jobs, patienceMs: 50 }));
  const other = opening.adopt(new Sqlite(file), (connection) => void connection.close());
  const { database } = store;
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
  const opened = opening.move();
  return {
    lines,
    queue: createEmbeddedQueue({ database, jobs, log, now, pollMs: 20 }),
    enqueue: (subject: string) => database.write((trx) => jobs.enqueue(trx, [job(subject)])),
    /** A write while the file is locked; it is locked for so long (ms) afterwards. */
    async writeLocked(longerMs = 0) {
      other.exec('begin immediate');
      try {
        await store.checkWritable();
      } finally {
        setTimeout(() => other.exec('rollback'), longerMs);
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

it('a job that meets a locked file six times is done the seventh time, as its first try', async () => {
  await using at = await lockable();
  const { handled, deaths, handlers } = recorder(async () => {
    // Once until after its end was to be stored.
    if (handled.length <= 6) await at.writeLocked(handled.length === 6 ? 200 : 0);
  });
  await at.enqueue('a');
  await using _worker = at.queue.work(handlers, all);
  await until(async () => (await at.queue.countJobsByKind(now().toISOString())).length === 0);
  expect([handled.map(({ attempt }) => attempt), deaths]).toEqual([[1, 1, 1, 1, 1, 1, 1], []]);
  // One line when the database went away, and one when it was back.
  const about = at.lines.filter((line) => /database/.test(line));
  expect(about.filter((line) => /answers again/.test(line)).length).toBe(about.length / 2);
  expect(at.lines).toHaveLength(about.length);
  expect(about.length).toBeLessThanOrEqual(12);
});

it('the failure of a dead job is recorded, however often the file is locked meanwhile', async () => {
  await using at = await lockable();
  let asked = 0;
  const recorded: string[] = [];
  const { handled, handlers } = recorder(
    () => Promise.reject(new Error('boom')),
    async ({ subject }) => {
      asked += 1;
      if (asked <= 8) await at.writeLocked();
      recorded.push(subject);
    },
  );
  await at.enqueue('a');
  await using _worker = at.queue.work(handlers, all);
  await until(async () => (await at.queue.countJobs()).dead === 1);
  expect([asked, recorded, handled.length]).toEqual([9, ['a'], 3]);
});

it('a PostgreSQL server that is not reached is known as one that is away', async () => {
  await using place = await migratedDatabase();
  await using wire = await wireTo(place.url);
  const store = await openPostgresStore({
    ...{ url: wire.url, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable(), patienceMs: 0 },
  });
  await wire[Symbol.asyncDispose]();
  wire.cutNext('before');
  await expect(store.checkWritable()).rejects.toMatchObject({ code: 'store_unavailable' });
  await expect(store.checkWritable()).rejects.toMatchObject({ code: 'store_unavailable' });
  await store[Symbol.asyncDispose]();
});
