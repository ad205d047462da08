// What moves refs and pull requests, and the merge queue.
import { readDiff } from '../git/read-diff.ts';
import { branchSha, isReachable, mergeBase, readCommit } from '../git/read-objects.ts';
import { git, gitText } from '../git/run-git.ts';
import { writeCommit } from '../git/write-objects.ts';
import { fullName, timestamp } from '../lookup.ts';
import { accountOfEmail, GITHUB_COMMITTER, simpleCommit } from '../resources/repository.ts';
import { simpleUserOf } from '../resources/user.ts';
import type { GithubIssue, GithubRepository, Pull, State } from '../state.ts';
import { requestSuites } from './check-suites.ts';
import { announce, editIssue, type NewIssue, storeIssue, tellIssue, touch } from './issues.ts';
import { outdateRemarks } from './reviews.ts';

const NOTHING = '0'.repeat(40);

interface RefMove {
  /** `refs/heads/main`. */
  readonly ref: string;
  /** Null: it was not there. */
  readonly from: string | null;
  /** Null: it goes. */
  readonly to: string | null;
}

/** Moves the ref if it still is where `from` says, and announces it. Rejects where it is not. */
export async function moveRef(state: State, repository: GithubRepository, move: RefMove, byId: number): Promise<void> {
  await git(repository.gitDir, ['update-ref', move.ref, move.to ?? NOTHING, move.from ?? NOTHING]);
  await afterMove(state, repository, move, byId);
}

/** What follows from a ref that has moved already. */
export async function afterMove(
  state: State,
  repository: GithubRepository,
  move: RefMove,
  byId: number,
): Promise<void> {
  repository.pushedAt = timestamp(state);
  if (move.to !== null) repository.pushers.set(move.to, byId);
  if (move.from === null || move.to === null) tellRef(state, repository, move, byId);
  await tellPush(state, repository, move, byId);
  await closeNamedIssues(state, repository, move, byId);
  if (!move.ref.startsWith('refs/heads/')) return;
  const branch = move.ref.slice('refs/heads/'.length);
  if (move.to !== null) await requestSuites(state, repository, { sha: move.to, branch, byId });
  for (const target of state.repositories.values()) {
    for (const issue of target.issues.values()) {
      const { pull } = issue;
      const isHead = pull?.headRepositoryId === repository.id && pull.headRef === branch;
      if (pull !== null && isHead && issue.state === 'open')
        await followHead(state, target, { issue, pull, move, byId });
    }
  }
}

/** Commits that come to the default branch close the issues that they say they close. */
async function closeNamedIssues(
  state: State,
  repository: GithubRepository,
  move: RefMove,
  byId: number,
): Promise<void> {
  const { ref, from, to } = move;
  if (to === null || from === null || ref !== `refs/heads/${repository.defaultBranch}`) return;
  for (const sha of await newCommits(repository, { ref, from, to })) {
    for (const number of namedAsClosed((await readCommit(repository.gitDir, sha)).message)) {
      const issue = repository.issues.get(number);
      if (issue?.pull === null) editIssue(state, repository, issue, { state: 'closed', closer: sha, byId });
    }
  }
}

/** Numbers after a closing word. */
function namedAsClosed(text: string): readonly number[] {
  const words = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+\/[\w.-]+)?#(\d+)/gi;
  return [...text.matchAll(words)].map((match) => Number(match[1]));
}

/** An open pull request goes along with its branch, and closes with it. */
async function followHead(
  state: State,
  target: GithubRepository,
  { issue, pull, move, byId }: { issue: GithubIssue; pull: Pull; move: RefMove; byId: number },
): Promise<void> {
  if (move.to === null) {
    editIssue(state, target, issue, { state: 'closed', byId });
    return;
  }
  pull.headSha = move.to;
  await fetchHead(state, target, issue, pull);
  pull.stats = await pullStats(target, pull);
  await outdateRemarks(target, issue);
  touch(state, issue);
  const parts = { before: move.from, after: move.to };
  tellIssue(state, target, issue, { action: 'synchronize', senderId: byId, parts });
}

/** `refs/pull/N/head`, for which the objects of a fork come over. */
async function fetchHead(state: State, target: GithubRepository, issue: GithubIssue, pull: Pull): Promise<void> {
  const head = state.repositories.get(pull.headRepositoryId);
  if (head !== undefined && head.id !== target.id) {
    await git(target.gitDir, ['fetch', '--quiet', head.gitDir, `refs/heads/${pull.headRef}`]);
  }
  await git(target.gitDir, ['update-ref', `refs/pull/${issue.number}/head`, pull.headSha]);
}

async function pullStats(
  repository: GithubRepository,
  pull: Pick<Pull, 'baseSha' | 'headSha'>,
): Promise<Pull['stats']> {
  const base = (await mergeBase(repository.gitDir, pull.baseSha, pull.headSha)) ?? pull.baseSha;
  const files = await readDiff(repository.gitDir, base, pull.headSha);
  const commits = await gitText(repository.gitDir, ['rev-list', '--count', `${pull.baseSha}..${pull.headSha}`]);
  return {
    commits: Number(commits),
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files: files.length,
  };
}

