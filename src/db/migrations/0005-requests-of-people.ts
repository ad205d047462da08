// What people ask for and say of failures: known issues, overrides, re-runs, reverts, and proofs of pull requests that are not ours.
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

const FOREIGN_PROOFS = `
create table foreign_proofs (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  pull_request INTEGER not null,
  head TEXT not null,
  asked_by TEXT,
  asked_by_id INTEGER,
  comment_id INTEGER,
  asked_at TEXT not null,
  is_open INTEGER not null,
  progress TEXT not null,
  check_run TEXT,
  pushed_at TEXT,
  created_at TEXT not null,
  changed_at TEXT not null
);
create index foreign_proofs_pull on foreign_proofs (project_id, pull_request, seq);
create index foreign_proofs_open on foreign_proofs (is_open, project_id, seq);
create index foreign_proofs_pushed on foreign_proofs (project_id, pushed_at);
create index foreign_proofs_person on foreign_proofs (asked_by_id);`;

export async function createRequestTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  for (const statements of [KNOWN_ISSUES, OVERRIDES, RERUNS, PUT_BACKS, FOREIGN_PROOFS]) {
    await runStatements(database, form, statements);
  }
}
