// Durable work, in the same database so that a job is written with what it is about.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function jobs({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('jobs'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('run_at', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('again_at', 'text')
    .addUniqueConstraint('jobs_subject', ['kind', 'subject'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('jobs_group').on('jobs').columns(['kind', 'group_key', 'state', 'run_at', 'seq']).execute();
  await schema.createIndex('jobs_state').on('jobs').columns(['state', 'run_at']).execute();
  await schema
    .createTable('job_groups')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('running', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'text')
    .addPrimaryKeyConstraint('job_groups_key', ['kind', 'group_key'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('job_groups_next').on('job_groups').columns(['kind', 'next_at']).execute();
}
