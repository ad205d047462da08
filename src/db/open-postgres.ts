// The store on PostgreSQL: reached, judged, brought up to date and put together. Any number of processes may share it.
import { Kysely, sql } from 'kysely';
import { CausewayError } from '../core/errors.ts';
import { createDatabase, type Database, type Enqueuer } from './database.ts';
import { migrateUnderLock } from './migrate.ts';
import { createPool, createPostgresDialect, POSTGRES_TABLES, type PoolSettings } from './postgres-connection.ts';
import { explainOpening, explainPostgres } from './postgres-errors.ts';

import { patiently, serializable } from './postgres-repeat.ts';
import type { Reader, Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createVerbs, type Store } from './store.ts';

export interface PostgresStore extends Store {
  /** For the queue, whose tables live in the same database. */
  readonly database: Database;
}

export interface PostgresStoreOptions {
  /** As DATABASE_URL: `postgres://user:password@host:port/database`, with TLS as it says. */
  readonly url: string;
  /** Seals the secrets that are stored. */
  readonly seal: Seal;
  /** Writes the jobs that the verbs cause. */
  readonly enqueuer: Enqueuer;
  /** The most connections of this process; 10 where nothing is said. */
  readonly connections?: number;
  /** How long a verb is tried again while no server answers, or others come first: milliseconds, 15 s where nothing is said. */
  readonly patienceMs?: number;
}

const CONNECTIONS = 10;
const PATIENCE_MS = 15_000;
const STATEMENT_MS = 30_000;
/** The oldest that its makers still mend. */
const OLDEST_VERSION = 14;

/**
 * Opens the store and migrates its schema. Throws `store_unusable` (not reached, refused, too old, made by a newer version) or `store_locked`
 * (others wrote all the time), in words without the password.
 *
 * Text that is erased is gone for every question from the moment of its commit. Its bytes are not: PostgreSQL leaves them in its files until
 * a vacuum and later rows have overwritten them, in its log until that is recycled, on standbys and in backups. No statement of ours can
 * change that, so that none is sent: whoever must be sure encrypts the disk, and bounds how long logs and backups are kept.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, seal, enqueuer, connections = CONNECTIONS, patienceMs = PATIENCE_MS } = options;
  const place = shown(url);
  const explain = (error: unknown) => explainPostgres(error, place);
  const { isLax } = await prepare({ url, place, patienceMs }).catch((error: unknown) => {
    throw explainOpening(error, place);
  });
  const kysely = connect({ url, connections, statementMs: STATEMENT_MS, isLax });
  const database = createDatabase({ kysely, enqueuer, explain, runner: serializable(kysely, patienceMs) });
  return {
    database,
    ...createVerbs(database, seal),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

function connect(settings: PoolSettings): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: createPostgresDialect(createPool(settings)) });
}

interface Preparation {
  readonly url: string;
  readonly place: string;
  readonly patienceMs: number;
}

/** On a connection of its own: a migration of a large table takes its time. */
async function prepare({ url, place, patienceMs }: Preparation): Promise<Server> {
  const kysely = connect({ url, connections: 1, statementMs: 0 });
  try {
    return await patiently(patienceMs, async () => {
      const server = await judgedServer(kysely, place);
      await migrateUnderLock(kysely, { form: POSTGRES_TABLES, place, mayBeAheadBy: 1 });
      return server;
    });
  } finally {
    await kysely.destroy();
  }
}

interface Server {
  readonly version: number;
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly isLax: boolean;
}

/** Throws `store_unusable` for a server that this version cannot work on. */
export async function judgedServer(kysely: Reader, place: string): Promise<Server> {
  const ask = sql<Server>`
    select current_setting('server_version_num')::bigint as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as "isStandby", current_setting('synchronous_commit') = 'off' as "isLax"`;
  const server = (await ask.execute(kysely)).rows[0];
  if (server === undefined) throw new Error('the server did not say what it is');
  const repair = faultOfServer(server);
  if (repair !== undefined) throw new CausewayError('store_unusable', `The database ${place} ${repair}`);
  return server;
}

function faultOfServer(server: Server): string | undefined {
  const version = Math.floor(server.version / 10_000);
  if (version < OLDEST_VERSION) {
    return `is on PostgreSQL ${version}. Causeway needs ${OLDEST_VERSION} or newer: upgrade the server, or name another.`;
  }
  if (server.encoding !== 'UTF8') {
    return `keeps text as ${server.encoding}. Make one with UTF8: createdb --encoding=UTF8 --template=template0.`;
  }
  return server.isStandby ? 'is a standby, which can only be read. Let DATABASE_URL lead to the primary.' : undefined;
}

/** The address for people: which database where, without user and password. */
function shown(url: string): string {
  const at = URL.parse(url);
  if (at === null) return 'of DATABASE_URL';
  return `${decodeURIComponent(at.pathname.slice(1))} on ${at.host || at.searchParams.get('host') || 'this machine'}`;
}
