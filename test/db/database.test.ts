// The handle that all verbs go through.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteFile, openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { ground } from '../support/store-samples.ts';

const open = (file = ':memory:') =>
  openSqliteStore({ file, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable() });

describe('a transaction', () => {
  it('does not begin to read before it may write', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-database-'));
    await using store = await open(join(folder, 'causeway.db'));
    const other = openSqliteFile(join(folder, 'causeway.db'));
    other.exec('begin immediate');
    let begun = false;
    const writing = store.database.write(async () => {
      begun = true;
    });
    // Ten of its looks, which nothing tells.
    await sleep(100);
    expect(begun).toBe(false);
    other.exec('commit');
    await writing;
    expect(begun).toBe(true);
    other.close();
    await rm(folder, { recursive: true });
  });

  it('in which another verb is called fails instead of waiting for ever', async () => {
    await using store = await open();
    await expect(store.database.write(() => store.listProjects({}))).rejects.toThrow('inside the transaction');
    await expect(store.database.write(() => store.checkWritable())).rejects.toThrow('inside the transaction');
    await store.checkWritable();
  });

  it('that follows one under way is waited for on closing, and refused by name afterwards', async () => {
    const store = await open();
    const gate = Promise.withResolvers<void>();
    const first = store.database.write(() => gate.promise);
    const second = first.then(() => store.database.write(async () => 'written'));
    const closing = store[Symbol.asyncDispose]();
    gate.resolve();
    expect(await second).toBe('written');
    await closing;
    await expect(store.checkWritable()).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(/^The store is closed/),
    });
    await expect(store.database.write(async () => 1)).rejects.toMatchObject({ code: 'store_unusable' });
  });

  it('among many lets timers and sockets have their turn', async () => {
    await using store = await open();
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    for (let i = 0; i < 300; i++) await store.checkWritable();
    clearInterval(turning);
    expect(turns).toBeGreaterThan(5);
  });

  it('that fails leaves nothing behind', async () => {
    await using store = await open();
    const failing = store.database.write(async (trx) => {
      await trx.insertInto('health_checks').values({ id: 2, count: 1 }).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const rows = await store.database.read((reader) => reader.selectFrom('health_checks').selectAll().execute());
    expect(rows).toEqual([]);
  });

  it('under way is finished before the store closes', async () => {
    const store = await open();
    const writing = ground(store);
    const more = store.checkWritable();
    await store[Symbol.asyncDispose]();
    await expect(more).resolves.toBeUndefined();
    await writing.catch(() => {});
  });
});
