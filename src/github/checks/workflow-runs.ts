// Runs of GitHub Actions at a commit: what started each of them, who did, and which of them say something of the commit.
import { type GithubUser, userOf } from '../events/payloads.ts';
import { type Asking, ask, askPages, unlessClosed } from './ask.ts';

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
  /** Whoever pushed, where a push started it. */
  readonly actor: GithubUser;
}

/** By repository and commit. */
export type RunMemory = Map<string, readonly WorkflowRun[]>;

const PAGE = 100;
const MOST_PAGES = 5;
const MOST_REMEMBERED = 500;

/** A call for each 100 runs. Empty where we may not read them. Throws GithubFailure. */
export async function workflowRuns(asking: Asking, sha: string): Promise<readonly WorkflowRun[]> {
  const found = await unlessClosed(
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
    actor: userOf(run.actor),
  }));
  remember(asking, sha, runs);
  return runs;
}

/** As they were asked for last; null: they never were, or long ago. Others may have begun since. */
export function rememberedRuns(asking: Asking, sha: string): readonly WorkflowRun[] | null {
  return asking.runs.get(keyOf(asking, sha)) ?? null;
}

function remember(asking: Asking, sha: string, runs: readonly WorkflowRun[]): void {
  const key = keyOf(asking, sha);
  asking.runs.delete(key);
  asking.runs.set(key, runs);
  const [oldest] = asking.runs.keys();
  if (asking.runs.size > MOST_REMEMBERED && oldest !== undefined) asking.runs.delete(oldest);
}

function keyOf({ project }: Asking, sha: string): string {
  return `${project.source.repositoryId} ${sha}`;
}

/**
 * What tests a commit, and is started by whoever may push it. All else runs at a commit that it does not test: anybody's comment on an issue
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
export function testingRuns(asking: Asking, runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
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
