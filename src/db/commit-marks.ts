// By what a transaction on PostgreSQL is known again whose commit was not answered: a row that it writes, with a number of its own.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Reader } from './schema.ts';

/** The transaction `number` of a connection. */
export interface CommitMark {
  readonly connection: string;
  readonly number: number;
}

const TABLE = 'commit_marks';
/** Of connections that are long gone; one that lives writes its row anew. */
const KEPT = '1 day';

/**
 * One row a connection, written with each transaction and changed in place. The server's own number of a transaction would be had for
 * nothing, and is no proof: after a crash those that it had not yet written down are given again, to others.
 */
export async function makeCommitMarks(kysely: Reader): Promise<void> {
  const { rows } = await sql<{ readonly found: string | null }>`select to_regclass(${TABLE}) as found`.execute(kysely);
  if ((rows[0]?.found ?? null) === null) {
    await sql`create table ${sql.table(TABLE)} (connection text primary key, number bigint not null, at timestamptz not null)
      with (fillfactor = 20)`.execute(kysely);
  }
}

export async function sweepCommitMarks(kysely: Reader): Promise<void> {
  await sql`delete from ${sql.table(TABLE)} where at < now() - ${sql.lit(KEPT)}::interval`.execute(kysely);
}

/** The marks of one connection, one after the other. */
export function markConnection(): () => CommitMark {
  const connection = randomBytes(12).toString('hex');
  let number = 0;
  return () => ({ connection, number: ++number });
}

/** Writes the mark; nothing in it comes from outside. */
export function markStatement({ connection, number }: CommitMark): string {
  return (
    `insert into ${TABLE} values ('${connection}', ${number}, now()) ` +
    'on conflict (connection) do update set number = excluded.number, at = excluded.at'
  );
}

/** Whether that transaction took place. Waits for its end where the server has not noticed yet that nobody is there any more. */
export async function tookPlace(kysely: Reader, { connection, number }: CommitMark): Promise<boolean> {
  const ask = sql<{ readonly number: number }>`
    select number from ${sql.table(TABLE)} where connection = ${connection} for update`;
  const { rows } = await ask.execute(kysely);
  return rows[0]?.number === number;
}
