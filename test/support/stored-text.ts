// Where a text is stored: in which files, be it in a database or its log, or in which tables; and all rows of a database.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { engine, storedRows } from './records.ts';

/** Files in the data folder, and tables of the database that belongs to it. */
export async function placesWith(dataDir: string, text: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('grep', ['-rlaF', '--', text, dataDir]).catch((error) => error);
  return [
    ...String(stdout).split('\n').filter(Boolean),
    ...(engine() === 'sqlite' ? [] : await tablesWith(dataDir, text)),
  ];
}

async function tablesWith(dataDir: string, text: string): Promise<readonly string[]> {
  const tables = await storedRows<{ name: string }>(
    dataDir,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'causeway_jobs')`,
  );
  const found = tables.map(async ({ name }) => {
    const rows = await storedRows(dataDir, `select 1 from ${name} t where position($1 in t::text) > 0 limit 1`, [text]);
    return rows.length > 0 ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Every row of every table, as `table: {…}`. */
export function rowsOf(file: string): readonly string[] {
  const database = new Sqlite(file, { readonly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
    return tables.flatMap((table) =>
      database
        .prepare(`select * from "${table}"`)
        .all()
        .map((row) => `${table}: ${JSON.stringify(row)}`),
    );
  } finally {
    database.close();
  }
}
