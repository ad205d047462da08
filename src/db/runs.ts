// Runs, the work that equal reports share: taken for a new generation, their steps, settings and transcripts, and how they end for every caller.

import { CausewayError } from '../core/errors.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import { createId } from '../core/ids.ts';
import type { InvestigationOutcome } from '../core/investigation.ts';
import type { Conclusion } from '../core/issue.ts';
import type { FailureReason } from '../core/reason.ts';
import { DEFAULT_SETTINGS, type InvestigationSettings } from '../core/settings.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { linksOfChecks } from './heads.ts';
import type { Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import type { AgentStore, Cancelled, InvestigationStore, RecordedStep, Run } from './store.ts';
import { nudgeShown } from './threads.ts';
import { type Attached, announce } from './webhooks.ts';

export function runVerbs(database: Database): Pick<InvestigationStore, 'startRun' | 'recordStep' | 'listSteps'> {
  return {
    startRun: (runId, now) => database.write((trx) => startRun(trx, runId, now)),
    recordStep: (run, step, now, entryOf) => database.write((trx) => recordStep(trx, run, { step, now, entryOf })),
    listSteps: (runId, after) => database.read((reader) => steps(reader, runId, after)),
  };
}

async function startRun(trx: Trx, runId: string, now: string): Promise<Run | null> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ state: 'running', generation: expression('generation', '+', 1) }))
    .where('id', '=', runId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await spendReserved(trx, runId);
  await forgetSteps(trx, runId);
  await trx
    .updateTable('investigations')
    .set({ state: 'running', outcome: JSON.stringify({ state: 'running' }) })
    .where('run_id', '=', runId)
    .where('state', '=', 'queued')
    .execute();
  const callers = trx
    .selectFrom('investigations')
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .orderBy('seq')
    .limit(1);
  const oldest = await callers.select(['id', 'text', 'guidance', 'settings']).executeTakeFirstOrThrow();
  const distrusted = await callers.select('id').where('is_trusted', '=', 0).executeTakeFirst();
  return {
    id: row.id,
    projectId: row.project_id,
    accountId: row.account_id,
    fingerprint: row.fingerprint,
    revision: row.revision,
    fresh: row.fresh === 1,
    isTrusted: distrusted === undefined,
    settings: settingsFrom(oldest.settings),
    text: oldest.text + oldest.guidance,
    generation: row.generation,
    startedAt: now,
    acceptedAt: row.created_at,
    investigationId: oldest.id,
  };
}

/** Without a transcript everything is looked up anew; with one the run goes on where it stood. */
async function forgetSteps(trx: Trx, runId: string): Promise<void> {
  const goesOn = await trx
    .selectFrom('transcript_entries')
    .select('seq')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (goesOn) return;
  await trx.deleteFrom('steps').where('run_id', '=', runId).execute();
  await trx.updateTable('runs').set({ step_count: 0 }).where('id', '=', runId).execute();
}

async function recordStep(
  trx: Trx,
  run: Run,
  { step, now, entryOf }: { step: InvestigationStep; now: string; entryOf: ((number: number) => string) | undefined },
): Promise<RecordedStep> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ step_count: expression('step_count', '+', 1) }))
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .returning('step_count')
    .executeTakeFirst();
  if (!row) throw leaseLost(run.id);
  const { action, result, analysis } = step;
  const number = row.step_count;
  await trx.insertInto('steps').values({ run_id: run.id, number, action, result, analysis, created_at: now }).execute();
  if (entryOf) await appendEntry(trx, run.id, { entry: entryOf(number), now });
  return { number, action, result, analysis };
}

function steps(reader: Reader, runId: string, after: number): Promise<readonly RecordedStep[]> {
  return reader
    .selectFrom('steps')
    .select(['number', 'action', 'result', 'analysis'])
    .where('run_id', '=', runId)
    .where('number', '>', after)
    .orderBy('number')
    .execute();
}

const DEFAULTS = new Map(Object.entries(DEFAULT_SETTINGS).map(([name, value]) => [name, canonical(value)]));

export function settingsText(settings: InvestigationSettings): string {
  const own = Object.entries(settings).filter(([name, value]) => canonical(value) !== DEFAULTS.get(name));
  return canonical(Object.fromEntries(own));
}

