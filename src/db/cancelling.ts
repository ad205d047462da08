// Cancelling one caller's investigation; the run behind it ends where nobody else waits.
import type { FailureReason } from '../core/reason.ts';
import { writeAudit } from './audit.ts';
import { attachedTo, endInvestigation, endRun, forgetTranscript, type Moment, tellThreads } from './end-run.ts';
import type { Trx } from './schema.ts';
import type { Cancelled } from './store.ts';
import { announce } from './webhooks.ts';

interface Cancelling {
  readonly id: string;
  readonly reason: FailureReason;
  /** Id of the account that wished it; absent: the caller's own. */
  readonly by?: string | undefined;
}

export async function cancel(trx: Trx, { id, reason, by }: Cancelling, moment: Moment): Promise<Cancelled> {
  const row = await trx
    .selectFrom('investigations')
    .select(['id', 'run_id', 'account_id', 'project_id', 'callback_url', 'thread_id', 'state'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return { kind: 'absent' };
  if (row.state !== 'queued' && row.state !== 'running') return { kind: 'ended' };
  await takeRun(trx, row.run_id);
  // Nobody wished for an end that has another reason.
  const state = reason.code === 'cancelled' ? 'cancelled' : 'gave_up';
  await endInvestigation(trx, id, { state, reason }, moment.now);
  await announce(trx, 'issue.failed', row, moment);
  if (state === 'cancelled') {
    const entry = { accountId: by ?? row.account_id, projectId: row.project_id };
    await writeAudit(trx, { ...entry, at: moment.now, verb: 'investigation.cancelled', subject: id });
  }
  await tellThreads(trx, [row], moment);
  const runEnded = (await attachedTo(trx, row.run_id)).length === 0;
  if (runEnded) {
    await endRun(trx, row.run_id, {});
    await forgetTranscript(trx, row.run_id);
    await moment.enqueuer.remove(trx, 'run', [row.run_id]);
  }
  return { kind: 'cancelled', runId: row.run_id, runEnded };
}

/** First of all, as every ending does: in another order the two would wait for each other, a second on PostgreSQL, until one is thrown out. */
async function takeRun(trx: Trx, runId: string): Promise<void> {
  await trx
    .updateTable('runs')
    .set((expression) => ({ state: expression.ref('state') }))
    .where('id', '=', runId)
    .execute();
}
