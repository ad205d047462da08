// Runs, the work that equal reports share: started for a new generation, their steps, settings and transcripts, and how
// they end for every caller.

import { toSubscriptionOrigin } from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Conclusion } from '../core/issue/index.ts';
import { DEFAULT_SETTINGS, type InvestigationSettings } from '../core/project/index.ts';
import type { FailureReason } from '../core/reason.ts';
import type { InvestigationOutcome, InvestigationStep, Origin } from '../core/report/index.ts';
import { copyVotes, showBestAnswer } from './answers.ts';
import { writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { hasErasedCaller } from './erase.ts';
import { addEvents, addWebhook } from './events.ts';
import { enqueueSharingHeads, findCheckRunLink } from './heads.ts';
import { followAnswers } from './outcomes.ts';
import type { Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import { enqueueUpdates } from './threads.ts';

/** The work that equal reports share. */
export interface Run {
  readonly id: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly fingerprint: string;
  readonly revision: string;
  readonly fresh: boolean;
  /** Whether all attached reports were written by people who may write to the project. */
  readonly isTrusted: boolean;
  /** Of the oldest attached investigation, like `text` and `investigationId`. */
  readonly settings: InvestigationSettings;
  readonly text: string;
  /** Rises each time that the run is started; writes of an older generation are refused (`lease_lost`). */
  readonly generation: number;
  readonly startedAt: string;
  /** When the first of its reports was accepted. */
  readonly acceptedAt: string;
  readonly investigationId: string;
}

export interface RecordedStep extends InvestigationStep {
  /** From 1, without gaps, per run. */
  readonly number: number;
}

export interface RunTimes {
  /** ISO 8601, of each step in their order. */
  readonly steps: readonly string[];
  /** The first entry of its transcript, which has what was known before the model was asked; null: none is kept. */
  readonly opening: string | null;
  /** The last entry of the conversation that concluded, not of a second look; null: none is kept. */
  readonly lastEntryAt: string | null;
}

export type Cancelled =
  /**
   * `runEnded`: no investigation is attached to the run any more; its job is removed and a running handler must be
   * aborted.
   */
  | { readonly kind: 'cancelled'; readonly runId: string; readonly runEnded: boolean }
  | { readonly kind: 'ended' }
  | { readonly kind: 'absent' };

/** Which conclusion may be reused: of the same commit, since then, by the same model (null: none). */
interface EqualConclusion {
  readonly sha: string;
  readonly since: string;
  readonly model: string | null;
}

export function createRunVerbs(database: Database, seal: Seal) {
  const { jobs } = database;
  return {
    /**
     * Takes the run for a new generation; without a transcript to continue, its steps are deleted. Null: it has ended
     * or is gone.
     */
    startRun: (runId: string, now: string): Promise<Run | null> => database.write((trx) => takeRun(trx, runId, now)),
    /** `entryOf`: a transcript entry for the step's number, written with it. */
    recordStep: (
      run: Run,
      step: InvestigationStep,
      now: string,
      entryOf?: (number: number) => string,
    ): Promise<RecordedStep> => database.write((trx) => recordStep(trx, run, step, { now, entryOf })),
    /** Steps after number `after` (0: all). */
    listSteps: (runId: string, after: number): Promise<readonly RecordedStep[]> =>
      database.read((reader) =>
        reader
          .selectFrom('steps')
          .select(['number', 'action', 'result', 'analysis'])
          .where('run_id', '=', runId)
          .where('number', '>', after)
          .orderBy('number')
          .execute(),
      ),
    /**
     * The entries of the run's transcript, oldest first. Empty if it has none: it ended without an Issue or without a
     * model, took over an equal answer, or a person of it was erased.
     */
    async readTranscript(runId: string): Promise<readonly string[]> {
      const rows = await database.read((reader) => selectEntries(reader, runId).select('entry').execute());
      return rows.map((row) => row.entry);
    },
    /** When what of the run was recorded; see RunTimes. */
    readRunTimes: (runId: string): Promise<RunTimes> => database.read((reader) => readRunTimes(reader, runId)),
    /** The run that an Issue is of, and the settings of its investigation; null: no such Issue. */
    async findRunOfIssue(
      issueId: string,
    ): Promise<{ readonly id: string; readonly settings: InvestigationSettings } | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('issues')
          .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
          .select(['issues.run_id', 'investigations.settings'])
          .where('issues.id', '=', issueId)
          .executeTakeFirst(),
      );
      return row ? { id: row.run_id, settings: { ...DEFAULT_SETTINGS, ...JSON.parse(row.settings) } } : null;
    },
    /** The opaque part of each entry, in the same order; null: none. */
    async readOpaqueParts(runId: string): Promise<readonly (string | null)[]> {
      const rows = await database.read((reader) => selectEntries(reader, runId).select('opaque').execute());
      return rows.map(({ opaque }) => opaque && seal.open(opaque, toOpaquePurpose(runId)));
    },
    /**
     * Appends one entry (JSON, redacted); refused with `lease_lost` from an older generation. A run with a transcript
     * keeps its steps when it is started again. `opaque`: stored with it, encrypted; deleted when the run ends.
     */
    appendTranscript: (run: Run, entry: string, now: string, opaque?: string): Promise<void> =>
      database.write(async (trx) => {
        await requireLease(trx, run);
        const sealed = opaque === undefined ? null : seal.seal(opaque, toOpaquePurpose(run.id));
        const row = { run_id: run.id, entry, opaque: sealed, created_at: now };
        await trx.insertInto('transcript_entries').values(row).execute();
      }),
    /**
     * Ends the run with an Issue and a webhook for each attached investigation, oldest first; `sameAs` of the others
     * names the first. Steps beyond those of the conclusion, which leaves out what was refused, are deleted. Returns the
     * Issue ids.
     */
    conclude: (run: Run, conclusion: Conclusion, now: string): Promise<readonly string[]> =>
      database.write(async (trx) => {
        const stored = { sha: conclusion.analysis.revision, conclusion: JSON.stringify(conclusion), analysed_at: now };
        const ids = await storeConclusion(trx, jobs, run, { stored, sameAs: null, now });
        await keepSteps(trx, run.id, conclusion.investigationSteps.length);
        return ids;
      }),
    /**
     * Ends the run with the conclusion and steps of an equal run (account, project, fingerprint, commit) that was
     * neither cut short by a budget nor by an outage; `sameAs` names its Issue. Returns the Issue ids, empty if there
     * is none.
     */
    concludeFromEqual: (run: Run, equal: EqualConclusion, now: string): Promise<readonly string[]> =>
      database.write((trx) => concludeFromEqual(trx, jobs, run, { ...equal, now })),
    /**
     * Ends the run without an Issue. `run` by id where no generation is held (a dead job). Returns the ids of its
     * investigations.
     */
    giveUp: (run: Run | string, reason: FailureReason, now: string): Promise<readonly string[]> =>
      database.write((trx) => giveUp(trx, jobs, run, { reason, now })),
    /**
     * Ends one investigation: `cancelled` if a person requested it (by the reason's code), otherwise `gave_up`. `by`:
     * account id; absent: the caller's own.
     */
    cancel: (id: string, reason: FailureReason, now: string, by?: string): Promise<Cancelled> =>
      database.write((trx) => storeCancellation(trx, jobs, { id, reason, by, now })),
  };
}

