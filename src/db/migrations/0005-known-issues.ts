// Issues to which people tied failures, or patterns of what failed checks say, and the red checks that they cover.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

const KNOWN_ISSUES = `
create table known_issues (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  number INTEGER not null,
  title TEXT not null,
  state TEXT not null,
  ended_at TEXT,
  ended_by TEXT,
  is_labelled INTEGER not null,
  named TEXT not null,
  proposed TEXT,
  record TEXT not null,
  created_at TEXT not null,
  changed_at TEXT not null,
  unique (project_id, number)
);
create index known_issues_changed on known_issues (changed_at);
create table known_ties (
  seq SEQUENCE,
  known_id TEXT not null references known_issues (id) on delete cascade,
  failure_id TEXT references failures (id) on delete cascade,
  pattern TEXT,
  person TEXT,
  at TEXT not null
);
create index known_ties_issue on known_ties (known_id, seq);
create index known_ties_failure on known_ties (failure_id);
create table known_hits (
  known_id TEXT not null references known_issues (id) on delete cascade,
  key TEXT not null,
  failure_id TEXT not null,
  sha TEXT not null,
  pull_request INTEGER,
  check_name TEXT not null,
  is_after_end INTEGER not null,
  seen_at TEXT not null,
  primary key (known_id, key)
);
create index known_hits_failure on known_hits (failure_id);`;

export async function createKnownIssueTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, KNOWN_ISSUES);
}
