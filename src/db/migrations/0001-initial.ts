// The tables of the first release, in SQL that both engines read, referenced tables first. Types in capitals become
// each engine's own.  On PostgreSQL every verb needs an index: a scan of a whole table makes a serializable transaction
// conflict with every write to it.
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** What differs between the engines when a table is created, or looked for. */
export interface TableForm {
  readonly types: {
    /** The rising number of each row, as primary key. */
    readonly SEQUENCE: string;
    /** Compared by its bytes. */
    readonly TEXT: string;
    /** 64 bits: GitHub's numbers need more than 32. */
    readonly INTEGER: string;
  };
  /** What follows the columns of a table. */
  readonly end: string;
  /** One row if there is a table of that name, else none. */
  findTable(name: string): RawBuilder<unknown>;
}

const ACCOUNTS = `
create table accounts (
  id TEXT primary key,
  login TEXT not null,
  login_lower TEXT not null unique,
  github_id INTEGER unique,
  created_at TEXT not null
);
create table signing_secrets (
  seq SEQUENCE,
  account_id TEXT not null references accounts (id),
  secret TEXT not null,
  created_at TEXT not null,
  expires_at TEXT
);
create index signing_secrets_account on signing_secrets (account_id, seq);
create table tokens (
  seq SEQUENCE,
  id TEXT not null unique,
  account_id TEXT not null references accounts (id),
  name TEXT not null,
  hash TEXT not null unique,
  scopes TEXT not null,
  project_ids TEXT,
  created_at TEXT not null,
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
);
create index tokens_account on tokens (account_id, seq);
create table sessions (
  seq SEQUENCE,
  id TEXT not null unique,
  account_id TEXT not null references accounts (id) on delete cascade,
  hash TEXT not null unique,
  started_at TEXT not null,
  last_seen_at TEXT not null,
  client TEXT not null
);
create index sessions_account on sessions (account_id, seq);
create table sign_in_codes (
  hash TEXT primary key,
  account_id TEXT not null references accounts (id) on delete cascade,
  expires_at TEXT not null
);
create table sign_in_states (
  hash TEXT primary key,
  expires_at TEXT not null
);
create index sign_in_states_expires on sign_in_states (expires_at);
create table audit (
  seq SEQUENCE,
  at TEXT not null,
  account_id TEXT not null,
  verb TEXT not null,
  subject TEXT not null,
  project_id TEXT
);
create index audit_account_id on audit (account_id, seq);
create index audit_project_id on audit (project_id, seq);`;

const GITHUB = `
create table installations (
  id INTEGER primary key,
  owner TEXT not null,
  permissions TEXT not null,
  suspended INTEGER not null,
  created_at TEXT not null,
  removed_at TEXT
);
create table projects (
  id TEXT primary key,
  name TEXT not null unique,
  name_lower TEXT not null,
  source TEXT not null,
  place TEXT not null unique,
  hidden_at TEXT,
  created_at TEXT not null
);
create index projects_name_lower on projects (name_lower, name);
-- The body, up to 25 MiB, is last, so that the other columns are read without it.
create table deliveries (
  id TEXT primary key,
  event TEXT not null,
  meaning TEXT not null,
  group_key TEXT not null,
  state TEXT not null,
  detail TEXT not null,
  received_at TEXT not null,
  body TEXT
);
create index deliveries_meaning on deliveries (meaning, received_at);
create index deliveries_received on deliveries (received_at, state);
create table config_notices (
  project_id TEXT not null references projects (id) on delete cascade,
  digest TEXT not null,
  posted_at TEXT not null,
  primary key (project_id, digest)
);
-- The investigation is no reference: a thread with an open pull request outlives its investigations.
create table threads (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id),
  subject_key TEXT not null,
  subject TEXT not null,
  investigation_id TEXT not null,
  trigger_json TEXT not null,
  fix_request TEXT,
  record TEXT not null,
  branch TEXT,
  pull_request INTEGER,
  pull_request_open INTEGER not null,
  is_held INTEGER not null,
  created_at TEXT not null,
  changed_at TEXT not null,
  unique (project_id, subject_key)
);
create index threads_branch on threads (project_id, branch, seq);
create index threads_pull_request on threads (project_id, pull_request, seq);
create index threads_held on threads (project_id, is_held, changed_at);
create index threads_changed on threads (project_id, changed_at, pull_request, seq);`;

