// What stands between us and PostgreSQL: a pooler that keeps sessions is as good as none, one that does not is told with the repair.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../src/app/open-records.ts';
import { createLog } from '../../src/log.ts';
import { createSeal } from '../../src/store/seal.ts';
import { keepsSessions } from '../../src/store/session-check.ts';
import { type PoolMode, startPooler } from '../support/pooler.ts';
import { migratedDatabase, type TestDatabase } from '../support/postgres.ts';

describe('an address', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await migratedDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  async function opened(mode: PoolMode): Promise<string> {
    await using pooler = await startPooler(database.url, mode);
    const place = { kind: 'postgres', url: pooler.url, shown: 'behind the pooler' } as const;
    const seal = createSeal(Buffer.alloc(32));
    try {
      await using records = await openRecords({
        ...{ database: place, seal, log: createLog({ level: 'silent' }), now: () => new Date() },
      });
      await records.store.check();
      return 'opened';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  }

  it('of the server itself keeps sessions, as does one of a pooler that says so', async () => {
    expect(await keepsSessions(database.url)).toBe(true);
    await using pooler = await startPooler(database.url, 'session');
    expect(await keepsSessions(pooler.url)).toBe(true);
    expect(await opened('session')).toBe('opened');
  });

  it('of a pooler that gives each transaction another session is refused at the start, with the repair', async () => {
    await using pooler = await startPooler(database.url, 'transaction');
    expect(await keepsSessions(pooler.url, 1_000)).toBe(false);
    expect(await opened('transaction')).toMatch(
      /^The database behind the pooler stands behind a pooler .*pool_mode=transaction.*\. Set pool_mode=session/,
    );
  });
});