async function takeRun(trx: Trx, runId: string, now: string): Promise<Run | null> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ state: 'running', generation: expression('generation', '+', 1) }))
    .where('id', '=', runId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  // What the previous generation had reserved when it ended in the middle of a call may have been charged.
  await trx
    .updateTable('costs')
    .set((expression) => ({ spent: expression('spent', '+', expression.ref('reserved')), reserved: 0 }))
    .where('run_id', '=', runId)
    .execute();
  if (!(await selectEntries(trx, runId).select('seq').executeTakeFirst())) {
    await trx.deleteFrom('steps').where('run_id', '=', runId).execute();
    await trx.updateTable('runs').set({ step_count: 0 }).where('id', '=', runId).execute();
  }
  await trx
    .updateTable('investigations')
    .set({ state: 'running', outcome: JSON.stringify({ state: 'running' }) })
    .where('run_id', '=', runId)
    .where('state', '=', 'queued')
    .execute();
  const attached = trx.selectFrom('investigations').where('run_id', '=', runId).where('state', '=', 'running');
  const oldest = await attached
    .select(['id', 'text', 'guidance', 'settings'])
    .orderBy('seq')
    .limit(1)
    .executeTakeFirstOrThrow();
  const untrusted = await attached.select('id').where('is_trusted', '=', 0).limit(1).executeTakeFirst();
  return {
    id: row.id,
    projectId: row.project_id,
    accountId: row.account_id,
    fingerprint: row.fingerprint,
    revision: row.revision,
    fresh: row.fresh === 1,
    isTrusted: untrusted === undefined,
    settings: { ...DEFAULT_SETTINGS, ...JSON.parse(oldest.settings) },
    text: oldest.text + oldest.guidance,
    generation: row.generation,
    startedAt: now,
    acceptedAt: row.created_at,
    investigationId: oldest.id,
  };
}

