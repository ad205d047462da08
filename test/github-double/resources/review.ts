// Reviews and remarks at lines as the API shows them.
import { fullName } from '../lookup.ts';
import { associationOf } from '../roles.ts';
import type { Issue, Repository, State } from '../state.ts';
import type { Review, ReviewComment } from '../state-pulls.ts';
import { htmlUrl } from './issue.ts';
import { nodeId } from './node-id.ts';
import { rollup } from './reactions.ts';
import { simpleUserOf } from './user.ts';

export function reviewBody(state: State, repository: Repository, issue: Issue, review: Review) {
  const html = `${htmlUrl(state, repository, issue)}#pullrequestreview-${review.id}`;
  const pull = `${state.urls.api}/repos/${fullName(state, repository)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', repository.id, review.id),
    user: simpleUserOf(state, review.authorId),
    body: review.body,
    state: review.state as string,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(state, repository, review.authorId),
    _links: { html: { href: html }, pull_request: { href: pull } },
    ...(review.state === 'PENDING' ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

/** Without places in the file where the lines have changed since. */
export function reviewCommentBody(state: State, repository: Repository, comment: ReviewComment) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/pulls`;
  const url = `${api}/comments/${comment.id}`;
  const issue = repository.issues.get(comment.issueNumber);
  const html = `${issue === undefined ? state.urls.web : htmlUrl(state, repository, issue)}#discussion_r${comment.id}`;
  const pull = `${api}/${comment.issueNumber}`;
  const live = comment.isOutdated
    ? { position: null, line: null, start_line: null }
    : { position: comment.position, line: comment.line, start_line: comment.startLine };
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', repository.id, comment.id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    commit_id: comment.isOutdated ? comment.commitSha : (issue?.pull?.headSha ?? comment.commitSha),
    original_commit_id: comment.commitSha,
    user: simpleUserOf(state, comment.authorId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(state, repository, comment.authorId),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    reactions: rollup(`${url}/reactions`, comment.reactions),
    ...live,
    original_position: comment.position,
    original_line: comment.line,
    original_start_line: comment.startLine,
    start_side: comment.startSide,
    side: comment.side,
    subject_type: 'line',
  };
}
