// The tables of the embedded queue as Kysely sees them.
import type { JobKind } from '../ports/queue.ts';
import type { Sequenced } from './schema.ts';

export interface JobTable extends Sequenced {
  id: string;
  kind: JobKind;
  subject: string;
  group_key: string;
  state: 'waiting' | 'running' | 'dead';
  run_at: string;
  /** Claims since the last success. */
  attempts: number;
  /** Those of them whose handler threw; of the others, the process ended first. */
  failures: number;
  /** Rises with every claim: what a claim writes is refused once a later one was made. */
  generation: number;
  owner: string | null;
  lease_until: string | null;
  /** Asked for again while running: when to run next. */
  again_at: string | null;
}

/** One row per group with work: what makes a claim cheap however long a blocked group's queue is. */
export interface JobGroupTable {
  kind: JobKind;
  group_key: string;
  running: number;
  /** The earliest `run_at` that waits; null where none does. */
  next_at: string | null;
}
