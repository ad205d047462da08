// What all endings share: the run, each investigation that waits for it, and the threads that show it.
import type { InvestigationOutcome } from '../core/investigation.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';
import type { Run } from './store.ts';
import { nudgeShown } from './thread-nudges.ts';
import type { Attached } from './webhooks.ts';

/** What every ending needs: the jobs that it causes, and the moment. */
export interface Moment {
  readonly enqueuer: Enqueuer;
  readonly now: string;
}

/** An investigation that waits for the run, and its thread, if it has one. */
type Waiting = Attached & { readonly thread_id: string | null };

/** A conclusion as it is kept with its run. */
export interface StoredConclusion {
  readonly sha: string | null;
  readonly conclusion: string | null;
  readonly analysed_at: string | null;
  readonly step_count?: number;
}

/** Ends the run if it has not ended and, where a generation is held, nobody took it over since. */
export async function endRun(trx: Trx, run: Run | string, stored: Partial<StoredConclusion>): Promise<boolean> {
  let query = trx.updateTable('runs').set({ state: 'ended', ...stored });
  if (typeof run === 'string') query = query.where('id', '=', run).where('state', '!=', 'ended');
  else query = query.where('id', '=', run.id).where('state', '=', 'running').where('generation', '=', run.generation);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}

/** Everyone who still waits for the run, the oldest first. */
export function attachedTo(trx: Trx, runId: string): Promise<readonly Waiting[]> {
  return trx
    .selectFrom('investigations')
    .select(['id', 'account_id', 'project_id', 'callback_url', 'thread_id'])
    .where('run_id', '=', runId)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('seq')
    .execute();
}

/** Without an Issue there is nothing that a caller could delete, so the report's text does not outlive the investigation. */
export async function endInvestigation(
  trx: Trx,
  id: string,
  outcome: InvestigationOutcome,
  now: string,
): Promise<void> {
  const forgotten = outcome.state === 'concluded' ? {} : { text: '', guidance: '' };
  await trx
    .updateTable('investigations')
    .set({ state: outcome.state, outcome: JSON.stringify(outcome), ended_at: now, ...forgotten })
    .where('id', '=', id)
    .execute();
}

/** It holds the report and much of the source, and only a run that goes on reads it: steps and conclusion say what is worth keeping. */
export async function forgetTranscript(trx: Trx, runId: string): Promise<void> {
  await trx.deleteFrom('transcript_entries').where('run_id', '=', runId).execute();
}

/** What an ending changes, its threads must show. */
export async function tellThreads(
  trx: Trx,
  ended: readonly Pick<Waiting, 'thread_id'>[],
  { enqueuer, now }: Moment,
): Promise<void> {
  await nudgeShown(
    trx,
    ended.map((one) => one.thread_id),
    { enqueuer, runAt: now },
  );
}
