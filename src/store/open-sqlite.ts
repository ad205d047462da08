// The store on SQLite: one file (or memory), opened, brought up to date and put together.
import type Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { CausewayError } from '../domain/errors.ts';
import type { Store } from '../ports/store.ts';
import { acceptanceVerbs } from './acceptance.ts';
import { accountVerbs } from './accounts.ts';
import { backfillVerbs } from './backfills.ts';
import { costVerbs } from './costs.ts';
import { createDatabase, type Database } from './database.ts';
import { deliveryVerbs } from './deliveries.ts';
import { endingVerbs } from './endings.ts';
import type { Enqueuer } from './enqueuer.ts';
import { failureVerbs } from './failures.ts';
import { headVerbs } from './heads.ts';
import { installationVerbs } from './installations.ts';
import { investigationVerbs } from './investigations.ts';
import { issueVerbs } from './issues.ts';
import { migrate } from './migrate.ts';
import { overviewVerbs } from './overviews.ts';
import { projectVerbs } from './projects.ts';
import { runVerbs } from './runs.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { sessionVerbs } from './sessions.ts';
import { signInVerbs } from './sign-ins.ts';
import { explainSqlite, forgetErased, openConnection, SQLITE_TABLES, sqliteDialect } from './sqlite-engine.ts';
import { threadVerbs } from './threads.ts';
import { tokenVerbs } from './tokens.ts';
import { toldVerbs } from './told.ts';
import { transcriptVerbs } from './transcripts.ts';
import { upkeepVerbs } from './upkeep.ts';
import { attemptVerbs } from './webhook-attempts.ts';
import { webhookVerbs } from './webhooks.ts';

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
  const { connection, kysely } = await opened(file, explain);
  const database = createDatabase({ kysely, enqueuer, explain });
  const forget = () => forgetErased(connection);
  return {
    database,
    ...accountVerbs(database, seal),
    ...tokenVerbs(database),
    ...sessionVerbs(database),
    ...signInVerbs(database),
    ...projectVerbs(database),
    ...acceptanceVerbs(database, enqueuer),
    ...investigationVerbs(database),
    ...runVerbs(database),
    ...transcriptVerbs(database),
    ...costVerbs(database),
    ...endingVerbs(database, enqueuer),
    ...issueVerbs(database, enqueuer, forget),
    ...webhookVerbs(database),
    ...attemptVerbs(database, enqueuer),
    ...deliveryVerbs(database, enqueuer, seal),
    ...installationVerbs(database, enqueuer),
    ...threadVerbs(database, enqueuer),
    ...toldVerbs(database),
    ...headVerbs(database, enqueuer),
    ...failureVerbs(database, enqueuer),
    ...backfillVerbs(database),
    ...upkeepVerbs(database, enqueuer, forget),
    ...overviewVerbs(database),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

async function opened(
  file: string,
  explain: (error: unknown) => unknown,
): Promise<{ readonly connection: Sqlite.Database; readonly kysely: Kysely<Schema> }> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = openConnection(file);
    const kysely = new Kysely<Schema>({ dialect: sqliteDialect(connection) });
    await migrate(kysely, SQLITE_TABLES, file);
    return { connection, kysely };
  } catch (error) {
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
