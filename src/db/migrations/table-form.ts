// What differs between engines when a table is made, or looked for.
import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';

export interface TableForm {
  /** Adds `seq`, the rising number of each row, as primary key. */
  sequence<T extends string>(table: CreateTableBuilder<T>): CreateTableBuilder<T, 'seq'>;
  /** What stands after the columns. */
  readonly end: RawBuilder<unknown>;
  addTrigger(database: Kysely<unknown>, trigger: Trigger): Promise<void>;
  /** One row where there is a table of that name, else none. */
  tableNamed(name: string): RawBuilder<unknown>;
}

/**
 * Done in the transaction that wrote, whatever version of the program that was: on SQLite for each row, on PostgreSQL once for each statement,
 * since there each change of one row in one transaction makes the next one slower (100,000 took more than 30 s).
 */
export interface Trigger {
  readonly name: string;
  readonly table: string;
  /** What the statements read of the rows. */
  readonly columns: readonly string[];
  readonly after: 'insert' | 'update' | 'delete';
  /** SQL that both engines read. `new` and `old` are relations, the rows as written and as they were; an insertion has no old ones, a deletion no new. */
  readonly statements: (rows: { readonly new: string; readonly old: string }) => readonly string[];
}

/** One step of the schema; `database` has no types, since it is older than the schema of today. */
export type Up = (database: Kysely<unknown>, form: TableForm) => Promise<void>;