function settingsFrom(text: string): InvestigationSettings {
  const own: Partial<InvestigationSettings> = JSON.parse(text);
  return { ...DEFAULT_SETTINGS, ...own };
}

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [name, sorted(part)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a late worker gets for every write: its run was taken over, has ended, or was erased. */
function leaseLost(runId: string): CausewayError {
  return new CausewayError(
    'lease_lost',
    `The run ${runId} was taken over, has ended or was erased; what this worker found is dropped. Stop working on it.`,
  );
}

/** Throws `lease_lost` where the run was taken over, has ended or was erased. */
export async function requireLease(trx: Trx, run: Run): Promise<void> {
  const row = await trx
    .selectFrom('runs')
    .select('id')
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .executeTakeFirst();
  if (!row) throw leaseLost(run.id);
}

export function createTranscriptVerbs(
  database: Database,
  seal: Seal,
): Pick<AgentStore, 'readTranscript' | 'readOpaqueParts' | 'appendTranscript'> {
  return {
    async readTranscript(runId) {
      const rows = await database.read((reader) =>
        reader.selectFrom('transcript_entries').select('entry').where('run_id', '=', runId).orderBy('seq').execute(),
      );
      return rows.map((row) => row.entry);
    },
    async readOpaqueParts(runId) {
      const rows = await database.read((reader) =>
        reader.selectFrom('transcript_entries').select('opaque').where('run_id', '=', runId).orderBy('seq').execute(),
      );
      return rows.map(({ opaque }) => opaque && seal.open(opaque, purposeFor(runId)));
    },
    appendTranscript: (run, entry, now, opaque) =>
      database.write(async (trx) => {
        await requireLease(trx, run);
        const sealed = opaque === undefined ? null : seal.seal(opaque, purposeFor(run.id));
        await appendEntry(trx, run.id, { entry, now, opaque: sealed });
      }),
  };
}

/** The caller holds the run's lease. */
async function appendEntry(
  trx: Trx,
  runId: string,
  { entry, now, opaque = null }: { readonly entry: string; readonly now: string; readonly opaque?: string | null },
): Promise<void> {
  await trx.insertInto('transcript_entries').values({ run_id: runId, entry, opaque, created_at: now }).execute();
}

function purposeFor(runId: string): string {
  return `opaque parts of ${runId}`;
}

/** What every ending needs: the jobs that it causes, and the moment. */
export interface Moment {
  readonly enqueuer: Enqueuer;
  readonly now: string;
}

/** An investigation that waits for the run, and its thread, if it has one. */
type Waiting = Attached & { readonly thread_id: string | null };

/** A conclusion as it is kept with its run. */
interface StoredConclusion {
  readonly sha: string | null;
  readonly conclusion: string | null;
  readonly analysed_at: string | null;
  readonly step_count?: number;
}

/** Ends the run if it has not ended and, where a generation is held, nobody took it over since. */
async function endRun(trx: Trx, run: Run | string, stored: Partial<StoredConclusion>): Promise<boolean> {
  let query = trx.updateTable('runs').set({ state: 'ended', ...stored });
  if (typeof run === 'string') query = query.where('id', '=', run).where('state', '!=', 'ended');
  else query = query.where('id', '=', run.id).where('state', '=', 'running').where('generation', '=', run.generation);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}

/** Everyone who still waits for the run, the oldest first. */
function attachedTo(trx: Trx, runId: string): Promise<readonly Waiting[]> {
  return trx
    .selectFrom('investigations')
    .select(['id', 'account_id', 'project_id', 'callback_url', 'thread_id'])
    .where('run_id', '=', runId)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('seq')
    .execute();
}

/** Without an Issue there is nothing that a caller could delete, so the report's text does not outlive the investigation. */
async function endInvestigation(trx: Trx, id: string, outcome: InvestigationOutcome, now: string): Promise<void> {
  const forgotten = outcome.state === 'concluded' ? {} : { text: '', guidance: '' };
  await trx
    .updateTable('investigations')
    .set({ state: outcome.state, outcome: JSON.stringify(outcome), ended_at: now, ...forgotten })
    .where('id', '=', id)
    .execute();
}

/** It holds the report and much of the source, and only a run that goes on reads it: steps and conclusion say what is worth keeping. */
async function forgetTranscript(trx: Trx, runId: string): Promise<void> {
  await trx.deleteFrom('transcript_entries').where('run_id', '=', runId).execute();
}

/** What an ending changes, its threads must show. */
async function tellThreads(
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

type EndingVerbs = Pick<InvestigationStore, 'conclude' | 'concludeFromEqual' | 'giveUp' | 'cancel'>;

export function createEndingVerbs(database: Database, enqueuer: Enqueuer): EndingVerbs {
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
    const issueId = createId('iss');
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

/** What a generation that ended in the middle of a call had set aside counts as spent: the endpoint may have charged it. */
async function spendReserved(trx: Trx, runId: string): Promise<void> {
  await trx
    .updateTable('costs')
    .set((expression) => ({ spent: expression('spent', '+', expression.ref('reserved')), reserved: 0 }))
    .where('run_id', '=', runId)
    .execute();
}
