// Routes of comments on issues and pull requests, and of reactions to both.
import { addComment, deleteComment, editComment, recordReaction } from '../deeds/issues.ts';
import { commentBody, REACTIONS, reactionBody } from '../resources/issue.ts';

import {
  type Answer,
  actorId,
  asText,
  noContent,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  unprocessable,
  viaAppId,
  withFound,
} from '../route.ts';
import type { Comment, Reaction } from '../state.ts';
import { ISSUES_READ, ISSUES_WRITE, tooLong, tooLongAnswer, withIssue } from './issues.ts';

export const commentRoutes: readonly Route[] = [
  ofRepository(
    'GET /issues/{issue_number}/comments',
    ISSUES_READ,
    withIssue((call, issue) => answerComments(call, (one) => one.issueNumber === issue.number)),
  ),
  ofRepository(
    'POST /issues/{issue_number}/comments',
    ISSUES_WRITE,
    withIssue((call, issue) => {
      const body = asText(call.body['body']) ?? '';
      if (body === '') return unprocessable({ resource: 'IssueComment', code: 'missing_field', field: 'body' });
      if (tooLong(body)) return tooLongAnswer('IssueComment');
      if (issue.locked) return refused(403, 'Unable to create comment because issue is locked.');
      const made = { body, authorId: actorId(call.caller), viaAppId: viaAppId(call.caller) };
      const comment = addComment(call.state, call.repository, issue, made);
      return created(commentBody(call.state, call.repository, comment));
    }),
  ),
  ofRepository('GET /issues/comments', ISSUES_READ, (call) => answerComments(call, () => true)),
  ofRepository(
    'PATCH /issues/comments/{comment_id}',
    ISSUES_WRITE,
    withComment((call, comment) => {
      const body = asText(call.body['body']) ?? '';
      if (tooLong(body)) return tooLongAnswer('IssueComment');
      if (!mayChange(call, comment)) return refused(403, 'Resource not accessible by integration');
      editComment(call.state, call.repository, comment, { body, byId: actorId(call.caller) });
      return ok(commentBody(call.state, call.repository, comment));
    }),
  ),
  ofRepository(
    'DELETE /issues/comments/{comment_id}',
    ISSUES_WRITE,
    withComment((call, comment) => {
      deleteComment(call.state, call.repository, comment, actorId(call.caller));
      return noContent();
    }),
  ),
  ofRepository(
    'GET /issues/comments/{comment_id}/reactions',
    ISSUES_READ,
    withComment((call, { reactions }) => {
      const content = call.url.searchParams.get('content');
      const wanted = reactions.filter((one) => content === null || one.content === content);
      return paged(call, wanted, (page) => page.map((one) => reactionBody(call.state, one)));
    }),
  ),
  ofRepository(
    'POST /issues/{issue_number}/reactions',
    ISSUES_WRITE,
    withIssue((call, issue) => addCommentReaction(call, issue)),
  ),
  ofRepository(
    'POST /issues/comments/{comment_id}/reactions',
    ISSUES_WRITE,
    withComment((call, comment) => addCommentReaction(call, comment)),
  ),
];

function withComment(answer: (call: RepositoryCall, comment: Comment) => Answer) {
  return withFound((call) => call.repository.comments.get(Number(call.params['comment_id'])), answer);
}

function created(body: { readonly url: string }): Answer {
  return { status: 201, body, headers: { location: body.url } };
}

/** Oldest first; `since` goes by the time of the last edit. */
function answerComments(call: RepositoryCall, among: (comment: Comment) => boolean): Answer {
  const since = call.url.searchParams.get('since') ?? '';
  const all = [...call.repository.comments.values()].filter((one) => among(one) && one.updatedAt >= since);
  if (call.url.searchParams.get('direction') === 'desc') all.reverse();
  return paged(call, all, (page) => page.map((one) => commentBody(call.state, call.repository, one)));
}

/** An App that may write issues may change what people wrote, too; a person only the own. */
function mayChange({ caller }: RepositoryCall, comment: Comment): boolean {
  return caller.kind === 'installation' || comment.authorId === actorId(caller);
}

interface Reactable {
  readonly reactions: Reaction[];
}

/** 201 for a new one, 200 where it was there. */
function addCommentReaction(call: RepositoryCall, to: Reactable): Answer {
  const content = REACTIONS.find((one) => one === call.body['content']);
  if (content === undefined) return unprocessable({ resource: 'Reaction', code: 'invalid', field: 'content' });
  const { reaction, isNew } = recordReaction(call.state, to, { userId: actorId(call.caller), content });
  return ok(reactionBody(call.state, reaction), isNew ? 201 : 200);
}
