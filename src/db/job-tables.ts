// The tables of the embedded queue as Kysely sees them.
import type { JobKind, Urgency } from '../core/queue.ts';
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
  urgency: Urgency;
  organisation: string;
}

/** One row per group with work: what makes a claim cheap however long a blocked group's queue is. */
export interface JobGroupTable {
  kind: JobKind;
  group_key: string;
  running: number;
  /** The earliest `run_at` that waits; null where none does. */
  next_at: string | null;
  /** Whose its next job is. */
  organisation: string;
  /** The same of people's jobs, and of automatic ones. */
  next_person_at: string | null;
  next_automatic_at: string | null;
}

/** One row per organisation that had work since the start: whose turn it is. */
export interface JobOrganisationTable {
  kind: JobKind;
  organisation: string;
  running: number;
  /** Number of its last claim, counted over all organisations of the kind; 0: none yet. */
  turn: number;
  next_person_at: string | null;
  next_automatic_at: string | null;
  /** When its last automatic job was claimed. */
  automatic_at: string | null;
}
