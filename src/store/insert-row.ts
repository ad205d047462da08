// The insert of one row, compiled once: what a report or a delivery writes is always the same few statements.
import { CompiledQuery, type Insertable, type RawBuilder, sql } from 'kysely';
import type { Schema, Trx } from './schema.ts';

/** What becomes of a row that is there under the same columns, which must be a key of the table. */
interface Conflict<Column extends string> {
  readonly columns: readonly Column[];
  readonly there: 'stays' | 'is-overwritten';
}

/** By engine, table, columns and conflict. */
const TEXTS = new WeakMap<object, Map<string, string>>();

/**
 * Inserts the row; false where one is there and stays. To build and compile such a statement anew takes longer than SQLite takes to carry it out
 * (60 of 100 µs for the 19 columns of an investigation). No member of `row` may be undefined.
 */
export async function insertRow<Table extends keyof Schema>(
  trx: Trx,
  table: Table,
  row: Insertable<Schema[Table]>,
  conflict?: Conflict<keyof Schema[Table] & string>,
): Promise<boolean> {
  const { adapter } = trx.getExecutor();
  const texts = TEXTS.get(adapter) ?? new Map<string, string>();
  TEXTS.set(adapter, texts);
  const key = [table, ...Object.keys(row), conflict?.there, ...(conflict?.columns ?? [])].join(' ');
  const text = texts.get(key) ?? statement(table, row, conflict).compile(trx).sql;
  texts.set(key, text);
  const { numAffectedRows } = await trx.executeQuery(CompiledQuery.raw(text, Object.values(row)));
  return numAffectedRows === 1n;
}

function statement(table: string, row: object, conflict?: Conflict<string>): RawBuilder<unknown> {
  const names = Object.keys(row);
  const list = (columns: readonly string[]) => sql.join(columns.map((name) => sql.ref(name)));
  const insert = sql`insert into ${sql.table(table)} (${list(names)}) values (${sql.join(Object.values(row))})`;
  if (conflict === undefined) return insert;
  const { columns, there } = conflict;
  if (there === 'stays') return sql`${insert} on conflict (${list(columns)}) do nothing`;
  const others = names.filter((name) => !columns.includes(name));
  const set = others.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  return sql`${insert} on conflict (${list(columns)}) do update set ${sql.join(set)}`;
}
