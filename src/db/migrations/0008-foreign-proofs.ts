// Proofs of pull requests that are not ours.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

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

export async function createForeignProofTable(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, FOREIGN_PROOFS);
}
