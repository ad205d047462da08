// What happens to pull requests: opened, made ready, merged, reviewed.
import { branchSha, mergeBase, resolveCommit } from '../git/read-objects.ts';
import { gitText } from '../git/run-git.ts';
import { writeCommit } from '../git/write-objects.ts';
import { timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/commit.ts';
import { simpleUserOf } from '../resources/user.ts';
import type { Issue, Repository, State } from '../state.ts';
import type { Pull } from '../state-pulls.ts';
import { editIssue, type NewIssue, storeIssue, tellIssue, touch } from './issues.ts';
import { fetchHead, moveRef, pullStats } from './refs.ts';

export interface NewPull extends NewIssue {
  readonly head: Repository;
  readonly headRef: string;
  readonly baseRef: string;
  readonly isDraft: boolean;
  readonly maintainerCanModify?: boolean;
  readonly closes?: readonly number[];
}

/** Why GitHub would refuse a pull request, in the words of its 422. */
export type PullRefusal = { readonly field: string; readonly code: string } | { readonly message: string };

/** The pull request, or why not. */
export async function openPull(state: State, repository: Repository, made: NewPull): Promise<Issue | PullRefusal> {
  const headSha = await branchSha(made.head.gitDir, made.headRef);
  if (headSha === null) return { field: 'head', code: 'invalid' };
  const baseSha = await branchSha(repository.gitDir, made.baseRef);
  if (baseSha === null) return { field: 'base', code: 'invalid' };
  const pull: Pull = {
    id: state.nextId(),
    headRepositoryId: made.head.id,
    headOwnerId: made.head.ownerId,
    headRef: made.headRef,
    headSha,
    baseRef: made.baseRef,
    baseSha,
    isDraft: made.isDraft,
    maintainerCanModify: made.maintainerCanModify ?? false,
    mergedAt: null,
    mergedById: null,
    mergeSha: null,
    reviewerIds: new Set(),
    reviews: [],
    linked: new Set(made.closes ?? []),
    stats: { commits: 0, additions: 0, deletions: 0, files: 0 },
  };
  if (made.head.id !== repository.id) {
    await gitText(repository.gitDir, ['fetch', '--quiet', made.head.gitDir, `refs/heads/${made.headRef}`]);
  }
  if ((await mergeBase(repository.gitDir, baseSha, headSha)) === headSha) {
    return { message: `No commits between ${made.baseRef} and ${made.headRef}` };
  }
  pull.stats = await pullStats(repository, pull);
  const rival = openPullOf(repository, made);
  if (rival !== undefined)
    return { message: `A pull request already exists for ${ownerLogin(state, made.head)}:${made.headRef}.` };
  const issue = storeIssue(state, repository, made, pull);
  await fetchHead(state, repository, issue, pull);
  tellIssue(state, repository, issue, { action: 'opened', senderId: made.authorId });
  return issue;
}

function openPullOf(repository: Repository, made: NewPull): Issue | undefined {
  return [...repository.issues.values()].find(
    ({ state, pull }) =>
      state === 'open' &&
      pull?.headRepositoryId === made.head.id &&
      pull.headRef === made.headRef &&
      pull.baseRef === made.baseRef,
  );
}

function ownerLogin(state: State, repository: Repository): string {
  return state.accounts.get(repository.ownerId)?.login ?? 'ghost';
}

export function setDraft(
  state: State,
  repository: Repository,
  issue: Issue,
  to: { isDraft: boolean; byId: number },
): void {
  if (issue.pull === null || issue.pull.isDraft === to.isDraft) return;
  issue.pull.isDraft = to.isDraft;
  touch(state, issue);
  const action = to.isDraft ? 'converted_to_draft' : 'ready_for_review';
  tellIssue(state, repository, issue, { action, senderId: to.byId });
}

/** A merge commit on the base branch; issues that it closes are closed with it. */
export async function mergePull(state: State, repository: Repository, issue: Issue, byId: number): Promise<string> {
  const { pull } = issue;
  if (pull === null || issue.state === 'closed') throw new Error(`#${issue.number} is no open pull request.`);
  const base = (await resolveCommit(repository.gitDir, `refs/heads/${pull.baseRef}`)) ?? pull.baseSha;
  const tree = await gitText(repository.gitDir, ['merge-tree', '--write-tree', base, pull.headSha]);
  const date = timestamp(state);
  const login = state.accounts.get(byId)?.login ?? 'ghost';
  const sha = await writeCommit(repository.gitDir, {
    tree,
    parents: [base, pull.headSha],
    message: `Merge pull request #${issue.number} from ${pull.headRef}`,
    author: { name: login, email: `${login}@example.com`, date },
    committer: { ...GITHUB_COMMITTER, date },
  });
  await moveRef(state, repository, { ref: `refs/heads/${pull.baseRef}`, from: base, to: sha }, byId);
  Object.assign(pull, { mergedAt: date, mergedById: byId, mergeSha: sha });
  editIssue(state, repository, issue, { state: 'closed' }, byId);
  if (pull.baseRef === repository.defaultBranch) {
    for (const number of closes(issue)) {
      const closed = repository.issues.get(number);
      if (closed !== undefined) editIssue(state, repository, closed, { state: 'closed' }, byId);
    }
  }
  return sha;
}

/** Numbers of the issues that a pull request closes: named after a closing word in its body, or linked by hand. */
export function closes(issue: Issue): ReadonlySet<number> {
  const words = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+\/[\w.-]+)?#(\d+)/gi;
  const named = [...(issue.body ?? '').matchAll(words)].map((match) => Number(match[1]));
  return new Set([...named, ...(issue.pull?.linked ?? [])]);
}

export function requestReview(
  state: State,
  repository: Repository,
  issue: Issue,
  by: { reviewerId: number; senderId: number },
): void {
  issue.pull?.reviewerIds.add(by.reviewerId);
  touch(state, issue);
  const parts = { requested_reviewer: simpleUserOf(state, by.reviewerId) };
  tellIssue(state, repository, issue, { action: 'review_requested', senderId: by.senderId, parts });
}
