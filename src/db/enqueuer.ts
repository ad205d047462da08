// How a verb writes the jobs that it causes: in its own transaction, through whatever queue stands behind.
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Trx } from './schema.ts';

/** The queue's side of a store's transaction. */
export interface Enqueuer {
  enqueue(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Writes jobs as given up, with their tries used: nobody works on them before they are redriven. None of them may be there. */
  bury(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Removes jobs wherever they stand; those that do not exist are passed over. */
  remove(trx: Trx, kind: JobKind, subjects: readonly string[]): Promise<void>;
  /** A transaction was committed; it may have held jobs. */
  committed(): void;
}
