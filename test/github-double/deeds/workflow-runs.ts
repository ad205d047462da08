// What happens to runs of GitHub Actions: they begin with their jobs, jobs end one by one, and people run them again.
import { branchSha } from '../git/read-objects.ts';
import { fullName, timestamp } from '../lookup.ts';
import { gravest, runBody, workflowBody } from '../resources/workflow.ts';
import type { Repository, State } from '../state.ts';
import type { CheckRun, RunEnd, WorkflowJob, WorkflowRun } from '../state-checks.ts';
import { announce } from './announce.ts';
import { addCheckRun, changeCheckRun, makeSuite, tellSuite } from './check-suites.ts';

export interface NewRun {
  readonly appId: number;
  readonly sha: string;
  readonly branch: string;
  readonly headRepositoryId: number;
  readonly workflow: string;
  readonly event: string;
  readonly actorId: number;
  readonly jobs: readonly string[];
  /** When it began; default now. */
  readonly at?: string;
}

/** A run with a suite of its own whose jobs are in progress. */
export async function startRun(state: State, repository: Repository, made: NewRun): Promise<WorkflowRun> {
  const at = made.at ?? timestamp(state);
  const of = { appId: made.appId, sha: made.sha, branch: made.branch, pusherId: made.actorId };
  const suite = makeSuite(state, repository, { ...of, isOfRun: true, at });
  const siblings = [...repository.workflowRuns.values()].filter(({ name }) => name === made.workflow);
  const file = made.workflow.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const run: WorkflowRun = {
    id: state.nextId(),
    suiteId: suite.id,
    workflowId: siblings[0]?.workflowId ?? state.nextId(),
    name: made.workflow,
    path: `.github/workflows/${file}.yml`,
    event: made.event,
    headSha: made.sha,
    headBranch: made.branch,
    headRepositoryId: made.headRepositoryId,
    number: siblings.length + 1,
    actorId: made.actorId,
    triggeredById: made.actorId,
    createdAt: at,
    updatedAt: at,
    startedAt: at,
    status: 'in_progress',
    conclusion: null,
    attempts: [[]],
  };
  repository.workflowRuns.set(run.id, run);
  await tellRun(state, repository, run, 'requested');
  for (const name of made.jobs) await startJob(state, repository, run, { name, at });
  return run;
}

async function startJob(
  state: State,
  repository: Repository,
  run: WorkflowRun,
  { name, at }: { readonly name: string; readonly at: string },
): Promise<void> {
  const id = state.nextId();
  const appId = repository.suites.get(run.suiteId)?.appId ?? 0;
  const attempt = run.attempts.length;
  const started = { attempt, startedAt: at, completedAt: null };
  run.attempts.at(-1)?.push({ id, name, ...started, conclusion: null, failedStep: '', log: '' });
  await addCheckRun(state, repository, {
    ...{ id, appId, name, headSha: run.headSha, suiteId: run.suiteId, branch: run.headBranch },
    status: 'in_progress',
    startedAt: at,
    detailsUrl: `${state.urls.web}/${fullName(state, repository)}/actions/runs/${run.id}/job/${id}`,
    senderId: run.triggeredById,
  });
}

export interface JobEnd extends Pick<WorkflowJob, 'failedStep' | 'log'> {
  readonly conclusion: NonNullable<WorkflowJob['conclusion']>;
  readonly annotations: CheckRun['annotations'];
  readonly output: CheckRun['output'];
  readonly at?: string;
}

/** The job's check run is done with it; with the last job the suite and the run are done as well. */
export async function finishJob(
  state: State,
  repository: Repository,
  of: { readonly run: WorkflowRun; readonly job: WorkflowJob },
  end: JobEnd,
): Promise<void> {
  const { run, job } = of;
  const check = repository.checkRuns.get(job.id);
  if (check === undefined) throw new Error(`The job ${job.name} has no check run.`);
  const at = end.at ?? timestamp(state);
  const { annotations, conclusion, failedStep, log, output } = end;
  Object.assign(job, { conclusion, failedStep, log, completedAt: at });
  const jobs = run.attempts.at(-1) ?? [];
  const isLast = jobs.every((one) => one.conclusion !== null);
  run.updatedAt = at;
  if (isLast) Object.assign(run, { status: 'completed', conclusion: gravest(jobs) });
  const done = { status: 'completed', conclusion, completedAt: at, annotations, output } as const;
  await changeCheckRun(state, repository, check, { ...done, senderId: run.triggeredById });
  if (isLast) await tellRun(state, repository, run, 'completed');
}

/** A run that ends before any job begins. */
export async function endWithoutJobs(
  state: State,
  repository: Repository,
  run: WorkflowRun,
  conclusion: RunEnd,
): Promise<void> {
  const suite = repository.suites.get(run.suiteId);
  if (suite === undefined || run.attempts.flat().length > 0) throw new Error('This run has jobs.');
  suite.withoutJobs = conclusion;
  Object.assign(run, { status: 'completed', conclusion });
  await tellSuite(state, repository, suite, { action: 'completed', senderId: run.triggeredById });
  await tellRun(state, repository, run, 'completed');
}

/** A further attempt at the same commit with new check runs in the same suite; jobs that are not named stay as they were. */
export async function rerun(
  state: State,
  repository: Repository,
  run: WorkflowRun,
  again: { readonly jobs: readonly string[]; readonly byId: number; readonly at?: string },
): Promise<void> {
  if (run.status !== 'completed') throw new Error('This workflow is already running.');
  const last = run.attempts.at(-1) ?? [];
  const at = again.at ?? timestamp(state);
  run.attempts.push(last.filter(({ name }) => !again.jobs.includes(name)));
  const anew = { status: 'in_progress', conclusion: null, startedAt: at, updatedAt: at, triggeredById: again.byId };
  Object.assign(run, anew);
  const suite = repository.suites.get(run.suiteId);
  if (suite !== undefined) suite.withoutJobs = null;
  await tellRun(state, repository, run, 'requested');
  for (const name of again.jobs) await startJob(state, repository, run, { name, at });
}

async function tellRun(state: State, repository: Repository, run: WorkflowRun, action: string): Promise<void> {
  const parts = {
    workflow_run: await runBody(state, repository, { run, number: run.attempts.length }),
    workflow: workflowBody(state, repository, run),
  };
  announce(state, repository, { event: 'workflow_run', action, parts, senderId: run.triggeredById });
}

export interface HeadOf {
  readonly branch: string;
  readonly repository: Repository;
  /** Whether the commit came with a fork's pull request. */
  readonly isOfFork: boolean;
}

/** Where a commit is the head: the newest pull request from a fork, else the branch that stands there. */
export async function headOf(state: State, repository: Repository, sha: string): Promise<HeadOf | null> {
  for (const { pull } of [...repository.issues.values()].reverse()) {
    if (pull === null || pull.headSha !== sha || pull.headRepositoryId === repository.id) continue;
    const fork = state.repositories.get(pull.headRepositoryId) ?? repository;
    return { branch: pull.headRef, repository: fork, isOfFork: true };
  }
  for (const { pull } of repository.issues.values()) {
    if (pull?.headSha === sha && (await branchSha(repository.gitDir, pull.headRef)) === sha) {
      return { branch: pull.headRef, repository, isOfFork: false };
    }
  }
  return null;
}
