// How a verb writes the jobs that it causes: in its own transaction, through the queue of either engine.
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Trx } from './schema.ts';

/** The queue's side of a store's transaction. */
export interface Enqueuer {
  enqueue(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Writes jobs as dead, with their tries used, until they are redriven. None of them may exist. */
  enqueueDead(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Removes jobs in whatever state; those that do not exist are passed over. */
  remove(trx: Trx, kind: JobKind, subjects: readonly string[]): Promise<void>;
  /** A transaction was committed; it may have held jobs. */
  notifyCommit(): void;
}
