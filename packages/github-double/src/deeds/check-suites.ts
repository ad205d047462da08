// What changes checks: suites, runs of Actions, statuses.

import { branchSha, isReachable, listRefs, type Ref } from '../git/read-objects.ts';
import { covers, fullName, timestamp } from '../lookup.ts';
import {
  checkRunBody,
  checkSuiteBody,
  gravest,
  latestOfSuite,
  runBody,
  statusBody,
  suiteOutcome,
  workflowBody,
} from '../resources/check.ts';
import { commitBody } from '../resources/repository.ts';
import type {
  ActionsRun,
  CheckRun,
  CheckSuite,
  CommitStatus,
  GithubRepository,
  PendingJob,
  State,
  WorkflowJob,
} from '../state.ts';
import { listDependents } from '../workflow-jobs.ts';
import { announce, touch } from './issues.ts';

/** After a push GitHub makes a suite for every App that may write checks, and asks it to begin. */
export async function requestSuites(
  state: State,
  repository: GithubRepository,
  head: { readonly sha: string; readonly branch: string; readonly byId: number },
): Promise<void> {
  for (const installation of state.installations.values()) {
    if (!covers(installation, repository) || installation.permissions['checks'] !== 'write') continue;
    if (installation.suspendedAt !== null) continue;
    const of = { appId: installation.appId, sha: head.sha, branch: head.branch, pusherId: head.byId };
    const suite = suiteFor(state, repository, of);
    const what = { event: 'check_suite', action: 'requested', senderId: head.byId, onlyAppId: installation.appId };
    announce(state, repository, { ...what, parts: { check_suite: await checkSuiteBody(state, repository, suite) } });
  }
}

interface SuiteOf {
  readonly appId: number;
  readonly sha: string;
  readonly branch: string | null;
  readonly pusherId: number | null;
}

/** The App's suite of that commit, made where there is none. Those of runs of GitHub Actions are never shared. */
function suiteFor(state: State, repository: GithubRepository, of: SuiteOf): CheckSuite {
  const found = [...repository.suites.values()].find(
    (one) => !one.isOfRun && one.appId === of.appId && one.headSha === of.sha,
  );
  return found ?? makeSuite(state, repository, { ...of, isOfRun: false });
}

function makeSuite(
  state: State,
  repository: GithubRepository,
  { appId, sha, branch, ...more }: SuiteOf & { readonly isOfRun: boolean; readonly at?: string },
): CheckSuite {
  const { isOfRun, pusherId, at = timestamp(state) } = more;
  const shared = { appId, isOfRun, pusherId, createdAt: at, updatedAt: at };
  const suite: CheckSuite = { id: state.nextId(), headSha: sha, headBranch: branch, ...shared };
  repository.suites.set(suite.id, suite);
  return suite;
}

type NewCheckRun = Pick<CheckRun, 'appId' | 'headSha' | 'name'> & Partial<CheckRun>;

export async function addCheckRun(
  state: State,
  repository: GithubRepository,
  made: NewCheckRun & { readonly branch: string | null; readonly senderId: number },
): Promise<CheckRun> {
  const { branch, senderId, ...given } = made;
  const pusherId = repository.pushers.get(made.headSha) ?? null;
  const of = { appId: made.appId, sha: made.headSha, branch, pusherId };
  const run: CheckRun = {
    id: state.nextId(),
    suiteId: made.suiteId ?? suiteFor(state, repository, of).id,
    status: 'queued',
    conclusion: null,
    externalId: '',
    detailsUrl: null,
    startedAt: timestamp(state),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
    ...given,
  };
  repository.checkRuns.set(run.id, run);
  await tellCheckRun(state, repository, run, { action: 'created', senderId });
  await afterCompletion(state, repository, run, senderId);
  return run;
}

export async function changeCheckRun(
  state: State,
  repository: GithubRepository,
  run: CheckRun,
  change: Partial<CheckRun> & { readonly senderId: number },
): Promise<void> {
  const { senderId, ...fields } = change;
  const wasDone = run.status === 'completed';
  Object.assign(run, fields);
  // Whoever begins anew takes back how it had ended.
  if (run.status !== 'completed') Object.assign(run, { conclusion: null, completedAt: null });
  if (!wasDone) await afterCompletion(state, repository, run, senderId);
}

