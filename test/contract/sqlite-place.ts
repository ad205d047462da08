// The SQLite engine under the contract: real files in a temporary folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { migratedStore, writeMigrated } from '../support/sqlite-template.ts';
import type { Engine, Opened } from './engine.ts';
import { failAfter, inspected } from './inspected.ts';

export const sqlite: Engine = {
  name: 'SQLite',
  isShared: false,
  many: 100_000,
  async place() {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-store-'));
    const file = join(folder, 'causeway.db');
    await writeMigrated(file);
    return {
      open: () => openSqlite(file),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

/** Without a file: one of its own. */
export async function openSqlite(file?: string): Promise<Opened> {
  const jobs = createJobTable();
  const options = { seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs };
  const store = await (file === undefined ? migratedStore(options) : openSqliteStore({ ...options, file }));
  const { database } = store;
  return {
    store,
    async enqueue(...wanted) {
      await database.write((trx) => jobs.enqueue(trx, wanted));
    },
    enqueueAndFail: (...wanted) => failAfter(database, (trx) => jobs.enqueue(trx, wanted)),
    queue: (options) =>
      createEmbeddedQueue({
        database,
        jobs,
        log: createLog({ level: 'silent' }),
        now: () => new Date(),
        ...options,
      }),
    ...inspected(database),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
