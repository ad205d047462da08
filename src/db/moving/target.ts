// Where records are moved to: a PostgreSQL database, written batch by batch, each together with how far it has come.
import { sql } from 'kysely';
import { CausewayError } from '../../core/errors.ts';
import type { Database } from '../database.ts';
import type { Trx } from '../schema.ts';
import { createBatchSize } from './batch-size.ts';
import { storable } from './checksum.ts';
import { type Position, positionOf } from './source.ts';
import type { Row, Table, Value } from './tables.ts';

/** How far a part has come: null at its beginning. */
export interface Progress {
  readonly position: Position | null;
  readonly isDone: boolean;
}

export interface Step {
  /** A table, or the jobs. */
  readonly part: string;
  readonly from: Position | null;
  /** Null: nothing is left. */
  readonly to: Position | null;
}

/** Takes the database for the move of what has that checksum. Throws `conflict` where it holds anything else. */
export async function beginMove(database: Database, tables: readonly Table[], checksum: string): Promise<void> {
  await database.write(async (trx) => {
    await sql`create table if not exists causeway_move (id bigint primary key, source text not null, done_at text)`.execute(
      trx,
    );
    await sql`create table if not exists causeway_move_parts (part text primary key, position text, is_done boolean not null)`.execute(
      trx,
    );
    const known = await sql<{ source: string }>`select source from causeway_move`.execute(trx);
    const [move] = known.rows;
    if (move?.source === checksum) return;
    if (move !== undefined) throw anotherMove();
    for (const { name } of tables) if (await hasRows(trx, name)) throw notEmpty(name);
    await sql`insert into causeway_move (id, source) values (1, ${checksum})`.execute(trx);
  });
}

/** When the move into this database ended; null: it has not, or there was none. */
export async function moveEnded(database: Pick<Database, 'read'>): Promise<string | null> {
  return (await moveOf(database))?.done_at ?? null;
}

/** Throws `store_unusable` where a move into this database began and has not ended: half of the records would be served. */
export async function refuseHalfMoved(database: Pick<Database, 'read'>, place: string): Promise<void> {
  const move = await moveOf(database);
  if (move === null || move.done_at !== null) return;
  throw new CausewayError(
    'store_unusable',
    `A move of records to ${place} has begun and not ended: run the same "causeway move" again, which goes on where it stood, and start then.`,
  );
}

async function moveOf(database: Pick<Database, 'read'>): Promise<{ readonly done_at: string | null } | null> {
  const ask = sql<{ name: string | null }>`select to_regclass('causeway_move')::text as name`;
  const { rows } = await database.read((reader) => ask.execute(reader));
  if (rows[0]?.name == null) return null;
  const moves = await database.read((reader) =>
    sql<{ done_at: string | null }>`select done_at from causeway_move`.execute(reader),
  );
  return moves.rows[0] ?? null;
}

export async function progressOf(database: Database, part: string): Promise<Progress> {
  const { rows } = await database.read((reader) =>
    sql<{ position: string | null; is_done: boolean }>`
      select position, is_done from causeway_move_parts where part = ${part}`.execute(reader),
  );
  const [row] = rows;
  const position: Position | null = row?.position == null ? null : JSON.parse(row.position);
  return { position, isDone: row?.is_done === true };
}

/** Writes and notes how far it has come, or neither. Throws `store_locked` where another move was here meanwhile. */
export async function advance(database: Database, step: Step, write: (trx: Trx) => Promise<void>): Promise<void> {
  const { part, from, to } = step;
  await database.write(async (trx) => {
    await sql`insert into causeway_move_parts (part, is_done) values (${part}, false) on conflict do nothing`.execute(
      trx,
    );
    const { rows } = await sql<object>`
      update causeway_move_parts set position = ${noted(to ?? from)}, is_done = ${to === null}
      where part = ${part} and not is_done and position is not distinct from ${noted(from)} returning part`.execute(
      trx,
    );
    if (rows.length === 0) throw besides();
    await write(trx);
  });
}

function noted(position: Position | null): string | null {
  return position === null ? null : JSON.stringify(position);
}

/** As they are, with the numbers that their table gave them. */
export async function insertRows(trx: Trx, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const json = storable(
    JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value)),
  );
  await sql`insert into ${sql.table(name)} (${list}) overriding system value
    select ${list} from json_populate_recordset(null::${sql.table(name)}, ${json}::text::json)`.execute(trx);
}

/** The next row gets a number that none had. */
export async function countOn(trx: Trx, { name }: Table, last: number): Promise<void> {
  if (last === 0) return;
  await sql`select setval(pg_get_serial_sequence(${name}, 'seq'), ${last}::bigint)`.execute(trx);
}

/** All rows, a batch at a time. */
export async function* rowsOf(database: Database, table: Table): AsyncGenerator<readonly Row[]> {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const size = createBatchSize();
  for (let after: readonly Value[] | null = null; ; ) {
    const where = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
    const ask = sql<Row>`select * from ${sql.table(table.name)} ${where} order by ${key} limit ${size.rows}`;
    const { rows } = await database.read((reader) => ask.execute(reader));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = positionOf(table, last);
    size.weighed(rows);
    yield rows;
  }
}

export async function endMove(database: Database, now: string): Promise<void> {
  await database.write(async (trx) => {
    await sql`update causeway_move set done_at = ${now}`.execute(trx);
  });
}

async function hasRows(trx: Trx, table: string): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`select exists (select 1 from ${sql.table(table)}) as some`.execute(trx);
  return rows[0]?.some === true;
}

const EMPTY = 'a move needs one of its own: make a new, empty database and name that';

function notEmpty(table: string): CausewayError {
  return new CausewayError('conflict', `The target holds records already (${table}), and ${EMPTY}.`);
}

function anotherMove(): CausewayError {
  return new CausewayError(
    'conflict',
    `The target holds part of another move, or the source was written to since this one began, and ${EMPTY}.`,
  );
}

function besides(): CausewayError {
  return new CausewayError(
    'store_locked',
    'Another "causeway move" writes to this target: wait for its end, or stop it.',
  );
}
