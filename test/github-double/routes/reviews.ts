// Routes of reviews: submitted with remarks at lines, read, and edited.
import { addReview, editRemark, editReview, type NewRemark } from '../deeds/reviews.ts';
import { resolveCommit } from '../git/read-objects.ts';
import { reviewBody, reviewCommentBody } from '../resources/review.ts';
import {
  type Answer,
  actorId,
  forbidden,
  noContent,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  text,
  viaAppId,
  withFound,
} from '../route.ts';
import type { Issue } from '../state.ts';
import type { Pull, Review, ReviewComment, Side } from '../state-pulls.ts';
import { PULLS_READ, PULLS_WRITE, withPull } from './pulls.ts';

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

export const reviewRoutes: readonly Route[] = [
  ofRepository('POST /pulls/{pull_number}/reviews', PULLS_WRITE, withPull(submit)),
  ofRepository(
    'GET /pulls/{pull_number}/reviews',
    PULLS_READ,
    withPull((call, issue, pull) =>
      paged(call, pull.reviews, (page) => page.map((one) => reviewBody(call.state, call.repository, issue, one))),
    ),
  ),
  ofRepository(
    'GET /pulls/{pull_number}/reviews/{review_id}',
    PULLS_READ,
    withReview((call, issue, review) => ok(reviewBody(call.state, call.repository, issue, review))),
  ),
  ofRepository(
    'PUT /pulls/{pull_number}/reviews/{review_id}',
    PULLS_WRITE,
    withReview((call, issue, review) => {
      if (review.authorId !== actorId(call.caller)) return forbidden();
      const body = text(call.body['body']) ?? '';
      editReview(call.state, call.repository, issue, { review, body, senderId: actorId(call.caller) });
      return ok(reviewBody(call.state, call.repository, issue, review));
    }),
  ),
  ofRepository(
    'GET /pulls/{pull_number}/reviews/{review_id}/comments',
    PULLS_READ,
    withReview((call, _issue, review) => remarks(call, (one) => one.reviewId === review.id)),
  ),
  ofRepository(
    'GET /pulls/comments/{comment_id}',
    PULLS_READ,
    withRemark((call, one) => ok(remarkBody(call, one))),
  ),
  ofRepository(
    'PATCH /pulls/comments/{comment_id}',
    PULLS_WRITE,
    withRemark((call, one) => {
      const change = { body: text(call.body['body']) ?? '', senderId: actorId(call.caller) };
      editRemark(call.state, call.repository, one, change);
      return ok(remarkBody(call, one));
    }),
  ),
  ofRepository(
    'DELETE /pulls/comments/{comment_id}',
    PULLS_WRITE,
    withRemark((call, one) => {
      call.repository.reviewComments.delete(one.id);
      return noContent();
    }),
  ),
  ofRepository(
    'GET /pulls/{pull_number}/comments',
    PULLS_READ,
    withPull((call, issue) => remarks(call, (one) => one.issueNumber === issue.number)),
  ),
];

function withReview(answer: (call: RepositoryCall, issue: Issue, review: Review) => Answer) {
  return withPull((call, issue, pull) => {
    const review = pull.reviews.find((one) => one.id === Number(call.params['review_id']));
    return review === undefined ? notFound() : answer(call, issue, review);
  });
}

function withRemark(answer: (call: RepositoryCall, one: ReviewComment) => Answer) {
  return withFound((call) => call.repository.reviewComments.get(Number(call.params['comment_id'])), answer);
}

function remarkBody(call: RepositoryCall, one: ReviewComment) {
  return reviewCommentBody(call.state, call.repository, one);
}

function remarks(call: RepositoryCall, among: (one: ReviewComment) => boolean): Answer {
  const all = [...call.repository.reviewComments.values()].filter(among);
  return paged(call, all, (page) => page.map((one) => remarkBody(call, one)));
}

async function submit(call: RepositoryCall, issue: Issue, pull: Pull): Promise<Answer> {
  const { body, caller, repository, state } = call;
  const event = text(body['event']) as keyof typeof STATES | undefined;
  const given = remarksOf(body['comments']);
  const written = text(body['body']) ?? '';
  if (event !== undefined && STATES[event] === undefined)
    return refusal('Variable $event of type PullRequestReviewEvent was provided invalid value');
  if (event === 'REQUEST_CHANGES' && written === '') return refusal('Body cannot be blank');
  if (event === 'COMMENT' && written === '' && given.length === 0) return refusal('Body cannot be blank');
  const isOwn = issue.authorId === actorId(caller);
  if (isOwn && event === 'APPROVE') return refusal('Can not approve your own pull request');
  if (isOwn && event === 'REQUEST_CHANGES') return refusal('Can not request changes on your own pull request');
  const commitSha = text(body['commit_id']) ?? pull.headSha;
  if ((await resolveCommit(repository.gitDir, commitSha)) !== commitSha) return refusal('Commit could not be found');
  const made = await addReview(state, repository, issue, {
    authorId: actorId(caller),
    viaAppId: viaAppId(caller),
    body: written,
    state: event === undefined ? 'PENDING' : STATES[event],
    commitSha,
    remarks: given,
  });
  return 'id' in made ? ok(reviewBody(state, repository, issue, made)) : refusal(...made);
}

function refusal(...errors: readonly string[]): Answer {
  return refused(422, 'Unprocessable Entity', { errors });
}

function remarksOf(given: unknown): readonly NewRemark[] {
  return (Array.isArray(given) ? given : []).map((one: Record<string, unknown>) => ({
    path: text(one['path']) ?? '',
    body: text(one['body']) ?? '',
    line: Number(one['line']),
    side: (text(one['side']) ?? 'RIGHT') as Side,
    startLine: typeof one['start_line'] === 'number' ? one['start_line'] : null,
    startSide:
      typeof one['start_line'] === 'number'
        ? ((text(one['start_side']) ?? text(one['side']) ?? 'RIGHT') as Side)
        : null,
  }));
}
