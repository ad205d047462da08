// The handler of the `run` jobs: opens the source, gathers the facts, asks the model where there is one, and concludes,
// gives up or waits.

import type { Repository } from 'causeway-git-objects';
import { ModelUnavailable } from 'causeway-models';
import { describeSpace, type FindShortage } from '../core/disk.ts';
import { CausewayError, findEndReason, isOutOfSpace, isStoreAway } from '../core/errors.ts';
import type { Conclusion } from '../core/issue/index.ts';
import { createPauses, LONGEST_PAUSE_MS, type Pauses } from '../core/pauses.ts';
import { findReportScopes, isGithubProject, type Project } from '../core/project/index.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import { createFailureReason, describeForOperator, type FailureReason, type WaitCode } from '../core/reason.ts';
import { SourceBusy } from '../core/source/index.ts';
import type { Run } from '../db/index.ts';
import { addLogContext } from '../log.ts';
import { concludeFromFacts, gatherFacts } from '../triage/index.ts';
import { askInvestigator, limitRun } from './ask-investigator.ts';
import { isAloneReached } from './checks/reached-alone.ts';
import { findOwnChange, listRunFindings, nameFailedCheck, readFailedCheck } from './checks/read-failed-check.ts';
import { isVeiled, listWantedContext, openContext, type RunContext, reopenContext } from './context.ts';
import { findOwnership } from './find-ownership.ts';
import type { InvestigationServices } from './investigation-services.ts';
import { selectModel } from './investigator.ts';
import { type GatheredFacts, loadFacts, saveFacts, VEILED_STEP } from './run-records.ts';
import { cleanRepository, createRunRedactor } from './run-redaction.ts';
import { type CoreServices, PAUSED_MS } from './services.ts';

/** A run that waits: for the model, for its source or for disk space. */
export interface Wait {
  readonly runId: string;
  readonly until: Date;
  readonly code: WaitCode;
  /** Only for the operator. */
  readonly detail: string;
}

