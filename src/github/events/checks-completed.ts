// Checks ended or a pull request changed: our own branch has its thread published, other commits are noted if relevant.

import type { GithubProject } from '../../core/project/index.ts';
import { createHeadId } from '../../core/thread/index.ts';
import type { NewPassingCheck } from '../../db/index.ts';
import { isOwnCheck } from '../clients/index.ts';
import { isOurBranch } from '../publish/index.ts';
import {
  type CausewayAppDeps,
  type EventHandler,
  schedulePublish,
  schedulePublishOfBranch,
  schedulePutBackOf,
} from './app-deps.ts';

const FAILED = new Set(['failure', 'timed_out', 'startup_failure', 'error']);
const PASSED = new Set(['success', 'neutral']);

/** Suites of several Apps, and statuses, that end together are looked at together. */
const SUITE_MS = 1_000;
const STATUS_MS = 3_000;
/** Its suite ends later and sends an event of its own; this is for where that is lost. */
const RUN_MS = 600_000;
/** The checks of new commits have begun by then. */
const NEXT_MS = 60_000;
/** By then GitHub lists a new pull request for its head commit. */
const OPENED_MS = 3_000;

export const onCheckSuiteCompleted: EventHandler<'check_suite.completed'> = async (deps, { payload }, signal) => {
  const { repository, check_suite: suite } = payload;
  const { head_sha: sha, head_branch, conclusion } = suite;
  const branch = head_branch ?? '';
  const project = await findCheckedProject(deps, { repositoryId: repository.id, check: { app: suite.app } }, signal);
  if (project !== null) await scheduleProofs(deps, project, null);
  if (project === null || (await areAllOurs(deps, project, [branch])) || !sha) return;
  const pullRequests = (suite.pull_requests ?? []).map(({ number }) => number);
  await noteEnd(deps, project, { head: { sha, branch }, conclusion: conclusion ?? '', pullRequests, waitMs: SUITE_MS });
};

export const onCheckRunCompleted: EventHandler<'check_run.completed'> = async (deps, { payload }, signal) => {
  const { repository, check_run: run } = payload;
  const { id: runId, name, head_sha: sha, conclusion, completed_at: at } = run;
  const branch = run.check_suite?.head_branch ?? '';
  const project = await findCheckedProject(deps, { repositoryId: repository.id, check: run }, signal);
  if (project === null || (await areAllOurs(deps, project, [branch])) || !sha || !name) return;
  if (FAILED.has(conclusion ?? '')) await noteHead(deps, project, { sha, branch }, RUN_MS);
  if (conclusion !== 'success') return;
  await notePassedCheck(deps, project, branch, { check: { app: run.app?.slug ?? '', name }, sha, at: at ?? '', runId });
};

/** Other CI reports with commit statuses, which name the branches that contain the commit. */
export const onStatus: EventHandler<'status'> = async (deps, { payload }, signal) => {
  const { repository, sha, state, context, updated_at: at, branches = [] } = payload;
  const project = await findCheckedProject(deps, { repositoryId: repository.id, check: null }, signal);
  if (project === null || !sha) return;
  await scheduleProofs(deps, project, null);
  const tips = branches.filter(({ commit }) => !commit || commit.sha === sha).map(({ name }) => name);
  if (await areAllOurs(deps, project, tips)) return;
  if (!state || state === 'pending') return;
  const names = branches.map(({ name }) => name);
  const branch = chooseBranch(project, tips, names);
  if (state === 'success' && context) {
    await notePassedCheck(deps, project, branch, { check: { app: '', name: context }, sha, at: at ?? '' });
  }
  await noteEnd(deps, project, { head: { sha, branch }, conclusion: state, pullRequests: [], waitMs: STATUS_MS });
};

export const onPullRequestChanged: EventHandler<
  | 'pull_request.opened'
  | 'pull_request.closed'
  | 'pull_request.reopened'
  | 'pull_request.synchronize'
  | 'pull_request.ready_for_review'
> = async (deps, { payload }) => {
  const { action, repository, pull_request: pull } = payload;
  // Of new commits: the head before them.
  const before = 'before' in payload ? payload.before : null;
  const project = await deps.store.findProjectOfRepository(repository.id);
  if (project === null) return;
  await schedulePutBackOf(deps, await deps.store.findPutBackOfPullRequest(project.id, pull.number));
  const thread = await deps.store.findThreadOfPullRequest(project.id, pull.number);
  if (thread !== null) await schedulePublish(deps, thread);
  // Opened and not recorded yet: its branch is known.
  else if (pull.head.repo?.id === repository.id) await schedulePublishOfBranch(deps, project, pull.head.ref);
  await scheduleProofs(deps, project, pull.number);
  if (before) await noteNextHead(deps, project, payload);
  // What failed only there no longer fails. Where its head is another's too, the look after this says so.
  if (action === 'closed')
    await deps.store.closeFailuresOfPullRequest(project.id, pull.number, deps.now().toISOString());
  // The head before new commits, or of a closed pull request, is none any more; after any other change its verdict may
  // differ.
  const sha = before ?? pull.head.sha;
  if (!sha) return;
  await noteKnownHead(deps, project, { sha, branch: pull.head.ref }, action === 'opened' ? OPENED_MS : 0);
};

/** What was proven was so onto one base branch. Of title and body nothing is read. */
export const onPullRequestEdited: EventHandler<'pull_request.edited'> = async (deps, { payload }) => {
  const { repository, pull_request: pull, changes } = payload;
  if (changes?.base === undefined) return;
  const project = await deps.store.findProjectOfRepository(repository.id);
  if (project !== null) await scheduleProofs(deps, project, pull.number);
};

