// Commits of GitHub's merge queue: their branch names the pull request that they try, and is gone as soon as it was decided.
import { type Asking, ask, tipOf, unlessClosed } from './ask.ts';

interface QueueBranch {
  readonly base: string;
  readonly number: number;
  /** What the pull request is tried on top of. */
  readonly baseSha: string;
}

const QUEUE = /^gh-readonly-queue\/(.+)\/pr-(\d{1,9})-([0-9a-f]{40})$/;

export function queueBranch(branch: string): QueueBranch | null {
  const [, base, number, baseSha] = QUEUE.exec(branch) ?? [];
  if (base === undefined || number === undefined || baseSha === undefined) return null;
  return { base, number: Number(number), baseSha };
}

/** Events of this repository's own branches alone. */
const OF_HERE = new Set(['merge_group', 'push']);
const PAGE = 20;

/**
 * Whether the commit is really one of the queue. A fork may call its branches what it likes, and must not speak in the name of another's
 * pull request: so the branch stands in this repository, or Actions ran for it as for one of this repository.
 */
export async function isQueued(
  asking: Asking,
  { sha, branch }: { readonly sha: string; readonly branch: string },
): Promise<boolean> {
  if ((await tipOf(asking, branch)) === sha) return true;
  const found = await unlessClosed(
    ask(asking, ({ rest }, place) =>
      rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: sha, branch, per_page: PAGE }),
    ),
  );
  const runs = found?.workflow_runs ?? [];
  return runs.some(({ event, head_branch }) => OF_HERE.has(event) && head_branch === branch);
}
