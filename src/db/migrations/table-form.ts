// What differs between engines when a table is made, or looked for.
import type { RawBuilder } from 'kysely';

export interface TableForm {
  readonly types: {
    /** The rising number of each row, as primary key. */
    readonly SEQUENCE: string;
    /** Compared by its bytes. */
    readonly TEXT: string;
    /** Of 64 bits: GitHub's numbers are past 32. */
    readonly INTEGER: string;
  };
  /** What follows the columns of a table. */
  readonly end: string;
  /** One row where there is a table of that name, else none. */
  findTable(name: string): RawBuilder<unknown>;
}
