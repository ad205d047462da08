// People and reviews: they review, and they commit what others suggest.
import { touch } from '../deeds/issues.ts';
import { moveRef } from '../deeds/refs.ts';
import { addReview, type NewRemark } from '../deeds/reviews.ts';
import { commitFiles } from '../git/commit-files.ts';
import { entryAt, readBlob } from '../git/read-objects.ts';
import { account, repository, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/commit.ts';
import type { Account, Issue, Repository, State } from '../state.ts';
import type { Review, ReviewComment } from '../state-pulls.ts';
import { suggestionIn } from '../suggestion.ts';

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
    reviewComments: (name: string, number: number): readonly ReviewComment[] =>
      [...repository(state, name).reviewComments.values()].filter((one) => one.issueNumber === number),
    /** Presses "Commit suggestion" of one, or of several as a batch; returns the sha of the commit on the head's branch. */
    async commitSuggestion(
      name: string,
      comments: ReviewComment | readonly ReviewComment[],
      by: string,
    ): Promise<string> {
      const found = repository(state, name);
      const all = 'id' in comments ? [comments] : comments;
      const issue = pullOf(found, all[0]?.issueNumber ?? 0);
      return commitAll(state, issue, { comments: all, by: account(state, by) });
    },
    /** A person folds a comment, a review or a remark away (`RESOLVED`, `OUTDATED` …); null shows it again. */
    minimise(written: { minimized: string | null; updatedAt: string }, reason: string | null): void {
      written.minimized = reason;
      touch(state, written);
    },
  };
}

async function commitAll(
  state: State,
  issue: Issue,
  { comments, by }: { readonly comments: readonly ReviewComment[]; readonly by: Account },
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
  await moveRef(state, head, { ref: `refs/heads/${pull.headRef}`, from: pull.headSha, to: sha }, by.id);
  return sha;
}

function withSuggestion(before: string, comment: ReviewComment): string {
  const suggested = suggestionIn(comment.body);
  if (suggested === null) throw new Error('This comment suggests nothing.');
  if (comment.isOutdated) throw new Error('This suggestion is outdated: the lines have changed since.');
  const lines = before.split('\n');
  const start = comment.startLine ?? comment.line;
  lines.splice(start - 1, comment.line - start + 1, ...suggested.lines);
  return lines.join('\n');
}

async function textAt(head: Repository, sha: string, path: string): Promise<string> {
  const entry = await entryAt(head.gitDir, sha, path);
  if (entry?.type !== 'blob') throw new Error(`There is no ${path} at ${sha}.`);
  return (await readBlob(head.gitDir, entry.sha)).toString('utf8');
}

function pullOf(found: Repository, number: number): Issue {
  const issue = found.issues.get(number);
  if (issue === undefined || issue.pull === null) throw new Error(`${found.name} has no pull request #${number}.`);
  return issue;
}
