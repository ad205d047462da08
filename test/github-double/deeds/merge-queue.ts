// What happens in a merge queue: a commit of base and pull request on a branch that nobody may write, and its end.
import { branchSha } from '../git/read-objects.ts';
import { gitText } from '../git/run-git.ts';
import { writeCommit } from '../git/write-objects.ts';
import { timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER, simpleCommit } from '../resources/commit.ts';
import type { Issue, Repository, State } from '../state.ts';
import { announce } from './announce.ts';
import { editIssue, tellIssue } from './issues.ts';
import { moveRef } from './refs.ts';

export interface MergeGroup {
  readonly number: number;
  /** `gh-readonly-queue/BASE/pr-N-SHA`, the sha being that of the base. */
  readonly branch: string;
  /** The commit that is tested. */
  readonly sha: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly botId: number;
}

/** A pull request joins the queue; GitHub's own bot pushes the branch, and asks for checks. */
export async function enqueue(
  state: State,
  repository: Repository,
  issue: Issue,
  by: { readonly byId: number; readonly botId: number },
): Promise<MergeGroup> {
  const { pull } = issue;
  if (pull === null || issue.state === 'closed') throw new Error(`#${issue.number} is no open pull request.`);
  const baseSha = (await branchSha(repository.gitDir, pull.baseRef)) ?? pull.baseSha;
  const tree = await gitText(repository.gitDir, ['merge-tree', '--write-tree', baseSha, pull.headSha]);
  const date = timestamp(state);
  const author = state.accounts.get(by.byId);
  const sha = await writeCommit(repository.gitDir, {
    tree,
    parents: [baseSha, pull.headSha],
    message: `Merge pull request #${issue.number} from ${pull.headRef}\n\n${issue.title}`,
    author: { name: author?.name ?? 'ghost', email: `${author?.login ?? 'ghost'}@example.com`, date },
    committer: { ...GITHUB_COMMITTER, date },
  });
  const branch = `gh-readonly-queue/${pull.baseRef}/pr-${issue.number}-${baseSha}`;
  const group = { number: issue.number, branch, sha, baseRef: pull.baseRef, baseSha, botId: by.botId };
  tellIssue(state, repository, issue, { action: 'enqueued', senderId: by.byId });
  await moveRef(state, repository, { ref: `refs/heads/${branch}`, from: null, to: sha }, by.botId);
  await tellGroup(state, repository, group, { action: 'checks_requested' });
  return group;
}

/** The branch goes, whatever happened; the commit stays where it is, and is the base's own when it was merged. */
export async function leaveQueue(
  state: State,
  repository: Repository,
  group: MergeGroup,
  reason: 'merged' | 'invalidated' | 'dequeued',
): Promise<void> {
  const issue = repository.issues.get(group.number);
  const { pull } = issue ?? {};
  if (issue === undefined || !pull) throw new Error(`#${group.number} is no pull request.`);
  if (reason === 'merged') {
    const base = { ref: `refs/heads/${group.baseRef}`, from: group.baseSha, to: group.sha };
    await moveRef(state, repository, base, group.botId);
    Object.assign(pull, { mergedAt: timestamp(state), mergedById: group.botId, mergeSha: group.sha });
  }
  await tellGroup(state, repository, group, { action: 'destroyed', reason });
  const parts = { reason: reason === 'merged' ? 'MERGE' : reason === 'dequeued' ? 'MANUAL' : 'CI_FAILURE' };
  tellIssue(state, repository, issue, { action: 'dequeued', senderId: group.botId, parts });
  if (reason === 'merged') editIssue(state, repository, issue, { state: 'closed' }, group.botId);
  await moveRef(state, repository, { ref: `refs/heads/${group.branch}`, from: group.sha, to: null }, group.botId);
}

async function tellGroup(
  state: State,
  repository: Repository,
  group: MergeGroup,
  { action, reason }: { readonly action: string; readonly reason?: string },
): Promise<void> {
  const merge_group = {
    head_sha: group.sha,
    head_ref: `refs/heads/${group.branch}`,
    base_sha: group.baseSha,
    base_ref: `refs/heads/${group.baseRef}`,
    head_commit: await simpleCommit(repository, group.sha),
  };
  const parts = { ...(reason === undefined ? {} : { reason }), merge_group };
  announce(state, repository, { event: 'merge_group', action, parts, senderId: group.botId });
}
