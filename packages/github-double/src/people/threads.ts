// What people do with issues, pull requests and reviews.
import {
  addComment,
  addLabels,
  deleteComment,
  editComment,
  editIssue,
  ensureLabel,
  type IssueEdit,
  openIssue,
  recordReaction,
  removeIssue,
  removeLabel,
  touch,
  transferIssue,
} from '../deeds/issues.ts';
import { type MergeMethod, mergePull, revertPull } from '../deeds/merges.ts';
import { moveRef, openPull, retargetPull, setDraft } from '../deeds/pulls.ts';
import { addReview, type NewRemark } from '../deeds/reviews.ts';
import { entryAt, readBlob } from '../git/read-objects.ts';
import { commitFiles } from '../git/write-objects.ts';
import { account, repository, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/repository.ts';
import type {
  Attachment,
  Comment,
  GithubAccount,
  GithubIssue,
  GithubRepository,
  Label,
  Reaction,
  Review,
  ReviewRemark,
  State,
} from '../state.ts';
import { readSuggestion } from '../suggestion.ts';

interface WrittenIssue {
  readonly by: string;
  readonly title: string;
  readonly body?: string | null;
  /** Also what an issue template sets: announced as labelled by the author. */
  readonly labels?: readonly string[];
}

interface WrittenPull {
  readonly by: string;
  readonly title: string;
  readonly body?: string | null;
  readonly head: string;
  /** `owner/name` of a fork; default: the repository itself. */
  readonly headRepository?: string;
  readonly base?: string;
  readonly draft?: boolean;
  /** Issues linked by hand. */
  readonly closes?: readonly number[];
}

export type ThreadVerbs = ReturnType<typeof issueVerbs> &
  ReturnType<typeof commentVerbs> &
  ReturnType<typeof pullVerbs>;

export function threadVerbs(state: State): ThreadVerbs {
  return { ...issueVerbs(state), ...commentVerbs(state), ...pullVerbs(state) };
}

function issueVerbs(state: State) {
  return {
    openIssue(name: string, made: WrittenIssue): GithubIssue {
      const authorId = account(state, made.by).id;
      return openIssue(state, repository(state, name), { ...made, body: made.body ?? null, authorId });
    },
    issue: (name: string, number: number): GithubIssue => thread(state, name, number),
    makeLabel: (name: string, label: string, more: Partial<Label> = {}): Label =>
      ensureLabel(state, repository(state, name), label, more),
    label(name: string, number: number, label: string, by: string): void {
      const names = [label];
      addLabels(state, repository(state, name), thread(state, name, number), {
        names,
        senderId: account(state, by).id,
      });
    },
    unlabel(name: string, number: number, label: string, by: string): void {
      removeLabel(state, repository(state, name), thread(state, name, number), {
        name: label,
        senderId: account(state, by).id,
      });
    },
    /** Title, body, open or closed; of pull requests too. */
    edit(name: string, number: number, edit: Omit<IssueEdit, 'byId'> & { readonly by: string }): void {
      const { by, ...changes } = edit;
      const byId = account(state, by).id;
      editIssue(state, repository(state, name), thread(state, name, number), { ...changes, byId });
    },
    close(name: string, number: number, by: string): void {
      editIssue(state, repository(state, name), thread(state, name, number), {
        state: 'closed',
        byId: account(state, by).id,
      });
    },
    reopen(name: string, number: number, by: string): void {
      editIssue(state, repository(state, name), thread(state, name, number), {
        state: 'open',
        byId: account(state, by).id,
      });
    },
    deleteIssue(name: string, number: number, by: string): void {
      removeIssue(state, repository(state, name), thread(state, name, number), account(state, by).id);
    },
    /** To the repository `to`; the issue as it is there. */
    transferIssue(name: string, number: number, to: string, by: string): GithubIssue {
      const moved = { to: repository(state, to), senderId: account(state, by).id };
      return transferIssue(state, repository(state, name), thread(state, name, number), moved);
    },
    /** Nobody but collaborators may comment any more. */
    lock(name: string, number: number): void {
      thread(state, name, number).locked = true;
      touch(state, thread(state, name, number));
    },
  };
}

function commentVerbs(state: State) {
  return {
    comment(name: string, number: number, made: { readonly by: string; readonly body: string }): Comment {
      const authorId = account(state, made.by).id;
      return addComment(state, repository(state, name), thread(state, name, number), { body: made.body, authorId });
    },
    editComment(name: string, id: number, made: { readonly by: string; readonly body: string }): void {
      const found = repository(state, name);
      editComment(state, found, comment(found, id), { body: made.body, byId: account(state, made.by).id });
    },
    deleteComment(name: string, id: number, by: string): void {
      const found = repository(state, name);
      deleteComment(state, found, comment(found, id), account(state, by).id);
    },
    /** Oldest first. */
    comments: (name: string, number: number): readonly Comment[] =>
      [...repository(state, name).comments.values()].filter((one) => one.issueNumber === number),
    react(to: GithubIssue | Comment, content: Reaction['content'], by: string): void {
      recordReaction(state, to, { userId: account(state, by).id, content });
    },
    /** A file as people drop it into a text; returns its address. */
    attach(
      name: string,
      file: Pick<Attachment, 'body'> & { readonly fileName: string; readonly type?: string },
    ): string {
      const path = `/user-attachments/files/${state.nextId()}/${encodeURIComponent(file.fileName)}`;
      const type = file.type ?? 'text/plain';
      state.attachments.set(path, { path, body: file.body, type, repositoryId: repository(state, name).id });
      return `${state.urls.web}${path}`;
    },
  };
}

function pullVerbs(state: State) {
  return {
    async openPull(name: string, made: WrittenPull): Promise<GithubIssue> {
      const found = repository(state, name);
      const opened = await openPull(state, found, {
        title: made.title,
        body: made.body ?? null,
        authorId: account(state, made.by).id,
        head: made.headRepository === undefined ? found : repository(state, made.headRepository),
        headRef: made.head,
        baseRef: made.base ?? found.defaultBranch,
        isDraft: made.draft ?? false,
        closes: made.closes ?? [],
      });
      if (!('number' in opened)) throw new Error(`GitHub would refuse this pull request: ${JSON.stringify(opened)}`);
      return opened;
    },
    /** Returns the commit that the base branch is at then. */
    merge: (name: string, number: number, by: string, how: MergeMethod = 'merge'): Promise<string> =>
      mergePull(state, repository(state, name), thread(state, name, number), { byId: account(state, by).id, how }),
    /** Takes a merged pull request back; returns the commit that does so. */
    revert: (name: string, number: number, by: string): Promise<string> =>
      revertPull(state, repository(state, name), thread(state, name, number), account(state, by).id),
    /** Sets a pull request to another base branch. */
    async retarget(name: string, number: number, to: { readonly by: string; readonly base: string }): Promise<void> {
      const [found, byId] = [repository(state, name), account(state, to.by).id];
      if (!(await retargetPull(state, found, thread(state, name, number), { base: to.base, byId })))
        throw new Error(`There is no branch ${to.base} in ${name}.`);
    },
    markReady(name: string, number: number, by: string): void {
      const byId = account(state, by).id;
      setDraft(state, repository(state, name), thread(state, name, number), { isDraft: false, byId });
    },
    convertToDraft(name: string, number: number, by: string): void {
      const byId = account(state, by).id;
      setDraft(state, repository(state, name), thread(state, name, number), { isDraft: true, byId });
    },
    pulls: (name: string): readonly GithubIssue[] =>
      [...repository(state, name).issues.values()].filter((one) => one.pull !== null),
  };
}

function thread(state: State, name: string, number: number): GithubIssue {
  const found = repository(state, name).issues.get(number);
  if (found === undefined) throw new Error(`${name} has no issue or pull request #${number}.`);
  return found;
}

function comment(found: GithubRepository, id: number): Comment {
  const one = found.comments.get(id);
  if (one === undefined) throw new Error(`${found.name} has no comment ${id}.`);
  return one;
}

interface WrittenReview extends Pick<Review, 'body' | 'state'> {
  readonly by: string;
  readonly remarks?: readonly (Pick<NewRemark, 'path' | 'line' | 'body'> & Partial<NewRemark>)[];
}

export type ReviewVerbs = ReturnType<typeof reviewVerbs>;

export function reviewVerbs(state: State) {
  return {
    async review(name: string, number: number, made: WrittenReview): Promise<Review> {
      const found = repository(state, name);
      const blank = { side: 'RIGHT', startLine: null, startSide: null } as const;
      const remarks = (made.remarks ?? []).map((one) => ({ ...blank, ...one }));
      const { body, state: verdict } = made;
      const authorId = account(state, made.by).id;
      const added = await addReview(state, found, pullOf(found, number), { authorId, body, state: verdict, remarks });
      if (!('id' in added)) throw new Error(`GitHub would refuse this review: ${added.join('; ')}`);
      return added;
    },
    /** Oldest first. */
    reviews: (name: string, number: number): readonly Review[] =>
      pullOf(repository(state, name), number).pull?.reviews ?? [],
    /** Remarks at lines of a pull request, oldest first. */
    reviewComments: (name: string, number: number): readonly ReviewRemark[] =>
      [...repository(state, name).reviewComments.values()].filter((one) => one.issueNumber === number),
    /** Presses "Commit suggestion" of one, or of several as a batch; returns the sha of the commit on the head's branch. */
    async commitSuggestion(
      name: string,
      comments: ReviewRemark | readonly ReviewRemark[],
      by: string,
    ): Promise<string> {
      const found = repository(state, name);
      const all = 'id' in comments ? [comments] : comments;
      const issue = pullOf(found, all[0]?.issueNumber ?? 0);
      return commitAll(state, issue, { comments: all, by: account(state, by) });
    },
  };
}

async function commitAll(
  state: State,
  issue: GithubIssue,
  { comments, by }: { readonly comments: readonly ReviewRemark[]; readonly by: GithubAccount },
): Promise<string> {
  const { pull } = issue;
  const head = pull === null ? undefined : state.repositories.get(pull.headRepositoryId);
  if (pull === null || head === undefined) throw new Error('The head of this pull request is gone.');
  const files: Record<string, string> = {};
  // From below upwards, so that the numbers above stay right.
  for (const one of [...comments].sort((a, b) => b.line - a.line)) {
    const before = files[one.path] ?? (await textAt(head, pull.headSha, one.path));
    files[one.path] = withSuggestion(before, one);
  }
  const date = timestamp(state);
  const author = state.accounts.get(comments[0]?.authorId ?? 0);
  const title =
    comments.length === 1 ? `Apply suggestion from @${author?.login}` : 'Apply suggestions from code review';
  const trailer = `Co-authored-by: ${author?.name} <${author?.id}+${author?.login}@users.noreply.github.com>`;
  const sha = await commitFiles(head.gitDir, {
    parent: pull.headSha,
    files,
    message: `${title}\n\n${trailer}`,
    person: { name: by.name, email: `${by.login}@example.com`, date },
    committer: { ...GITHUB_COMMITTER, date },
  });
  state.signed.add(sha);
  await moveRef(state, head, { ref: `refs/heads/${pull.headRef}`, from: pull.headSha, to: sha }, by.id);
  return sha;
}

function withSuggestion(before: string, comment: ReviewRemark): string {
  const suggested = readSuggestion(comment.body);
  if (suggested === null) throw new Error('This comment suggests nothing.');
  if (comment.isOutdated) throw new Error('This suggestion is outdated: the lines have changed since.');
  const lines = before.split('\n');
  const start = comment.startLine ?? comment.line;
  lines.splice(start - 1, comment.line - start + 1, ...suggested.lines);
  return lines.join('\n');
}

async function textAt(head: GithubRepository, sha: string, path: string): Promise<string> {
  const entry = await entryAt(head.gitDir, sha, path);
  if (entry?.type !== 'blob') throw new Error(`There is no ${path} at ${sha}.`);
  return (await readBlob(head.gitDir, entry.sha)).toString('utf8');
}

function pullOf(found: GithubRepository, number: number): GithubIssue {
  const issue = found.issues.get(number);
  if (issue === undefined || issue.pull === null) throw new Error(`${found.name} has no pull request #${number}.`);
  return issue;
}