function selectEntries(reader: Reader, runId: string) {
  return reader.selectFrom('transcript_entries').where('run_id', '=', runId).orderBy('seq');
}

async function readRunTimes(reader: Reader, runId: string): Promise<RunTimes> {
  const steps = reader.selectFrom('steps').select('created_at').where('run_id', '=', runId).orderBy('number');
  const entries = reader.selectFrom('transcript_entries').where('run_id', '=', runId);
  const last = entries.select('created_at').where('entry', 'not like', '%"conversation":"second_look"}');
  return {
    steps: (await steps.execute()).map((row) => row.created_at),
    opening: (await entries.select('entry').orderBy('seq').limit(1).executeTakeFirst())?.entry ?? null,
    lastEntryAt: (await last.orderBy('seq', 'desc').limit(1).executeTakeFirst())?.created_at ?? null,
  };
}

function toOpaquePurpose(runId: string): string {
  return `opaque parts of ${runId}`;
}

async function recordStep(
  trx: Trx,
  run: Run,
  { action, result, analysis }: InvestigationStep,
  { now, entryOf }: { readonly now: string; readonly entryOf: ((number: number) => string) | undefined },
): Promise<RecordedStep> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ step_count: expression('step_count', '+', 1) }))
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .returning('step_count')
    .executeTakeFirst();
  if (!row) throw createLeaseLost(run.id);
  const number = row.step_count;
  await trx.insertInto('steps').values({ run_id: run.id, number, action, result, analysis, created_at: now }).execute();
  if (entryOf) {
    const entry = { run_id: run.id, entry: entryOf(number), opaque: null, created_at: now };
    await trx.insertInto('transcript_entries').values(entry).execute();
  }
  return { number, action, result, analysis };
}

/** What a worker gets for every write after its run was taken over, has ended, or was erased. */
function createLeaseLost(runId: string): CausewayError {
  return new CausewayError(
    'lease_lost',
    `The run ${runId} was taken over, has ended or was erased; the results of this worker are dropped. Stop working on it.`,
  );
}

/** Throws `lease_lost` if the run was taken over, has ended or was erased. */
export async function requireLease(trx: Trx, run: Run): Promise<void> {
  const row = await trx
    .selectFrom('runs')
    .select('id')
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .executeTakeFirst();
  if (!row) throw createLeaseLost(run.id);
}

/** What differs from the defaults, with sorted keys, so that equal settings are equal texts. */
export function toSettingsText(settings: InvestigationSettings): string {
  const defaults = new Map(Object.entries(DEFAULT_SETTINGS));
  const changed = Object.entries(settings).filter(
    ([name, value]) => toCanonicalJson(value) !== toCanonicalJson(defaults.get(name)),
  );
  return toCanonicalJson(Object.fromEntries(changed));
}

function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A conclusion as it is stored with its run. */
interface RunConclusion {
  readonly sha: string | null;
  readonly conclusion: string | null;
  readonly analysed_at: string | null;
  readonly step_count?: number;
}

/**
 * Ends the run if it has not ended and, where a generation is held, was not taken over. Its transcript stays only with
 * `keepsTranscript`; what a provider added to it never does.
 */
async function endRun(
  trx: Trx,
  run: Run | string,
  {
    stored = {},
    keepsTranscript = false,
  }: { readonly stored?: Partial<RunConclusion>; keepsTranscript?: boolean } = {},
): Promise<boolean> {
  const update = trx
    .updateTable('runs')
    .set({ state: 'ended', ...stored })
    .returning('id');
  const ended = await (typeof run === 'string'
    ? update.where('id', '=', run).where('state', '!=', 'ended')
    : update.where('id', '=', run.id).where('state', '=', 'running').where('generation', '=', run.generation)
  ).executeTakeFirst();
  if (ended === undefined) return false;
  // The model may have read instructions of a person who was erased meanwhile.
  if (!keepsTranscript || (await hasErasedCaller(trx, ended.id))) {
    await trx.deleteFrom('transcript_entries').where('run_id', '=', ended.id).execute();
  } else {
    const opaque = trx.updateTable('transcript_entries').set({ opaque: null }).where('run_id', '=', ended.id);
    await opaque.where('opaque', 'is not', null).execute();
  }
  return true;
}

