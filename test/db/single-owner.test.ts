// One server or worker per SQLite file.
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeOwnership } from '../../src/db/sqlite.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { storeProcess } from '../support/store-process.ts';
import { acceptance, ground } from '../support/store-samples.ts';

describe('the owner of a database file', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-owner-'));
    file = join(folder, 'causeway.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is one process; the second is told which, until the first is killed', async () => {
    await using first = storeProcess(['own', file]);
    expect(await first.line()).toBe('ready');
    await using second = storeProcess(['own', file]);
    const refusal = await second.line();
    expect(refusal).toMatch(/^store_locked: /);
    expect(refusal).toContain(`process ${first.pid}`);
    expect(refusal).toContain(file);
    await first.kill();
    await using third = storeProcess(['own', file]);
    expect(await third.line()).toBe('ready');
  });

  it('is one within a process too, also under another name of the file, and ends with its disposal', async () => {
    const opened = await openSqlite(file);
    await opened[Symbol.asyncDispose]();
    const link = join(folder, 'link.db');
    await symlink(file, link);
    const locked = expect.objectContaining({ code: 'store_locked' });
    {
      using _owner = takeOwnership(file);
      expect(() => takeOwnership(file)).toThrow(locked);
      expect(() => takeOwnership(link)).toThrow(locked);
      // The refusals have not loosened the lock for others either.
      await using other = storeProcess(['own', file]);
      expect(await other.line()).toMatch(/^store_locked/);
    }
    using _next = takeOwnership(link);
  });

  it('leaves its mark with mode 600, in a folder that is made if need be', async () => {
    const deep = join(folder, 'a', 'b', 'causeway.db');
    using _owner = takeOwnership(deep);
    expect((await stat(`${deep}.owner`)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
  });

  it('does not exist in memory', () => {
    using _one = takeOwnership(':memory:');
    using _two = takeOwnership(':memory:');
  });

  it('does not keep another process from writing tokens while it writes itself', async () => {
    using _owner = takeOwnership(file);
    await using opened = await openSqlite(file);
    const base = await ground(opened.store);
    await using child = storeProcess(['tokens', file, '100']);
    let writing = true;
    const said = child.line().finally(() => {
      writing = false;
    });
    let reports = 0;
    while (writing) {
      await opened.store.accept(acceptance(base, { fresh: true }));
      reports++;
    }
    expect(await said).toBe('ok');
    expect(await opened.store.listTokens(base.account.id)).toHaveLength(100);
    expect(await opened.store.listInvestigations({ limit: 100_000 })).toHaveLength(reports);
  });
});
