// What merges pull requests in the three ways of GitHub, and what takes a merged one back.
import { readDiff } from '../git/read-diff.ts';
import { branchSha, entryAt, type GitPerson, readBlob, readCommit, resolveCommit } from '../git/read-objects.ts';
import { gitText } from '../git/run-git.ts';
import { commitFiles, writeCommit } from '../git/write-objects.ts';
import { timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/repository.ts';
import type { GithubIssue, GithubRepository, Pull, State } from '../state.ts';
import { editIssue } from './issues.ts';
import { closes, moveRef, openPull } from './pulls.ts';

/** As the button offers it. */
export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** Returns the commit that the base branch is at then; issues that the pull request closes are closed with it. */
export async function mergePull(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  { byId, how = 'merge' }: { readonly byId: number; readonly how?: MergeMethod },
): Promise<string> {
  const { pull } = issue;
  if (pull === null || issue.state === 'closed') throw new Error(`#${issue.number} is no open pull request.`);
  const base = (await resolveCommit(repository.gitDir, `refs/heads/${pull.baseRef}`)) ?? pull.baseSha;
  const landed = await writeMerge(state, repository, { issue, pull, base, byId, how });
  const sha = landed.at(-1) ?? base;
  await moveRef(state, repository, { ref: `refs/heads/${pull.baseRef}`, from: base, to: sha }, byId);
  Object.assign(pull, { mergedAt: timestamp(state), mergedById: byId, mergeSha: sha, landed });
  editIssue(state, repository, issue, { state: 'closed', byId });
  if (pull.baseRef === repository.defaultBranch) {
    for (const number of closes(issue)) {
      const closed = repository.issues.get(number);
      const closer = issue.number;
      if (closed !== undefined) editIssue(state, repository, closed, { state: 'closed', closer, byId });
    }
  }
  return sha;
}

interface Merge {
  readonly issue: GithubIssue;
  readonly pull: Pull;
  readonly base: string;
  readonly byId: number;
  readonly how: MergeMethod;
}

/** Commits of the base branch, oldest first: the merge, the squashed change, or each commit anew. */
async function writeMerge(
  state: State,
  repository: GithubRepository,
  { issue, pull, base, byId, how }: Merge,
): Promise<readonly string[]> {
  const { gitDir } = repository;
  const date = timestamp(state);
  const committer = { ...GITHUB_COMMITTER, date };
  const by = personOf(state, byId, date);
  const mergeTree = (head: string, onto: string) => gitText(gitDir, ['merge-tree', '--write-tree', onto, head]);
  if (how === 'rebase') return await rebaseCommits(state, repository, { pull, base, committer });
  const tree = await mergeTree(pull.headSha, base);
  const squashed = how === 'squash';
  const sha = await writeCommit(gitDir, {
    tree,
    parents: squashed ? [base] : [base, pull.headSha],
    message: squashed
      ? `${issue.title} (#${issue.number})`
      : `Merge pull request #${issue.number} from ${pull.headRef}`,
    author: squashed ? personOf(state, issue.authorId ?? byId, date) : by,
    committer,
  });
  state.signed.add(sha);
  return [sha];
}

/** Each commit as it would have changed what is there now. */
async function rebaseCommits(
  state: State,
  { gitDir }: GithubRepository,
  { pull, base, committer }: { readonly pull: Pull; readonly base: string; readonly committer: GitPerson },
): Promise<readonly string[]> {
  const range = ['rev-list', '--reverse', `${base}..${pull.headSha}`];
  const commits = (await gitText(gitDir, range)).split('\n').filter(Boolean);
  const made: string[] = [];
  for (const sha of commits) {
    const { message, author } = await readCommit(gitDir, sha);
    const onto = made.at(-1) ?? base;
    const tree = await gitText(gitDir, ['merge-tree', '--write-tree', onto, sha]);
    made.push(await writeCommit(gitDir, { tree, parents: [onto], message, author, committer }));
    state.signed.add(made.at(-1) ?? '');
  }
  return made;
}

function personOf(state: State, id: number, date: string): GitPerson {
  const login = state.accounts.get(id)?.login ?? 'ghost';
  return { name: login, email: `${login}@example.com`, date };
}

/** A commit on `parent` with that tree: merged into what came after `parent`, it takes back what lies between the two trees. */
function writeInverse(
  gitDir: string,
  { parent, tree, by }: { readonly parent: string; readonly tree: string; readonly by: GitPerson },
): Promise<string> {
  return writeCommit(gitDir, { tree, parents: [parent], message: 'carried over', author: by, committer: by });
}

/** What the button "Revert" leads to once its pull request is squashed: one commit, in GitHub's words. Returns its sha. */
export async function revertPull(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  byId: number,
): Promise<string> {
  const { pull } = issue;
  if (!pull?.mergeSha) throw new Error(`#${issue.number} is not merged.`);
  const base = (await resolveCommit(repository.gitDir, `refs/heads/${pull.baseRef}`)) ?? pull.baseSha;
  const before = `${pull.mergeSha}^1`;
  const files: Record<string, string | null> = {};
  for (const { path } of await readDiff(repository.gitDir, before, pull.mergeSha)) {
    const entry = await entryAt(repository.gitDir, before, path);
    files[path] = entry === null ? null : (await readBlob(repository.gitDir, entry.sha)).toString('utf8');
  }
  const sha = await commitFiles(repository.gitDir, {
    parent: base,
    files,
    message: `Revert "${issue.title}"\n\nThis reverts commit ${pull.mergeSha}.`,
    person: personOf(state, byId, timestamp(state)),
  });
  await moveRef(state, repository, { ref: `refs/heads/${pull.baseRef}`, from: base, to: sha }, byId);
  return sha;
}

interface NewRevert {
  readonly authorId: number;
  readonly viaAppId: number | null;
  /** Null: GitHub's own words. */
  readonly title: string | null;
  readonly body: string | null;
  readonly isDraft: boolean;
}

/** `message`: why there is none. What git would leave as a conflict is one here. */
export async function makeRevert(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  made: NewRevert,
): Promise<GithubIssue | { readonly message: string }> {
  const { pull } = issue;
  const { gitDir } = repository;
  if (!pull?.mergeSha) return { message: 'Pull request is not merged' };
  const base = await branchSha(gitDir, pull.baseRef);
  if (base === null) return { message: `Base branch ${pull.baseRef} does not exist` };
  const date = timestamp(state);
  const [first = pull.mergeSha] = pull.landed ?? [];
  const before = await readCommit(gitDir, `${first}^1`);
  const inverse = await writeInverse(gitDir, {
    parent: pull.mergeSha,
    tree: before.tree,
    by: { ...GITHUB_COMMITTER, date },
  });
  const tree = await gitText(gitDir, ['merge-tree', '--write-tree', base, inverse]).catch(() => null);
  if (tree === null || tree === (await readCommit(gitDir, base)).tree) return { message: NOT_REVERTED };
  const title = made.title ?? `Revert "${issue.title}"`;
  const person = personOf(state, made.authorId, date);
  const sha = await writeCommit(gitDir, {
    tree,
    parents: [base],
    message: `Revert "${issue.title} (#${issue.number})"\n\nThis reverts commit ${pull.mergeSha}.`,
    author: person,
    committer: { ...GITHUB_COMMITTER, date },
  });
  state.signed.add(sha);
  const branch = await chooseBranch(gitDir, `revert-${issue.number}-${pull.headRef}`);
  await moveRef(state, repository, { ref: `refs/heads/${branch}`, from: null, to: sha }, made.authorId);
  const opened = await openPull(state, repository, {
    title,
    body: made.body ?? `Reverts #${issue.number}`,
    authorId: made.authorId,
    viaAppId: made.viaAppId,
    head: repository,
    headRef: branch,
    baseRef: pull.baseRef,
    isDraft: made.isDraft,
  });
  return 'number' in opened ? opened : { message: JSON.stringify(opened) };
}

/** What GitHub's page says in the same case; no reference says what the API does. */
const NOT_REVERTED =
  'Sorry, this pull request couldn\u2019t be reverted automatically. It may have already been reverted, or the content may have changed since it was merged.';

/** GitHub documents no name for a second one; this one is only free. */
async function chooseBranch(gitDir: string, name: string): Promise<string> {
  for (let at = 0; ; at += 1) {
    const tried = at === 0 ? name : `${name}-${at}`;
    if ((await branchSha(gitDir, tried)) === null) return tried;
  }
}
