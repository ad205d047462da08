// The store on SQLite: the connection and its settings, how transactions start, what its errors mean, and which process
// owns the file.
import { chmodSync, closeSync, existsSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Dialect, Kysely, SqliteAdapter, SqliteDialect, SqliteDriver, sql } from 'kysely';
import { quoteWord } from '../core/command-words.ts';
import { CausewayError, isDiskFull, NO_SPACE, type StoreFault, StoreUnusable } from '../core/errors.ts';
import { createDatabase, type Database, type Enqueuer } from './database.ts';
import { makeFolder } from './make-folder.ts';
import { migrate } from './migrate.ts';
import type { TableForm } from './migrations/0001-initial.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createVerbs, type Store } from './store.ts';

export interface SqliteStore extends Store {
  /** For the embedded queue, which has its table in the same file. */
  readonly database: Database;
}

interface SqliteStoreOptions {
  /** Path of the database file (created with mode 600, like its folder, if missing), or `:memory:`. */
  readonly file: string;
  readonly seal: Seal;
  readonly enqueuer: Enqueuer;
  /** How long a writer waits for another process's transaction, in milliseconds (5,000). */
  readonly patienceMs?: number;
}

/** How long a writer waits for another process's transaction. */
const BUSY_MS = 5_000;
const BUSY_POLL_MS = 10;
const HOUR_MS = 60 * 60 * 1_000;

/** STRICT refuses values of the wrong type; AUTOINCREMENT never reuses a number. */
export const SQLITE_TABLES: TableForm = {
  types: { SEQUENCE: 'integer primary key autoincrement', TEXT: 'text', INTEGER: 'integer' },
  end: ' strict',
  findTable: (name) => sql`select name from sqlite_master where type = 'table' and name = ${name}`,
};

