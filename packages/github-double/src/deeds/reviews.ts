// What happens to reviews: somebody reviews a pull request, with remarks at lines of its diff.
import { type DiffLine, listPatchLines, readDiff } from '../git/read-diff.ts';

import { entryAt, mergeBase } from '../git/read-objects.ts';
import { timestamp } from '../lookup.ts';
import { reviewBody, reviewCommentBody, simplePull } from '../resources/issue.ts';

import type { GithubIssue, GithubRepository, Pull, Review, ReviewRemark, Side, State } from '../state.ts';

import { announce, touch } from './issues.ts';

export interface NewRemark {
  readonly path: string;
  readonly body: string;
  readonly line: number;
  readonly side: Side;
  readonly startLine: number | null;
  readonly startSide: Side | null;
}

export interface NewReview extends Pick<Review, 'authorId' | 'body' | 'state'> {
  /** Default: the head of the pull request. */
  readonly commitSha?: string;
  readonly viaAppId?: number | null;
  readonly remarks?: readonly NewRemark[];
}

/** The review, or all that GitHub has against it, in its words: nothing is kept then. */
export async function addReview(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  made: NewReview,
): Promise<Review | readonly string[]> {
  const { pull } = issue;
  if (pull === null) throw new Error(`#${issue.number} is no pull request.`);
  const { authorId, body, remarks = [], viaAppId = null } = made;
  const commitSha = made.commitSha ?? pull.headSha;
  const placed = await Promise.all(remarks.map((one) => placeOf(repository, pull, commitSha, one)));
  const problems = placed.flatMap((one) => (typeof one === 'string' ? [one] : []));
  if (problems.length > 0) return [...new Set(problems)];
  const now = timestamp(state);
  const base = { id: state.nextId(), authorId, body, state: made.state, commitSha };
  const review: Review = { ...base, submittedAt: now, updatedAt: now, edits: [], minimized: null };
  pull.reviews.push(review);
  touch(state, issue);
  const comments = placed.flatMap((place, at) => {
    const remark = remarks[at];
    return typeof place === 'string' || remark === undefined
      ? []
      : [addRemark(state, repository, issue, { review, place, remark, viaAppId })];
  });
  if (made.state !== 'PENDING') tellReview(state, repository, issue, { review, comments });
  return review;
}

function tellReview(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  { review, comments }: { readonly review: Review; readonly comments: readonly ReviewRemark[] },
): void {
  if (issue.pull === null) return;
  const pull_request = simplePull(state, repository, issue, issue.pull);
  const body = reviewBody(state, repository, issue, review);
  const parts = {
    review: { ...body, body: review.body === '' ? null : review.body, state: review.state.toLowerCase() },
    pull_request,
  };
  const senderId = review.authorId;
  announce(state, repository, { event: 'pull_request_review', action: 'submitted', parts, senderId });
  for (const one of comments) {
    const comment = reviewCommentBody(state, repository, one);
    const what = { event: 'pull_request_review_comment', action: 'created', senderId };
    announce(state, repository, { ...what, parts: { comment, pull_request } });
  }
}

function addRemark(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  of: {
    readonly review: Review;
    readonly place: DiffLine;
    readonly remark: NewRemark;
    readonly viaAppId: number | null;
  },
): ReviewRemark {
  const { place, remark, review, viaAppId } = of;
  const comment: ReviewRemark = {
    id: state.nextId(),
    issueNumber: issue.number,
    reviewId: review.id,
    authorId: review.authorId,
    viaAppId,
    ...remark,
    commitSha: review.commitSha,
    diffHunk: place.diffHunk,
    position: place.position,
    isOutdated: false,
    reactions: [],
    edits: [],
    minimized: null,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
  };
  repository.reviewComments.set(comment.id, comment);
  return comment;
}

/** The remark's last line in the diff, or why GitHub refuses it. */
async function placeOf(
  repository: GithubRepository,
  pull: Pull,
  commitSha: string,
  remark: NewRemark,
): Promise<DiffLine | string> {
  const base = (await mergeBase(repository.gitDir, pull.baseSha, commitSha)) ?? pull.baseSha;
  const file = (await readDiff(repository.gitDir, base, commitSha)).find(({ path }) => path === remark.path);
  if (file === undefined) return 'Path could not be resolved';
  const lines = file.patch === null ? [] : listPatchLines(file.patch);
  const at = (line: number, side: Side) => lines.find((one) => one.line === line && one.side === side);
  const end = at(remark.line, remark.side);
  const start = remark.startLine === null ? end : at(remark.startLine, remark.startSide ?? remark.side);
  if (end === undefined) {
    const same = 'Pull request review thread start line must be part of the same hunk as the line.';
    const blank = "Pull request review thread diff hunk can't be blank";
    const missing = 'Pull request review thread line must be part of the diff';
    return remark.startLine === null ? `${missing} and ${blank}` : `${missing}, ${same}, and ${blank}`;
  }
  if (remark.startLine !== null && remark.startSide === remark.side && remark.startLine >= remark.line) {
    return 'Pull request review thread start line must precede the end line.';
  }
  if (start?.hunk !== end.hunk) {
    return 'Pull request review thread start line must be part of the same hunk as the line.';
  }
  return end;
}

/** After a push: remarks at files that are no longer as they were stand at no line any more. */
export async function outdateRemarks(repository: GithubRepository, issue: GithubIssue): Promise<void> {
  const head = issue.pull?.headSha ?? '';
  for (const one of repository.reviewComments.values()) {
    if (one.issueNumber !== issue.number || one.isOutdated || one.side === 'LEFT') continue;
    const [then, now] = await Promise.all([
      entryAt(repository.gitDir, one.commitSha, one.path),
      entryAt(repository.gitDir, head, one.path),
    ]);
    one.isOutdated = then?.sha !== now?.sha;
  }
}
