// Which stored files hold a text, be it in a database or its log; and all rows of a database.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';

export async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('grep', ['-rlaF', '--', text, folder]).catch((error) => error);
  return String(stdout).split('\n').filter(Boolean);
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