export interface RunServices extends InvestigationServices {
  /** While it returns a shortage no run begins. */
  readonly room: FindShortage;
  /** Whether a run waits while the disk is full. False: it fails and says so, as for a person at a terminal. */
  readonly waitsForSpace: boolean;
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

/** What concluding may take after the time for investigating: a model at the end of its time still leaves a result. */
const ENDING_MS = 180_000;
/**
 * How soon a run that filled the disk is tried again. What it fetched was removed, so there may seem to be enough
 * space.
 */
const NO_SPACE_MS = 15 * 60_000;
/** Failures that a second try cannot repair; the queue tries again after all others. */
const FINAL = new Set(['revision_not_found', 'repository_empty', 'access_lost']);

export function createRunHandler(services: RunServices): JobHandler {
  const { store, changes, log, now } = services;
  const pauses = createPauses();
  return {
    handle: async (job, signal) => {
      const soon = new Date(now().getTime() + PAUSED_MS);
      if (services.isPaused()) return { kind: 'later', runAt: soon.toISOString() };
      const shortage = services.waitsForSpace ? await services.room() : null;
      if (shortage !== null) {
        const detail = describeSpace(shortage);
        return wait(services, { runId: job.subject, until: soon, code: 'disk_full', detail });
      }
      const run = await store.startRun(job.subject, now().toISOString());
      if (run === null) return { kind: 'done' };
      addLogContext({ investigation: run.investigationId });
      changes.notify(run.id);
      const result = await runToEnd(services, run, pauses, signal);
      changes.notify(run.id);
      return result;
    },
    dead: async (job, error) => {
      log.error({ err: error, job: job.id, run: job.subject }, 'investigation failed after the last try');
      await store.giveUp(job.subject, await describeRunFailure(services, error), now().toISOString());
      changes.notify(job.subject);
    },
  };
}

async function runToEnd(services: RunServices, run: Run, pauses: Pauses, signal: AbortSignal): Promise<JobResult> {
  const { timeoutMs, investigator, log, store, now } = services;
  const timeout = AbortSignal.timeout(timeoutMs + (investigator === null ? 0 : ENDING_MS));
  try {
    await investigateReport(services, run, AbortSignal.any([signal, timeout]), pauses);
    pauses.end(run.id);
  } catch (error) {
    if (!isUnreachable(error)) pauses.end(run.id);
    signal.throwIfAborted();
    const deferred = defer(services, run, error);
    if (deferred !== null) return deferred;
    if (!isTimeOver(error, timeout)) throw error;
    const cause = timeout.aborted ? createTimeoutError(timeoutMs) : error;
    log.warn({ run: run.id, err: cause }, 'investigation gave up');
    await store.giveUp(run, await describeRunFailure(services, cause), now().toISOString());
  }
  return { kind: 'done' };
}

/** False: the queue tries again, also where waiting for a database that is away has used up the time of the run. */
function isTimeOver(error: unknown, timeout: AbortSignal): boolean {
  if (isStoreAway(error)) return false;
  return timeout.aborted || (error instanceof CausewayError && FINAL.has(error.code));
}

/** The run keeps its facts and turns, and continues from them later. Null: waiting does not help. */
function defer(services: RunServices, run: Run, error: unknown): JobResult | null {
  const { log, now, waitsForSpace } = services;
  const runId = run.id;
  if (error instanceof ModelUnavailable || error instanceof SourceBusy) {
    const { message: detail, retryAt: until } = error;
    // The same line again every few seconds would tell the operator nothing more.
    log[run.generation <= 1 ? 'warn' : 'debug']({ run: runId, runAt: until, reason: detail }, 'investigation deferred');
    const code = error instanceof ModelUnavailable ? 'model_unavailable' : 'repository_unreachable';
    return wait(services, { runId, until, code, detail });
  }
  if (!waitsForSpace || !isOutOfSpace(error)) return null;
  const until = new Date(now().getTime() + NO_SPACE_MS);
  log.warn({ run: runId, runAt: until, err: error }, 'investigation deferred: no space left on the disk of DATA_DIR');
  return wait(services, { runId, until, code: 'disk_full', detail: error instanceof Error ? error.message : '' });
}

function wait({ onWait }: RunServices, why: Wait): JobResult {
  onWait?.(why);
  return { kind: 'later', runAt: why.until.toISOString() };
}

/** The error's own message, which may quote the repository, git or a path, is for the operator only. */
async function describeRunFailure({ redactor, onTrouble }: RunServices, error: unknown): Promise<FailureReason> {
  const reason = findEndReason(error);
  const detail = error instanceof CausewayError ? await redactor.redact(error.message) : '';
  onTrouble?.(describeForOperator(reason, detail));
  return await redactor.redactJson(createFailureReason(reason));
}

function createTimeoutError(timeoutMs: number): CausewayError {
  const seconds = timeoutMs / 1_000;
  return new CausewayError(
    'internal',
    `The investigation took longer than ${seconds} s (INVESTIGATION_TIMEOUT_S) and was stopped. Send it again with a shorter text, or raise the limit.`,
    { reason: { code: 'took_too_long', seconds } },
  );
}

/** An equal report that was concluded within this time, at the same commit and by the same model, is the answer. */
const SAME_ANSWER_MS = 24 * 60 * 60 * 1_000;

/**
 * Throws `revision_not_found`, `access_lost`, `lease_lost`, and `ModelUnavailable` or `SourceBusy` for a run that
 * continues later.
 */
export async function investigateReport(
  given: InvestigationServices,
  run: Run,
  signal: AbortSignal,
  pauses = createPauses(),
): Promise<void> {
  const { store, log, now } = given;
  const { useModel, model } = run.settings;
  const investigator = useModel && given.investigator ? selectModel(given.investigator, model) : null;
  const services = { ...given, investigator, pauses, redactor: createRunRedactor(given.redactor) };
  const project = await findRunProject(services, run);
  const raw = await openRunSource(services, run, project, signal);
  const repository = cleanRepository(raw, services.redactor);
  // The commit is compared, not the branch: an answer about code that has changed since would be wrong.
  const sha = await repository.resolve(run.revision, signal);
  const known = await loadFacts(store, run);
  const context = await readContext(services, { run, project, repository, sha, known }, signal);
  // What other repositories have now is not compared.
  if (sha !== null && !run.fresh && context.records.length === 0) {
    const since = new Date(now().getTime() - SAME_ANSWER_MS).toISOString();
    const equal = { sha, since, model: investigator?.model.name ?? null };
    if ((await store.concludeFromEqual(run, equal, now().toISOString())).length > 0) return;
  }
  const facts = known ?? (await gather(services, run, { project, repository, context }, signal));
  let conclusion: Conclusion = facts.conclusion;
  if (investigator !== null && limitRun(run, facts.conclusion.analysis.suspects) !== 0) {
    const failedCheck = await readFailedCheck(store, run, repository, signal);
    // People read the number where it ends the run.
    const seconds = Math.max(1, Math.round(services.timeoutMs / 1_000 - countSeconds(now(), run)));
    // A wrong key or an empty account ends every run; the operator should not have to learn it from Issues.
    const onTrouble = (reason: string) => {
      log.warn({ run: run.id, model: investigator.model.name, reason }, 'investigation cut short');
      services.onTrouble?.(reason);
    };
    const input = { run, project, raw, repository, facts, failedCheck, seconds, context };
    conclusion = await askInvestigator({ ...services, onTrouble }, investigator, input, signal);
  }
  const ownership = await findOwnership(conclusion, run.settings.scopes, repository, signal);
  signal.throwIfAborted();
  const owned = { ...conclusion, analysis: { ...conclusion.analysis, ownership } };
  await store.conclude(run, owned, now().toISOString());
}

const NO_CONTEXT: RunContext = { records: [], opened: [] };

interface ContextOf {
  readonly run: Run;
  readonly project: Project;
  readonly repository: Repository;
  /** Null: there is no such commit. */
  readonly sha: string | null;
  readonly known: GatheredFacts | null;
}

/** What was recorded for a run that continues, else what is wanted now. */
async function readContext(
  { context, ...services }: InvestigationServices & SourceWait,
  { run, project, repository, sha, known }: ContextOf,
  signal: AbortSignal,
): Promise<RunContext> {
  if (context === null || sha === null) return NO_CONTEXT;
  const access = { ...services, context };
  const { scopes, context: named } = run.settings;
  const own = findReportScopes(scopes, run.text).flatMap((scope) => scope.context);
  const settings = { ...run.settings, context: [...own, ...named] };
  const input = { project, settings, tree: repository.tree(sha), redactor: services.redactor };
  const recorded = known === null ? context.recorded : (known.conclusion.analysis.context ?? []);
  if (recorded !== undefined)
    return await waitForSource(services, run, project, () => reopenContext(access, input, recorded, signal));
  return await openContext(access, input, await listWantedContext(access, input, signal), signal);
}

async function findRunProject({ store }: CoreServices, run: Run): Promise<Project> {
  const project = await store.findProject(run.projectId);
  if (project !== null) return project;
  throw new CausewayError(
    'access_lost',
    'Causeway no longer knows the project; add it again and send the report again.',
    { reason: { code: 'project_forgotten' } },
  );
}

/** Only GitHub can repair an outage of GitHub: a report waits for it. */
const SOURCE_PATIENCE_MS = 60 * 60 * 1_000;
/** A fetch costs more than a call. */
const SHORTEST_WAIT_MS = 10_000;

async function openRunSource(
  services: CoreServices & SourceWait,
  run: Run,
  project: Project,
  signal: AbortSignal,
): Promise<Repository> {
  return await waitForSource(services, run, project, async () => {
    const repository = await services.source.open(project, signal);
    // The commit of a fork is on no branch here, and has to be fetched.
    if (run.revision !== '') await repository.ensureCommit(run.revision, signal);
    return repository;
  });
}

interface SourceWait {
  readonly pauses: Pauses;
}

function isUnreachable(error: unknown): error is CausewayError {
  return error instanceof CausewayError && error.code === 'repository_unreachable';
}

/** Throws SourceBusy where waiting may help. */
async function waitForSource<T>(
  { now, pauses }: Pick<CoreServices, 'now'> & SourceWait,
  run: Run,
  project: Project,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isAway = isUnreachable(error) && !isOutOfSpace(error);
    if (!isAway || error instanceof SourceBusy || !isGithubProject(project)) throw error;
    const waited = now().getTime() - Date.parse(run.acceptedAt);
    const pauseMs = pauses.next(run.id, SHORTEST_WAIT_MS);
    // One that was accepted long ago may have waited for something else.
    if (waited > SOURCE_PATIENCE_MS && pauseMs === LONGEST_PAUSE_MS) throw error;
    throw new SourceBusy(error.message, new Date(now().getTime() + pauseMs), { cause: error });
  }
}

