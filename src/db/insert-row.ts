// The insert of one row, compiled once: what a report or a delivery writes is always the same few statements.
import { CompiledQuery, type Insertable, type RawBuilder, sql } from 'kysely';
import { DirectAdapter } from './direct-adapter.ts';
import type { Schema, Trx } from './schema.ts';

/** What becomes of a row that is there under the same columns, which must be a key of the table. */
interface Conflict<Column extends string> {
  readonly columns: readonly Column[];
  readonly there: 'stays' | 'is-overwritten';
}

/** Inserts rows of one form with these values; gives how many rows it wrote. */
type Insert = (trx: Trx, values: readonly unknown[]) => Promise<bigint | undefined> | number;

/** By engine, then by table, columns and conflict. */
const INSERTS = new WeakMap<object, Map<string, Insert>>();

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
  const inserts = INSERTS.get(adapter) ?? new Map<string, Insert>();
  INSERTS.set(adapter, inserts);
  const key = [table, ...Object.keys(row), conflict?.there, ...(conflict?.columns ?? [])].join(' ');
  const insert = inserts.get(key) ?? insertOf(adapter, statement(table, row, conflict).compile(trx).sql);
  inserts.set(key, insert);
  return Number(await insert(trx, Object.values(row))) === 1;
}

function insertOf(adapter: object, text: string): Insert {
  if (adapter instanceof DirectAdapter) {
    const insert = adapter.statement(text);
    return (_, values) => insert.run(values).changes;
  }
  return async (trx, values) => (await trx.executeQuery(CompiledQuery.raw(text, [...values]))).numAffectedRows;
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