const INVESTIGATIONS = `
create table runs (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id),
  account_id TEXT not null references accounts (id),
  fingerprint TEXT not null,
  revision TEXT not null,
  fresh INTEGER not null,
  state TEXT not null,
  generation INTEGER not null,
  step_count INTEGER not null,
  created_at TEXT not null,
  sha TEXT,
  conclusion TEXT,
  analysed_at TEXT
);
create index runs_equal on runs (account_id, project_id, fingerprint, state, analysed_at);
create table steps (
  run_id TEXT not null references runs (id) on delete cascade,
  number INTEGER not null,
  action TEXT not null,
  result TEXT not null,
  analysis TEXT not null,
  created_at TEXT not null,
  primary key (run_id, number)
);
create table transcript_entries (
  seq SEQUENCE,
  run_id TEXT not null references runs (id) on delete cascade,
  entry TEXT not null,
  opaque TEXT,
  created_at TEXT not null
);
create index transcript_entries_run on transcript_entries (run_id, seq);
-- No references: the ledger of costs outlives runs and projects.
create table costs (
  run_id TEXT not null,
  month TEXT not null,
  project_id TEXT not null,
  reserved INTEGER not null,
  spent INTEGER not null,
  turns INTEGER not null,
  prompt_tokens INTEGER not null,
  cached_tokens INTEGER not null,
  cache_write_tokens INTEGER not null,
  completion_tokens INTEGER not null,
  primary key (run_id, month)
);
-- Holds all that the sums of a month read.
create index costs_month on costs (month, project_id, reserved, spent);
create index costs_project on costs (project_id, month);
create table investigations (
  seq SEQUENCE,
  id TEXT not null unique,
  run_id TEXT not null references runs (id),
  account_id TEXT not null references accounts (id),
  project_id TEXT not null references projects (id),
  thread_id TEXT references threads (id) on delete set null,
  origin TEXT not null,
  reference TEXT not null,
  callback_url TEXT not null,
  state TEXT not null,
  outcome TEXT not null,
  created_at TEXT not null,
  ended_at TEXT,
  is_trusted INTEGER not null,
  settings TEXT not null,
  verdict TEXT,
  guidance TEXT not null,
  "text" TEXT not null
);
create index investigations_run_id on investigations (run_id, seq);
create index investigations_project_id on investigations (project_id, seq);
create index investigations_reference on investigations (reference, seq);
create index investigations_thread on investigations (thread_id, state, seq) where thread_id is not null;
create index investigations_ended on investigations (ended_at, seq) where ended_at is not null;
create index investigations_under_way on investigations (state, project_id, seq) where state in ('queued', 'running');
create index investigations_made on investigations (project_id, created_at, state, account_id);
create table issues (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id),
  investigation_id TEXT not null unique references investigations (id) on delete cascade,
  run_id TEXT not null references runs (id),
  same_as TEXT,
  created_at TEXT not null,
  links TEXT
);
create index issues_project on issues (project_id, seq, id);
create index issues_run on issues (run_id, seq);
create index issues_same_as on issues (same_as, seq);
create index issues_made on issues (project_id, created_at);
-- The investigation is no reference: a delivered webhook stays on record after its investigation was erased.
create table webhooks (
  seq SEQUENCE,
  id TEXT not null unique,
  type TEXT not null,
  account_id TEXT not null references accounts (id),
  investigation_id TEXT not null,
  url TEXT not null,
  state TEXT not null,
  attempts INTEGER not null,
  attempts_before INTEGER not null,
  last_error TEXT not null,
  created_at TEXT not null
);
create index webhooks_account on webhooks (account_id, seq);
create index webhooks_investigation on webhooks (investigation_id);
create index webhooks_created on webhooks (created_at);
create table webhook_attempts (
  webhook_id TEXT not null references webhooks (id) on delete cascade,
  number INTEGER not null,
  at TEXT not null,
  ok INTEGER not null,
  error TEXT not null,
  ms INTEGER not null,
  primary key (webhook_id, number)
);
create table idempotency_keys (
  account_id TEXT not null references accounts (id),
  key TEXT not null,
  body_hash TEXT not null,
  investigation_id TEXT not null,
  created_at TEXT not null,
  primary key (account_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);`;

