// Everything that only SQLite knows: the connection and its settings, how transactions begin, what its errors mean.
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type DatabaseConnection, type Dialect, SqliteDialect, SqliteDriver, sql } from 'kysely';
import { CausewayError } from '../domain/errors.ts';
import { DirectAdapter } from './direct-adapter.ts';
import { keptStatements } from './kept-statements.ts';
import { makeFolder } from './make-folder.ts';
import type { TableForm } from './migrations/table-form.ts';

/** How long a writer waits for another process' transaction. */
const BUSY_MS = 5_000;
const BUSY_POLL_MS = 10;

/** STRICT refuses values of the wrong type; AUTOINCREMENT never gives a number twice. */
export const SQLITE_TABLES: TableForm = {
  sequence: (table) => table.addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement()),
  end: sql`strict`,
  tableNamed: (name) => sql`select name from sqlite_master where type = 'table' and name = ${name}`,
  addTrigger: async (database, { name, table, columns, after, statements }) => {
    const row = (of: 'new' | 'old') => `(select ${columns.map((column) => `${of}.${column} as ${column}`).join(', ')})`;
    const body = statements({ new: row('new'), old: row('old') }).map((statement) => `${statement};`);
    await sql.raw(`create trigger ${name} after ${after} on ${table} begin ${body.join(' ')} end`).execute(database);
  },
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
    // Erased text is overwritten with zeros in the file, not only unlinked; see `forgetErased` for the log beside it.
    connection.pragma('secure_delete = ON');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Moves the write-ahead log into the file and empties it, so that text erased before cannot be read from it.
 * False where another process reads just now: the log stays for the next time; that is no error.
 */
export function forgetErased(connection: Sqlite.Database): boolean {
  return withoutWaiting(connection, () => connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true })) === 0;
}

/** The Kysely dialect of a connection; `kysely.destroy()` closes it. `committed` is called after each commit. */
export function sqliteDialect(connection: Sqlite.Database, committed = () => {}): Dialect {
  const dialect = new SqliteDialect({ database: connection });
  return {
    createDriver: () => new ImmediateDriver(connection, committed),
    createAdapter: () => new DirectAdapter(connection),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

/**
 * Every transaction takes the write lock at its beginning: one that begins by reading would fail at its first write
 * if another process (`causeway token`) wrote in between, whatever the busy timeout.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Sqlite.Database;
  readonly #committed: () => void;

  constructor(database: Sqlite.Database, committed: () => void) {
    super({ database: keptStatements(database) });
    this.#database = database;
    this.#committed = committed;
  }

  // SQLite answers within the same turn of the event loop, so that a chain of verbs would starve timers and sockets:
  // one turn per transaction. And its own waiting would stop the loop, where this one only stops the verb.
  override async beginTransaction(): Promise<void> {
    await nextTurn();
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

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#committed();
  }

  // A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
  override async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }
}

/** What an error of SQLite means for the operator; anything else is returned as it is. */
export function explainSqlite(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const found = REPAIRS.find(([prefix]) => error.code.startsWith(prefix));
  if (!found) return error;
  const [, code, repair] = found;
  return new CausewayError(code, `The database ${file} ${repair} (${error.code})`, { cause: error });
}

const REPAIRS: readonly (readonly [prefix: string, code: 'store_locked' | 'store_unusable', repair: string])[] = [
  ['SQLITE_BUSY', 'store_locked', 'is being written by another process for more than 5 s. End that one, or try again.'],
  ['SQLITE_FULL', 'store_unusable', 'has no room left on its disk. Make room: a service that runs goes on by itself.'],
  [
    'SQLITE_READONLY',
    'store_unusable',
    'cannot be written. Give this user the right to write the file and its folder.',
  ],
  [
    'SQLITE_CANTOPEN',
    'store_unusable',
    'cannot be opened. Check that its folder exists and that this user may write it.',
  ],
  ['SQLITE_CORRUPT', 'store_unusable', 'is damaged. Restore it from a backup.'],
  [
    'SQLITE_NOTADB',
    'store_unusable',
    'is not a database, or is damaged. Restore it from a backup, or name another file.',
  ],
  ['SQLITE_IOERR', 'store_unusable', 'cannot be read or written. Check the disk, its room and its limits.'],
];

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** By `exec`: `pragma` makes a statement of each, 22 of the 29 µs that beginning a transaction took. */
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
export function makePrivate(file: string): void {
  makeFolder(dirname(file));
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process may have made it in the same moment.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    const repair = 'Check that its folder can be written by this user, or name another DATA_DIR.';
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
