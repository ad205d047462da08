// A move of all records from SQLite to an empty PostgreSQL database, in one transaction: all of them are there in the
// end, or none.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { CausewayError } from '../core/errors.ts';
import type { NewJob } from '../core/queue.ts';
import { toSecretPurpose } from './accounts.ts';
import type { Database, Enqueuer } from './database.ts';
import { toBodyPurpose } from './deliveries.ts';
import type { Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import { explainSqlite } from './sqlite.ts';
import { toSubscriptionPurpose } from './subscriptions.ts';

type MovedRow = Readonly<Record<string, string | number | null>>;

export interface MoveSource extends Disposable {
  /** Names of the migrations that its schema has. */
  readonly migrations: readonly string[];
  readonly connection: Sqlite.Database;
}

/** Tables of the engine, the migrator and the queue (jobs are enqueued again), and those of one database or process. */
const NOT_MOVED = /^(?:sqlite_.*|kysely_.*|jobs|job_.*|health_checks|move_state)$/;

const MOST_ROWS = 500;
/** A delivery may have 25 MiB, and the rows of a batch become one JSON text. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * The SQLite database at one moment, read only. The file is the caller's own (`takeOwnership`). Throws `usage`
 * where it is none of ours.
 */
export function openMoveSource(file: string): MoveSource {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    connection.exec('begin');
    if (connection.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get() === undefined) {
      throw new CausewayError('usage', `${file} is not a Causeway database: give the causeway.db of a DATA_DIR.`);
    }
    const migrations = connection.prepare<[], string>('select name from kysely_migration order by name').pluck().all();
    const opened = connection;
    return { connection, migrations, [Symbol.dispose]: () => void opened.close() };
  } catch (error) {
    connection?.close();
    throw explainSqlite(error, file);
  }
}

/** Opens every secret. Throws `store_unusable` where the key is not theirs. Returns how many there are. */
export function openSecrets({ connection }: MoveSource, seal: Seal): number {
  let count = 0;
  const secrets = 'select account_id as id, secret as sealed from signing_secrets';
  const bodies = 'select id, body as sealed from deliveries where body is not null';
  const subscriptions = 'select id, sealed from subscriptions';
  for (const [query, toPurpose] of [
    [secrets, toSecretPurpose] as const,
    [bodies, toBodyPurpose] as const,
    [subscriptions, toSubscriptionPurpose] as const,
  ]) {
    for (const { id, sealed } of connection.prepare<[], { id: string; sealed: string }>(query).iterate()) {
      seal.open(sealed, toPurpose(id));
      count += 1;
    }
  }
  return count;
}

export interface Move {
  readonly source: MoveSource;
  readonly target: Database;
  /** The one that the target's queue goes by. */
  readonly enqueuer: Enqueuer;
  readonly now: () => Date;
  /** Called with each thing that is done, in words that end without a full stop. */
  readonly say: (words: string) => void;
  readonly signal: AbortSignal;
}

export interface Moved {
  readonly rows: number;
  readonly tables: number;
  /** That wait to be done. */
  readonly jobs: number;
  /** That were given up, and still are. */
  readonly deadJobs: number;
}

/**
 * Throws `conflict` where jobs run in the source, the target holds anything, or the source was written to meanwhile;
 * `store_unusable` where a table has another number of rows at the end; and the signal's reason. Then nothing was
 * written.
 */
export async function moveRecords({ source, target, enqueuer, now, say, signal }: Move): Promise<Moved> {
  const { connection } = source;
  requireNoRunningJobs(connection);
  const readVersion = () => connection.pragma('data_version', { simple: true });
  const before = readVersion();
  const tables = listTables(connection);
  const moved = await target.write(async (trx) => {
    const rows = await copyTables(connection, trx, { tables, say, signal });
    const jobs = readJobs(connection, "state != 'dead'");
    const deadJobs = readJobs(connection, "state = 'dead'");
    await enqueuer.enqueue(trx, jobs);
    await enqueuer.enqueueDead(trx, deadJobs);
    const moment = now().toISOString();
    await trx.insertInto('move_state').values({ id: 1, ended_at: moment }).execute();
    // The read transaction has shown one moment; what another process wrote since is seen once it has ended.
    if (connection.inTransaction) connection.exec('commit');
    if (readVersion() !== before) throw toWrittenMeanwhile();
    return { rows, tables: tables.length, jobs: jobs.length, deadJobs: deadJobs.length };
  });
  say(`jobs: ${moved.jobs} waiting, ${moved.deadJobs} given up`);
  return moved;
}

