// Reverts of commits that broke a default branch, as people requested them.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

const PUT_BACKS = `
create table put_backs (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  failure_id TEXT not null references failures (id) on delete cascade,
  sha TEXT not null,
  why TEXT not null,
  request TEXT not null,
  state TEXT not null,
  branch TEXT,
  pull_request INTEGER,
  is_under_way INTEGER not null,
  created_at TEXT not null,
  changed_at TEXT not null
);
create index put_backs_commit on put_backs (project_id, sha, seq);
create index put_backs_branch on put_backs (project_id, branch);
create index put_backs_pull_request on put_backs (project_id, pull_request);
create index put_backs_failure on put_backs (failure_id);`;

export async function createPutBackTable(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, PUT_BACKS);
}
