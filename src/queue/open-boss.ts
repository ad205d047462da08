// pg-boss: installed and brought up to date in a schema of its own, whoever comes first, and held open for this process.
import { type Db, PgBoss } from 'pg-boss';
import type { Enqueuer } from '../db/enqueuer.ts';
import { createPool } from '../db/postgres-connection.ts';
import { patiently } from '../db/postgres-repeat.ts';
import type { Log } from '../log.ts';
import { createBossJobs } from './boss-jobs.ts';
import { type BossStatements, bossStatements, deadQueue } from './boss-statements.ts';
import { JOB_KINDS } from './job-kinds.ts';

interface BossOptions {
  /** As DATABASE_URL: `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log: Log;
  /** Holds pg-boss's tables (`causeway_jobs`); letters, digits and underscores. */
  readonly schema?: string;
  /** How long opening waits for a server that does not answer, in milliseconds (15,000). */
  readonly patienceMs?: number;
}

/** To be disposed after its workers, and after the store that was built with its enqueuer. */
export interface Boss extends AsyncDisposable {
  /** The enqueuer that the store is built with. */
  readonly jobs: Enqueuer;
  readonly boss: PgBoss;
  readonly statements: BossStatements;
  /** On a connection of the pool. */
  ask<T>(statement: string, values: readonly unknown[]): Promise<readonly T[]>;
  /** In a transaction of its own, read committed. */
  transact<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** `listener` hears of every change of the jobs, by whatever process. Disposing ends it. */
  listen(listener: (change: string) => void): Promise<AsyncDisposable>;
}

const TEN_YEARS_S = 315_360_000;
const DAY_S = 86_400;
const QUERY_MS = 60_000;
/** Five for the claims and ends of a worker, one for pg-boss's own look after its tables. */
const CONNECTIONS = 6;

/**
 * What pg-boss does on its own: it keeps its tables and their indexes, and takes back what has run for a day. It never gives a job up, and
 * forgets none: both are decided by `handle-claim.ts`. Its errors are logged; a database that is away for a while costs nothing else.
 */
export async function openBoss({
  url,
  log,
  schema = 'causeway_jobs',
  patienceMs = 15_000,
}: BossOptions): Promise<Boss> {
  const statements = bossStatements(schema);
  const boss = await patiently(patienceMs, () => started(url, schema, log));
  const db = boss.getDb();
  const transact = <T>(work: (tx: Db) => Promise<T>) => inTransaction(db, work);
  try {
    await makeQueues(boss);
    await patiently(patienceMs, () => makeAdditions(url, statements));
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
  return {
    jobs: createBossJobs({ boss, statements }),
    boss,
    statements,
    ask: async <T>(statement: string, values: readonly unknown[]) =>
      (await db.executeSql(statement, [...values])).rows as readonly T[],
    transact,
    listen: (listener) => listenTo(db, schema, listener),
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}

async function started(url: string, schema: string, log: Log): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: url,
    schema,
    max: CONNECTIONS,
    application_name: 'causeway jobs',
    // Neither schedules nor flows are used.
    schedule: false,
    flowIntervalSeconds: 3_600,
    // Of pg: a connection that leads nowhere any more is given up, and made again.
    ...{ keepAlive: true, query_timeout: QUERY_MS },
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the connection of the queue failed; it will be made again'));
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'pg-boss warns'));
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}

/** A queue a kind, with one row a subject, whether it waits or runs; and one for the dead of each. */
async function makeQueues(boss: PgBoss): Promise<void> {
  const there = new Set((await boss.getQueues()).map((queue) => queue.name));
  const keep = { retentionSeconds: TEN_YEARS_S, expireInSeconds: DAY_S, retryLimit: 1_000_000, retryDelay: 0 };
  for (const kind of JOB_KINDS) {
    for (const name of [kind, deadQueue(kind)]) {
      if (there.has(name)) continue;
      await boss.createQueue(name, { policy: 'exclusive', deleteAfterSeconds: 0, ...keep });
    }
  }
}

/**
 * Looked for first: making an index waits for every writer, even where it exists. On a connection of its own without limits: over a large queue
 * one takes minutes, and whoever starts meanwhile waits for it.
 */
async function makeAdditions(url: string, { lockAdditions, additions, forgetTurns }: BossStatements): Promise<void> {
  const pool = createPool({ url, connections: 1, statementMs: 0 });
  const client = await pool.connect();
  try {
    await client.query('begin', []);
    await client.query(lockAdditions, []);
    for (const { name, create } of additions) {
      const { rows } = await client.query<{ there: string | null }>('select to_regclass($1) as there', [name]);
      if (rows[0]?.there === null) await client.query(create, []);
    }
    await client.query(forgetTurns, []);
    await client.query('commit', []);
  } finally {
    // What was not committed ends with the connection.
    client.release();
    await pool.end();
  }
}

async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (!db.beginTransaction) throw new Error('pg-boss opened its own pool, and that has transactions');
  const tx = await db.beginTransaction();
  try {
    const result = await work(tx.db);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

async function listenTo(db: Db, channel: string, listener: (change: string) => void): Promise<AsyncDisposable> {
  if (!db.listen) throw new Error('pg-boss opened its own pool, and that listens');
  // Whatever was said while the connection was lost: look at everything.
  const handle = await db.listen(channel, listener, () => listener('removed'));
  return { [Symbol.asyncDispose]: () => handle.close() };
}