/** A run that is done is announced; so is its suite when it was the last one. */
async function afterCompletion(
  state: State,
  repository: GithubRepository,
  run: CheckRun,
  senderId: number,
): Promise<void> {
  if (run.status !== 'completed') return;
  run.completedAt ??= timestamp(state);
  await tellCheckRun(state, repository, run, { action: 'completed', senderId });
  const suite = repository.suites.get(run.suiteId);
  if (suite === undefined) return;
  touch(state, suite);
  if (suiteOutcome(latestOfSuite(repository, suite)).status !== 'completed') return;
  await tellSuite(state, repository, suite, { action: 'completed', senderId: suite.pusherId ?? senderId });
}

interface SuiteNews {
  readonly action: 'completed' | 'rerequested';
  readonly senderId: number;
}

/** All Apps hear that a suite is done; only its own hears that somebody wants it again. */
export async function tellSuite(
  state: State,
  repository: GithubRepository,
  suite: CheckSuite,
  { action, senderId }: SuiteNews,
): Promise<void> {
  const parts = { check_suite: await checkSuiteBody(state, repository, suite) };
  const only = action === 'rerequested' ? { onlyAppId: suite.appId } : {};
  announce(state, repository, { event: 'check_suite', action, parts, senderId, ...only });
}

interface CheckNews {
  readonly action: 'created' | 'completed' | 'rerequested' | 'requested_action';
  readonly senderId: number;
  /** Of `requested_action`. */
  readonly identifier?: string;
}

/** All Apps hear of runs that are made and done; only its own App hears that somebody pressed its buttons. */
export async function tellCheckRun(
  state: State,
  repository: GithubRepository,
  run: CheckRun,
  news: CheckNews,
): Promise<void> {
  const suite = repository.suites.get(run.suiteId);
  if (suite === undefined) return;
  const { head_commit, repository: _, ...short } = await checkSuiteBody(state, repository, suite);
  const pressed = news.action === 'rerequested' || news.action === 'requested_action';
  announce(state, repository, {
    event: 'check_run',
    action: news.action,
    senderId: news.senderId,
    parts: {
      check_run: { ...checkRunBody(state, repository, run), check_suite: { ...short, repository: undefined } },
      ...(news.identifier === undefined ? {} : { requested_action: { identifier: news.identifier } }),
    },
    ...(pressed ? { onlyAppId: run.appId } : {}),
  });
}

const MOST_BRANCHES = 10;

/** One more status of its context: earlier ones stay, the newest counts. */
export async function addStatus(state: State, found: GithubRepository, status: CommitStatus): Promise<CommitStatus> {
  found.statuses.push(status);
  const branches = await holders(found, status.sha);
  const api = `${state.urls.api}/repos/${fullName(state, found)}/commits`;
  const parts = {
    ...statusBody(state, found, status),
    sha: status.sha,
    name: fullName(state, found),
    commit: await commitBody(state, found, status.sha),
    branches: branches.map(({ name, sha }) => ({
      name: name.slice('refs/heads/'.length),
      commit: { sha, url: `${api}/${sha}` },
      protected: false,
    })),
  };
  announce(state, found, { event: 'status', action: null, parts, senderId: status.creatorId });
  return status;
}

/** Those that contain the commit, at their tip or not; GitHub names ten of them at most. */
async function holders({ gitDir }: GithubRepository, sha: string): Promise<readonly Ref[]> {
  const holding: Ref[] = [];
  for (const ref of await listRefs(gitDir, 'refs/heads/')) {
    if (holding.length < MOST_BRANCHES && (await isReachable(gitDir, sha, ref.sha))) holding.push(ref);
  }
  return holding;
}

interface NewRun {
  readonly appId: number;
  readonly sha: string;
  readonly branch: string;
  readonly headRepositoryId: number;
  readonly workflow: string;
  /** Of its file; default by its name. */
  readonly path?: string;
  readonly event: string;
  readonly actorId: number;
  readonly jobs: readonly string[];
  /** Those that wait for others. */
  readonly pending?: readonly PendingJob[];
  /** When it began; default now. */
  readonly at?: string;
}

