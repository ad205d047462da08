// The tables of the embedded queue, in the same database so that a job is written with what it is about.
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
      state ${TEXT} not null,
      run_at ${TEXT} not null,
      attempts ${INTEGER} not null,
      failures ${INTEGER} not null,
      generation ${INTEGER} not null,
      owner ${TEXT},
      lease_until ${TEXT},
      again_at ${TEXT},
      urgency ${TEXT} not null default 'person',
      organisation ${TEXT} not null default '',
      unique (kind, subject)
    )${end}`,
    'create index jobs_urgency on jobs (kind, group_key, state, urgency, run_at, seq)',
    "create index jobs_running on jobs (state, lease_until) where state = 'running'",
    `create table job_groups (
      kind ${TEXT} not null,
      group_key ${TEXT} not null,
      running ${INTEGER} not null,
      next_at ${TEXT},
      organisation ${TEXT} not null default '',
      next_person_at ${TEXT},
      next_automatic_at ${TEXT},
      primary key (kind, group_key)
    )${end}`,
    'create index job_groups_running on job_groups (kind, organisation, running) where running > 0',
    `create table job_organisations (
      kind ${TEXT} not null,
      organisation ${TEXT} not null,
      running ${INTEGER} not null,
      turn ${INTEGER} not null,
      next_person_at ${TEXT},
      next_automatic_at ${TEXT},
      automatic_at ${TEXT},
      primary key (kind, organisation)
    )${end}`,
    'create index job_organisations_by_turn on job_organisations (kind, turn)',
    'create index job_organisations_by_automatic_at on job_organisations (kind, automatic_at)',
  ];
  for (const urgency of ['person', 'automatic']) {
    const next = `next_${urgency}_at`;
    statements.push(
      `create index job_groups_${urgency} on job_groups (kind, organisation, ${next}) where ${next} is not null`,
      `create index job_organisations_${urgency} on job_organisations (kind, running, turn, ${next}) where ${next} is not null`,
    );
  }
  for (const statement of statements) await sql.raw(statement).execute(database);
}
