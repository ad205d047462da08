// What differs between engines when a table is made.
import type { CreateTableBuilder, Kysely, RawBuilder } from 'kysely';

export interface TableForm {
  /** Adds `seq`, the rising number of each row, as primary key. */
  sequence<T extends string>(table: CreateTableBuilder<T>): CreateTableBuilder<T, 'seq'>;
  /** What stands after the columns. */
  readonly end: RawBuilder<unknown>;
}

/** One step of the schema; `database` has no types, since it is older than the schema of today. */
export type Up = (database: Kysely<unknown>, form: TableForm) => Promise<void>;