/** Proofs under way may go on, and one that has ended may be out of date. */
async function scheduleProofs(
  { store, now, memory }: CausewayAppDeps,
  project: GithubProject,
  pullRequest: number | null,
): Promise<void> {
  if (memory === 'github') return;
  await store.scheduleProofs(project.id, pullRequest, now().toISOString());
}

/**
 * The end of a fork's checks names its branch and no pull request: where that branch is named like our default branch,
 * the event cannot show that a failed pull request passes now. So the head that follows a failed one is noted here, and
 * looked at when its checks end.
 */
async function noteNextHead(
  deps: CausewayAppDeps,
  project: GithubProject,
  { repository, pull_request: { head, number } }: Parameters<typeof onPullRequestChanged>[1]['payload'],
): Promise<void> {
  const isAmbiguous = head.ref === project.source.defaultBranch && head.repo?.id !== repository.id;
  if (!isAmbiguous || !head.sha) return;
  const hasFailed = await deps.store.hasRedHead(project.id, { branch: '', pullRequests: [number] });
  if (hasFailed) await noteHead(deps, project, { sha: head.sha, branch: head.ref }, NEXT_MS);
}

/** Null also for a check of our own, which tells us nothing. */
async function findCheckedProject(
  { store, clients }: CausewayAppDeps,
  { repositoryId, check }: { readonly repositoryId: number; readonly check: Parameters<typeof isOwnCheck>[1] | null },
  signal: AbortSignal,
): Promise<GithubProject | null> {
  const project = await store.findProjectOfRepository(repositoryId);
  if (project === null || check === null) return project;
  return isOwnCheck(await clients.identity(signal), check) ? null : project;
}

/** Whether the commit is only at the tips of our own branches, the threads of which are then published. */
async function areAllOurs(deps: CausewayAppDeps, project: GithubProject, tips: readonly string[]): Promise<boolean> {
  const own = await Promise.all(tips.map((branch) => schedulePublishOfBranch(deps, project, branch)));
  return own.length > 0 && own.every(Boolean);
}

/**
 * The default branch if the commit is its tip, or no branch's; else any branch that it is the tip of, people's first.
 */
function chooseBranch({ source }: GithubProject, tips: readonly string[], names: readonly string[]): string {
  if (tips.includes(source.defaultBranch)) return source.defaultBranch;
  const tip = tips.find((branch) => !isOurBranch(branch)) ?? tips[0];
  return tip ?? (names.includes(source.defaultBranch) ? source.defaultBranch : '');
}

/**
 * Remembers a pass on the default branch, to name later what lies between pass and failure. GitHub's branch of a check
 * run is not proof, since a fork may have a `main` of its own: the reader looks where the commits are. To look here
 * would be a call for every passing check.
 */
async function notePassedCheck(
  { store, redactor }: CausewayAppDeps,
  project: GithubProject,
  branch: string,
  passed: NewPassingCheck,
): Promise<void> {
  if (branch !== project.source.defaultBranch || passed.at === '') return;
  const name = await redactor.redact(passed.check.name);
  await store.recordPassingCheck(project.id, { ...passed, check: { ...passed.check, name } });
}

interface EndedChecks {
  readonly head: CompletedHead;
  readonly conclusion: string;
  readonly pullRequests: readonly number[];
  readonly waitMs: number;
}

/** Most of what ends has passed and matters to nothing: that costs a look into the store and no more. */
async function noteEnd(deps: CausewayAppDeps, project: GithubProject, ended: EndedChecks): Promise<void> {
  const { head, conclusion, waitMs } = ended;
  const isAwaited = PASSED.has(conclusion) && (await hasFailedBefore(deps, project, ended));
  if (FAILED.has(conclusion) || isAwaited) return await noteHead(deps, project, head, waitMs);
  // The last check that a head has waited for may have been cancelled.
  await noteKnownHead(deps, project, head, waitMs);
}

/**
 * On the default branch only its own open failures count: else a failing fork with a branch of that name would have
 * each push looked at.
 */
async function hasFailedBefore({ store, redactor }: CausewayAppDeps, project: GithubProject, ended: EndedChecks) {
  const { head, pullRequests } = ended;
  const isDefault = head.branch === project.source.defaultBranch;
  if (isDefault && (await store.hasOpenOnDefault(project.id))) return true;
  return await store.hasRedHead(project.id, {
    branch: isDefault ? '' : await redactor.redact(head.branch),
    pullRequests,
  });
}

interface CompletedHead {
  readonly sha: string;
  /** "" where the event names none. */
  readonly branch: string;
}

/**
 * Has the checks of a commit looked at. `waitMs`: other events about it that arrive meanwhile are covered by the same
 * look.
 */
async function noteHead(
  { store, redactor, now, memory }: CausewayAppDeps,
  project: GithubProject,
  { sha, branch }: CompletedHead,
  waitMs: number,
): Promise<void> {
  const runAt = new Date(now().getTime() + waitMs).toISOString();
  const head = {
    id: createHeadId(memory, project, sha),
    projectId: project.id,
    sha,
    branch: await redactor.redact(branch),
  };
  await store.ensureHead(head, { runAt, now: now().toISOString() });
}

/** The same for a commit that was looked at before; any other does not matter. */
async function noteKnownHead(deps: CausewayAppDeps, project: GithubProject, head: CompletedHead, waitMs: number) {
  if ((await deps.store.findHeadOfCommit(project.id, head.sha)) !== null) await noteHead(deps, project, head, waitMs);
}
