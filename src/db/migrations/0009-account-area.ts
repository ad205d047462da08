// What the account area asks: who is signed in, each attempt of a webhook, what calls took in tokens, in which project something was done.
import { type Kysely, sql } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function accountArea(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await sessions(database, form);
  await signIns(database, form);
  await attempts(database, form);
  await costs(database);
  await audit(database);
  await threads(database);
  await heads(database);
  await pages(database);
}

async function sessions({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('sessions'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'text', (column) => column.notNull())
    .addColumn('client', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('sessions_account').on('sessions').columns(['account_id', 'seq']).execute();
}

async function signIns({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('sign_in_codes')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema
    .createTable('sign_in_states')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('sign_in_states_expires').on('sign_in_states').column('expires_at').execute();
}

async function attempts({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('webhook_attempts')
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('ok', 'integer', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull())
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_attempts_key', ['webhook_id', 'number'])
    .modifyEnd(form.end)
    .execute();
  await schema
    .alterTable('webhooks')
    .addColumn('attempts_before', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

async function costs({ schema }: Kysely<unknown>): Promise<void> {
  for (const name of ['turns', 'prompt_tokens', 'cached_tokens', 'completion_tokens']) {
    await schema
      .alterTable('costs')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}

/** No reference: the log outlives the project. Null: of none, or from before. */
async function audit({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('audit').addColumn('project_id', 'text').execute();
  for (const column of ['account_id', 'project_id']) {
    await schema.createIndex(`audit_${column}`).on('audit').columns([column, 'seq']).execute();
  }
}

/** `is_held` repeats that the record holds something back. Within the texts of a record every quote is escaped, so that the pattern is the key itself. */
async function threads(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('threads')
    .addColumn('is_held', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update threads set is_held = 1 where record like '%"held":{%'`.execute(database);
  await schema.createIndex('threads_held').on('threads').columns(['project_id', 'is_held', 'changed_at']).execute();
  await schema
    .createIndex('threads_changed')
    .on('threads')
    .columns(['project_id', 'changed_at', 'pull_request', 'seq'])
    .execute();
}

/** As of threads: what a head holds back is one text. */
async function heads(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('heads')
    .addColumn('is_held', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update heads set is_held = 1 where record like '%"held":"%'`.execute(database);
  await schema.createIndex('heads_held').on('heads').columns(['project_id', 'is_held', 'seq']).execute();
}

/** Hold all that counting reads, so that it comes from the index alone. */
async function pages({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createIndex('issues_made').on('issues').columns(['project_id', 'created_at']).execute();
  await schema.createIndex('investigations_open').on('investigations').columns(['project_id', 'state']).execute();
  await schema
    .createIndex('investigations_accepted')
    .on('investigations')
    .columns(['project_id', 'created_at', 'state'])
    .execute();
}
