// The handler of the `run` jobs: opens the source, gathers the facts, asks the model where there is one, and concludes, gives up or waits.
import { rankRange } from '../ci/rank-commits.ts';
import { type AskRoom, describeSpace } from '../core/disk.ts';
import { CausewayError, endReason, isOutOfSpace } from '../core/errors.ts';
import type { SourcedStep } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import type { Lexicons } from '../core/lexicon.ts';
import { ModelUnavailable } from '../core/model.ts';
import { isGithubProject, type Project } from '../core/project.ts';
import type { ClaimedJob, JobHandler, JobResult } from '../core/queue.ts';
import { createFailureReason, describeForOperator, type FailureReason, type WaitCode } from '../core/reason.ts';
import { type Repository, type Source, SourceBusy } from '../core/source.ts';
import type { Run, Store } from '../db/store.ts';
import { addLogContext, type Log } from '../log.ts';
import type { Redactor } from '../redact/redactor.ts';
import { gatherFacts } from '../triage/facts.ts';
import { concludeFromFacts } from '../triage/facts-only.ts';
import { askInvestigator, type Sources } from './ask-investigator.ts';
import type { Changes } from './changes.ts';
import { readFailedCheck } from './checks/failed-check-of.ts';
import { type Investigator, withModelNamed } from './investigator.ts';
import { type GatheredFacts, recordedFacts, recordFacts } from './run-records.ts';
import { cleanRepository, createRunRedactor } from './run-redaction.ts';

export interface RunInvestigationDeps extends InvestigateDeps {
  /** While it says so no run begins or asks the model; what was accepted is kept. */
  readonly paused: () => boolean;
  /** While it names a shortage no run begins: a fetch would fail, and the run with it. */
  readonly room: AskRoom;
  /** Whether a run waits where the disk is full. False: it fails and says so, as for a person at a terminal. */
  readonly waitsForSpace: boolean;
  /** Called when a run waits for the model, for its source or for disk space. `detail` is for the operator alone. */
  readonly onWait: (wait: { readonly until: Date; readonly code: WaitCode; readonly detail: string }) => void;
}

/** What concluding may take beyond the time for investigating: a model at the end of its time still leaves a result. */
const ENDING_MS = 180_000;

/** How soon a run that may not begin is tried again: while the service is paused, or its disk is full. */
const PAUSED_MS = 15_000;

/** How soon a run that filled the disk is tried again. What it fetched was removed, so free space alone does not say that it fits now. */
const NO_SPACE_MS = 15 * 60_000;

/** Failures that no second try can mend; everything else is tried again by the queue. */
const FINAL = new Set(['revision_not_found', 'repository_empty', 'access_lost']);

export function createRunHandler(deps: RunInvestigationDeps): JobHandler {
  return {
    handle: async (job, signal) => {
      if (deps.paused()) return laterBy(deps, PAUSED_MS);
      const shortage = deps.waitsForSpace ? await deps.room() : null;
      if (shortage !== null) {
        const later = laterBy(deps, PAUSED_MS);
        deps.onWait({ until: new Date(later.runAt), code: 'disk_full', detail: describeSpace(shortage) });
        return later;
      }
      const run = await deps.store.startRun(job.subject, deps.now().toISOString());
      if (run === null) return { kind: 'done' };
      addLogContext({ investigation: run.investigationId });
      deps.changes.notify(run.id);
      const result = await runToItsEnd(deps, run, signal);
      announce(deps, run.id);
      return result;
    },
    dead: async (job: ClaimedJob, error: unknown) => {
      deps.log.error({ err: error, job: job.id, run: job.subject }, 'investigation failed for good');
      await deps.store.giveUp(job.subject, await spokenReason(deps, error), deps.now().toISOString());
      announce(deps, job.subject);
    },
  };
}

