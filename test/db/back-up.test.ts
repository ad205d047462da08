// A copy of the database: of one moment, for its owner alone, and none at all where it would not be worth restoring.
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/db/backup.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { fillRecords } from '../support/filled-records.ts';
import { temporaryFolder } from '../support/service.ts';

describe('a backup', () => {
  it('holds every row that was there when it began, whoever writes meanwhile, and no row of later', async () => {
    await using place = await ground();
    const { database, folder } = place;
    const writer = new Sqlite(database);
    const count = () => writer.prepare<[], number>('select count(*) from audit').pluck().get() ?? 0;
    const insert = writer.prepare("insert into audit (at, account_id, verb, subject) values ('', 'acc', 'v', 's')");
    const before = count();
    const copying = backUp(database, path.join(folder, 'copy.db'));
    const writing = setInterval(() => insert.run(), 0);
    insert.run();
    const { rows, tables } = await copying;
    clearInterval(writing);
    expect(count()).toBeGreaterThan(before);
    const copy = new Sqlite(path.join(folder, 'copy.db'), { readonly: true });
    const [copied] = copy.prepare<[], number>('select count(*) from audit').pluck().all();
    copy.close();
    writer.close();
    expect([copied, tables > 30, rows > 50]).toEqual([before, true, true]);
    expect(statSync(path.join(folder, 'copy.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  });

  it('is never written over a file, nor left where the database is damaged', async () => {
    await using place = await ground();
    const { database, folder } = place;
    const taken = path.join(folder, 'taken.db');
    writeFileSync(taken, 'of somebody');
    await expect(backUp(database, taken)).rejects.toMatchObject({ code: 'conflict' });
    expect(statSync(taken).size).toBe(11);

    breakReference(database);
    const copy = path.join(folder, 'copy.db');
    await expect(backUp(database, copy)).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('a reference of'),
    });

    damage(database);
    await expect(backUp(database, copy)).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(/damaged/),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('copy.db'))).toEqual([]);
  });

  it('says where it cannot be written, or there is nothing to copy', async () => {
    await using place = await ground();
    const { database, folder } = place;
    const nowhere = path.join(folder, 'absent', 'copy.db');
    await expect(backUp(database, nowhere)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`${nowhere} cannot be written (ENOENT)`),
    });
    await expect(backUp(path.join(folder, 'none.db'), path.join(folder, 'copy.db'))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect(existsSync(path.join(folder, 'none.db'))).toBe(false);
  });
});

async function ground() {
  const folder = await temporaryFolder();
  const database = path.join(folder.path, 'causeway.db');
  const store = await openSqliteStore({
    file: database,
    seal: createSeal(Buffer.alloc(32, 7)),
    enqueuer: createJobTable(),
  });
  await fillRecords(store, 12);
  await store[Symbol.asyncDispose]();
  return { database, folder: folder.path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** A row is gone that others refer to. */
function breakReference(database: string): void {
  const connection = new Sqlite(database);
  connection.pragma('foreign_keys = off');
  connection.exec('delete from accounts');
  connection.close();
}

/** Pages in the middle become rubbish, as on a failing disk. */
function damage(database: string): void {
  const { size } = statSync(database);
  const file = openSync(database, 'r+');
  for (let at = 40 * 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(512, 0xa5), 0, 512, at);
  closeSync(file);
}
