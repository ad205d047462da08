// The store on SQLite: one file (or memory), opened, brought up to date and put together.
import type Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { CausewayError } from '../core/errors.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { createDatabase, type Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { explainSqlite, openConnection, SQLITE_TABLES, sqliteDialect } from './sqlite-engine.ts';
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

/**
 * Opens the store and migrates its schema. It does not take ownership of the file (see single-owner.ts), so that
 * `causeway token` works beside a server. Throws `store_unusable` (damaged, not writable, made by a newer version)
 * or `store_locked` (another process writes for more than 5 s).
 */
export async function openSqliteStore({ file, seal, enqueuer }: SqliteStoreOptions): Promise<SqliteStore> {
  const explain = (error: unknown) => explainSqlite(error, file);
  const { checkpoints, kysely } = await opened(file, explain);
  const database = createDatabase({ kysely, enqueuer, explain });
  return {
    database,
    ...storeVerbs({ database, seal, enqueuer, forget: checkpoints.forget }),
    [Symbol.asyncDispose]: async () => {
      await checkpoints[Symbol.asyncDispose]();
      await database.close();
    },
  };
}

async function opened(
  file: string,
  explain: (error: unknown) => unknown,
): Promise<{ readonly checkpoints: Checkpoints; readonly kysely: Kysely<Schema> }> {
  let connection: Sqlite.Database | undefined;
  let checkpoints: Checkpoints | undefined;
  try {
    connection = openConnection(file);
    checkpoints = createCheckpoints(connection, file);
    const kysely = new Kysely<Schema>({ dialect: sqliteDialect(connection, checkpoints.committed) });
    await migrate(kysely, { form: SQLITE_TABLES, place: file, mayBeAheadBy: 0 });
    // Whoever was killed after an erasure has left a log that still holds it.
    checkpoints.forget();
    return { checkpoints, kysely };
  } catch (error) {
    await checkpoints?.[Symbol.asyncDispose]();
    connection?.close();
    throw unusable(explain(error), file);
  }
}

/** Whatever else hinders opening (a foreign database with tables of our names, for one) is the file's fault too. */
function unusable(error: unknown, file: string): CausewayError {
  if (error instanceof CausewayError) return error;
  const repair = 'It may belong to another program. Name another DATA_DIR, or restore a backup.';
  return new CausewayError('store_unusable', `The database ${file} cannot be used. ${repair}`, { cause: error });
}
