// Everything that only SQLite knows: the connection and its settings, how transactions begin, what its errors mean, and whose the file is.
import { chmodSync, closeSync, existsSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path, { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Dialect, SqliteAdapter, SqliteDialect, SqliteDriver, sql } from 'kysely';
import { CausewayError, isDiskFull, NO_SPACE, type StoreFault, StoreUnusable } from '../core/errors.ts';
import { quoteWord } from '../core/shell-quote.ts';
import { makeFolder } from './make-folder.ts';
import type { TableForm } from './migrations/table-form.ts';

/** How long a writer waits for another process' transaction. */
const BUSY_MS = 5_000;

const BUSY_POLL_MS = 10;

/** STRICT refuses values of the wrong type; AUTOINCREMENT never gives a number twice. */
export const SQLITE_TABLES: TableForm = {
  types: { SEQUENCE: 'integer primary key autoincrement', TEXT: 'text', INTEGER: 'integer' },
  end: ' strict',
  findTable: (name) => sql`select name from sqlite_master where type = 'table' and name = ${name}`,
};

/** Opens (and makes, mode 600) a database file, or `:memory:`, with every setting that we rely on. */
export function openConnection(file: string): Sqlite.Database {
  if (file !== ':memory:') makePrivate(file);
  const connection = new Sqlite(file, { timeout: BUSY_MS });
  try {
    connection.pragma('journal_mode = WAL');
    // Not the default: better-sqlite3 is built to fall back to NORMAL on every later open of a WAL file,
    // and then a power cut takes back what was answered with 202.
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    // Erased text is overwritten with zeros in the file, not only unlinked; see `emptyLog` for the log beside it.
    connection.pragma('secure_delete = ON');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Moves the write-ahead log into the file and empties it, so that text erased before cannot be read from it. Where another process is
 * reading, or the disk is full, the log stays for the next time: that is no error of whoever erased something.
 */
export function emptyLog(connection: Sqlite.Database): void {
  try {
    withoutWaiting(connection, () => connection.pragma('wal_checkpoint(TRUNCATE)'));
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
  }
}

/** The Kysely dialect of a connection; `kysely.destroy()` closes it. */
export function createSqliteDialect(connection: Sqlite.Database): Dialect {
  const dialect = new SqliteDialect({ database: connection });
  return {
    createDriver: () => new ImmediateDriver(connection),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

/** SQLite can roll back DDL; Kysely does not count on it, and a kill in a migration would leave half a schema. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Every transaction takes the write lock at its beginning: one that begins by reading would fail at its first write
 * if another process (`causeway token`) wrote in between, whatever the busy timeout.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Sqlite.Database;
  readonly #requireInPlace: () => void;

  constructor(database: Sqlite.Database) {
    super({ database });
    this.#database = database;
    this.#requireInPlace = database.memory ? () => {} : requireInPlace(database.name);
  }

  // SQLite answers within the same turn of the event loop, so that a chain of verbs would starve timers and sockets:
  // one turn per transaction. And its own waiting would stop the loop, where this one only stops the verb.
  override async beginTransaction(): Promise<void> {
    await nextTurn();
    this.#requireInPlace();
    const deadline = performance.now() + BUSY_MS;
    for (;;) {
      try {
        withoutWaiting(this.#database, () => this.#database.exec('begin immediate'));
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
      await sleep(BUSY_POLL_MS);
    }
  }

  // A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
  override async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }
}

/**
 * A check that the file that was opened is still the one under its name. SQLite itself goes on writing to a file that was deleted, and what was
 * accepted since would be gone with the process. One stat takes 2 µs, a commit milliseconds.
 */
function requireInPlace(file: string): () => void {
  const opened = statSync(file);
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw new StoreUnusable(
      'replaced',
      `The database file ${file} was deleted or replaced while the service was running, so nothing is accepted any more. Stop the service, put the file back or restore a backup${restoreCommand(file)}, then start it again.`,
    );
  };
}

/** What an error of SQLite means for the operator; anything else is returned as it is. */
export function explainSqlite(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const found = REPAIRS.find(([prefix]) => error.code.startsWith(prefix));
  if (!found) return error;
  const [, fault, repair] = found;
  const backup = fault === 'damaged' ? ` ${restoreSentence(file)}` : '';
  const message = `The database ${file} ${repair}${backup} (${error.code})`;
  if (fault === 'locked') return new CausewayError('store_locked', message, { cause: error });
  if (fault === 'unknown') return new CausewayError('store_unusable', message, { cause: error });
  return new StoreUnusable(fault, message, { cause: error });
}

const REPAIRS: readonly (readonly [prefix: string, fault: StoreFault | 'locked' | 'unknown', repair: string])[] = [
  ['SQLITE_BUSY', 'locked', 'is being written by another process for more than 5 s. End that one, or try again.'],
  ['SQLITE_FULL', 'full', `cannot be written. ${NO_SPACE} Free some: a running service resumes by itself.`],
  ['SQLITE_READONLY', 'not_writable', 'cannot be written. Give this user the right to write the file and its folder.'],
  ['SQLITE_CANTOPEN', 'unknown', 'cannot be opened. Check that its folder exists and that this user may write it.'],
  ['SQLITE_CORRUPT', 'damaged', 'is damaged.'],
  ['SQLITE_NOTADB', 'damaged', 'is damaged, or is not a database.'],
  ['SQLITE_IOERR', 'unknown', 'cannot be read or written. Check the disk, its free space and its limits.'],
];

/** What to do about a damaged database, with the newest backup there is. */
export function restoreSentence(file: string): string {
  const newest = newestBackup(file);
  if (newest === null) {
    return `There is no backup in ${backupsFolder(file)}: stop the service and restore one that you keep elsewhere with "causeway restore FILE --yes".`;
  }
  return `Stop the service and restore the newest backup: causeway restore ${quoteWord(newest)} --yes`;
}

function restoreCommand(file: string): string {
  const newest = newestBackup(file);
  return ` (causeway restore ${newest === null ? 'FILE' : quoteWord(newest)} --yes)`;
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function withoutWaiting<T>(connection: Sqlite.Database, work: () => T): T {
  connection.exec('pragma busy_timeout = 0');
  try {
    return work();
  } finally {
    connection.exec(`pragma busy_timeout = ${BUSY_MS}`);
  }
}

/**
 * Makes the file with mode 600 before SQLite would make it with the umask's (the log beside it inherits the mode).
 * An existing file is never opened here: closing any descriptor of a file drops this process' locks on it (POSIX).
 */
function makePrivate(file: string): void {
  makeFolder(dirname(file));
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process may have made it in the same moment.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    const repair = isDiskFull(error)
      ? NO_SPACE
      : 'Check that its folder can be written by this user, or name another DATA_DIR.';
    throw new CausewayError('store_unusable', `The file ${file} cannot be made. ${repair}`, { cause: error });
  }
  narrowMode(file);
}

function narrowMode(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    // Not ours to change (another owner, a read-only file system): whether it can be used shows on opening.
  }
}

export function backupsFolder(database: string): string {
  return path.join(path.dirname(database), 'backups');
}

/** Null where there is none. */
function newestBackup(database: string): string | null {
  const folder = backupsFolder(database);
  const files = namesIn(folder)
    .filter((name) => name.endsWith('.db'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return files.sort((a, b) => b.at - a.at)[0]?.file ?? null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Takes the database file for this process until disposed. The lock is a transaction held open on `<file>.owner`;
 * it is a reserved one, so that whoever is refused can still read the owner's process id.
 * Throws `store_locked` where another holds it. `:memory:` needs no owner.
 */
export function takeOwnership(file: string): Disposable {
  if (file === ':memory:') return { [Symbol.dispose]: () => {} };
  makeFolder(dirname(file));
  const owner = `${realPath(file)}.owner`;
  makePrivate(owner);
  const connection = open(owner);
  try {
    connection.exec('begin immediate');
    connection.exec('create table if not exists owner (id integer primary key, pid integer not null) strict');
    connection.prepare('insert or replace into owner (id, pid) values (1, ?)').run(process.pid);
    connection.exec('commit');
    connection.exec('begin immediate');
  } catch (error) {
    const refusal = refusalFor(connection, error, file);
    connection.close();
    throw refusal;
  }
  return { [Symbol.dispose]: () => void connection.close() };
}

function open(owner: string): Sqlite.Database {
  try {
    return new Sqlite(owner, { timeout: 0 });
  } catch (error) {
    throw explainSqlite(error, owner);
  }
}

function refusalFor(connection: Sqlite.Database, error: unknown, file: string): unknown {
  const busy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
  if (!busy) return explainSqlite(error, `${file}.owner`);
  const pid = ownerPid(connection);
  return new CausewayError(
    'store_locked',
    `Another Causeway server or worker${pid === null ? '' : ` (process ${pid})`} uses ${file}. ` +
      'Stop that one first, or give this one its own DATA_DIR.',
    { cause: error },
  );
}

function ownerPid(connection: Sqlite.Database): number | null {
  try {
    return connection.prepare<[], { pid: number }>('select pid from owner').get()?.pid ?? null;
  } catch {
    // The owner is just writing it: the refusal stands without the number.
    return null;
  }
}

/** Two names of one file are one file; a file that is not there yet is named by its folder. */
function realPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}
