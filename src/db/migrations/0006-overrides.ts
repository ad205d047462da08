// What people said of failures of their pull requests, and who asked for failed jobs to be run again.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

const OVERRIDES = `
create table overrides (
  project_id TEXT not null references projects (id) on delete cascade,
  pull_request INTEGER not null,
  failure_id TEXT not null references failures (id) on delete cascade,
  whose TEXT not null,
  reason TEXT not null,
  checks TEXT not null,
  person_id INTEGER,
  login TEXT not null,
  comment_id INTEGER not null,
  at TEXT not null,
  primary key (project_id, pull_request, failure_id)
);
create index overrides_failure on overrides (failure_id);
create index overrides_person on overrides (person_id);`;

const RERUNS = `
create table reruns (
  head_id TEXT primary key references heads (id) on delete cascade,
  project_id TEXT not null references projects (id) on delete cascade,
  person_id INTEGER,
  comment_id INTEGER not null,
  jobs TEXT not null,
  at TEXT not null,
  started_at TEXT
);
create index reruns_project on reruns (project_id, person_id, at);
create index reruns_person on reruns (person_id);`;

export async function createOverrideTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, OVERRIDES);
  await runStatements(database, form, RERUNS);
}
