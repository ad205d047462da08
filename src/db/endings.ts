// How a run ends for everyone who waits for it: with Issues, or without one.

import { newId } from '../core/ids.ts';
import type { Conclusion } from '../core/issue.ts';
import type { FailureReason } from '../core/reason.ts';
import { cancel } from './cancelling.ts';
import { linksOfChecks } from './check-links.ts';
import type { Database } from './database.ts';
import {
  attachedTo,
  endInvestigation,
  endRun,
  forgetTranscript,
  type Moment,
  type StoredConclusion,
  tellThreads,
} from './end-run.ts';
import type { Enqueuer } from './enqueuer.ts';
import { leaseLost } from './lease.ts';
import type { Trx } from './schema.ts';
import { settingsText } from './settings-text.ts';
import type { InvestigationStore, Run } from './store.ts';
import { announce } from './webhooks.ts';

type EndingVerbs = Pick<InvestigationStore, 'conclude' | 'concludeFromEqual' | 'giveUp' | 'cancel'>;

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
    cancel: (id, reason, now, by) => database.write((trx) => cancel(trx, { id, reason, by }, { enqueuer, now })),
  };
}

async function conclude(
  trx: Trx,
  run: Run,
  { stored, sameAs }: { readonly stored: StoredConclusion; readonly sameAs: string | null },
  moment: Moment,
): Promise<readonly string[]> {
  if (!(await endRun(trx, run, stored))) throw leaseLost(run.id);
  const ids: string[] = [];
  const attached = await attachedTo(trx, run.id);
  for (const waiting of attached) {
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
        links: await linksOfChecks(trx, waiting.id),
      })
      .execute();
    await announce(trx, 'issue.created', waiting, moment);
    ids.push(issueId);
  }
  await forgetTranscript(trx, run.id);
  await tellThreads(trx, attached, moment);
  return ids;
}

async function concludeFromEqual(
  trx: Trx,
  run: Run,
  equal: { readonly sha: string; readonly since: string; readonly model: string | null },
  moment: Moment,
): Promise<readonly string[]> {
  // The latest analysis, and of those who have it the oldest: its Issue is the one that `sameAs` names. One of callers whose words are
  // trusted differently, or that was made under other settings, is not this one's answer.
  const candidates = await trx
    .selectFrom('runs')
    .innerJoin('issues', 'issues.run_id', 'runs.id')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['runs.id', 'runs.sha', 'runs.conclusion', 'runs.analysed_at', 'runs.step_count', 'issues.id as issue_id'])
    .where('runs.account_id', '=', run.accountId)
    .where('runs.project_id', '=', run.projectId)
    .where('runs.fingerprint', '=', run.fingerprint)
    .where('runs.state', '=', 'ended')
    .where('runs.analysed_at', '>=', equal.since)
    .where('runs.sha', '=', equal.sha)
    .where('investigations.is_trusted', '=', run.isTrusted ? 1 : 0)
    .where('investigations.settings', '=', settingsText(run.settings))
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

async function giveUp(trx: Trx, run: Run | string, reason: FailureReason, moment: Moment): Promise<readonly string[]> {
  const runId = typeof run === 'string' ? run : run.id;
  if (!(await endRun(trx, run, {}))) {
    // A dead job whose run has ended meanwhile: everyone was told already.
    if (typeof run === 'string') return [];
    throw leaseLost(runId);
  }
  const attached = await attachedTo(trx, runId);
  for (const waiting of attached) {
    await endInvestigation(trx, waiting.id, { state: 'gave_up', reason }, moment.now);
    await announce(trx, 'issue.failed', waiting, moment);
  }
  await forgetTranscript(trx, runId);
  await tellThreads(trx, attached, moment);
  return attached.map(({ id }) => id);
}
