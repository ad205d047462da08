// A copy of the SQLite database, made beside whoever writes to it, and believed only after it was checked.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../core/errors.ts';
import { explainSqlite } from './sqlite-engine.ts';

export interface BackedUp {
  /** Rows of all tables. */
  readonly rows: number;
  readonly tables: number;
  readonly bytes: number;
}

type Counts = ReadonlyMap<string, number>;

/** More than any file has: all pages in one step, since the next step would only find the same moment again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the database to a new file, mode 600, as it stands at one moment; writers go on meanwhile. Throws `conflict` where there is such a
 * file, `store_unusable` where the copy is not what it was made of, or the disk is full: then there is no such file.
 */
export async function backUp(database: string, file: string): Promise<BackedUp> {
  if (existsSync(file)) throw taken(file);
  const draft = `${file}.${process.pid}.partial`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const counts = await copyTo(draft, database);
    const bytes = check(draft, counts);
    sync(draft);
    settle(draft, file);
    return { rows: [...counts.values()].reduce((all, count) => all + count, 0), tables: counts.size, bytes };
  } catch (error) {
    throw explained(error, { database, file });
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
  }
}

/** Returns the rows of each table in the moment of the copy. */
async function copyTo(draft: string, database: string): Promise<Counts> {
  const source = new Sqlite(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // A transaction that reads holds its moment, for the counts and for the copy: without it the copy would begin again at each write.
    source.exec('begin');
    const counts = rowCounts(source);
    await source.backup(draft, { progress: () => ALL_PAGES });
    return counts;
  } finally {
    source.close();
  }
}

function rowCounts(connection: Sqlite.Database): Counts {
  const tables = connection
    .prepare<[], { name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name",
    )
    .all();
  const count = (name: string) => connection.prepare<[], number>(`select count(*) from "${name}"`).pluck().get() ?? 0;
  return new Map(tables.map(({ name }) => [name, count(name)]));
}

/** Bytes of the copy. Throws `store_unusable` where it is not whole. */
function check(draft: string, counts: Counts): number {
  const copy = new Sqlite(draft, { fileMustExist: true });
  try {
    // A database in WAL mode says so in its header; a file that stands alone is read more simply without.
    copy.pragma('journal_mode = delete');
    const faults = [
      ...copy
        .prepare<[], string>('pragma integrity_check')
        .pluck()
        .all()
        .filter((line) => line !== 'ok'),
      ...copy
        .prepare<[], string>('pragma foreign_key_check')
        .pluck()
        .all()
        .map((table) => `a reference of ${table}`),
      ...differences(counts, rowCounts(copy)),
    ];
    if (faults.length > 0) throw damaged(faults);
    return (
      copy
        .prepare<[], number>('select page_count * page_size from pragma_page_count, pragma_page_size')
        .pluck()
        .get() ?? 0
    );
  } finally {
    copy.close();
  }
}

function differences(expected: Counts, found: Counts): readonly string[] {
  return [...expected]
    .filter(([table, count]) => found.get(table) !== count)
    .map(([table, count]) => `${table} has ${found.get(table) ?? 'no'} rows instead of ${count}`);
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Under its name whole or not at all, and never over another file. */
function settle(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw taken(file);
    // A file system without links, such as that of a memory stick.
    if (existsSync(file)) throw taken(file);
    renameSync(draft, file);
  }
  sync(dirname(file));
}

function taken(file: string): CausewayError {
  return new CausewayError(
    'conflict',
    `There is a file ${file}, and no backup is written over another: name a new one.`,
  );
}

function damaged(faults: readonly string[]): CausewayError {
  const first = faults.slice(0, 5).join('; ');
  return new CausewayError(
    'store_unusable',
    `The database is damaged, or its copy is (${first}): no backup was kept. Check the disk; "PRAGMA integrity_check" of the sqlite3 program says more, and an older backup is what to restore.`,
  );
}

function explained(error: unknown, { database, file }: { readonly database: string; readonly file: string }): unknown {
  if (error instanceof CausewayError) return error;
  const code = codeOf(error);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') {
    return new CausewayError(
      'store_unusable',
      `No space left for ${file}: free some, or name a file on another disk.`,
      {
        cause: error,
      },
    );
  }
  if (code.startsWith('SQLITE')) return explainSqlite(error, database);
  return new CausewayError(
    'usage',
    `The backup ${file} cannot be written (${code || 'unknown'}): name a file in a folder that this user may write.`,
    {
      cause: error,
    },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