/** When a move into this database ended; null: there was none. */
export async function readMoveEnd(database: Pick<Database, 'read'>): Promise<string | null> {
  const row = await database.read((reader) => reader.selectFrom('move_state').select('ended_at').executeTakeFirst());
  return row?.ended_at ?? null;
}

/** In order of creation: parents before the tables that refer to them. */
function listTables(connection: Sqlite.Database): readonly string[] {
  const query = "select name from sqlite_schema where type = 'table' order by rowid";
  const names = connection.prepare<[], string>(query).pluck().all();
  return names.filter((name) => !NOT_MOVED.test(name));
}

async function copyTables(
  connection: Sqlite.Database,
  trx: Trx,
  { tables, say, signal }: Pick<Move, 'say' | 'signal'> & { readonly tables: readonly string[] },
): Promise<number> {
  for (const table of tables) await requireEmpty(trx, table);
  let rows = 0;
  for (const table of tables) {
    const count = await copyTable(connection, trx, table, signal);
    if (count > 0) say(`${table}: ${count === 1 ? '1 row' : `${count} rows`} copied`);
    rows += count;
  }
  return rows;
}

async function copyTable(connection: Sqlite.Database, trx: Trx, table: string, signal: AbortSignal): Promise<number> {
  for (const batch of readBatches(connection, table)) {
    await insertRows(trx, table, batch);
    // Reading SQLite takes the thread: a signal is heard in between.
    await nextTurn();
    signal.throwIfAborted();
  }
  const last = connection
    .prepare<[string], number>('select seq from sqlite_sequence where name = ?')
    .pluck()
    .get(table);
  // The next row gets a number that none had.
  if (last) await sql`select setval(pg_get_serial_sequence(${table}, 'seq'), ${last}::bigint)`.execute(trx);
  const expected = connection.prepare<[], number>(`select count(*) from "${table}"`).pluck().get() ?? 0;
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(trx);
  const count = Number(rows[0]?.count);
  if (count === expected) return count;
  throw new CausewayError(
    'store_unusable',
    `The table ${table} has ${expected} rows in the source and ${count} in the target, so nothing was moved: ` +
      'something else is writing to the target. Move into a new, empty database.',
  );
}

function* readBatches(connection: Sqlite.Database, table: string): Generator<readonly MovedRow[]> {
  let batch: MovedRow[] = [];
  let characters = 0;
  for (const row of connection.prepare<[], MovedRow>(`select * from "${table}"`).iterate()) {
    batch.push(row);
    for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 8;
    if (batch.length < MOST_ROWS && characters < MOST_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** As they are, with the numbers that their table gave them; PostgreSQL has no NUL in text. */
async function insertRows(trx: Trx, table: string, rows: readonly MovedRow[]): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  const json = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
  );
  await sql`insert into ${sql.table(table)} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${json}::text::json)`.execute(trx);
}

async function requireEmpty(trx: Trx, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx);
  if (rows.length === 0) return;
  const repair = 'a move needs an empty one: create a new database and name it';
  throw new CausewayError('conflict', `The target already contains records (${table}), and ${repair}.`);
}

function readJobs(connection: Sqlite.Database, which: string): readonly NewJob[] {
  const query = `select kind, subject, group_key as "group", run_at as "runAt", urgency
    from jobs where ${which} order by seq`;
  return connection.prepare<[], NewJob>(query).all();
}

/** What a killed process was at has not been taken up again, and nothing says how far it came. */
function requireNoRunningJobs(connection: Sqlite.Database): void {
  const running = connection.prepare<[], number>("select count(*) from jobs where state = 'running'").pluck().get();
  if (!running) return;
  throw new CausewayError(
    'conflict',
    `${running} ${running === 1 ? 'job' : 'jobs'} of the source did not end with its last process: ` +
      'start the service on it again, stop it with SIGTERM, then move.',
  );
}

function toWrittenMeanwhile(): CausewayError {
  return new CausewayError(
    'conflict',
    'The source was written to while it was moved (by a "causeway token", perhaps), so nothing was moved. ' +
      'Run the same command again, and do not use the source meanwhile.',
  );
}