const CHECKS = `
create table heads (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  sha TEXT not null,
  branch TEXT not null,
  state TEXT not null,
  is_red INTEGER not null,
  pull_request INTEGER,
  place TEXT,
  left_out TEXT not null,
  still_waiting TEXT not null,
  ended_at TEXT not null,
  record TEXT not null,
  is_held INTEGER not null,
  created_at TEXT not null,
  changed_at TEXT not null,
  unique (project_id, sha)
);
create index heads_red_branch on heads (project_id, is_red, branch);
create index heads_red_pull_request on heads (project_id, is_red, pull_request);
create index heads_pull_request on heads (project_id, pull_request, state, seq);
create index heads_changed on heads (changed_at);
create index heads_held on heads (project_id, is_held, seq);
create table findings (
  head_id TEXT not null references heads (id) on delete cascade,
  number INTEGER not null,
  finding TEXT not null,
  is_own INTEGER not null,
  investigation_id TEXT references investigations (id) on delete set null,
  thread_id TEXT references threads (id) on delete set null,
  primary key (head_id, number)
);
create index findings_investigation_id on findings (investigation_id, head_id);
create index findings_thread_id on findings (thread_id, head_id);
create table failures (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  fingerprint TEXT not null,
  headline TEXT not null,
  state TEXT not null,
  opening INTEGER not null,
  is_on_default INTEGER not null,
  hits INTEGER not null,
  flaky_hits INTEGER not null,
  first_seen TEXT not null,
  last_seen TEXT not null,
  last_seen_at TEXT not null,
  seen_in TEXT not null,
  investigation_id TEXT references investigations (id) on delete set null,
  thread_id TEXT references threads (id) on delete set null,
  closed_sha TEXT,
  closed_at TEXT,
  closed_by TEXT,
  commit_range TEXT,
  unique (project_id, fingerprint)
);
create index failures_state on failures (project_id, state, last_seen_at, seq);
create index failures_page on failures (project_id, last_seen_at, seq);
create index failures_default on failures (project_id, state, is_on_default);
create index failures_last_seen on failures (last_seen_at);
create index failures_closed on failures (closed_at);
create index failures_investigation on failures (investigation_id);
create index failures_thread on failures (thread_id);
create table sightings (
  failure_id TEXT not null references failures (id) on delete cascade,
  key TEXT not null,
  opening INTEGER not null,
  standing TEXT not null,
  check_key TEXT not null,
  sha TEXT not null,
  branch TEXT not null,
  is_on_default INTEGER not null,
  is_trusted INTEGER not null,
  pull_request INTEGER,
  is_over INTEGER not null,
  is_flaky INTEGER not null,
  seen_at TEXT not null,
  primary key (failure_id, key)
);
create index sightings_default on sightings (failure_id, is_on_default, opening, check_key, sha, seen_at);
create index sightings_pull_request on sightings (pull_request, is_over, failure_id);
create index sightings_seen on sightings (seen_at);
create table passing_checks (
  project_id TEXT not null references projects (id) on delete cascade,
  check_key TEXT not null,
  sha TEXT not null,
  passed_at TEXT not null,
  run_id INTEGER,
  primary key (project_id, check_key, sha)
);
create index passing_checks_passed on passing_checks (passed_at);
create table backfills (
  project_id TEXT primary key references projects (id) on delete cascade,
  state TEXT not null,
  cursor TEXT not null,
  calls INTEGER not null,
  checks INTEGER not null,
  since TEXT not null,
  forecast TEXT,
  changed_at TEXT not null
);`;

const SERVICE = `
create table service_marks (
  name TEXT primary key,
  set_at TEXT not null,
  holder TEXT
);
create table health_checks (
  id INTEGER primary key,
  count INTEGER not null
);
create table move_state (
  id INTEGER primary key,
  ended_at TEXT not null
);
create table jobs (
  seq SEQUENCE,
  id TEXT not null unique,
  kind TEXT not null,
  subject TEXT not null,
  group_key TEXT not null,
  urgency TEXT not null,
  state TEXT not null,
  run_at TEXT not null,
  attempts INTEGER not null,
  failures INTEGER not null,
  again_at TEXT,
  unique (kind, subject)
);
create index jobs_due on jobs (kind, state, urgency, run_at, seq);
create index jobs_groups on jobs (state, kind, group_key);`;

export async function createTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, [ACCOUNTS, GITHUB, INVESTIGATIONS, CHECKS, SERVICE].join('\n'));
}

/** Statements in the form of the tables above. */
export async function runStatements(database: Kysely<unknown>, form: TableForm, text: string): Promise<void> {
  for (const statement of text.split(';')) {
    if (statement.trim() !== '') await sql.raw(toEngineSql(statement, form)).execute(database);
  }
}

function toEngineSql(statement: string, { types, end }: TableForm): string {
  const typed = statement.replaceAll(/\b(?:SEQUENCE|TEXT|INTEGER)\b/g, (type) => types[type as keyof typeof types]);
  return typed.includes('create table') ? `${typed}${end}` : typed;
}
