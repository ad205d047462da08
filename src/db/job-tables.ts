// The table of jobs as Kysely sees it: on SQLite the queue itself, on PostgreSQL what is known of each job that pg-boss hands out.
import type { JobKind, Urgency } from '../core/queue.ts';
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