/** The investigations that have not ended, oldest first. */
function listAttached(trx: Trx, runId: string) {
  return trx
    .selectFrom('investigations')
    .select(['id', 'account_id', 'project_id', 'origin', 'callback_url', 'thread_id'])
    .where('run_id', '=', runId)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('seq')
    .execute();
}

/**
 * Without an Issue there is nothing that a caller could delete, so the report's text does not outlive the
 * investigation.
 */
async function endInvestigation(trx: Trx, id: string, outcome: InvestigationOutcome, now: string): Promise<void> {
  const erased = outcome.state === 'concluded' ? {} : { text: '', guidance: '' };
  await trx
    .updateTable('investigations')
    .set({ state: outcome.state, outcome: JSON.stringify(outcome), ended_at: now, ...erased })
    .where('id', '=', id)
    .execute();
}

async function storeConclusion(
  trx: Trx,
  jobs: Enqueuer,
  run: Run,
  { stored, sameAs, now }: { readonly stored: RunConclusion; readonly sameAs: string | null; readonly now: string },
): Promise<readonly string[]> {
  // That of an equal answer stays with the run that gave it.
  if (!(await endRun(trx, run, { stored, keepsTranscript: sameAs === null }))) throw createLeaseLost(run.id);
  const ids: string[] = [];
  const attached = await listAttached(trx, run.id);
  for (const investigation of attached) {
    const id = createId('iss');
    await endInvestigation(trx, investigation.id, { state: 'concluded', issueId: id }, now);
    await trx
      .insertInto('issues')
      .values({
        id,
        project_id: investigation.project_id,
        investigation_id: investigation.id,
        run_id: run.id,
        same_as: sameAs ?? ids[0] ?? null,
        created_at: now,
        links: await findCheckRunLink(trx, investigation.id),
      })
      .execute();
    const isRepeat = sameAs !== null || ids.length > 0;
    await announceIssue(trx, jobs, investigation, { type: 'issue.created', isRepeat, now });
    ids.push(id);
  }
  await followAnswers(trx, jobs, ids, now);
  if (sameAs !== null) for (const id of ids) await copyVotes(trx, id);
  await showBestAnswers(trx, attached, now);
  await enqueueUpdates(trx, jobs, toThreadIds(attached), { runAt: now });
  await enqueueSharingHeads(
    trx,
    jobs,
    attached.map(({ id }) => id),
    now,
  );
  return ids;
}

interface AnnouncedRun {
  readonly id: string;
  readonly account_id: string;
  readonly project_id: string;
  readonly origin: Origin;
  readonly callback_url: string;
}

/** Tells its caller, and who has subscribed to the project, that an investigation has ended. */
async function announceIssue(
  trx: Trx,
  jobs: Enqueuer,
  investigation: AnnouncedRun,
  { type, isRepeat, now }: { readonly type: 'issue.created' | 'issue.failed'; isRepeat: boolean; now: string },
): Promise<void> {
  await addWebhook(trx, jobs, investigation, { type, now });
  const { id: investigationId, project_id: projectId } = investigation;
  const origin = toSubscriptionOrigin(investigation.origin);
  await addEvents(trx, jobs, { type }, { projectId, origin, investigationId, isRepeat, now });
}

async function showBestAnswers(
  trx: Trx,
  ended: readonly { readonly thread_id: string | null }[],
  now: string,
): Promise<void> {
  for (const threadId of new Set(toThreadIds(ended))) await showBestAnswer(trx, threadId, now);
}

function toThreadIds(rows: readonly { readonly thread_id: string | null }[]): readonly (string | null)[] {
  return rows.map((row) => row.thread_id);
}

/** How many of the newest equal runs are looked at. */
const MOST_EQUAL = 20;

async function keepSteps(trx: Trx, runId: string, count: number): Promise<void> {
  await trx.deleteFrom('steps').where('run_id', '=', runId).where('number', '>', count).execute();
  const longer = trx.updateTable('runs').set({ step_count: count }).where('step_count', '>', count);
  await longer.where('id', '=', runId).execute();
}

