// What the agent needs remembered: transcripts, and what runs have cost. Costs outlive the run: they hold no text.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function agent({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('transcript_entries'))
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('entry', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('transcript_entries_run').on('transcript_entries').columns(['run_id', 'seq']).execute();
  await schema
    .createTable('costs')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('reserved', 'integer', (column) => column.notNull())
    .addColumn('spent', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('costs_key', ['run_id', 'month'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('costs_month').on('costs').columns(['month', 'project_id']).execute();
}
