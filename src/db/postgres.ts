// The store on PostgreSQL, for any number of processes: its connections, tables that sort and count as SQLite's, and
// commits that can be looked up.

import {
  CompiledQuery,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { CausewayError } from '../core/errors.ts';
import { createDatabase, type Database, type Enqueuer } from './database.ts';
import { migrateUnderLock } from './migrate.ts';
import type { TableForm } from './migrations/0001-initial.ts';
import {
  type CommitMark,
  createMarker,
  createSerializableRunner,
  explainOpening,
  explainPostgres,
  isLostConnection,
  isReadOnly,
  retryPatiently,
  toMarkStatement,
  UnansweredCommit,
} from './postgres-errors.ts';
import type { Reader, Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createVerbs, type Store } from './store.ts';

export interface PostgresStore extends Store {
  /** For the queue, which has its tables in the same database. */
  readonly database: Database;
}

interface PostgresStoreOptions {
  /** As DATABASE_URL: `postgres://user:password@host:port/database`, with TLS as it says. */
  readonly url: string;
  /** Seals the secrets that are stored. */
  readonly seal: Seal;
  /** Writes the jobs that the verbs cause. */
  readonly enqueuer: Enqueuer;
  /** The most connections of this process; 10 where nothing is said. */
  readonly connections?: number;
  /**
   * How long a verb is tried again while no server answers, or others come first: milliseconds, 15 s where nothing is
   * said.
   */
  readonly patienceMs?: number;
}

const CONNECTIONS = 10;

const PATIENCE_MS = 15_000;

const STATEMENT_MS = 30_000;

/** The oldest version that PostgreSQL still supports. */
const OLDEST_VERSION = 14;

/**
 * Opens the store and migrates its schema. Throws `store_unavailable` (not reached, refused, or other writers did not
 * let go) or `store_unusable` (too old, or from a newer version), without the password in the message. Erased text is
 * invisible from its commit on. Its bytes remain in PostgreSQL's files until a vacuum, and in its log, standbys and
 * backups; no statement can change that. To be sure, encrypt the disk and limit how long logs and backups are kept.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, seal, enqueuer, connections = CONNECTIONS, patienceMs = PATIENCE_MS } = options;
  const place = describeDatabaseServer(url);
  const explain = (error: unknown) => explainPostgres(error, place);
  const { isLax } = await prepare({ url, place, patienceMs }).catch((error: unknown) => {
    throw explainOpening(error, place);
  });
  const kysely = connectPool({ url, connections, statementMs: STATEMENT_MS, isLax });
  const database = createDatabase({ kysely, enqueuer, explain, runner: createSerializableRunner(kysely, patienceMs) });
  return {
    database,
    ...createVerbs(database, seal),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

function connectPool(settings: PoolSettings): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: createPostgresDialect(createPool(settings)) });
}

interface Preparation {
  readonly url: string;
  readonly place: string;
  readonly patienceMs: number;
}

/** On a connection of its own: a migration of a large table takes its time. */
async function prepare({ url, place, patienceMs }: Preparation): Promise<Server> {
  const kysely = connectPool({ url, connections: 1, statementMs: 0 });
  try {
    return await retryPatiently(patienceMs, async () => {
      const server = await requireUsableServer(kysely, place);
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
export async function requireUsableServer(kysely: Reader, place: string): Promise<Server> {
  const ask = sql<Server>`
    select current_setting('server_version_num')::bigint as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as "isStandby", current_setting('synchronous_commit') = 'off' as "isLax"`;
  const server = (await ask.execute(kysely)).rows[0];
  if (server === undefined) throw new Error('the server did not say what it is');
  const repair = findServerFault(server);
  if (repair !== undefined) throw new CausewayError('store_unusable', `The database ${place} ${repair}`);
  return server;
}

function findServerFault(server: Server): string | undefined {
  const version = Math.floor(server.version / 10_000);
  if (version < OLDEST_VERSION) {
    return `is on PostgreSQL ${version}. Causeway needs ${OLDEST_VERSION} or newer: upgrade the server, or name another.`;
  }
  if (server.encoding !== 'UTF8') {
    return `stores text as ${server.encoding}. Create one with UTF8: createdb --encoding=UTF8 --template=template0.`;
  }
  return server.isStandby ? 'is a standby, which is read-only. Point DATABASE_URL at the primary.' : undefined;
}

/** The address for people: which database where, without user and password. */
function describeDatabaseServer(url: string): string {
  const at = URL.parse(url);
  if (at === null) return 'of DATABASE_URL';
  return `${decodeURIComponent(at.pathname.slice(1))} on ${at.host || at.searchParams.get('host') || 'this machine'}`;
}

interface PoolSettings {
  /** As DATABASE_URL: user, password, TLS (`sslmode`, `sslrootcert`) and more. */
  readonly url: string;
  /** The most connections at a time. */
  readonly connections: number;
  /** Milliseconds that one statement may take; 0: as long as it wants. */
  readonly statementMs: number;
  /** Whether the server's own setting would confirm commits that a crash may undo. */
  readonly isLax?: boolean;
}

/** Milliseconds to reach the server, or to get a connection that others use. */
const CONNECT_MS = 10_000;

/** A process that hangs in the middle of a transaction, or is cut off, gives back what it holds. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** Said before an answer that does not come at all: the server's own limit is answered. */
const GRACE_MS = 5_000;

/**
 * `enable_seqscan`: a scan of a whole table makes a serializable transaction conflict with every write to it, and on a
 * small table the planner likes nothing better; every verb has its index. `jit`: no query of ours is long enough to
 * earn it.
 */
const SETTINGS = '-c enable_seqscan=off -c jit=off -c TimeZone=UTC';

/**
 * Reads int8 (all our numbers) and numeric (their sums) as numbers; all are far below 2^53. For this pool only, since
 * others share the process.
 */
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** A pool for Kysely. No connection is made until one is needed. */
export function createPool(settings: PoolSettings): PostgresPool {
  const pool = new Pool(toPoolConfig(settings));
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  // An idle connection that breaks is replaced; without a listener the process would end.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    options: {},
    async connect() {
      const client = await pool.connect();
      const known = clients.get(client) ?? wrapClient(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function toPoolConfig({ url, connections, statementMs, isLax = false }: PoolSettings): PoolConfig {
  const { address, options } = splitOptions(url);
  return {
    application_name: 'causeway',
    connectionString: address,
    options: [SETTINGS, isLax ? '-c synchronous_commit=on' : '', options].join(' ').trim(),
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(statementMs === 0 ? {} : { statement_timeout: statementMs, query_timeout: statementMs + GRACE_MS }),
    types: {
      getTypeParser: (oid: number) => (NUMBERS.has(oid) ? Number : types.getTypeParser(oid, 'text')),
    },
  };
}

/** The operator's own settings come after ours, and so before them. */
function splitOptions(url: string): { readonly address: string; readonly options: string } {
  const at = URL.parse(url);
  const options = at?.searchParams.get('options') ?? null;
  if (at === null || options === null) return { address: url, options: '' };
  at.searchParams.delete('options');
  return { address: at.href, options };
}

function wrapClient(client: PoolClient): PostgresPoolClient {
  let isBroken = false;
  async function query(text: string, values: readonly unknown[]): Promise<unknown> {
    try {
      const result: unknown = await client.query(text, values.map(toStorable));
      // Of several statements in one, the last one's.
      return Array.isArray(result) ? result.at(-1) : result;
    } catch (error) {
      // One that reaches a standby would be given out again, long after the address leads to the new primary.
      isBroken ||= isLostConnection(error) || isReadOnly(error);
      throw error;
    }
  }
  return {
    // Kysely's other form is for cursors, which are not used.
    query: <R>(text: unknown, values: readonly unknown[] = []) =>
      query(String(text), values) as Promise<PostgresQueryResult<R>> & never,
    release: (destroy = false) => client.release(destroy || isBroken),
  };
}

/**
 * PostgreSQL refuses NUL in text: input is cleaned when it arrives, and this catches the rest.
 */
function toStorable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/**
 * As in SQLite: text is compared by its bytes, and no number is given twice; those of transactions that failed are left
 * out.
 */
export const POSTGRES_TABLES: TableForm = {
  types: {
    SEQUENCE: 'bigint generated always as identity primary key',
    TEXT: 'text collate "C"',
    INTEGER: 'bigint',
  },
  end: '',
  findTable: (name) => sql`select oid from pg_class where oid = to_regclass(${name})`,
};

export function createPostgresDialect(pool: PostgresPool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new AskableDriver({ pool }),
    createAdapter: () => new LocklessAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

/**
 * Kysely's lock around migrations is one of the session, which outlives them on a pooled one; migrate.ts has one that
 * does not.
 */
class LocklessAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class AskableDriver extends PostgresDriver {
  readonly #connections = new WeakMap<Connection, () => CommitMark>();
  readonly #marks = new WeakMap<Connection, CommitMark>();

  // One message, so that the mark takes no extra round trip. A migration, which creates the marks table, is checked by
  // what it created.
  override async beginTransaction(connection: Connection, settings: { isolationLevel?: string }): Promise<void> {
    const isVerb = settings.isolationLevel === 'serializable';
    const begin = isVerb ? `begin isolation level serializable; ${toMarkStatement(this.#mark(connection))}` : 'begin';
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // The transaction may have begun; Kysely does not end one that failed to begin.
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  #mark(connection: Connection): CommitMark {
    const next = this.#connections.get(connection) ?? createMarker();
    this.#connections.set(connection, next);
    const mark = next();
    this.#marks.set(connection, mark);
    return mark;
  }

  override async commitTransaction(connection: Connection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      const mark = this.#marks.get(connection);
      throw mark !== undefined && isLostConnection(error) ? new UnansweredCommit(mark, { cause: error }) : error;
    }
  }

  // Where the connection is gone, so is the transaction; the failure of this would hide the reason.
  override async rollbackTransaction(connection: Connection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}
