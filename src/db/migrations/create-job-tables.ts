// The table of jobs: on SQLite the queue itself, on PostgreSQL what is known of each job that pg-boss hands out.
import { type Kysely, sql } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function createJobTables(database: Kysely<unknown>, { types, end }: TableForm): Promise<void> {
  const { SEQUENCE, TEXT, INTEGER } = types;
  const statements = [
    `create table jobs (
      seq ${SEQUENCE},
      id ${TEXT} not null unique,
      kind ${TEXT} not null,
      subject ${TEXT} not null,
      group_key ${TEXT} not null,
      urgency ${TEXT} not null,
      state ${TEXT} not null,
      run_at ${TEXT} not null,
      attempts ${INTEGER} not null,
      failures ${INTEGER} not null,
      again_at ${TEXT},
      unique (kind, subject)
    )${end}`,
    'create index jobs_due on jobs (kind, state, urgency, run_at, seq)',
    'create index jobs_groups on jobs (state, kind, group_key)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
}