/**
 * Opens the store and migrates its schema. It does not take ownership of the file (see `takeOwnership`), so that
 * `causeway token` works next to a server. Throws `store_unusable` (damaged, not writable, made by another version) or
 * `store_unavailable` (locked, not readable).
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { file, seal, enqueuer, patienceMs } = options;
  const explain = (error: unknown) => explainSqlite(error, file);
  const { connection, kysely } = await openKysely(file, patienceMs);
  // With the connection taken, so that it waits for a running transaction.
  const forgetErased = (reader: Kysely<Schema>) => reader.connection().execute(async () => truncateLog(connection));
  const database = createDatabase({ kysely, enqueuer, explain, forgetErased });
  const hourly = setInterval(() => void database.forgetErased().catch(() => {}), HOUR_MS).unref();
  return {
    database,
    ...createVerbs(database, seal),
    [Symbol.asyncDispose]: async () => {
      clearInterval(hourly);
      await database.close(() => truncateLog(connection));
    },
  };
}

async function openKysely(
  file: string,
  patienceMs?: number,
): Promise<{ readonly connection: Sqlite.Database; readonly kysely: Kysely<Schema> }> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = openSqliteFile(file);
    const kysely = new Kysely<Schema>({ dialect: createSqliteDialect(connection, patienceMs) });
    await migrate(kysely, { form: SQLITE_TABLES, place: file, mayBeAheadBy: 0 });
    // A process that was killed after an erasure left a log with the text.
    truncateLog(connection);
    return { connection, kysely };
  } catch (error) {
    connection?.close();
    const explained = explainSqlite(error, file);
    if (explained instanceof CausewayError) throw explained;
    const repair = 'It may belong to another program. Name another DATA_DIR, or restore a backup.';
    throw new CausewayError('store_unusable', `The database ${file} cannot be used. ${repair}`, { cause: error });
  }
}

/** Opens (and creates, mode 600) a database file, or `:memory:`, with every setting that we rely on. */
export function openSqliteFile(file: string): Sqlite.Database {
  if (file !== ':memory:') ensurePrivateFile(file);
  const connection = new Sqlite(file, { timeout: BUSY_MS });
  try {
    connection.pragma('journal_mode = WAL');
    // better-sqlite3 falls back to NORMAL on every later open of a WAL file: then a power cut would lose what was
    // answered with 202.
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    // Erased text is overwritten with zeros in the file; see `truncateLog` for the log.
    connection.pragma('secure_delete = ON');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Moves the write-ahead log into the file and empties it, so that erased text cannot be read from it. If another
 * process is reading, or the disk is full, the log stays until the next time.
 */
function truncateLog(connection: Sqlite.Database): void {
  try {
    runWithoutWaiting(connection, () => connection.pragma('wal_checkpoint(TRUNCATE)'));
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
  }
}

function runWithoutWaiting<T>(connection: Sqlite.Database, work: () => T): T {
  connection.exec('pragma busy_timeout = 0');
  try {
    return work();
  } finally {
    connection.exec(`pragma busy_timeout = ${BUSY_MS}`);
  }
}

/** The Kysely dialect of a connection; `kysely.destroy()` closes it. */
export function createSqliteDialect(connection: Sqlite.Database, patienceMs = BUSY_MS): Dialect {
  const dialect = new SqliteDialect({ database: connection });
  return {
    createDriver: () => new ImmediateDriver(connection, patienceMs),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

/** SQLite can roll back DDL; Kysely does not count on it, and a kill during a migration would leave half a schema. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Every transaction takes the write lock at its beginning: one that begins with a read fails at its first write if
 * another process (`causeway token`) wrote in between, even with a busy timeout.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Sqlite.Database;
  readonly #patienceMs: number;
  readonly #requireInPlace: () => void;

  constructor(database: Sqlite.Database, patienceMs: number) {
    super({ database });
    this.#database = database;
    this.#patienceMs = patienceMs;
    this.#requireInPlace = database.memory ? () => {} : createPlaceCheck(database.name);
  }

  // SQLite answers within one turn of the event loop: without a turn per transaction a chain of verbs would starve
  // timers and sockets. And SQLite's own waiting would block the loop, where this one only delays the verb.
  override async beginTransaction(): Promise<void> {
    await nextTurn();
    this.#requireInPlace();
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        runWithoutWaiting(this.#database, () => this.#database.exec('begin immediate'));
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
 * Throws if the file was deleted or replaced: SQLite would go on writing to the deleted file. One stat takes 2 µs, a
 * commit milliseconds.
 */
function createPlaceCheck(file: string): () => void {
  const opened = statSync(file);
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    const newest = findNewestBackup(file);
    throw new StoreUnusable(
      'replaced',
      `The database file ${file} was deleted or replaced while the service was running, so nothing is accepted any more. ` +
        `Stop the service, put the file back or restore a backup (causeway restore ${newest === null ? 'FILE' : quoteWord(newest)} --yes), ` +
        'then start it again.',
    );
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** What an error of SQLite means for the operator; anything else is returned as it is. */
export function explainSqlite(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const found = REPAIRS.find(([prefix]) => error.code.startsWith(prefix));
  if (!found) return error;
  const [, fault, repair] = found;
  const backup = fault === 'damaged' ? ` ${describeRestore(file)}` : '';
  const message = `The database ${file} ${repair}${backup} (${error.code})`;
  if (fault === 'away') return new CausewayError('store_unavailable', message, { cause: error });
  return new StoreUnusable(fault, message, { cause: error });
}

const LOCKED = 'has been locked by another process for more than 5 s. End that process, or try again.';
const REPAIRS: readonly (readonly [prefix: string, fault: StoreFault | 'away', repair: string])[] = [
  ['SQLITE_BUSY', 'away', LOCKED],
  ['SQLITE_LOCKED', 'away', LOCKED],
  // The locks of its write-ahead log were taken for too long.
  ['SQLITE_PROTOCOL', 'away', LOCKED],
  ['SQLITE_FULL', 'full', `cannot be written. ${NO_SPACE} Free some; a running service resumes on its own.`],
  ['SQLITE_READONLY', 'not_writable', 'cannot be written. Give this user write access to the file and its folder.'],
  ['SQLITE_CANTOPEN', 'away', 'cannot be opened. Check that its folder exists and that this user can write to it.'],
  ['SQLITE_CORRUPT', 'damaged', 'is damaged.'],
  ['SQLITE_NOTADB', 'damaged', 'is damaged, or is not a database.'],
  ['SQLITE_IOERR', 'away', 'cannot be read or written. Check the disk, its free space and its limits.'],
];

/** What to do about a damaged database, with the newest backup there is. */
export function describeRestore(file: string): string {
  const newest = findNewestBackup(file);
  if (newest === null) {
    const folder = getBackupsFolder(file);
    return `There is no backup in ${folder}: stop the service and restore one that you keep elsewhere with "causeway restore FILE --yes".`;
  }
  return `Stop the service and restore the newest backup: causeway restore ${quoteWord(newest)} --yes`;
}

export function getBackupsFolder(database: string): string {
  return path.join(path.dirname(database), 'backups');
}

function findNewestBackup(database: string): string | null {
  const folder = getBackupsFolder(database);
  if (!existsSync(folder)) return null;
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return files.sort((a, b) => b.at - a.at)[0]?.file ?? null;
}

/**
 * Creates the file with mode 600 before SQLite would create it with the umask's; the log inherits the mode. An existing
 * file is never opened here: closing any descriptor of a file drops this process's locks on it (POSIX).
 */
function ensurePrivateFile(file: string): void {
  makeFolder(path.dirname(file));
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process may have created it in the same moment.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    const advice = 'Check that its folder can be written by this user, or name another DATA_DIR.';
    const repair = isDiskFull(error) ? NO_SPACE : advice;
    throw new CausewayError('store_unusable', `The file ${file} cannot be made. ${repair}`, { cause: error });
  }
  try {
    chmodSync(file, 0o600);
  } catch {
    // Another owner, or a read-only file system: opening shows whether it can be used.
  }
}

/**
 * Takes the database file for this process until disposed. The lock is a transaction held open on `<file>.owner`, a
 * reserved one, so that the owner's process id can still be read. Throws `store_locked` if another process holds it.
 * `:memory:` needs no owner.
 */
export function takeOwnership(file: string): Disposable {
  if (file === ':memory:') return { [Symbol.dispose]: () => {} };
  makeFolder(path.dirname(file));
  // Two names of one file are one file; a missing file is named by its folder.
  const real = existsSync(file) ? realpathSync(file) : path.join(realpathSync(path.dirname(file)), path.basename(file));
  const owner = `${real}.owner`;
  ensurePrivateFile(owner);
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(owner, { timeout: 0 });
    connection.exec('begin immediate');
    connection.exec('create table if not exists owner (id integer primary key, pid integer not null) strict');
    connection.prepare('insert or replace into owner (id, pid) values (1, ?)').run(process.pid);
    connection.exec('commit');
    connection.exec('begin immediate');
  } catch (error) {
    const pid = isBusy(error) && connection ? readOwnerPid(connection) : null;
    connection?.close();
    if (!isBusy(error)) throw explainSqlite(error, owner);
    throw new CausewayError(
      'store_locked',
      `Another Causeway server or worker${pid === null ? '' : ` (process ${pid})`} uses ${file}. ` +
        'Stop that one first, or give this one its own DATA_DIR.',
      { cause: error },
    );
  }
  const opened = connection;
  return { [Symbol.dispose]: () => void opened.close() };
}

/** Null: the owner is just writing it. */
function readOwnerPid(connection: Sqlite.Database): number | null {
  try {
    return connection.prepare<[], { pid: number }>('select pid from owner').get()?.pid ?? null;
  } catch {
    return null;
  }
}
