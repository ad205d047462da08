// The table of jobs: on SQLite the queue itself, on PostgreSQL what is known of each job that pg-boss hands out.
import type { Kysely } from 'kysely';
import type { JobKind, Urgency } from '../core/queue.ts';
import type { TableForm } from './migrations/table-form.ts';
import type { Sequenced } from './schema.ts';

export interface JobTable extends Sequenced {
  /** A new one each time that the job is scheduled, so that a claim of an earlier time is worth nothing. */
  id: string;
  kind: JobKind;
  subject: string;
  group_key: string;
  urgency: Urgency;
  state: 'waiting' | 'running' | 'dead';
  run_at: string;
  /** Claims since the last success. */
  attempts: number;
  /** Those of them whose handler threw; in the others, the process ended first. */
  failures: number;
  /** Enqueued again while running: when to run next. */
  again_at: string | null;
}

export async function createJobTables({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('jobs'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('urgency', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('run_at', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('again_at', 'text')
    .addUniqueConstraint('jobs_subject', ['kind', 'subject'])
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('jobs_due').on('jobs').columns(['kind', 'state', 'urgency', 'run_at', 'seq']).execute();
  await schema.createIndex('jobs_groups').on('jobs').columns(['state', 'kind', 'group_key']).execute();
}
