// Reviews and remarks at lines as GraphQL shows them.
import { htmlUrl } from '../resources/issue.ts';
import { nodeId } from '../resources/node-id.ts';
import type { Issue, Repository } from '../state.ts';
import type { Review, ReviewComment } from '../state-pulls.ts';
import { connection, type PageArguments, type View } from './context.ts';
import { commitView } from './git-views.ts';
import { written } from './written.ts';

export function reviewView(call: View, repository: Repository, issue: Issue, review: Review): object {
  const comments = [...repository.reviewComments.values()].filter((one) => one.reviewId === review.id);
  const anchor = `#pullrequestreview-${review.id}`;
  return {
    ...written(call, repository, { ...review, createdAt: review.submittedAt }),
    ...folded(review),
    ...placed(call, repository, issue, anchor),
    __typename: 'PullRequestReview',
    id: nodeId('PRR', repository.id, review.id),
    databaseId: review.id,
    state: review.state,
    submittedAt: review.state === 'PENDING' ? null : review.submittedAt,
    commit: () => commitView(call, repository, review.commitSha),
    comments: (args: PageArguments) => connection(comments, args, (one) => remarkView(call, repository, issue, one)),
  };
}

export function remarkView(call: View, repository: Repository, issue: Issue, comment: ReviewComment): object {
  return {
    ...written(call, repository, comment),
    ...folded(comment),
    ...placed(call, repository, issue, `#discussion_r${comment.id}`),
    __typename: 'PullRequestReviewComment',
    id: nodeId('PRRC', repository.id, comment.id),
    databaseId: comment.id,
    path: comment.path,
    line: comment.isOutdated ? null : comment.line,
    startLine: comment.isOutdated ? null : comment.startLine,
    originalLine: comment.line,
    originalStartLine: comment.startLine,
    outdated: comment.isOutdated,
    diffHunk: comment.diffHunk,
    commit: () => commitView(call, repository, comment.commitSha),
  };
}

function folded({ minimized }: { readonly minimized: string | null }) {
  return {
    isMinimized: minimized !== null,
    minimizedReason: minimized?.toLowerCase() ?? null,
    viewerCanMinimize: true,
  };
}

function placed(call: View, repository: Repository, issue: Issue, anchor: string) {
  const url = `${htmlUrl(call.state, repository, issue)}${anchor}`;
  return {
    url,
    resourcePath: url.slice(call.state.urls.web.length),
    pullRequest: () => call.show.thread(call, repository, issue),
  };
}
