// What `worker` says once it is ready.
import { printableLine } from './printable.ts';
import { type ModelWords, modelText } from './start-words.ts';

export interface WorkerStarted extends ModelWords {
  /** Base address of its own port. */
  readonly listening: string;
  /** Address of the database, without its password. */
  readonly database: string;
  /** Investigations at a time. */
  readonly concurrency: number;
  readonly paused: boolean;
}

/** Ends with a line feed. */
export function workerText(started: WorkerStarted): string {
  const { listening, database, concurrency, paused } = started;
  const rest = paused ? '\n  Paused: no model is asked and nothing is posted, until "causeway resume".' : '';
  return `Causeway takes work: ${concurrency} ${concurrency === 1 ? 'investigation' : 'investigations'} at a time.
  Records: ${printableLine(database)}
  For operators: ${listening}/readyz. Ctrl-C stops it.
  ${modelText(started)}${rest}
`;
}
