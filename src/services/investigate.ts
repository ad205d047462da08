// One run from the open source to its conclusion: facts first, then the model where there is one.
import { CausewayError } from '../core/errors.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import type { Lexicons } from '../core/lexicon.ts';
import { isGithubProject, type Project } from '../core/project.ts';
import { type Repository, type Source, SourceBusy } from '../core/source.ts';
import type { AgentStore, FailureStore, InvestigationStore, ProjectStore, Run, ThreadStore } from '../db/store.ts';
import type { Log } from '../log.ts';

import type { Redactor } from '../redact/redactor.ts';
import { gatherFacts } from '../triage/facts.ts';
import { concludeFromFacts } from '../triage/facts-only.ts';
import { askInvestigator, type Sources } from './ask-investigator.ts';
import type { Changes } from './changes.ts';
import { type FailedCheckStore, failedCheckOf } from './checks/failed-check-of.ts';
import { cleanRepository } from './clean-source.ts';
import { type Investigator, withModelNamed } from './investigator.ts';
import { type GatheredFacts, recordedFacts, recordFacts } from './run-records.ts';
import { createRunRedactor } from './run-redactor.ts';

export interface InvestigateDeps {
  readonly store: InvestigationStore &
    AgentStore &
    Pick<ProjectStore, 'project'> &
    Pick<FailureStore, 'rangeOfRun' | 'saveLikeliest'> &
    FailedCheckStore &
    Pick<ThreadStore, 'nudgeThreadsOfRun'>;
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
  const project = await store.project(run.projectId);
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
  const range = await deps.store.rangeOfRun(run.id);
  const asked = { report: run.text, range, revision: run.revision, repository, lexicon: deps.lexicons.of(project) };
  const onStep = (step: InvestigationStep) => recordStep(deps, run, step);
  const facts = await gatherFacts({ ...asked, onStep, signal });
  const { conclusion, framed } = await deps.redactor.redactJson({
    conclusion: concludeFromFacts(facts, { seconds: secondsOf(deps, run) }),
    framed: facts.suspects.filter(({ isFramed }) => isFramed).map(({ file }) => file),
  });
  signal.throwIfAborted();
  // Before the facts are recorded: a run that is killed in between gathers them again.
  if (facts.likeliest !== null) await deps.store.saveLikeliest(run, await deps.redactor.redactJson(facts.likeliest));
  if (deps.investigator === null) return { kind: 'facts', conclusion, framed, at: deps.now().toISOString() };
  const recorded = await recordFacts(deps, run, { conclusion, framed });
  await deps.store.nudgeThreadsOfRun(run.id, deps.now().toISOString());
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
  const failedCheck = await failedCheckOf(deps.store, run, source.repository, signal);
  const ground = { project, source, facts, failedCheck, seconds };
  const onStep = () => deps.changes.notify(run.id);
  // A wrong key or an empty account ends every run so; the operator should not have to read Issues to learn it.
  const onTrouble = (reason: string) => {
    deps.log.warn({ run: run.id, model: investigator.model.name, reason }, 'the investigation was cut short');
    deps.onTrouble?.(reason);
  };
  return await askInvestigator({ ...deps, onStep, onTrouble }, investigator, { run, ground }, signal);
}

async function recordStep(deps: InvestigateDeps, run: Run, step: InvestigationStep): Promise<void> {
  await deps.store.recordStep(run, await deps.redactor.redactJson(step), deps.now().toISOString());
  deps.changes.notify(run.id);
}

function secondsOf({ now }: InvestigateDeps, run: Run): number {
  return (now().getTime() - Date.parse(run.startedAt)) / 1_000;
}
