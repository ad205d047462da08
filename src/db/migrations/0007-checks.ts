// What is remembered of checks: heads with their findings, the ledger of failures, what was green last, what a project's past cost.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function checks(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await heads(database, form);
  await findings(database, form);
  await failures(database, form);
  await sightings(database, form);
  await greens(database, form);
  await backfills(database, form);
  await database.schema.alterTable('investigations').addColumn('verdict', 'text').execute();
  await database.schema
    .createIndex('investigations_begun')
    .on('investigations')
    .columns(['project_id', 'account_id', 'created_at'])
    .execute();
}

async function heads({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('heads'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('sha', 'text', (column) => column.notNull())
    .addColumn('branch', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_red', 'integer', (column) => column.notNull())
    .addColumn('pull_request', 'integer')
    .addColumn('place', 'text')
    .addColumn('left_out', 'text', (column) => column.notNull())
    .addColumn('still_waiting', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('heads_sha', ['project_id', 'sha'])
    .modifyEnd(form.end)
    .execute();
  for (const column of ['branch', 'pull_request']) {
    await schema.createIndex(`heads_red_${column}`).on('heads').columns(['project_id', 'is_red', column]).execute();
  }
  await schema
    .createIndex('heads_pull_request')
    .on('heads')
    .columns(['project_id', 'pull_request', 'state', 'seq'])
    .execute();
  await schema.createIndex('heads_changed').on('heads').column('changed_at').execute();
}

async function findings({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('findings')
    .addColumn('head_id', 'text', (column) => column.notNull().references('heads.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('finding', 'text', (column) => column.notNull())
    .addColumn('is_own', 'integer', (column) => column.notNull())
    // What is erased or swept is named no more.
    .addColumn('investigation_id', 'text', (column) => column.references('investigations.id').onDelete('set null'))
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('set null'))
    .addPrimaryKeyConstraint('findings_key', ['head_id', 'number'])
    .modifyEnd(form.end)
    .execute();
  for (const column of ['investigation_id', 'thread_id']) {
    await schema.createIndex(`findings_${column}`).on('findings').columns([column, 'head_id']).execute();
  }
}

async function failures({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('failures'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('headline', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('opening', 'integer', (column) => column.notNull())
    .addColumn('is_on_default', 'integer', (column) => column.notNull())
    .addColumn('hits', 'integer', (column) => column.notNull())
    .addColumn('flaky_hits', 'integer', (column) => column.notNull())
    .addColumn('first_seen', 'text', (column) => column.notNull())
    .addColumn('last_seen', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'text', (column) => column.notNull())
    .addColumn('seen_in', 'text', (column) => column.notNull())
    .addColumn('investigation_id', 'text', (column) => column.references('investigations.id').onDelete('set null'))
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('set null'))
    .addColumn('closed_sha', 'text')
    .addColumn('closed_at', 'text')
    .addColumn('closed_by', 'text')
    .addColumn('commit_range', 'text')
    .addUniqueConstraint('failures_fingerprint', ['project_id', 'fingerprint'])
    .modifyEnd(form.end)
    .execute();
  const indexes: Readonly<Record<string, readonly string[]>> = {
    failures_state: ['project_id', 'state', 'last_seen_at', 'seq'],
    failures_page: ['project_id', 'last_seen_at', 'seq'],
    failures_default: ['project_id', 'state', 'is_on_default'],
    failures_last_seen: ['last_seen_at'],
    failures_closed: ['closed_at'],
    failures_investigation: ['investigation_id'],
    failures_thread: ['thread_id'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await schema
      .createIndex(name)
      .on('failures')
      .columns([...columns])
      .execute();
  }
}

async function sightings({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('sightings')
    .addColumn('failure_id', 'text', (column) => column.notNull().references('failures.id').onDelete('cascade'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('opening', 'integer', (column) => column.notNull())
    .addColumn('standing', 'text', (column) => column.notNull())
    .addColumn('check_key', 'text', (column) => column.notNull())
    .addColumn('sha', 'text', (column) => column.notNull())
    .addColumn('branch', 'text', (column) => column.notNull())
    .addColumn('is_on_default', 'integer', (column) => column.notNull())
    .addColumn('is_trusted', 'integer', (column) => column.notNull())
    .addColumn('pull_request', 'integer')
    .addColumn('is_over', 'integer', (column) => column.notNull())
    .addColumn('is_flaky', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('sightings_key', ['failure_id', 'key'])
    .modifyEnd(form.end)
    .execute();
  await schema
    .createIndex('sightings_default')
    .on('sightings')
    .columns(['failure_id', 'is_on_default', 'opening', 'check_key', 'sha', 'seen_at'])
    .execute();
  await schema
    .createIndex('sightings_pull_request')
    .on('sightings')
    .columns(['pull_request', 'is_over', 'failure_id'])
    .execute();
  await schema.createIndex('sightings_seen').on('sightings').column('seen_at').execute();
}

async function greens({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('greens')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('check_key', 'text', (column) => column.notNull())
    .addColumn('sha', 'text', (column) => column.notNull())
    .addColumn('green_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('greens_key', ['project_id', 'check_key', 'sha'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('greens_green').on('greens').column('green_at').execute();
}

async function backfills({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('backfills')
    .addColumn('project_id', 'text', (column) => column.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('cursor', 'text', (column) => column.notNull())
    .addColumn('calls', 'integer', (column) => column.notNull())
    .addColumn('checks', 'integer', (column) => column.notNull())
    .addColumn('since', 'text', (column) => column.notNull())
    .addColumn('forecast', 'text')
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
}
