// What is moved: a SQLite database at one moment, opened to be read and nothing else.
import Sqlite from 'better-sqlite3';
import { CausewayError } from '../../core/errors.ts';
import type { NewJob } from '../../core/queue.ts';
import { purposeFor as purposeOfSecret } from '../accounts.ts';
import { purposeFor as purposeOfBody } from '../deliveries.ts';
import type { Seal } from '../seal.ts';
import { explainSqlite } from '../sqlite-engine.ts';
import { createBatchSize } from './batch-size.ts';
import { type Row, type Table, tablesOf, type Value } from './tables.ts';

/** Of a row, the values of its key. */
export type Position = readonly Value[];

export interface MoveSource extends Disposable {
  readonly tables: readonly Table[];
  /** Names of the steps that its schema has. */
  readonly migrations: readonly string[];
  /** All rows after that position, in the order of the key, a batch at a time. */
  batches(table: Table, after: Position | null): Generator<readonly Row[]>;
  /** The last number that was given in a table that counts its rows. */
  lastGiven(table: Table): number;
  /** What waits to be done or was being done, in the order in which it came. */
  jobs(): readonly NewJob[];
  /** What was given up, in that order. */
  deadJobs(): readonly NewJob[];
  /** Opens every secret. Throws `store_unusable` where the key is not theirs. Returns how many there are. */
  openAll(seal: Seal): number;
  /** Whether somebody has written since this was opened. Ends the moment: nothing is read after it. */
  wasWritten(): boolean;
}

/** The file is the caller's own (see single-owner.ts). Throws `usage` where there is none. */
export function openMoveSource(file: string): MoveSource {
  const connection = opened(file);
  const version = () => connection.pragma('data_version', { simple: true });
  connection.exec('begin');
  // The first look is what fixes the moment.
  const tables = tablesOf(connection);
  const before = version();
  return {
    tables,
    migrations: connection.prepare<[], string>('select name from kysely_migration order by name').pluck().all(),
    batches: (table, after) => batches(connection, table, after),
    lastGiven: ({ name }) =>
      connection.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck().get(name) ?? 0,
    jobs: () => jobs(connection, "state != 'dead'"),
    deadJobs: () => jobs(connection, "state = 'dead'"),
    openAll: (seal) => openAll(connection, seal),
    wasWritten() {
      connection.exec('commit');
      return version() !== before;
    },
    [Symbol.dispose]: () => void connection.close(),
  };
}

function opened(file: string): Sqlite.Database {
  try {
    const connection = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    const isOurs =
      connection.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get() !== undefined;
    if (isOurs) return connection;
    connection.close();
  } catch (error) {
    throw explainSqlite(error, file);
  }
  throw new CausewayError('usage', `${file} is no database of Causeway: give the causeway.db of a DATA_DIR.`);
}

function* batches(connection: Sqlite.Database, table: Table, after: Position | null): Generator<readonly Row[]> {
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const marks = table.key.map(() => '?').join(', ');
  const select = (where: string) => `select * from "${table.name}" ${where} order by ${key} limit ?`;
  const first = connection.prepare<Value[], Row>(select(''));
  const next = connection.prepare<Value[], Row>(select(`where (${key}) > (${marks})`));
  const size = createBatchSize();
  for (let position = after; ; ) {
    const rows = position === null ? first.all(size.rows) : next.all(...position, size.rows);
    const last = rows.at(-1);
    if (last === undefined) return;
    position = positionOf(table, last);
    size.weighed(rows);
    yield rows;
  }
}

export function positionOf({ key }: Table, row: Row): Position {
  return key.map((column) => row[column] ?? null);
}

/** What was running is due as it was: nobody runs it any more. */
function jobs(connection: Sqlite.Database, which: string): readonly NewJob[] {
  const ask = `select kind, subject, group_key as "group", run_at as "runAt", urgency, organisation
    from jobs where ${which} order by seq`;
  return connection.prepare<[], NewJob>(ask).all();
}

function openAll(connection: Sqlite.Database, seal: Seal): number {
  const secrets = connection.prepare<[], { account_id: string; secret: string }>(
    'select account_id, secret from signing_secrets',
  );
  let count = 0;
  for (const row of secrets.iterate()) {
    seal.open(row.secret, purposeOfSecret(row.account_id));
    count += 1;
  }
  const bodies = connection.prepare<[], { id: string; body: string }>(
    'select id, body from deliveries where body is not null',
  );
  for (const row of bodies.iterate()) {
    seal.open(row.body, purposeOfBody(row.id));
    count += 1;
  }
  return count;
}
