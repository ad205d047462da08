// The store on SQLite: one file (or memory), opened, brought up to date and put together.
import type Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { CausewayError } from '../core/errors.ts';
import { createDatabase, type Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createSqliteDialect, emptyLog, explainSqlite, openConnection, SQLITE_TABLES } from './sqlite-engine.ts';
import type { Store } from './store.ts';
import { storeVerbs } from './store-verbs.ts';

export interface SqliteStore extends Store {
  /** For the embedded queue, whose table lives in the same file. */
  readonly database: Database;
}

interface SqliteStoreOptions {
  /** Path of the database file (made with mode 600, and its folder, where missing), or `:memory:`. */
  readonly file: string;
  /** Seals the secrets that are stored. */
  readonly seal: Seal;
  /** Writes the jobs that the verbs cause. */
  readonly enqueuer: Enqueuer;
}

const HOUR_MS = 60 * 60 * 1_000;

/**
 * Opens the store and migrates its schema. It does not take ownership of the file (see single-owner.ts), so that
 * `causeway token` works beside a server. Throws `store_unusable` (damaged, not writable, made by another version)
 * or `store_locked` (another process writes for more than 5 s).
 */
export async function openSqliteStore({ file, seal, enqueuer }: SqliteStoreOptions): Promise<SqliteStore> {
  const explain = (error: unknown) => explainSqlite(error, file);
  const { connection, kysely } = await openKysely(file, explain);
  const database = createDatabase({ kysely, enqueuer, explain });
  // With the connection taken, so that it waits for a transaction under way.
  const forgetErased = () => database.read((reader) => reader.connection().execute(async () => emptyLog(connection)));
  // Where another process was reading, the log stays until the next hour, erasure, close or opening.
  const hourly = setInterval(() => void forgetErased().catch(() => {}), HOUR_MS).unref();
  return {
    database,
    ...storeVerbs({ database, seal, enqueuer, forgetErased }),
    [Symbol.asyncDispose]: async () => {
      clearInterval(hourly);
      await database.close(() => emptyLog(connection));
    },
  };
}

async function openKysely(
  file: string,
  explain: (error: unknown) => unknown,
): Promise<{ readonly connection: Sqlite.Database; readonly kysely: Kysely<Schema> }> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = openConnection(file);
    const kysely = new Kysely<Schema>({ dialect: createSqliteDialect(connection) });
    await migrate(kysely, { form: SQLITE_TABLES, place: file, mayBeAheadBy: 0 });
    // A process that was killed after an erasure has left a log that still holds the text.
    emptyLog(connection);
    return { connection, kysely };
  } catch (error) {
    connection?.close();
    throw toUnusable(explain(error), file);
  }
}

/** Whatever else prevents opening (another program's database with tables of our names, for one) is the file's fault too. */
function toUnusable(error: unknown, file: string): CausewayError {
  if (error instanceof CausewayError) return error;
  const repair = 'It may belong to another program. Name another DATA_DIR, or restore a backup.';
  return new CausewayError('store_unusable', `The database ${file} cannot be used. ${repair}`, { cause: error });
}
