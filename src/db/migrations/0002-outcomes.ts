// What became of answers: outcomes, and votes of people on them. And what second looks cost.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

// Of an Issue, or of a head's verdict on one failure. The investigation is no reference: it is erased with its Issue.
const OUTCOMES = `
create table outcomes (
  seq SEQUENCE,
  id TEXT not null unique,
  project_id TEXT not null references projects (id) on delete cascade,
  issue_id TEXT unique references issues (id) on delete cascade,
  head_id TEXT references heads (id) on delete cascade,
  failure_id TEXT,
  investigation_id TEXT,
  answer TEXT not null,
  fate TEXT not null,
  state TEXT not null,
  reads_reactions INTEGER not null,
  answered_at TEXT not null,
  looked_at TEXT not null,
  unique (head_id, failure_id)
);
create index outcomes_page on outcomes (project_id, answered_at, seq);
create index outcomes_state on outcomes (project_id, state);
create index outcomes_investigation on outcomes (investigation_id);
create table votes (
  outcome_id TEXT not null references outcomes (id) on delete cascade,
  person_id INTEGER not null,
  source TEXT not null,
  vote TEXT not null,
  why TEXT not null,
  at TEXT not null,
  primary key (outcome_id, person_id, source)
);
create index votes_person on votes (person_id);`;

const LOOK_COSTS = `
alter table costs add column look_spent INTEGER not null default 0;
alter table costs add column look_turns INTEGER not null default 0;`;

export async function createOutcomeTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, OUTCOMES);
  await runStatements(database, form, LOOK_COSTS);
}
