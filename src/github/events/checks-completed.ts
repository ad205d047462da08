// Checks came to an end: the thread of our own branch looks again; of any other commit its head is noted, where that is of interest.
import type { GithubProject } from '../../core/project.ts';
import type { NotedGreen } from '../../db/store.ts';
import { isOurBranch } from '../publish/open-pull-request.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { type NotedHead, noteHead, noteKnownHead } from './note-head.ts';
import { nudge } from './nudge.ts';
import { checkRunCompleted, checkSuiteCompleted, statusCreated } from './payloads.ts';

const RED = new Set(['failure', 'timed_out', 'startup_failure', 'error']);
const GREEN = new Set(['success', 'neutral']);

/** Suites of several Apps, and statuses, that end together are looked at together. */
const SUITE_MS = 1_000;
const STATUS_MS = 3_000;
/** Its suite ends later, and is told of then; this is for where that news is lost. */
const RUN_MS = 600_000;

export const onCheckSuiteCompleted: EventHandler = async (deps, { payload }, signal) => {
  const read = checkSuiteCompleted.safeParse(payload);
  if (!read.success) return;
  const { repository, check_suite: suite } = read.data;
  const { head_sha: sha, head_branch, conclusion } = suite;
  const branch = head_branch ?? '';
  const project = await projectOfChecks(deps, { repositoryId: repository.id, appId: suite.app?.id }, signal);
  if (project === null || (await isOwn(deps, project, [branch])) || !sha) return;
  const pullRequests = (suite.pull_requests ?? []).map(({ number }) => number);
  await ended(deps, project, { head: { sha, branch }, conclusion: conclusion ?? '', pullRequests, waitMs: SUITE_MS });
};

export const onCheckRunCompleted: EventHandler = async (deps, { payload }, signal) => {
  const read = checkRunCompleted.safeParse(payload);
  if (!read.success) return;
  const { repository, check_run: run } = read.data;
  const { id: runId, name, head_sha: sha, conclusion, completed_at: at } = run;
  const branch = run.check_suite?.head_branch ?? '';
  const project = await projectOfChecks(deps, { repositoryId: repository.id, appId: run.app?.id }, signal);
  if (project === null || (await isOwn(deps, project, [branch])) || !sha || !name) return;
  if (RED.has(conclusion ?? '')) await noteHead(deps, project, { sha, branch }, RUN_MS);
  if (conclusion === 'success')
    await green(deps, project, branch, { check: { app: run.app?.slug ?? '', name }, sha, at: at ?? '', runId });
};

/** Other CI reports with commit statuses; they name branches that hold the commit. */
export const onStatus: EventHandler = async (deps, { payload }, signal) => {
  const read = statusCreated.safeParse(payload);
  if (!read.success) return;
  const { repository, sha, state, context, updated_at: at, branches } = read.data;
  const project = await projectOfChecks(deps, { repositoryId: repository.id, appId: undefined }, signal);
  if (project === null || !sha) return;
  const tips = branches.filter(({ commit }) => !commit || commit.sha === sha).map(({ name }) => name);
  if (await isOwn(deps, project, tips)) return;
  if (!state || state === 'pending') return;
  const holders = branches.map(({ name }) => name);
  const branch = branchOf(project, tips, holders);
  if (state === 'success' && context)
    await green(deps, project, branch, { check: { app: '', name: context }, sha, at: at ?? '' });
  await ended(deps, project, { head: { sha, branch }, conclusion: state, pullRequests: [], waitMs: STATUS_MS });
};

/** Null too where our own App has checked: that says nothing that we do not know. */
async function projectOfChecks(
  { store, clients }: CausewayAppDeps,
  { repositoryId, appId }: { readonly repositoryId: number; readonly appId: number | undefined },
  signal: AbortSignal,
): Promise<GithubProject | null> {
  const project = await store.projectOfRepository(repositoryId);
  if (project === null || appId === undefined) return project;
  return appId === (await clients.identity(signal)).appId ? null : project;
}

/** At the tips of our own branches alone it is their pull requests that are looked after, and nothing else. */
async function isOwn(deps: CausewayAppDeps, project: GithubProject, tips: readonly string[]): Promise<boolean> {
  const own = await Promise.all(tips.map((branch) => isKnownOwn(deps, project, branch)));
  return own.length > 0 && own.every(Boolean);
}

/** A fork may call its branches as we call ours: those that we made have a thread. */
async function isKnownOwn(deps: CausewayAppDeps, project: GithubProject, branch: string): Promise<boolean> {
  if (!isOurBranch(branch)) return false;
  const thread = await deps.store.threadOfBranch(project.id, branch);
  await nudge(deps, thread);
  return thread !== null;
}

/** The default branch where the commit stands at its tip, or at none any more; else any that it is the tip of, people's first. */
function branchOf({ source }: GithubProject, tips: readonly string[], holders: readonly string[]): string {
  if (tips.includes(source.defaultBranch)) return source.defaultBranch;
  const tip = tips.find((branch) => !isOurBranch(branch)) ?? tips[0];
  return tip ?? (holders.includes(source.defaultBranch) ? source.defaultBranch : '');
}

/**
 * To name later what lies between green and red. GitHub's word for the branch of a check run is not proof: a fork may have a `main` of its
 * own. So whoever reads them looks where they stand; to look here would be a call for every green check of the default branch.
 */
async function green(
  { store, redactor }: CausewayAppDeps,
  project: GithubProject,
  branch: string,
  seen: NotedGreen,
): Promise<void> {
  if (branch === project.source.defaultBranch && seen.at !== '') {
    const name = await redactor.redact(seen.check.name);
    await store.noteGreen(project.id, { ...seen, check: { ...seen.check, name } });
  }
}

interface Ended {
  readonly head: NotedHead;
  readonly conclusion: string;
  readonly pullRequests: readonly number[];
  readonly waitMs: number;
}

/** Most of what ends is green, and of no interest: it costs a look into the store and no more. */
async function ended(deps: CausewayAppDeps, project: GithubProject, told: Ended): Promise<void> {
  const { head, conclusion, waitMs } = told;
  if (RED.has(conclusion)) return await noteHead(deps, project, head, waitMs);
  const isAwaited = GREEN.has(conclusion) && (await wasRed(deps, project, told));
  if (isAwaited) return await noteHead(deps, project, head, waitMs);
  // The last that a head has waited for may have been cancelled.
  await noteKnownHead(deps, project, head, waitMs);
}

/** Of the default branch only what is open there counts: a red fork that calls its own branch the same would have each green push looked at. */
async function wasRed({ store, redactor }: CausewayAppDeps, project: GithubProject, told: Ended): Promise<boolean> {
  const { head, pullRequests } = told;
  const isDefault = head.branch === project.source.defaultBranch;
  if (isDefault && (await store.hasOpenOnDefault(project.id))) return true;
  return await store.hasRed(project.id, { branch: isDefault ? '' : await redactor.redact(head.branch), pullRequests });
}