/** A run with a suite of its own whose jobs are in progress. */
export async function startRun(state: State, repository: GithubRepository, made: NewRun): Promise<ActionsRun> {
  const at = made.at ?? timestamp(state);
  const of = { appId: made.appId, sha: made.sha, branch: made.branch, pusherId: made.actorId };
  const suite = makeSuite(state, repository, { ...of, isOfRun: true, at });
  const siblings = [...repository.workflowRuns.values()].filter(({ name }) => name === made.workflow);
  const file = made.workflow.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const run: ActionsRun = {
    id: state.nextId(),
    suiteId: suite.id,
    workflowId: siblings[0]?.workflowId ?? state.nextId(),
    name: made.workflow,
    path: made.path ?? `.github/workflows/${file}.yml`,
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
    pending: made.pending ?? [],
    heldAttempts: new Set(),
    artifacts: [],
  };
  repository.workflowRuns.set(run.id, run);
  await tellRun(state, repository, run, 'requested');
  for (const name of made.jobs) await startJob(state, repository, run, { name, at });
  return run;
}

async function startJob(
  state: State,
  repository: GithubRepository,
  run: ActionsRun,
  { name, at, isSkipped = false }: { readonly name: string; readonly at: string; readonly isSkipped?: boolean },
): Promise<void> {
  const id = state.nextId();
  const appId = repository.suites.get(run.suiteId)?.appId ?? 0;
  const attempt = run.attempts.length;
  const started = { attempt, startedAt: at, completedAt: isSkipped ? at : null };
  const conclusion = isSkipped ? 'skipped' : null;
  run.attempts.at(-1)?.push({ id, name, ...started, conclusion, failedStep: '', log: '' });
  await addCheckRun(state, repository, {
    id,
    appId,
    name,
    headSha: run.headSha,
    suiteId: run.suiteId,
    branch: run.headBranch,
    status: isSkipped ? 'completed' : 'in_progress',
    conclusion,
    startedAt: at,
    detailsUrl: `${state.urls.web}/${fullName(state, repository)}/actions/runs/${run.id}/job/${id}`,
    senderId: run.triggeredById,
  });
}

export interface JobEnd extends Pick<WorkflowJob, 'failedStep' | 'log'> {
  /** Zip archives by name, which the job uploads, and says so in its log. */
  readonly artifacts?: Readonly<Record<string, Uint8Array>>;
  readonly conclusion: NonNullable<WorkflowJob['conclusion']>;
  readonly annotations: CheckRun['annotations'];
  readonly output: CheckRun['output'];
  readonly at?: string;
}

/** The job's check run is done with it; with the last job the suite and the run are done as well. */
export async function finishJob(
  state: State,
  repository: GithubRepository,
  of: { readonly run: ActionsRun; readonly job: WorkflowJob },
  end: JobEnd,
): Promise<void> {
  const { run, job } = of;
  const check = repository.checkRuns.get(job.id);
  if (check === undefined) throw new Error(`The job ${job.name} has no check run.`);
  const at = end.at ?? timestamp(state);
  const { annotations, conclusion, failedStep, output, artifacts = {} } = end;
  const uploads = Object.entries(artifacts).map(([name, archive]) => {
    const id = state.nextId();
    run.artifacts.push({ id, name, archive, createdAt: at, isExpired: false });
    return `Artifact ${name} has been successfully uploaded! Final size is ${archive.byteLength} bytes. Artifact ID is ${id}\n`;
  });
  const log = end.log === null ? null : `${end.log}${uploads.join('')}`;
  Object.assign(job, { conclusion, failedStep, log, completedAt: at });
  await startPending(state, repository, run, at);
  const jobs = run.attempts.at(-1) ?? [];
  const isLast = run.pending.length === 0 && jobs.every((one) => one.conclusion !== null);
  run.updatedAt = at;
  if (isLast) Object.assign(run, { status: 'completed', conclusion: gravest(jobs) });
  const done = { status: 'completed', conclusion, completedAt: at, annotations, output } as const;
  await changeCheckRun(state, repository, check, { ...done, senderId: run.triggeredById });
  if (isLast) await tellRun(state, repository, run, 'completed');
}

