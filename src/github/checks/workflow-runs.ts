// What every question about a project's checks starts from, and the workflow runs that say what tested a commit.
import type { LRUCache } from 'lru-cache';
import type { ReadArtifact, ReadBuildLog, ShortenLog } from '../../core/check/index.ts';
import type { GithubProject } from '../../core/project/index.ts';
import type { InstallationStore } from '../../db/index.ts';
import {
  type GithubClients,
  type GithubUser,
  ignoreRefused,
  ignoreUnknown,
  type RepositoryCaller,
  readPages,
  toUser,
} from '../clients/index.ts';
import type { ConfigurationReader, Mode } from '../configuration/index.ts';
import type { GithubPermissions } from '../projects/index.ts';

export interface ChecksDeps {
  readonly clients: Pick<GithubClients, 'identity' | 'repository'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly store: Pick<InstallationStore, 'findInstallation'>;
  /** The operator's limit on the mode of a repository. */
  readonly ceiling: Mode;
  /** Null: no model. */
  readonly operatorModel: string | null;
  /** Models that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** Base address of the API, without a trailing slash. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of Node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly now: () => Date;
  readonly shortenLog: ShortenLog;
  readonly readArtifact: ReadArtifact;
  readonly readBuildLog: ReadBuildLog;
}

/** One question about a project, which may take several calls. */
export interface Inquiry {
  readonly deps: ChecksDeps;
  readonly project: GithubProject;
  readonly signal: AbortSignal;
  /** One call with a token that only reads. */
  readonly read: RepositoryCaller;
  readonly runs: RunCache;
}

/** The commit at a branch's tip; null: there is no such branch. */
export async function findTip({ read }: Inquiry, branch: string): Promise<string | null> {
  const found = await ignoreUnknown(read(({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` })));
  return found?.object.sha ?? null;
}

/** The facts about a run that re-runs don't change. */
export interface WorkflowRun {
  /** The check runs of this suite are all jobs of this run. */
  readonly suiteId: number;
  readonly workflowId: number;
  /** What started it, such as `push`. */
  readonly event: string;
  /** A fork may use any branch name. */
  readonly branch: string;
  /** Whether the commit was pushed to this repository, and not to a fork. */
  readonly isOwn: boolean;
  /** The person who pushed, where a push started it. */
  readonly actor: GithubUser;
}

/** By repository and commit. */
export type RunCache = LRUCache<string, readonly WorkflowRun[]>;

const MAX_PAGES = 5;

/** A call for each 100 runs. Empty where we may not read them. */
export async function readWorkflowRuns(inquiry: Inquiry, sha: string): Promise<readonly WorkflowRun[]> {
  const found = await ignoreRefused(
    readPages(MAX_PAGES, async (page) => {
      const listed = await inquiry.read(({ rest }, place) =>
        rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: sha, ...page }),
      );
      return listed.workflow_runs;
    }),
  );
  const runs = (found?.items ?? []).map((run) => ({
    suiteId: run.check_suite_id ?? 0,
    workflowId: run.workflow_id,
    event: run.event,
    branch: run.head_branch ?? '',
    isOwn: run.head_repository?.id === inquiry.project.source.repositoryId,
    actor: toUser(run.actor),
  }));
  inquiry.runs.set(getRunsKey(inquiry, sha), runs);
  return runs;
}

/** As they were last read; null: never, or long ago. Others may have started since. */
export function recallRuns(inquiry: Inquiry, sha: string): readonly WorkflowRun[] | null {
  return inquiry.runs.get(getRunsKey(inquiry, sha)) ?? null;
}

function getRunsKey({ project }: Inquiry, sha: string): string {
  return `${project.source.repositoryId} ${sha}`;
}

/**
 * Events that test a commit, and that only people with push access cause. Other runs don't test their commit: any
 * comment on an issue starts a run at the tip of the default branch.
 */
const TESTING = new Set([
  ...['push', 'pull_request', 'merge_group', 'schedule'],
  ...['workflow_dispatch', 'repository_dispatch', 'dynamic'],
]);

export function isTesting({ event }: Pick<WorkflowRun, 'event'>): boolean {
  return TESTING.has(event);
}

/** Once a commit was pushed to the default branch as it is, its pull request no longer has a say in it. */
export function selectTestingRuns(inquiry: Inquiry, runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
  const isPushed = runs.some((run) => isOfDefault(inquiry, run));
  return runs.filter((run) => isTesting(run) && !(isPushed && run.event === 'pull_request'));
}

/** Whether a person with write access, or GitHub's merge queue, brought the commit to the default branch. */
export function isOfDefault({ project }: Inquiry, { event, branch, isOwn }: WorkflowRun): boolean {
  const { defaultBranch } = project.source;
  if (!isOwn) return false;
  if (event === 'merge_group') return branch.startsWith(`gh-readonly-queue/${defaultBranch}/`);
  return event === 'push' && branch === defaultBranch;
}
