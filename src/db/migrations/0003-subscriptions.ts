// Subscriptions, and what their webhooks have besides those of callers. And when checks were re-run.
import type { Kysely } from 'kysely';
import { runStatements, type TableForm } from './0001-initial.ts';

const SUBSCRIPTIONS = `
create table subscriptions (
  seq SEQUENCE,
  id TEXT not null unique,
  account_id TEXT not null references accounts (id),
  project_id TEXT references projects (id) on delete cascade,
  types TEXT not null,
  origins TEXT not null,
  format TEXT not null,
  address TEXT not null,
  sealed TEXT not null,
  created_at TEXT not null,
  disabled_at TEXT,
  disabled_reason TEXT
);
create index subscriptions_account on subscriptions (account_id, seq);
create index subscriptions_project on subscriptions (project_id);`;

// The subscription is not a reference: what was delivered stays on record after it was deleted.
const WEBHOOKS = `
alter table webhooks add column subscription_id TEXT;
alter table webhooks add column project_id TEXT;
alter table webhooks add column event TEXT;
alter table webhooks add column is_example INTEGER not null default 0;
create index webhooks_subscription on webhooks (subscription_id, seq);
create index webhooks_project on webhooks (project_id);`;

const REREQUESTS = `
alter table heads add column rerequested_at TEXT not null default '';`;

export async function createSubscriptionTables(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runStatements(database, form, SUBSCRIPTIONS);
  await runStatements(database, form, WEBHOOKS);
  await runStatements(database, form, REREQUESTS);
}
