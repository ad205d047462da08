// What happens to comments and reactions.
import { timestamp } from '../lookup.ts';
import { commentBody, issueBody } from '../resources/issue.ts';
import type { Comment, Issue, Reaction, Repository, State } from '../state.ts';
import { announce } from './announce.ts';
import { recordEdit, touch } from './issues.ts';

export interface NewComment {
  readonly body: string;
  readonly authorId: number;
  readonly viaAppId?: number | null;
}

export function addComment(state: State, repository: Repository, issue: Issue, made: NewComment): Comment {
  const now = timestamp(state);
  const comment: Comment = {
    id: state.nextId(),
    issueNumber: issue.number,
    authorId: made.authorId,
    viaAppId: made.viaAppId ?? null,
    body: made.body,
    reactions: [],
    edits: [],
    minimized: null,
    createdAt: now,
    updatedAt: now,
  };
  repository.comments.set(comment.id, comment);
  touch(state, issue);
  tellComment(state, repository, comment, { action: 'created', senderId: made.authorId });
  return comment;
}

export function editComment(
  state: State,
  repository: Repository,
  comment: Comment,
  body: string,
  senderId: number,
): void {
  const changes = { body: { from: comment.body } };
  recordEdit(state, comment, { text: body, byId: senderId });
  comment.body = body;
  touch(state, comment);
  tellComment(state, repository, comment, { action: 'edited', senderId, parts: { changes } });
}

export function deleteComment(state: State, repository: Repository, comment: Comment, senderId: number): void {
  repository.comments.delete(comment.id);
  tellComment(state, repository, comment, { action: 'deleted', senderId });
}

interface CommentNews {
  readonly action: string;
  readonly senderId: number;
  readonly parts?: object;
}

function tellComment(state: State, repository: Repository, comment: Comment, news: CommentNews): void {
  const issue = repository.issues.get(comment.issueNumber);
  if (issue === undefined) return;
  const parts = {
    ...news.parts,
    issue: issueBody(state, repository, issue),
    comment: commentBody(state, repository, comment),
  };
  announce(state, repository, { event: 'issue_comment', action: news.action, parts, senderId: news.senderId });
}

/** The reaction, and whether it is new: the same person cannot react twice the same way. GitHub announces no reactions. */
export function react(
  state: State,
  to: { readonly reactions: Reaction[] },
  by: { readonly userId: number; readonly content: Reaction['content'] },
): { readonly reaction: Reaction; readonly isNew: boolean } {
  const found = to.reactions.find((one) => one.userId === by.userId && one.content === by.content);
  if (found !== undefined) return { reaction: found, isNew: false };
  const reaction = { id: state.nextId(), ...by, createdAt: timestamp(state) };
  to.reactions.push(reaction);
  return { reaction, isNew: true };
}
