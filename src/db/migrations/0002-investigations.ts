// Runs and who waits for them, their steps, the Issues, and what is sent to callers.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function investigations(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await runs(database, form);
  await attached(database, form);
  await issues(database, form);
  await webhooks(database, form);
  await keys(database, form);
}

async function runs({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('runs'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('fresh', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('step_count', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('sha', 'text')
    .addColumn('conclusion', 'text')
    .addColumn('analysed_at', 'text')
    .modifyEnd(form.end)
    .execute();
  await schema
    .createIndex('runs_equal')
    .on('runs')
    .columns(['account_id', 'project_id', 'fingerprint', 'state', 'analysed_at'])
    .execute();
  await schema
    .createTable('steps')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .addColumn('analysis', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('steps_key', ['run_id', 'number'])
    .modifyEnd(form.end)
    .execute();
}

async function attached({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('investigations'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('callback_url', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .modifyEnd(form.end)
    .execute();
  for (const column of ['run_id', 'project_id', 'state', 'reference', 'ended_at']) {
    await schema.createIndex(`investigations_${column}`).on('investigations').columns([column, 'seq']).execute();
  }
}

async function issues({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('issues'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('investigation_id', 'text', (column) =>
      column.notNull().unique().references('investigations.id').onDelete('cascade'),
    )
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('same_as', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  // Holds all that `issueIds` reads: 100,000 of them come from the index alone.
  await schema.createIndex('issues_project').on('issues').columns(['project_id', 'seq', 'id']).execute();
  await schema.createIndex('issues_run').on('issues').columns(['run_id', 'seq']).execute();
  await schema.createIndex('issues_same_as').on('issues').columns(['same_as', 'seq']).execute();
}

async function webhooks({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('webhooks'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    // No reference: a delivered webhook stays on record after its investigation was erased.
    .addColumn('investigation_id', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_error', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('webhooks_account').on('webhooks').columns(['account_id', 'seq']).execute();
  await schema.createIndex('webhooks_investigation').on('webhooks').column('investigation_id').execute();
  await schema.createIndex('webhooks_created').on('webhooks').column('created_at').execute();
}

async function keys({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('idempotency_keys')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('investigation_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['account_id', 'key'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_at').execute();
}
