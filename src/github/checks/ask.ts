// Calls to GitHub about the checks and workflow runs of a project, and what their failures mean to the caller.
import type { Octokit } from '@octokit/rest';
import type { LRUCache } from 'lru-cache';
import { ChecksBusy, ChecksClosed, type ShortenLog } from '../../core/check.ts';
import { type GithubProject, getRepository } from '../../core/project.ts';
import type { InstallationStore } from '../../db/projects.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import type { ConfigurationReader } from '../configuration/read-configuration.ts';
import type { Mode } from '../configuration/repository-config.ts';
import { type GithubUser, toUser } from '../payloads.ts';
import type { GithubPermissions } from '../projects/roles.ts';

export interface ChecksDeps {
  readonly clients: Pick<GithubClients, 'identity' | 'repository'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly store: Pick<InstallationStore, 'findInstallation'>;
  /** The operator's: a repository's own mode counts only below it. */
  readonly ceiling: Mode;
  /** Name of the model that the operator offers; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly now: () => Date;
  readonly shortenLog: ShortenLog;
}

/** One question of a service, which may take several calls. */
export interface Asking {
  readonly deps: ChecksDeps;
  readonly project: GithubProject;
  readonly signal: AbortSignal;
  readonly runs: RunMemory;
}

interface Place {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
}

/** One call with the project's own token that only reads. Throws GithubFailure. */
export async function ask<T>(
  { deps, project, signal }: Asking,
  request: (octokit: Octokit, place: Place) => Promise<{ readonly data: T }>,
): Promise<T> {
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, options) => request(octokit, { ...getRepository(project), request: options }), signal);
  return data;
}

/** Pages until one is not full; `isCut`: the last one that may be read was. */
export async function askPages<T>(
  { most, size }: { readonly most: number; readonly size: number },
  read: (page: number) => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const found = await read(page);
    items.push(...found);
    if (found.length < size) return { items, isCut: false };
  }
  return { items, isCut: true };
}

/** What GitHub says where it knows no such commit, branch or pull request. */
const UNKNOWN = new Set([404, 422]);

/** Null where GitHub knows nothing by that name. */
export async function ignoreUnknown<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && UNKNOWN.has(error.status ?? 0)) return null;
    throw error;
  }
}

/** Null too where we may not ask. */
export async function ignoreClosed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && (error.kind === 'gone' || error.kind === 'refused')) return null;
    throw error;
  }
}

/** The commit at a branch's tip; null: there is no such branch. */
export async function findTip(asking: Asking, branch: string): Promise<string | null> {
  const found = await ignoreUnknown(
    ask(asking, ({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` })),
  );
  return found?.object.sha ?? null;
}

const BUSY_MS = 60_000;

const UNSURE_MS = 15_000;

/** Turns failures of GitHub into the errors of `Checks`. */
export async function toChecksErrors<T>({ now }: Pick<ChecksDeps, 'now'>, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GithubFailure)) throw error;
    const { kind, message, retryAt } = error;
    if (kind === 'gone' || kind === 'refused') throw new ChecksClosed(message, { cause: error });
    const wait = kind === 'busy' ? BUSY_MS : UNSURE_MS;
    throw new ChecksBusy(message, retryAt ?? new Date(now().getTime() + wait), { cause: error });
  }
}

/** What never changes of a run, however often it is run again. */
export interface WorkflowRun {
  /** All its jobs are check runs of this suite, and of no other run's. */
  readonly suiteId: number;
  readonly workflowId: number;
  /** What started it, such as `push`. */
  readonly event: string;
  /** A fork may call its branches what it likes. */
  readonly branch: string;
  /** Whether the commit was pushed to this repository, and not to a fork. */
  readonly isOfHere: boolean;
  /** The person who pushed, where a push started it. */
  readonly actor: GithubUser;
}

/** By repository and commit. */
export type RunMemory = LRUCache<string, readonly WorkflowRun[]>;

const PAGE = 100;

const MOST_PAGES = 5;

/** A call for each 100 runs. Empty where we may not read them. Throws GithubFailure. */
export async function readWorkflowRuns(asking: Asking, sha: string): Promise<readonly WorkflowRun[]> {
  const found = await ignoreClosed(
    askPages({ most: MOST_PAGES, size: PAGE }, async (page) => {
      const listed = await ask(asking, ({ rest }, place) =>
        rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: sha, per_page: PAGE, page }),
      );
      return listed.workflow_runs;
    }),
  );
  const runs = (found?.items ?? []).map((run) => ({
    suiteId: run.check_suite_id ?? 0,
    workflowId: run.workflow_id,
    event: run.event,
    branch: run.head_branch ?? '',
    isOfHere: run.head_repository?.id === asking.project.source.repositoryId,
    actor: toUser(run.actor),
  }));
  asking.runs.set(makeKey(asking, sha), runs);
  return runs;
}

/** As they were last read; null: never, or long ago. Others may have begun since. */
export function recallRuns(asking: Asking, sha: string): readonly WorkflowRun[] | null {
  return asking.runs.get(makeKey(asking, sha)) ?? null;
}

function makeKey({ project }: Asking, sha: string): string {
  return `${project.source.repositoryId} ${sha}`;
}

/**
 * Events that test a commit, and that only people with push access cause. Other runs do not test their commit: any comment on an issue
 * starts a run at the tip of the default branch.
 */
const TESTING = new Set([
  ...['push', 'pull_request', 'merge_group', 'schedule'],
  ...['workflow_dispatch', 'repository_dispatch', 'dynamic'],
]);

export function isTesting({ event }: Pick<WorkflowRun, 'event'>): boolean {
  return TESTING.has(event);
}

/** A pull request, and what its author starts there, has no say any more in a commit that was pushed to the default branch as it is. */
export function selectTestingRuns(asking: Asking, runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
  const isPushed = runs.some((run) => isOfDefault(asking, run));
  return runs.filter((run) => isTesting(run) && !(isPushed && run.event === 'pull_request'));
}

/** Whether somebody who may write, or GitHub's merge queue, brought the commit to the default branch. */
export function isOfDefault({ project }: Asking, { event, branch, isOfHere }: WorkflowRun): boolean {
  const { defaultBranch } = project.source;
  if (!isOfHere) return false;
  if (event === 'merge_group') return branch.startsWith(`gh-readonly-queue/${defaultBranch}/`);
  return event === 'push' && branch === defaultBranch;
}
