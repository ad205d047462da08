// How a run ends for everyone who waits for it: with Issues, without one, or because nobody waits any more.
import type { FailureReason } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { InvestigationOutcome } from '../domain/investigation.ts';
import type { Conclusion } from '../domain/issue.ts';
import type { Cancelled, InvestigationStore, Run } from '../ports/store.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { leaseLost } from './lease.ts';
import type { Trx } from './schema.ts';
import { type Attached, announce } from './webhooks.ts';

type EndingVerbs = Pick<InvestigationStore, 'conclude' | 'concludeFromEqual' | 'giveUp' | 'cancel'>;

/** What every ending needs: the jobs that it causes, and the moment. */
interface Moment {
  readonly enqueuer: Enqueuer;
  readonly now: string;
}

export function endingVerbs(database: Database, enqueuer: Enqueuer): EndingVerbs {
  return {
    conclude: (run, conclusion, now) =>
      database.write((trx) => {
        const stored = { sha: conclusion.analysis.revision, conclusion: JSON.stringify(conclusion), analysed_at: now };
        return conclude(trx, run, { stored, sameAs: null }, { enqueuer, now });
      }),
    concludeFromEqual: (run, equal, now) =>
      database.write((trx) => concludeFromEqual(trx, run, equal, { enqueuer, now })),
    giveUp: (run, reason, now) => database.write((trx) => giveUp(trx, run, reason, { enqueuer, now })),
    cancel: (id, reason, now) => database.write((trx) => cancel(trx, id, reason, { enqueuer, now })),
  };
}

/** A conclusion as it is kept with its run. */
interface StoredConclusion {
  readonly sha: string | null;
  readonly conclusion: string | null;
  readonly analysed_at: string | null;
  readonly step_count?: number;
}

async function conclude(
  trx: Trx,
  run: Run,
  { stored, sameAs }: { readonly stored: StoredConclusion; readonly sameAs: string | null },
  moment: Moment,
): Promise<readonly string[]> {
  if (!(await endRun(trx, run, stored))) throw leaseLost(run.id);
  const ids: string[] = [];
  for (const waiting of await attachedTo(trx, run.id)) {
    const issueId = newId('iss');
    await endInvestigation(trx, waiting.id, { state: 'concluded', issueId }, moment.now);
    await trx
      .insertInto('issues')
      .values({
        id: issueId,
        project_id: waiting.project_id,
        investigation_id: waiting.id,
        run_id: run.id,
        same_as: sameAs ?? ids[0] ?? null,
        created_at: moment.now,
      })
      .execute();
    await announce(trx, 'issue.created', waiting, moment);
    ids.push(issueId);
  }
  await forgetTranscript(trx, run.id);
  return ids;
}

async function concludeFromEqual(
  trx: Trx,
  run: Run,
  equal: { readonly sha: string; readonly since: string; readonly model: string | null },
  moment: Moment,
): Promise<readonly string[]> {
  // The latest analysis, and of those who have it the oldest: its Issue is the one that `sameAs` names.
  const candidates = await trx
    .selectFrom('runs')
    .innerJoin('issues', 'issues.run_id', 'runs.id')
    .select(['runs.id', 'runs.sha', 'runs.conclusion', 'runs.analysed_at', 'runs.step_count', 'issues.id as issue_id'])
    .where('runs.account_id', '=', run.accountId)
    .where('runs.project_id', '=', run.projectId)
    .where('runs.fingerprint', '=', run.fingerprint)
    .where('runs.state', '=', 'ended')
    .where('runs.analysed_at', '>=', equal.since)
    .where('runs.sha', '=', equal.sha)
    .orderBy('runs.analysed_at', 'desc')
    .orderBy('issues.seq')
    .limit(MOST_EQUAL)
    .execute();
  const found = candidates.find(({ conclusion }) => isWhole(conclusion, equal.model));
  if (!found) return [];
  const { id, issue_id: sameAs, ...stored } = found;
  const issueIds = await conclude(trx, run, { stored, sameAs }, moment);
  await copySteps(trx, id, run.id);
  return issueIds;
}

