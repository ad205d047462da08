// The connections to PostgreSQL: how they are made and kept, and what values look like on them.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { isLostConnection, isReadOnly } from './postgres-errors.ts';

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
