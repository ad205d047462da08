// The PostgreSQL engine under the contract: a database of its own for each place, on a real server, with its jobs in pg-boss.
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { createBossQueue } from '../../src/queue/boss-queue.ts';
import { openBoss } from '../../src/queue/open-boss.ts';
import { reusedDatabase } from '../support/postgres.ts';
import type { Engine, Opened } from './engine.ts';
import { failAfter, inspected } from './inspected.ts';

export const postgres: Engine = {
  name: 'PostgreSQL',
  isShared: true,
  many: 20_000,
  async place() {
    const database = await reusedDatabase();
    return {
      open: () => openPostgres(database.url),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  },
};

export async function openPostgres(url: string): Promise<Opened> {
  const log = createLog({ level: 'silent' });
  const boss = await openBoss({ url, log });
  const seal = createSeal(Buffer.alloc(32, 7));
  const store = await openPostgresStore({ url, seal, enqueuer: boss.jobs, connections: 4 });
  const { database } = store;
  return {
    store,
    ...inspected(database),
    async enqueue(...wanted) {
      await database.write((trx) => boss.jobs.enqueue(trx, wanted));
    },
    enqueueAndFail: (...wanted) => failAfter(database, (trx) => boss.jobs.enqueue(trx, wanted)),
    queue: (options) => createBossQueue({ boss, database, log, ...options }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await boss[Symbol.asyncDispose]();
    },
  };
}