/** Newer ones than these are all there would be in a day, but for a flood. */
const MOST_EQUAL = 20;

function isWhole(conclusion: string | null, model: string | null): boolean {
  if (conclusion === null) return false;
  const { analysis }: Conclusion = JSON.parse(conclusion);
  return analysis.model === model && !analysis.partial;
}

/** Copied, since the equal run's own go when its last Issue is erased. */
async function copySteps(trx: Trx, from: string, to: string): Promise<void> {
  await trx.deleteFrom('steps').where('run_id', '=', to).execute();
  await trx
    .insertInto('steps')
    .columns(['run_id', 'number', 'action', 'result', 'analysis', 'created_at'])
    .expression((expression) =>
      expression
        .selectFrom('steps')
        .select((step) => [step.val(to).as('run_id'), 'number', 'action', 'result', 'analysis', 'created_at'])
        .where('run_id', '=', from),
    )
    .execute();
}

async function giveUp(trx: Trx, run: Run | string, reason: FailureReason, moment: Moment): Promise<void> {
  const runId = typeof run === 'string' ? run : run.id;
  if (!(await endRun(trx, run, {}))) {
    // A dead job whose run has ended meanwhile: everyone was told already.
    if (typeof run === 'string') return;
    throw leaseLost(runId);
  }
  for (const waiting of await attachedTo(trx, runId)) {
    await endInvestigation(trx, waiting.id, { state: 'gave_up', reason }, moment.now);
    await announce(trx, 'issue.failed', waiting, moment);
  }
  await forgetTranscript(trx, runId);
}

/** It holds the report and much of the source, and only a run that goes on reads it: steps and conclusion say what is worth keeping. */
async function forgetTranscript(trx: Trx, runId: string): Promise<void> {
  await trx.deleteFrom('transcript_entries').where('run_id', '=', runId).execute();
}

async function cancel(trx: Trx, id: string, reason: FailureReason, moment: Moment): Promise<Cancelled> {
  const row = await trx
    .selectFrom('investigations')
    .select(['id', 'run_id', 'account_id', 'project_id', 'callback_url', 'state'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return { kind: 'absent' };
  if (row.state !== 'queued' && row.state !== 'running') return { kind: 'ended' };
  await endInvestigation(trx, id, { state: 'cancelled', reason }, moment.now);
  await announce(trx, 'issue.failed', row, moment);
  await writeAudit(trx, { at: moment.now, accountId: row.account_id, verb: 'investigation.cancelled', subject: id });
  const runEnded = (await attachedTo(trx, row.run_id)).length === 0;
  if (runEnded) {
    await endRun(trx, row.run_id, {});
    await forgetTranscript(trx, row.run_id);
    await moment.enqueuer.remove(trx, 'run', [row.run_id]);
  }
  return { kind: 'cancelled', runId: row.run_id, runEnded };
}

/** Ends the run if it has not ended and, where a generation is held, nobody took it over since. */
async function endRun(trx: Trx, run: Run | string, stored: Partial<StoredConclusion>): Promise<boolean> {
  let query = trx.updateTable('runs').set({ state: 'ended', ...stored });
  if (typeof run === 'string') query = query.where('id', '=', run).where('state', '!=', 'ended');
  else query = query.where('id', '=', run.id).where('state', '=', 'running').where('generation', '=', run.generation);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}

/** Everyone who still waits for the run, the oldest first. */
function attachedTo(trx: Trx, runId: string): Promise<readonly Attached[]> {
  return trx
    .selectFrom('investigations')
    .select(['id', 'account_id', 'project_id', 'callback_url'])
    .where('run_id', '=', runId)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('seq')
    .execute();
}

/** Without an Issue there is nothing that a caller could delete, so the report's text does not outlive the investigation. */
async function endInvestigation(trx: Trx, id: string, outcome: InvestigationOutcome, now: string): Promise<void> {
  const forgotten = outcome.state === 'concluded' ? {} : { text: '' };
  await trx
    .updateTable('investigations')
    .set({ state: outcome.state, outcome: JSON.stringify(outcome), ended_at: now, ...forgotten })
    .where('id', '=', id)
    .execute();
}