async function gather(
  services: InvestigationServices,
  run: Run,
  { project, repository, context }: Pick<ContextOf, 'project' | 'repository'> & { readonly context: RunContext },
  signal: AbortSignal,
): Promise<GatheredFacts> {
  const { store, redactor, changes, lexicons, investigator, now } = services;
  const isCheck = (await store.findInvestigation(run.investigationId))?.origin === 'check-run';
  // The report of a check begins with what its log says.
  const read = isCheck ? { words: run.text, logs: [], text: run.text } : await services.readReport(run.text);
  signal.throwIfAborted();
  const range = await store.findRangeOfRun(run.id);
  const facts = await gatherFacts({
    report: read.text,
    words: read.words,
    logs: read.logs,
    isCheck,
    revision: run.revision,
    repository,
    lexicon: lexicons.of(project),
    signal,
    scopes: findReportScopes(run.settings.scopes, run.text),
    range,
    others: context.opened.map(({ record, repository: other }) => ({ ...record, source: other })),
    onStep: async (step) => {
      const shown = isVeiled(services, context) ? VEILED_STEP : await redactor.redactJson(step);
      await store.recordStep(run, shown, now().toISOString());
      changes.notify(run.id);
    },
  });
  const changed = isCheck ? await findOwnChange(store, run, repository, signal) : null;
  const seconds = countSeconds(now(), run);
  const stated = concludeFromFacts(facts, { seconds, isCheck, changed, context: context.records });
  // The report of a failed check is made for a reader who knows nothing of it yet.
  const failed = isCheck ? await nameFailedCheck(store, run) : '';
  const { conclusion, framed } = await redactor.redactJson({
    conclusion: failed === '' ? stated : { ...stated, problem: failed },
    framed: facts.suspects.filter(({ isFramed }) => isFramed).map(({ file }) => file),
  });
  signal.throwIfAborted();
  // Before the facts are stored: a run that is killed in between gathers them again.
  if (facts.ranking !== null && range !== null) {
    const { ranks, likeliest } = await redactor.redactJson(facts.ranking);
    const findings = await listRunFindings(store, run);
    const isAlone =
      likeliest !== null && (await isAloneReached(repository, { range, sha: likeliest.sha, findings }, signal));
    const marked = likeliest !== null && isAlone ? { ...likeliest, isAlone } : likeliest;
    await store.saveRanking(run, { ranks, likeliest: marked });
  }
  const gathered = { kind: 'facts', conclusion, framed, at: now().toISOString() } as const;
  if (investigator === null) return gathered;
  await saveFacts(store, run, gathered);
  await store.schedulePublishOfRun(run.id, now().toISOString());
  return gathered;
}

function countSeconds(now: Date, run: Run): number {
  return (now.getTime() - Date.parse(run.startedAt)) / 1_000;
}
