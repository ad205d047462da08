// The tables of a SQLite database as a move needs them: their columns and keys, each after those that it refers to.
import type Sqlite from 'better-sqlite3';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** Whether the database counts its rows itself, in `seq`. */
  readonly isCounted: boolean;
}

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * Of the engine, of the migrator, of the queue that stays behind (its jobs go over as jobs), and what checks of health write; the totals, which
 * the target makes itself as the costs arrive; and what GitHub or a model asked of the process that has stopped.
 */
const LEFT_OUT = /^(?:sqlite_.*|kysely_.*|jobs|job_groups|job_organisations|checks|cost_totals|holds)$/;

export function tablesOf(connection: Sqlite.Database): readonly Table[] {
  const names = connection
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all()
    .filter((name) => !LEFT_OUT.test(name));
  return inOrder(names, (name) => parentsOf(connection, name)).map((name) => tableOf(connection, name));
}

function tableOf(connection: Sqlite.Database, name: string): Table {
  const columns = connection
    .prepare<[string], { name: string; pk: number }>('select name, pk from pragma_table_info(?) order by cid')
    .all(name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return {
    name,
    columns: columns.map((column) => column.name),
    key: key.map((column) => column.name),
    isCounted: key.length === 1 && key[0]?.name === 'seq',
  };
}

function parentsOf(connection: Sqlite.Database, name: string): readonly string[] {
  const ask = 'select distinct "table" from pragma_foreign_key_list(?)';
  return connection
    .prepare<[string], string>(ask)
    .pluck()
    .all(name)
    .filter((parent) => parent !== name);
}

/** Parents before children. Throws where two refer to each other: no order would do. */
function inOrder(names: readonly string[], parents: (name: string) => readonly string[]): readonly string[] {
  const done = new Set<string>();
  while (done.size < names.length) {
    const next = names.find((name) => !done.has(name) && parents(name).every((parent) => done.has(parent)));
    if (next === undefined) throw new Error('tables refer to each other in a circle');
    done.add(next);
  }
  return [...done];
}
