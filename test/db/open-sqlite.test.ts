// Opening a SQLite file: its settings, its schema, and what is said of files that cannot be used.
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteFile } from '../../src/db/sqlite.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { expectNoRefusedAnswers, LATER_TABLES, storeRefusedAnswers } from '../support/refused-answers.ts';
import { storeProcess } from '../support/store-process.ts';
import { acceptance, accepted, conclusion, ground, NOW, started } from '../support/store-samples.ts';

const nobody = 65_534;

describe('a SQLite file', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-sqlite-'));
    file = join(folder, 'causeway.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function filled() {
    await using opened = await openSqlite(file);
    return await accepted(opened.store, acceptance(await ground(opened.store)));
  }

  it('is opened with full synchronisation and foreign keys, the second time too', async () => {
    for (let time = 0; time < 2; time++) {
      const connection = openSqliteFile(file);
      const setting = (name: string) => connection.pragma(name, { simple: true });
      expect(setting('journal_mode')).toBe('wal');
      expect(setting('synchronous')).toBe(2);
      expect(setting('foreign_keys')).toBe(1);
      expect(setting('busy_timeout')).toBe(5_000);
      connection.exec('create table if not exists t (x)');
      connection.close();
    }
  });

  it('and what lies beside it are for its user alone, also where the file was there before', async () => {
    await writeFile(file, '', { mode: 0o644 });
    await using opened = await openSqlite(file);
    await ground(opened.store);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
  });

  it('has only strict tables', async () => {
    await filled();
    const connection = new Sqlite(file);
    const tables = connection.prepare<[], { name: string; strict: number }>('pragma table_list').all();
    const loose = tables.filter((table) => table.strict === 0 && !/^(sqlite_|kysely_)/.test(table.name));
    connection.close();
    expect(loose).toEqual([]);
  });

  it('of a version from before the first release is refused in one sentence and left as it is', async () => {
    const connection = new Sqlite(file);
    connection.exec('create table kysely_migration (name text primary key, timestamp text not null)');
    connection.exec(`insert into kysely_migration values ('0001-accounts-and-projects', '${NOW}')`);
    connection.close();
    const refusal = {
      code: 'store_unusable',
      message: expect.stringMatching(/before the first release.*name another, empty one/),
    };
    await expect(openSqlite(file)).rejects.toMatchObject(refusal);
    const again = new Sqlite(file, { readonly: true });
    expect(again.prepare("select count(*) from sqlite_schema where type = 'table'").pluck().get()).toBe(1);
    again.close();
  });

  it('of the first release loses the answers that its review had refused, in the title, the steps and everything else', async () => {
    const stored = async () => {
      await using opened = await openSqlite(file);
      return await storeRefusedAnswers(opened.store);
    };
    const ids = await stored();
    const connection = new Sqlite(file);
    for (const table of LATER_TABLES) connection.exec(`drop table ${table}`);
    connection.exec("delete from kysely_migration where name >= '0004-refused-answers'");
    connection.close();
    await using opened = await openSqlite(file);
    await expectNoRefusedAnswers(opened.store, ids);
  });

  it('of a newer Causeway is refused in one line and left as it is', async () => {
    await filled();
    const connection = new Sqlite(file);
    connection.exec(`insert into kysely_migration values ('9999-from-the-future', '${NOW}')`);
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.close();
    const before = await readFile(file);
    const refusal = {
      code: 'store_unusable',
      message: expect.stringMatching(/newer Causeway.*9999-from-the-future.*backup/),
    };
    await expect(openSqlite(file)).rejects.toMatchObject(refusal);
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('of another program is refused, and left as it is even if its tables collide half way', async () => {
    const connection = new Sqlite(file);
    connection.exec('create table jobs (theirs text)');
    connection.close();
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store_unusable' });
    const again = new Sqlite(file);
    const tables = again.prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'").all();
    again.close();
    expect(tables.map((table) => table.name).filter((name) => !name.startsWith('kysely_'))).toEqual(['jobs']);
  });

  it('is migrated once by two processes that start at once', async () => {
    const children = [storeProcess(['open', file]), storeProcess(['open', file])];
    expect(await Promise.all(children.map((child) => child.line()))).toEqual(['ok', 'ok']);
  });

  it('that is no database, or is damaged, is refused with what to do', async () => {
    await writeFile(file, 'this is a text file, not a database\n'.repeat(500));
    const unusable = { code: 'store_unusable', message: expect.stringContaining(file) };
    await expect(openSqlite(file)).rejects.toMatchObject(unusable);
    await rm(file);
    await filled();
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]));
    await expect(
      openSqlite(file).then((opened) => opened.store.listInvestigations({ limit: 1 })),
    ).rejects.toMatchObject(unusable);
  });

  it('whose place is taken by a folder, or cannot be made, is refused with what to do', async () => {
    await mkdir(file);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store_unavailable' });
    await writeFile(join(folder, 'plain'), '');
    await expect(openSqlite(join(folder, 'plain', 'causeway.db'))).rejects.toMatchObject({ code: 'store_unusable' });
  });

  it.runIf(process.getuid?.() === 0)('that may not be written is refused with what to do', async () => {
    await filled();
    await chmod(folder, 0o755);
    await chmod(file, 0o444);
    await using child = storeProcess(['open', file], { uid: nobody });
    expect(await child.line()).toMatch(/^store_unusable: .*write/);
  });

  it('that has no room refuses the report with a reason and keeps all that it took', async () => {
    await using child = storeProcess(['fill', file], { fileLimit: 2_000 });
    expect(await child.line()).toBe('store_unavailable');
    expect(await child.line()).toBe('true');
    await child.ended;
    await using opened = await openSqlite(file);
    await opened.store.checkWritable();
  });

  it('that another process keeps locked makes writers wait without stopping the clock, and then says so', async () => {
    await using opened = await openSqlite(file);
    const base = await ground(opened.store);
    await using child = storeProcess(['lock', file]);
    expect(await child.line()).toBe('ready');
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 50);
    const locked = { code: 'store_unavailable', message: expect.stringContaining('another process') };
    await expect(opened.store.accept(acceptance(base))).rejects.toMatchObject(locked);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
    const writing = opened.store.accept(acceptance(base));
    await child.kill();
    expect(await writing).toMatchObject({ kind: 'accepted' });
  });

  it('holds no trace of an erased Issue, also in the log beside it', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    const base = await ground(store);
    const canary = 'canary-7f3a';
    const text = `${canary} report `.repeat(2_000);
    const { runId } = await accepted(
      store,
      acceptance(base, { text, reference: canary, callbackUrl: `https://${canary}.example.org` }),
    );
    const run = await started(store, runId);
    await store.recordStep(run, { action: canary, result: text, analysis: canary }, NOW);
    const [issueId] = await store.conclude(run, conclusion({ problem: canary, rootCause: text }), NOW);
    await opened.queue({}).cancel('run', runId);
    const traces = async () => {
      const files = await Promise.all([file, `${file}-wal`].map((name) => readFile(name)));
      return files.some((bytes) => bytes.includes(canary));
    };
    expect(await traces()).toBe(true);
    // Delivered or not, nothing of the address is left.
    const [webhook] = await store.listWebhooks(base.account.id, 10);
    await store.recordAttempt(webhook!.id, { state: 'delivered', error: '', at: NOW, ms: 5 });
    await store.eraseIssue(issueId!, NOW);
    expect(await traces()).toBe(false);
  });

  it('holds the text of a report no longer than its investigation, where that ends without an Issue', async () => {
    await using opened = await openSqlite(file);
    const { store, database } = { ...opened, database: new Sqlite(file, { readonly: true }) };
    const base = await ground(store);
    const one = await accepted(store, acceptance(base, { fingerprint: 'a' }));
    const two = await accepted(store, acceptance(base, { fingerprint: 'b' }));
    await store.cancel(one.investigationId, { code: 'cancelled', detail: '' }, NOW);
    await store.giveUp(await started(store, two.runId), { code: 'internal', detail: '' }, NOW);
    expect(database.prepare('select text from investigations').all()).toEqual([{ text: '' }, { text: '' }]);
    database.close();
  });

  it('in memory is a store like any other', async () => {
    await using opened = await openSqlite(':memory:');
    await accepted(opened.store, acceptance(await ground(opened.store)));
    await opened.store.checkWritable();
  });
});
