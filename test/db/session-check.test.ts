// What stands between us and PostgreSQL: a pooler that keeps sessions is as good as none, one that does not is told with the repair.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresParts, openRecords } from '../../src/app/records.ts';
import { checkSessions } from '../../src/db/postgres-notices.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { type PoolMode, startPooler } from '../support/pooler.ts';
import { emptyDatabase, migratedDatabase, type TestDatabase } from '../support/postgres.ts';

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
      await records.store.checkWritable();
      return 'opened';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  }

  it('of the server itself keeps sessions, as does one of a pooler that says so', async () => {
    expect(await checkSessions(database.url)).toBe(true);
    await using pooler = await startPooler(database.url, 'session');
    expect(await checkSessions(pooler.url)).toBe(true);
    expect(await opened('session')).toBe('opened');
  });

  it('of a pooler that gives each transaction another session is refused at the start, with the repair', async () => {
    await using pooler = await startPooler(database.url, 'transaction');
    expect(await checkSessions(pooler.url, { noticeMs: 1_000 })).toBe(false);
    expect(await opened('transaction')).toMatch(
      /^The database behind the pooler is behind a pooler .*pool_mode=transaction.*\. Set pool_mode=session/,
    );
  });
});

const log = createLog({ level: 'silent' });
const parts = (url: string) =>
  openPostgresParts({ database: { kind: 'postgres', url, shown: 'there' }, seal: createSeal(Buffer.alloc(32)), log });

it('nothing is made, and no lock taken, behind a pooler without sessions', async () => {
  await using database = await emptyDatabase();
  await using pooler = await startPooler(database.url, 'transaction');
  await expect(parts(pooler.url)).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/pool_mode=session/),
  });
  expect(await database.query("select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
  expect(await database.query("select from pg_namespace where nspname = 'causeway_jobs'")).toEqual([]);
});

it('what hinders opening is told with the repair, also where it hinders the queue', async () => {
  await using database = await emptyDatabase();
  const absent = new URL(database.url);
  absent.pathname += '_absent';
  await expect(parts(absent.href)).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/^The database there does not exist\. Make it .*\(3D000\)$/),
  });
  await database.query('create schema causeway_jobs');
  await database.query('create table causeway_jobs.version (other integer)');
  await expect(parts(database.url)).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/^The database there cannot be used\. It may belong to another program/),
  });
});

it('the wait for a server that does not answer ends with the signal', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = new AbortController();
  const { port } = server.address() as AddressInfo;
  const asked = checkSessions(`postgres://a:b@127.0.0.1:${port}/c`, { signal: stop.signal });
  const [socket] = await once(server, 'connection');
  stop.abort(new Error('stopped by the operator'));
  await expect(asked).rejects.toThrow('stopped by the operator');
  socket.destroy();
  server.close();
});