/** Whatever of it still runs ends; false where nothing does. */
export async function cancelRun(state: State, repository: GithubRepository, run: ActionsRun): Promise<boolean> {
  if (run.status === 'completed') return false;
  run.pending = [];
  const output = { title: null, summary: null, text: null };
  for (const job of run.attempts.at(-1) ?? []) {
    if (job.conclusion !== null) continue;
    const end = { conclusion: 'cancelled' as const, failedStep: '', log: '', annotations: [], output };
    await finishJob(state, repository, { run, job }, end);
  }
  return true;
}

/** Starts or skips the jobs whose needs have ended: GitHub lists a job only then. */
async function startPending(state: State, repository: GithubRepository, run: ActionsRun, at: string): Promise<void> {
  const findReady = () => {
    const last = run.attempts.at(-1) ?? [];
    const isOver = (name: string) =>
      !run.pending.some((one) => one.name === name) &&
      last.every((job) => job.name !== name || job.conclusion !== null);
    return run.pending.find(({ needs }) => needs.every(isOver));
  };
  for (let ready = findReady(); ready !== undefined; ready = findReady()) {
    const { name, needs, isAlways } = ready;
    run.pending = run.pending.filter((one) => one !== ready);
    const needed = (run.attempts.at(-1) ?? []).filter((job) => needs.includes(job.name));
    const isSkipped = !isAlways && needed.some(({ conclusion }) => conclusion !== 'success');
    await startJob(state, repository, run, { name, at, isSkipped });
  }
}

/**
 * A further attempt at the same commit with new check runs in the same suite, of the jobs that are named and of those that depend on them, as the
 * workflow's file has it; the others stay as they were.
 */
export async function rerun(
  state: State,
  repository: GithubRepository,
  run: ActionsRun,
  again: { readonly jobs: readonly string[]; readonly byId: number; readonly at?: string },
): Promise<void> {
  if (run.status !== 'completed') throw new Error('This workflow is already running.');
  const last = run.attempts.at(-1) ?? [];
  const at = again.at ?? timestamp(state);
  const names = last.map(({ name }) => name);
  const pending = await listDependents(repository, run, { jobs: again.jobs, names });
  const isAgain = (name: string) => again.jobs.includes(name) || pending.some((one) => one.name === name);
  run.attempts.push(last.filter(({ name }) => !isAgain(name)));
  run.pending = pending;
  const anew = { status: 'in_progress', conclusion: null, startedAt: at, updatedAt: at, triggeredById: again.byId };
  Object.assign(run, anew);
  await tellRun(state, repository, run, 'requested');
  const isPending = (name: string) => pending.some((one) => one.name === name);
  for (const name of again.jobs.filter((one) => !isPending(one))) await startJob(state, repository, run, { name, at });
}

/** As GitHub's "Re-run failed jobs": not those that were skipped, which follow where they depend on one that failed. */
export function listFailedJobs(run: ActionsRun): readonly string[] {
  const isFailed = ({ conclusion }: WorkflowJob) => !['success', 'neutral', 'skipped'].includes(conclusion ?? '');
  return (run.attempts.at(-1) ?? []).filter(isFailed).map(({ name }) => name);
}

async function tellRun(state: State, repository: GithubRepository, run: ActionsRun, action: string): Promise<void> {
  const parts = {
    workflow_run: await runBody(state, repository, { run, number: run.attempts.length }),
    workflow: workflowBody(state, repository, run),
  };
  announce(state, repository, { event: 'workflow_run', action, parts, senderId: run.triggeredById });
}

interface HeadOf {
  readonly branch: string;
  readonly repository: GithubRepository;
  /** Whether the commit came with a fork's pull request. */
  readonly isOfFork: boolean;
}

/** Where a commit is the head: the newest pull request from a fork, else the branch that stands there. */
export async function headOf(state: State, repository: GithubRepository, sha: string): Promise<HeadOf | null> {
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
