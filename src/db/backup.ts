// A copy of the SQLite database, made while others write to it and checked; and a backup put back in its place.
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path, { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../core/errors.ts';
import { examineSqlite } from './examine.ts';
import type { Seal } from './seal.ts';
import { explainSqlite } from './sqlite.ts';

interface BackUpCount {
  /** Rows of all tables. */
  readonly rows: number;
  readonly tables: number;
  readonly bytes: number;
}

type Counts = ReadonlyMap<string, number>;

/** More than any file has: all pages in one step, since the next step would only find the same moment again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the database at one moment to a new file, mode 600, while writers continue. Throws `conflict` if the file
 * exists, `store_unavailable` if the database cannot be opened, and `store_unusable` if the copy differs or the disk is
 * full; then the file does not exist.
 */
export async function backUp(database: string, file: string): Promise<BackUpCount> {
  if (existsSync(file)) throw createConflict(file);
  const draft = `${file}.${process.pid}.partial`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const counts = await copyTo(draft, database);
    const bytes = check(draft, counts);
    sync(draft);
    settle(draft, file);
    return { rows: [...counts.values()].reduce((all, count) => all + count, 0), tables: counts.size, bytes };
  } catch (error) {
    throw explainBackupError(error, { database, file });
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
  }
}

/** Returns the rows of each table in the moment of the copy. */
async function copyTo(draft: string, database: string): Promise<Counts> {
  const source = new Sqlite(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // A transaction that reads holds its moment, for the counts and for the copy: without it the copy would begin again
    // at each write.
    source.exec('begin');
    const counts = countRows(source);
    await source.backup(draft, { progress: () => ALL_PAGES });
    return counts;
  } finally {
    source.close();
  }
}

function countRows(connection: Sqlite.Database): Counts {
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
    // The header says that a database is in WAL mode; a single file is simpler to read without it.
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
      ...findDifferences(counts, countRows(copy)),
    ];
    if (faults.length > 0) throw createDamaged(faults);
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

function findDifferences(expected: Counts, found: Counts): readonly string[] {
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
    if (readCode(error) === 'EEXIST') throw createConflict(file);
    // A file system without links, such as that of a memory stick.
    if (existsSync(file)) throw createConflict(file);
    renameSync(draft, file);
  }
  sync(dirname(file));
}

function createConflict(file: string): CausewayError {
  return new CausewayError(
    'conflict',
    `${file} already exists, and a backup never overwrites a file: give a new name.`,
  );
}

function createDamaged(faults: readonly string[]): CausewayError {
  const first = faults.slice(0, 5).join('; ');
  return new CausewayError(
    'store_unusable',
    `The database is damaged, or its copy is (${first}): no backup was kept. Check the disk; "PRAGMA integrity_check" of the sqlite3 program says more, and an older backup is what to restore.`,
  );
}

function explainBackupError(
  error: unknown,
  { database, file }: { readonly database: string; readonly file: string },
): unknown {
  if (error instanceof CausewayError) return error;
  const code = readCode(error);
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

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

interface RestoreCount extends BackUpCount {
  /** Where the previous database is kept; null: there was none. */
  readonly keptAs: string | null;
}

interface FileReplacement {
  readonly backup: string;
  readonly database: string;
  /** Put behind the name of the previous database; unique. */
  readonly keptSuffix: string;
}

/** A log of another database would be played into the restored one. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Throws `usage` where the file is missing or is the database itself, and `store_unusable` where it is damaged, is not
 * a database of Causeway, was made by a newer version, or is sealed with another key.
 */
export async function checkBackup(
  { backup, database }: Pick<FileReplacement, 'backup' | 'database'>,
  seal: Seal,
  signal: AbortSignal,
): Promise<void> {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile()) {
    throw new CausewayError('usage', `There is no file ${backup}: name a backup.`);
  }
  if (existsSync(database) && realpathSync(backup) === realpathSync(database)) {
    throw new CausewayError('usage', `${backup} is the database itself: name a backup of it.`);
  }
  const faults = findIntegrityFaults(backup);
  if (faults.length > 0)
    throw createUnfit(backup, `is damaged (${faults.slice(0, 5).join('; ')}). Name another backup.`);
  const found = await examineSqlite(backup, seal, signal);
  if (found === null) throw createUnfit(backup, 'is not a backup of Causeway. Name another file.');
  if (found.newer.length > 0) {
    const names = found.newer.join(', ');
    throw createUnfit(
      backup,
      `was made by a newer Causeway (it has ${names}). Restore it with that version or a later one.`,
    );
  }
  if (found.isKeyRight === false) {
    throw createUnfit(
      backup,
      'is encrypted with another key. Put the encryption.key that belongs to it into DATA_DIR, or set ENCRYPTION_KEY.',
    );
  }
}

/**
 * Replaces the database by a copy of the backup; no service may have it open (`takeOwnership`). If killed, the name
 * leads to the restored or the previous database, never to a mixture; the log of the previous one may then be next to
 * the kept copy, which lacks its last transactions. Repeat the command. Throws as `backUp` does.
 */
export async function restoreBackup({ backup, database, keptSuffix }: FileReplacement): Promise<RestoreCount> {
  const draft = `${database}.restoring`;
  const kept = `${database}${keptSuffix}`;
  rmSync(draft, { force: true });
  const copied = await backUp(backup, draft);
  giveToOwner(draft, path.dirname(database));
  const wasThere = existsSync(database);
  if (wasThere) keepUnder(database, kept);
  for (const end of BESIDE) if (existsSync(database + end)) renameSync(database + end, kept + end);
  renameSync(draft, database);
  return { ...copied, keptAs: wasThere ? kept : null };
}

/** Every page and every reference. */
function findIntegrityFaults(file: string): readonly string[] {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true });
    const pages = connection.prepare<[], string>('pragma integrity_check').pluck().all();
    const references = connection.prepare<[], string>('pragma foreign_key_check').pluck().all();
    return [...pages.filter((line) => line !== 'ok'), ...references.map((table) => `a reference of ${table}`)];
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return [error.code];
  } finally {
    connection?.close();
  }
}

function keepUnder(database: string, kept: string): void {
  try {
    linkSync(database, kept);
  } catch (error) {
    if (existsSync(kept)) throw error;
    // A file system without links.
    renameSync(database, kept);
  }
}

/** Restored by root, the file must still be writable for the user of the service. */
function giveToOwner(file: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

function createUnfit(backup: string, fault: string): CausewayError {
  return new CausewayError('store_unusable', `${backup} ${fault} Nothing was changed.`);
}
