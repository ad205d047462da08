// Which jobs are being worked on, in the words of the index that holds them alone.
import { type SqlBool, sql } from 'kysely';

/** With the state as a value SQLite would not know that the index will do, and read all jobs. */
export const RUNNING = sql<SqlBool>`state = 'running'`;
