// PostgreSQL as Kysely is to speak it: its connections, tables that order and count as SQLite's, and commits that can be looked up.
import { randomBytes } from 'node:crypto';
import {
  CompiledQuery,
  type Dialect,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import type { TableForm } from './migrations/0001-initial.ts';
import { isLostConnection, isReadOnly, UnansweredCommit } from './postgres-errors.ts';
import type { Reader } from './schema.ts';

/** The transaction `number` of a connection. */
export interface CommitMark {
  readonly connection: string;
  readonly number: number;
}

const TABLE = 'commit_marks';

/** Of connections that are long gone; one that lives writes its row anew. */
const KEPT = '1 day';

/**
 * One row a connection, written with each transaction and changed in place. The server's own number of a transaction would be had for
 * nothing, and is no proof: after a crash those that it had not yet written down are given again, to others.
 */
export async function makeCommitMarks(kysely: Reader): Promise<void> {
  const { rows } = await sql<{ readonly found: string | null }>`select to_regclass(${TABLE}) as found`.execute(kysely);
  if ((rows[0]?.found ?? null) === null) {
    await sql`create table ${sql.table(TABLE)} (connection text primary key, number bigint not null, at timestamptz not null)
      with (fillfactor = 20)`.execute(kysely);
  }
}

export async function sweepCommitMarks(kysely: Reader): Promise<void> {
  await sql`delete from ${sql.table(TABLE)} where at < now() - ${sql.lit(KEPT)}::interval`.execute(kysely);
}

/** The marks of one connection, one after the other. */
function markConnection(): () => CommitMark {
  const connection = randomBytes(12).toString('hex');
  let number = 0;
  return () => ({ connection, number: ++number });
}

/** Writes the mark; nothing in it comes from outside. */
function markStatement({ connection, number }: CommitMark): string {
  return (
    `insert into ${TABLE} values ('${connection}', ${number}, now()) ` +
    'on conflict (connection) do update set number = excluded.number, at = excluded.at'
  );
}

/** Whether that transaction took place. Waits for its end where the server has not noticed yet that nobody is there any more. */
export async function tookPlace(kysely: Reader, { connection, number }: CommitMark): Promise<boolean> {
  const ask = sql<{ readonly number: number }>`
    select number from ${sql.table(TABLE)} where connection = ${connection} for update`;
  const { rows } = await ask.execute(kysely);
  return rows[0]?.number === number;
}

export interface PoolSettings {
  /** As DATABASE_URL: user, password, TLS (`sslmode`, `sslrootcert`) and more. */
  readonly url: string;
  /** The most connections at a time. */
  readonly connections: number;
  /** Milliseconds that one statement may take; 0: as long as it wants. */
  readonly statementMs: number;
  /** Whether the server would answer commits that a crash may undo, were it not told otherwise. */
  readonly isLax?: boolean;
}

/** Milliseconds to reach the server, or to get a connection that others use. */
const CONNECT_MS = 10_000;

/** A process that hangs in the middle of a transaction, or is cut off, gives back what it holds. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** Said before an answer that does not come at all: the server's own limit is answered. */
const GRACE_MS = 5_000;

/**
 * `enable_seqscan`: a scan of a whole table makes a serializable transaction conflict with every write to it, and on a small table the planner
 * likes nothing better; every verb has its index. `jit`: no query of ours is long enough to earn it.
 */
const SETTINGS = '-c enable_seqscan=off -c jit=off -c TimeZone=UTC';

/** int8 (all our numbers) and numeric (their sums) as numbers: all are far below 2^53. For this pool alone, others share the process. */
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** A pool for Kysely. No connection is made until one is needed. */
export function createPool(settings: PoolSettings): PostgresPool {
  const pool = new Pool(configOf(settings));
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  // One that breaks while nobody uses it is replaced; without a listener the process would end.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    options: {},
    async connect() {
      const client = await pool.connect();
      const known = clients.get(client) ?? clientOf(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function configOf({ url, connections, statementMs, isLax = false }: PoolSettings): PoolConfig {
  const { address, options } = withoutOptions(url);
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
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
  };
}

/** The operator's own settings come after ours, and so before them. */
function withoutOptions(url: string): { readonly address: string; readonly options: string } {
  const at = URL.parse(url);
  const options = at?.searchParams.get('options') ?? null;
  if (at === null || options === null) return { address: url, options: '' };
  at.searchParams.delete('options');
  return { address: at.href, options };
}

function parserFor(oid: number, format: 'text' | 'binary' = 'text'): (value: string) => unknown {
  return NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format === 'binary' ? 'text' : format);
}

function clientOf(client: PoolClient): PostgresPoolClient {
  let isBroken = false;
  async function query(text: string, values: readonly unknown[]): Promise<unknown> {
    try {
      const result: unknown = await client.query(text, values.map(storable));
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

/** PostgreSQL refuses NUL in text; what comes from outside loses it at the door, and this is for what slipped through. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** As in SQLite: text is compared by its bytes, and no number is given twice; those of transactions that failed are left out. */
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

/** Kysely's lock around migrations is one of the session, which outlives them on a pooled one; migrate.ts has one that does not. */
class LocklessAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class AskableDriver extends PostgresDriver {
  readonly #connections = new WeakMap<Connection, () => CommitMark>();
  readonly #marks = new WeakMap<Connection, CommitMark>();

  // In one message, so that the mark costs no time on the way. A migration, which makes its table, is asked after by what it made.
  override async beginTransaction(connection: Connection, settings: { isolationLevel?: string }): Promise<void> {
    const isVerb = settings.isolationLevel === 'serializable';
    const begin = isVerb ? `begin isolation level serializable; ${markStatement(this.#mark(connection))}` : 'begin';
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // It may have begun: Kysely ends none whose beginning failed.
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  #mark(connection: Connection): CommitMark {
    const next = this.#connections.get(connection) ?? markConnection();
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