function tellRef(state: State, repository: GithubRepository, { ref, to }: RefMove, senderId: number): void {
  const type = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  const parts = {
    ref: ref.replace(/^refs\/(heads|tags)\//, ''),
    ref_type: type,
    ...(to === null ? {} : { master_branch: repository.defaultBranch, description: repository.description }),
    pusher_type: 'user',
  };
  announce(state, repository, { event: to === null ? 'delete' : 'create', action: null, parts, senderId });
}

async function tellPush(
  state: State,
  repository: GithubRepository,
  { ref, from, to }: RefMove,
  senderId: number,
): Promise<void> {
  const shas = to === null ? [] : await newCommits(repository, { ref, from, to });
  const commits = await Promise.all(shas.map((sha) => pushedCommit(state, repository, sha)));
  const forced = from !== null && to !== null && !(await isReachable(repository.gitDir, from, to));
  const pusher = state.accounts.get(senderId);
  const parts = {
    ref,
    before: from ?? NOTHING,
    after: to ?? NOTHING,
    base_ref: null,
    compare: `${state.urls.web}/${fullName(state, repository)}/compare/${(from ?? NOTHING).slice(0, 12)}...${(to ?? NOTHING).slice(0, 12)}`,
    created: from === null,
    deleted: to === null,
    forced,
    commits,
    head_commit: to === null ? null : await pushedCommit(state, repository, to),
    pusher: { name: pusher?.login ?? 'ghost', email: `${pusher?.login ?? 'ghost'}@example.com` },
  };
  announce(state, repository, { event: 'push', action: null, parts, senderId });
}

async function newCommits(
  repository: GithubRepository,
  { ref, from, to }: RefMove & { to: string },
): Promise<readonly string[]> {
  const range = from === null ? [to, '--not', `--exclude=${ref}`, '--all'] : [to, `^${from}`];
  const out = await gitText(repository.gitDir, ['rev-list', '--reverse', '--max-count=20', ...range]).catch(() => '');
  return out === '' ? [] : out.split('\n');
}

async function pushedCommit(state: State, repository: GithubRepository, sha: string) {
  const commit = await readCommit(repository.gitDir, sha);
  const files = await readDiff(repository.gitDir, commit.parents[0] ?? null, sha);
  const paths = (status: string) => files.filter((file) => file.status === status).map((file) => file.path);
  const username = (email: string) => accountOfEmail(state, email)?.login ?? null;
  return {
    id: sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${state.urls.web}/${fullName(state, repository)}/commit/${sha}`,
    author: { ...commit.author, username: username(commit.author.email) },
    committer: { ...commit.committer, username: username(commit.committer.email) },
    added: paths('added'),
    removed: paths('removed'),
    modified: [...paths('modified'), ...paths('renamed')],
  };
}

interface NewPull extends NewIssue {
  readonly head: GithubRepository;
  readonly headRef: string;
  readonly baseRef: string;
  readonly isDraft: boolean;
  readonly maintainerCanModify?: boolean;
  readonly closes?: readonly number[];
}

/** Why GitHub would refuse a pull request, in the words of its 422. */
type PullRefusal = { readonly field: string; readonly code: string } | { readonly message: string };

/** The pull request, or why not. */
export async function openPull(
  state: State,
  repository: GithubRepository,
  made: NewPull,
): Promise<GithubIssue | PullRefusal> {
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
    autoMergeById: null,
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

function openPullOf(repository: GithubRepository, made: NewPull): GithubIssue | undefined {
  return [...repository.issues.values()].find(
    ({ state, pull }) =>
      state === 'open' &&
      pull?.headRepositoryId === made.head.id &&
      pull.headRef === made.headRef &&
      pull.baseRef === made.baseRef,
  );
}

function ownerLogin(state: State, repository: GithubRepository): string {
  return state.accounts.get(repository.ownerId)?.login ?? 'ghost';
}

export function setDraft(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  to: { isDraft: boolean; byId: number },
): void {
  if (issue.pull === null || issue.pull.isDraft === to.isDraft) return;
  issue.pull.isDraft = to.isDraft;
  touch(state, issue);
  const action = to.isDraft ? 'converted_to_draft' : 'ready_for_review';
  tellIssue(state, repository, issue, { action, senderId: to.byId });
}

/** Sets it to another base branch. Returns whether there is one by that name. */
export async function retargetPull(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  to: { readonly base: string; readonly byId: number },
): Promise<boolean> {
  const { pull } = issue;
  const baseSha = await branchSha(repository.gitDir, to.base);
  if (pull === null || baseSha === null) return false;
  if (pull.baseRef === to.base) return true;
  const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
  Object.assign(pull, { baseRef: to.base, baseSha });
  touch(state, issue);
  tellIssue(state, repository, issue, { action: 'edited', senderId: to.byId, parts: { changes } });
  return true;
}

/** Numbers of the issues that a pull request closes: named after a closing word in its body, or linked by hand. */
export function closes(issue: GithubIssue): ReadonlySet<number> {
  return new Set([...namedAsClosed(issue.body ?? ''), ...(issue.pull?.linked ?? [])]);
}

export function requestReview(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  by: { reviewerId: number; senderId: number },
): void {
  issue.pull?.reviewerIds.add(by.reviewerId);
  touch(state, issue);
  const parts = { requested_reviewer: simpleUserOf(state, by.reviewerId) };
  tellIssue(state, repository, issue, { action: 'review_requested', senderId: by.senderId, parts });
}

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
  repository: GithubRepository,
  issue: GithubIssue,
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
  state.signed.add(sha);
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
  repository: GithubRepository,
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
  if (reason === 'merged') editIssue(state, repository, issue, { state: 'closed', byId: group.botId });
  await moveRef(state, repository, { ref: `refs/heads/${group.branch}`, from: group.sha, to: null }, group.botId);
}

async function tellGroup(
  state: State,
  repository: GithubRepository,
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
