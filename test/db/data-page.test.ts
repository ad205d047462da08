// docs/operating.md names every table of the schema and none that is not there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { temporaryFolder } from '../support/service.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

it('says of every table how long it is kept and what erases it', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  const seal = createSeal(Buffer.alloc(32));
  await (await openSqliteStore({ file, seal, enqueuer: createJobTable() }))[Symbol.asyncDispose]();
  const database = new Sqlite(file);
  const tables = database
    .prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !/^(kysely_|sqlite_)/.test(name));
  database.close();
  const [, section = ''] = readFileSync(path.join(ROOT, 'docs', 'operating.md'), 'utf8').split('## In the database\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1] ?? row);
  expect(named.toSorted()).toEqual(tables.toSorted());
  for (const row of rows)
    expect(
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, 5),
    ).not.toContain('');
});
