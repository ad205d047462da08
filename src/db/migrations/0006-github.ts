// What is remembered of GitHub: deliveries, installations, threads; and what older tables say of it.
import { type Kysely, sql } from 'kysely';
import type { TableForm } from './table-form.ts';

/** Of reports from before: nothing that differs from the defaults. */
const SETTINGS_BEFORE = '{}';

export async function github(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await deliveries(database, form);
  await installations(database, form);
  await projects(database);
  await threads(database, form);
  await investigations(database);
  await accountsAndIssues(database);
  await told(database, form);
}

async function deliveries({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('meaning', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('received_at', 'text', (column) => column.notNull())
    // Last, so that what stands before it is read without it: it may have 25 MiB.
    .addColumn('body', 'text')
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('deliveries_meaning').on('deliveries').columns(['meaning', 'received_at']).execute();
  await schema.createIndex('deliveries_received').on('deliveries').columns(['received_at', 'state']).execute();
}

async function installations({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('installations')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('suspended', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('removed_at', 'text')
    .modifyEnd(form.end)
    .execute();
}

/** `place` names the source, and `hidden_at` says since when a project is hidden, so that `hidden` goes. */
async function projects(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('projects').addColumn('place', 'text').execute();
  await schema.alterTable('projects').addColumn('hidden_at', 'text').execute();
  const { rows } = await sql<{ id: string; source: string }>`select id, source from projects`.execute(database);
  for (const { id, source } of rows) {
    await sql`update projects set place = ${placeBefore(source)} where id = ${id}`.execute(database);
  }
  await sql`update projects set hidden_at = created_at where hidden = 1`.execute(database);
  await schema.alterTable('projects').dropColumn('hidden').execute();
  await schema.createIndex('projects_place').on('projects').column('place').unique().execute();
}

function placeBefore(source: string): string {
  const { kind, path, url }: { readonly kind: string; readonly path?: string; readonly url?: string } =
    JSON.parse(source);
  return `${kind} ${path ?? url ?? ''}`;
}

async function threads({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('threads'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('subject_key', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    // No reference: a thread with an open pull request outlives its investigations.
    .addColumn('investigation_id', 'text', (column) => column.notNull())
    .addColumn('trigger_json', 'text', (column) => column.notNull())
    .addColumn('fix_request', 'text')
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('branch', 'text')
    .addColumn('pull_request', 'integer')
    .addColumn('pull_request_open', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('threads_subject', ['project_id', 'subject_key'])
    .modifyEnd(form.end)
    .execute();
  for (const column of ['branch', 'pull_request']) {
    await schema.createIndex(`threads_${column}`).on('threads').columns(['project_id', column, 'seq']).execute();
  }
}

async function investigations({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('investigations')
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('set null'))
    .execute();
  await schema
    .alterTable('investigations')
    .addColumn('is_trusted', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await schema
    .alterTable('investigations')
    .addColumn('settings', 'text', (column) => column.notNull().defaultTo(SETTINGS_BEFORE))
    .execute();
  await schema
    .createIndex('investigations_thread_id')
    .on('investigations')
    .columns(['thread_id', 'state', 'seq'])
    .execute();
}

async function accountsAndIssues({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('github_id', 'integer').execute();
  await schema.createIndex('accounts_github_id').on('accounts').column('github_id').unique().execute();
  await schema.alterTable('issues').addColumn('links', 'text').execute();
}

async function told({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('told')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('told_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('told_key', ['project_id', 'digest'])
    .modifyEnd(form.end)
    .execute();
}