async function runToItsEnd(deps: RunInvestigationDeps, run: Run, signal: AbortSignal): Promise<JobResult> {
  const timeout = AbortSignal.timeout(deps.timeoutMs + (deps.investigator === null ? 0 : ENDING_MS));
  try {
    await investigate(deps, run, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    const deferred = deferredBy(deps, run, error);
    if (deferred !== null) return deferred;
    const reason = timeout.aborted ? tookTooLong(deps.timeoutMs) : error;
    if (!timeout.aborted && !(error instanceof CausewayError && FINAL.has(error.code))) throw error;
    deps.log.warn({ run: run.id, err: reason }, 'the investigation gave up');
    await deps.store.giveUp(run, await spokenReason(deps, reason), deps.now().toISOString());
  }
  return { kind: 'done' };
}

/** Its facts and turns are kept, and it continues from them later. Null: waiting does not help. */
function deferredBy(deps: RunInvestigationDeps, run: Run, error: unknown): JobResult | null {
  if (error instanceof ModelUnavailable || error instanceof SourceBusy) return laterThan(deps, run, error);
  return deps.waitsForSpace && isOutOfSpace(error) ? laterForSpace(deps, run, error) : null;
}

/** Nobody else tells the operator why nothing happens meanwhile. */
function laterThan({ log, onWait }: RunInvestigationDeps, run: Run, error: ModelUnavailable | SourceBusy): JobResult {
  const { message, retryAt } = error;
  const code = error instanceof ModelUnavailable ? 'model_unavailable' : 'repository_unreachable';
  const runAt = retryAt.toISOString();
  // The first one tells the operator; the same again every few seconds tells nothing more.
  const level = run.generation <= 1 ? 'warn' : 'debug';
  log[level]({ run: run.id, runAt, reason: message }, 'investigation deferred');
  onWait({ until: retryAt, code, detail: message });
  return { kind: 'later', runAt };
}

function laterForSpace(deps: RunInvestigationDeps, run: Run, error: unknown): JobResult {
  const later = laterBy(deps, NO_SPACE_MS);
  const detail = error instanceof Error ? error.message : '';
  deps.log.warn(
    { run: run.id, runAt: later.runAt, err: error },
    'investigation deferred: no space left on the disk of DATA_DIR',
  );
  deps.onWait({ until: new Date(later.runAt), code: 'disk_full', detail });
  return later;
}

function laterBy({ now }: Pick<RunInvestigationDeps, 'now'>, ms: number): { kind: 'later'; runAt: string } {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}

/** The error's own words, which may quote the repository, git or a path, are for the operator; a revision may still hold what is secret. */
async function spokenReason(deps: RunInvestigationDeps, error: unknown): Promise<FailureReason> {
  const reason = endReason(error);
  const detail = error instanceof CausewayError ? await deps.redactor.redact(error.message) : '';
  deps.onTrouble?.(describeForOperator(reason, detail));
  return await deps.redactor.redactJson(createFailureReason(reason));
}

/** Those who wait look again, and the webhooks that the end has caused are sent. */
function announce(deps: RunInvestigationDeps, runId: string): void {
  deps.changes.notify(runId);
}

function tookTooLong(timeoutMs: number): CausewayError {
  const seconds = timeoutMs / 1_000;
  return new CausewayError(
    'internal',
    `The investigation took longer than ${seconds} s (INVESTIGATION_TIMEOUT_S) and was stopped. Send it again with a shorter text, or raise the limit.`,
    { reason: { code: 'took_too_long', seconds } },
  );
}

export interface InvestigateDeps {
  readonly store: Store;
  readonly source: Source;
  readonly lexicons: Lexicons;
  readonly redactor: Redactor;
  readonly changes: Changes;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds that one run may investigate. */
  readonly timeoutMs: number;
  /** Null: no model is configured, and facts are all there is. */
  readonly investigator: Investigator | null;
  /** Learns what only the operator should know of a run that was cut short or gave up; it is in the log in any case. */
  readonly onTrouble?: ((text: string) => void) | undefined;
}

/** An equal report concluded within this time at the same commit by the same model is answered from: 24 h. */
const SAME_ANSWER_MS = 24 * 60 * 60 * 1_000;

/** Throws what the source throws, `revision_not_found`, `access_lost`, `lease_lost`, and `ModelUnavailable` for a run to be gone on with. */
export async function investigate(house: InvestigateDeps, run: Run, signal: AbortSignal): Promise<void> {
  const { useModel, model } = run.settings;
  const investigator = useModel && house.investigator ? withModelNamed(house.investigator, model) : null;
  const deps = { ...house, investigator, redactor: createRunRedactor(house.redactor) };
  const project = await knownProject(deps, run);
  const raw = await openSource(deps, { run, project }, signal);
  const repository = cleanRepository(raw, deps.redactor);
  if (!run.fresh && (await answeredFromEqual(deps, run, repository, signal))) return;
  const facts = (await recordedFacts(deps, run)) ?? (await gathered(deps, { run, project, repository }, signal));
  const conclusion =
    deps.investigator === null
      ? facts.conclusion
      : await withModel(deps, deps.investigator, { run, project, source: { raw, repository }, facts }, signal);
  signal.throwIfAborted();
  await deps.store.conclude(run, conclusion, deps.now().toISOString());
}

async function knownProject({ store }: InvestigateDeps, run: Run): Promise<Project> {
  const project = await store.findProject(run.projectId);
  if (project !== null) return project;
  throw new CausewayError(
    'access_lost',
    'The project is no longer known to Causeway; add it again and send the report anew.',
    { reason: { code: 'project_forgotten' } },
  );
}

/** Nobody can mend a GitHub that is away but GitHub: a report is not given up for that. */
const SOURCE_PATIENCE_MS = 60 * 60 * 1_000;

const SHORTEST_PAUSE_MS = 10_000;

async function openSource(
  { source, now }: InvestigateDeps,
  { run, project }: { readonly run: Run; readonly project: Project },
  signal: AbortSignal,
): Promise<Repository> {
  try {
    const repository = await source.open(project, signal);
    // The head of a fork is on no branch here; fetching it by its sha is waited for alike.
    if (run.revision !== '') await repository.bring(run.revision, signal);
    return repository;
  } catch (error) {
    const isAway = error instanceof CausewayError && error.code === 'repository_unreachable';
    const waited = now().getTime() - Date.parse(run.acceptedAt);
    if (!isAway || error instanceof SourceBusy || !isGithubProject(project) || waited > SOURCE_PATIENCE_MS) throw error;
    // A third of what it has waited: soon again after a hiccup, seldom in an outage.
    const retryAt = new Date(now().getTime() + Math.max(SHORTEST_PAUSE_MS, waited / 3));
    throw new SourceBusy(error.message, retryAt, { cause: error });
  }
}

/** The commit is compared, not the branch's name: an answer about code that has moved on since would be false. */
async function answeredFromEqual(
  deps: InvestigateDeps,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<boolean> {
  const sha = await repository.resolve(run.revision, signal);
  if (sha === null) return false;
  const now = deps.now();
  const since = new Date(now.getTime() - SAME_ANSWER_MS).toISOString();
  const equal = { sha, since, model: deps.investigator?.model.name ?? null };
  return (await deps.store.concludeFromEqual(run, equal, now.toISOString())).length > 0;
}

async function gathered(
  deps: InvestigateDeps,
  { run, project, repository }: { readonly run: Run; readonly project: Project; readonly repository: Repository },
  signal: AbortSignal,
): Promise<GatheredFacts> {
  const range = await deps.store.findRangeOfRun(run.id);
  const asked = { report: run.text, range, revision: run.revision, repository, lexicon: deps.lexicons.of(project) };
  const onStep = (step: SourcedStep) => recordStep(deps, run, step);
  const facts = await gatherFacts({ ...asked, rankRange, onStep, signal });
  const { conclusion, framed } = await deps.redactor.redactJson({
    conclusion: concludeFromFacts(facts, { seconds: secondsOf(deps, run) }),
    framed: facts.suspects.filter(({ isFramed }) => isFramed).map(({ file }) => file),
  });
  signal.throwIfAborted();
  // Before the facts are recorded: a run that is killed in between gathers them again.
  if (facts.likeliest !== null)
    await deps.store.saveLikeliestCommit(run, await deps.redactor.redactJson(facts.likeliest));
  if (deps.investigator === null) return { kind: 'facts', conclusion, framed, at: deps.now().toISOString() };
  const recorded = await recordFacts(deps, run, { conclusion, framed });
  await deps.store.schedulePublishOfRun(run.id, deps.now().toISOString());
  return recorded;
}

interface Known {
  readonly run: Run;
  readonly project: Project;
  readonly source: Sources;
  readonly facts: GatheredFacts;
}

async function withModel(
  deps: InvestigateDeps,
  investigator: Investigator,
  { run, project, source, facts }: Known,
  signal: AbortSignal,
): Promise<Conclusion> {
  // Whole ones: the number is told to people where it ends the run.
  const seconds = Math.max(1, Math.round(deps.timeoutMs / 1_000 - secondsOf(deps, run)));
  const failedCheck = await readFailedCheck(deps.store, run, source.repository, signal);
  const ground = { project, source, facts, failedCheck, seconds };
  const onStep = () => deps.changes.notify(run.id);
  // A wrong key or an empty account ends every run so; the operator should not have to read Issues to learn it.
  const onTrouble = (reason: string) => {
    deps.log.warn({ run: run.id, model: investigator.model.name, reason }, 'the investigation was cut short');
    deps.onTrouble?.(reason);
  };
  return await askInvestigator({ ...deps, onStep, onTrouble }, investigator, { run, ground }, signal);
}

async function recordStep(deps: InvestigateDeps, run: Run, step: SourcedStep): Promise<void> {
  await deps.store.recordStep(run, await deps.redactor.redactJson(step), deps.now().toISOString());
  deps.changes.notify(run.id);
}

function secondsOf({ now }: InvestigateDeps, run: Run): number {
  return (now().getTime() - Date.parse(run.startedAt)) / 1_000;
}
