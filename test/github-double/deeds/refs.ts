// What happens when branches and tags move, whoever moved them: by the API, by a push, by a person of a test.

import { readDiff } from '../git/read-diff.ts';
import { isAncestor, mergeBase, readCommit } from '../git/read-objects.ts';
import { git, gitText } from '../git/run-git.ts';
import { fullName, timestamp } from '../lookup.ts';
import { accountOfEmail } from '../resources/commit.ts';
import type { Issue, Repository, State } from '../state.ts';
import type { Pull } from '../state-pulls.ts';
import { announce } from './announce.ts';
import { requestSuites } from './check-suites.ts';
import { editIssue, tellIssue, touch } from './issues.ts';
import { outdateRemarks } from './reviews.ts';

const NOTHING = '0'.repeat(40);

export interface RefMove {
  /** `refs/heads/main`. */
  readonly ref: string;
  /** Null: it was not there. */
  readonly from: string | null;
  /** Null: it goes. */
  readonly to: string | null;
}

/** Moves the ref if it still is where `from` says, and announces it. Rejects where it is not. */
export async function moveRef(state: State, repository: Repository, move: RefMove, byId: number): Promise<void> {
  await git(repository.gitDir, ['update-ref', move.ref, move.to ?? NOTHING, move.from ?? NOTHING]);
  await afterMove(state, repository, move, byId);
}

/** What follows from a ref that has moved already. */
export async function afterMove(state: State, repository: Repository, move: RefMove, byId: number): Promise<void> {
  repository.pushedAt = timestamp(state);
  if (move.to !== null) repository.pushers.set(move.to, byId);
  if (move.from === null || move.to === null) tellRef(state, repository, move, byId);
  await tellPush(state, repository, move, byId);
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

/** An open pull request goes along with its branch, and closes with it. */
async function followHead(
  state: State,
  target: Repository,
  { issue, pull, move, byId }: { issue: Issue; pull: Pull; move: RefMove; byId: number },
): Promise<void> {
  if (move.to === null) {
    editIssue(state, target, issue, { state: 'closed' }, byId);
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
export async function fetchHead(state: State, target: Repository, issue: Issue, pull: Pull): Promise<void> {
  const head = state.repositories.get(pull.headRepositoryId);
  if (head !== undefined && head.id !== target.id) {
    await git(target.gitDir, ['fetch', '--quiet', head.gitDir, `refs/heads/${pull.headRef}`]);
  }
  await git(target.gitDir, ['update-ref', `refs/pull/${issue.number}/head`, pull.headSha]);
}

export async function pullStats(
  repository: Repository,
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

function tellRef(state: State, repository: Repository, { ref, to }: RefMove, senderId: number): void {
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
  repository: Repository,
  { ref, from, to }: RefMove,
  senderId: number,
): Promise<void> {
  const shas = to === null ? [] : await newCommits(repository, { ref, from, to });
  const commits = await Promise.all(shas.map((sha) => pushedCommit(state, repository, sha)));
  const forced = from !== null && to !== null && !(await isAncestor(repository.gitDir, from, to));
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
  repository: Repository,
  { ref, from, to }: RefMove & { to: string },
): Promise<readonly string[]> {
  const range = from === null ? [to, '--not', `--exclude=${ref}`, '--all'] : [to, `^${from}`];
  const out = await gitText(repository.gitDir, ['rev-list', '--reverse', '--max-count=20', ...range]).catch(() => '');
  return out === '' ? [] : out.split('\n');
}

async function pushedCommit(state: State, repository: Repository, sha: string) {
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