async function concludeFromEqual(
  trx: Trx,
  jobs: Enqueuer,
  run: Run,
  { sha, since, model, now }: EqualConclusion & { readonly now: string },
): Promise<readonly string[]> {
  // The latest analysis, and its oldest Issue. Callers with other trust or other settings do not share an answer.
  const equal = await trx
    .selectFrom('runs')
    .innerJoin('issues', 'issues.run_id', 'runs.id')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['runs.id', 'runs.sha', 'runs.conclusion', 'runs.analysed_at', 'runs.step_count', 'issues.id as issue_id'])
    .where('runs.account_id', '=', run.accountId)
    .where('runs.project_id', '=', run.projectId)
    .where('runs.fingerprint', '=', run.fingerprint)
    .where('runs.state', '=', 'ended')
    .where('runs.analysed_at', '>=', since)
    .where('runs.sha', '=', sha)
    .where('investigations.is_trusted', '=', run.isTrusted ? 1 : 0)
    .where('investigations.settings', '=', toSettingsText(run.settings))
    .orderBy('runs.analysed_at', 'desc')
    .orderBy('issues.seq')
    .limit(MOST_EQUAL)
    .execute();
  const found = equal.find(({ conclusion }) => {
    if (conclusion === null) return false;
    const { analysis }: Conclusion = JSON.parse(conclusion);
    return analysis.model === model && !analysis.partial;
  });
  if (!found) return [];
  const { id, issue_id: sameAs, ...stored } = found;
  const issueIds = await storeConclusion(trx, jobs, run, { stored, sameAs, now });
  await copySteps(trx, id, run.id);
  return issueIds;
}

/** Copied, since the equal run's own are deleted with its last Issue. */
async function copySteps(trx: Trx, from: string, to: string): Promise<void> {
  await trx.deleteFrom('steps').where('run_id', '=', to).execute();
  const steps = trx
    .selectFrom('steps')
    .select((step) => [step.val(to).as('run_id'), 'number', 'action', 'result', 'analysis', 'created_at'])
    .where('run_id', '=', from);
  await trx
    .insertInto('steps')
    .columns(['run_id', 'number', 'action', 'result', 'analysis', 'created_at'])
    .expression(steps)
    .execute();
}

async function giveUp(
  trx: Trx,
  jobs: Enqueuer,
  run: Run | string,
  { reason, now }: { readonly reason: FailureReason; readonly now: string },
): Promise<readonly string[]> {
  const runId = typeof run === 'string' ? run : run.id;
  if (!(await endRun(trx, run))) {
    // A dead job of a run that has ended meanwhile.
    if (typeof run === 'string') return [];
    throw createLeaseLost(runId);
  }
  const attached = await listAttached(trx, runId);
  for (const [index, investigation] of attached.entries()) {
    await endInvestigation(trx, investigation.id, { state: 'gave_up', reason }, now);
    await announceIssue(trx, jobs, investigation, { type: 'issue.failed', isRepeat: index > 0, now });
  }
  await showBestAnswers(trx, attached, now);
  await enqueueUpdates(trx, jobs, toThreadIds(attached), { runAt: now });
  await enqueueSharingHeads(
    trx,
    jobs,
    attached.map(({ id }) => id),
    now,
  );
  return attached.map(({ id }) => id);
}

interface Cancellation {
  readonly id: string;
  readonly reason: FailureReason;
  /** Account id of the person who requested it; absent: the caller's own. */
  readonly by?: string | undefined;
  readonly now: string;
}

export async function storeCancellation(
  trx: Trx,
  jobs: Enqueuer,
  { id, reason, by, now }: Cancellation,
): Promise<Cancelled> {
  const row = await trx
    .selectFrom('investigations')
    .select(['id', 'run_id', 'account_id', 'project_id', 'origin', 'callback_url', 'thread_id', 'state'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return { kind: 'absent' };
  if (row.state !== 'queued' && row.state !== 'running') return { kind: 'ended' };
  const runId = row.run_id;
  // Locks the run first, as every ending does: in another order two of them would deadlock on PostgreSQL.
  const unchanged = trx.updateTable('runs').set((expression) => ({ state: expression.ref('state') }));
  await unchanged.where('id', '=', runId).execute();
  const state = reason.code === 'cancelled' ? 'cancelled' : 'gave_up';
  await endInvestigation(trx, id, { state, reason }, now);
  await announceIssue(trx, jobs, row, { type: 'issue.failed', isRepeat: false, now });
  if (state === 'cancelled') {
    const entry = { accountId: by ?? row.account_id, projectId: row.project_id };
    await writeAudit(trx, { ...entry, at: now, verb: 'investigation.cancelled', subject: id });
  }
  await showBestAnswer(trx, row.thread_id, now);
  await enqueueUpdates(trx, jobs, [row.thread_id], { runAt: now });
  await enqueueSharingHeads(trx, jobs, [id], now);
  const runEnded = (await listAttached(trx, runId)).length === 0;
  if (runEnded) {
    await endRun(trx, runId);
    await jobs.remove(trx, 'run', [runId]);
  }
  return { kind: 'cancelled', runId, runEnded };
}
