// The one comment on a thread's subject: made once, edited in place, replaced by a result, and never forced on those who took it away.
import { type PostedComment, type Thread, type ThreadRecord, triggerKey } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { isReplyAlone, REPLY_MS, withReply } from '../render/command-reply.ts';
import type { View, Work } from './deps.ts';
import { recentPosts, type Step } from './desired.ts';
import { digestOf, type Marker, markerIn } from './marker.ts';
import type { OwnComment } from './outbox.ts';
import { isRemoved, removed, type WantedComment } from './standing-comment.ts';
import { utterance } from './wanted.ts';

/** Clocks differ; a comment of this thread is not older than that. */
const SLACK_MS = 600_000;

export function lookedSince({ createdAt }: Pick<Thread, 'createdAt'>): string {
  return new Date(Date.parse(createdAt) - SLACK_MS).toISOString();
}

/** 👀, also where its comment is gone by now: somebody asked, and it was seen. */
export async function react({ outbox, view, signal, deps }: Work, number: number): Promise<ThreadRecord> {
  const { trigger } = view.thread;
  try {
    await outbox.react({ number, commentId: trigger.commentId }, signal);
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub took no reaction');
  }
  return { ...view.record, seen: triggerKey(trigger) };
}

/** Looks for one that was made but not recorded before it makes another. */
export async function post(work: Work, number: number, wanted: WantedComment): Promise<ThreadRecord> {
  const { outbox, view, signal } = work;
  const own = await outbox.ownComments(number, sinceWhen(view), signal);
  const found = unrecorded(view, own);
  const known = new Set(view.record.replaced);
  const replies = own.flatMap(({ id, body }) => (isReplyAlone(body) && !known.has(id) ? [id] : []));
  if (found.length > 0) return adopted(work, found, replies);
  const made = await outbox.createComment(number, wanted.text, signal);
  const before = view.record.comment;
  const replaced = before === null || isRemoved(before) ? [] : [before.id];
  return {
    ...posted(work),
    comment: commentOf(work, wanted, made),
    replaced: [...view.record.replaced, ...replaced, ...replies],
  };
}

/** In a locked conversation nothing can be said; the pull request that was asked for is opened all the same. */
export async function unlessRefused(
  { view, deps }: Work,
  wanted: WantedComment,
  said: Promise<ThreadRecord>,
): Promise<ThreadRecord> {
  try {
    return await said;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub took no comment here');
    return { ...view.record, unspoken: utterance(view, wanted) };
  }
}

/** A comment that somebody has deleted is not made again for the same analysis. */
export async function edit(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const { outbox, view, signal, deps } = work;
  try {
    await outbox.updateComment(standing.id, wanted.text, signal);
    return { ...view.record, comment: commentOf(work, wanted, standing) };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'gone') throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'our comment is gone');
    return { ...view.record, comment: { ...removed(standing), investigationId: view.thread.investigationId } };
  }
}

/** Into what is there now: a person may have edited it, and a text of ours that needs no other words is not rendered again. */
export async function addReply(
  { outbox, view, signal, deps }: Work,
  { number, standing, reply }: Extract<Step, { kind: 'reply' }>,
): Promise<ThreadRecord> {
  const own = await outbox.ownComments(number, lookedSince(view.thread), signal);
  const current = own.find(({ id }) => id === standing.id);
  try {
    if (current !== undefined) await outbox.updateComment(standing.id, withReply(current.body, reply), signal);
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub took no reply to a command');
  }
  return { ...view.record, comment: { ...standing, replied: reply.at } };
}

/** Of a comment that a newer one has replaced; gone is gone. */
export async function remove({ outbox, view, signal }: Work, commentId: number): Promise<ThreadRecord> {
  try {
    await outbox.deleteComment(commentId, signal);
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
  }
  return { ...view.record, replaced: view.record.replaced.filter((id) => id !== commentId) };
}

/** A reply to a command may have been there before the thread was; the first comment of the thread takes its place. */
function sinceWhen({ record, thread }: View): string {
  const since = lookedSince(thread);
  return record.comment === null ? new Date(Date.parse(since) - REPLY_MS).toISOString() : since;
}

interface Found {
  readonly comment: OwnComment;
  readonly marker: Marker;
}

/** Our own on this subject that the record does not know, oldest first. */
function unrecorded({ record, thread }: View, own: readonly OwnComment[]): readonly Found[] {
  const known = new Set([record.comment?.id, ...record.replaced]);
  return own.flatMap((comment) => {
    const marker = markerIn(comment.body);
    const isHere = marker?.threadId === thread.id && (marker.kind === 'facts' || marker.kind === 'result');
    return isHere && !known.has(comment.id) ? [{ comment, marker }] : [];
  });
}

/** The newest is the one that stands; what stood before it is replaced. */
function adopted(work: Work, found: readonly Found[], replies: readonly number[]): ThreadRecord {
  const { record } = work.view;
  const [newest] = found.slice(-1);
  if (newest === undefined) return record;
  const { comment, marker } = newest;
  const shows = marker.kind === 'result' ? 'result' : 'facts';
  const before = record.comment === null || isRemoved(record.comment) ? [] : [record.comment.id];
  const others = found.slice(0, -1).map((one) => one.comment.id);
  return {
    ...posted(work),
    comment: {
      ...{ id: comment.id, nodeId: comment.nodeId, url: comment.url },
      ...{ investigationId: marker.investigationId, shows },
      ...{ digest: digestOf(comment.body), at: work.deps.now().toISOString() },
    },
    replaced: [...record.replaced, ...before, ...others, ...replies],
  };
}

function posted({ view, deps }: Work): ThreadRecord {
  const now = deps.now();
  return { ...view.record, posts: [...recentPosts(view.record.posts, now), now.toISOString()] };
}

type Spot = Pick<PostedComment, 'id' | 'url' | 'nodeId' | 'isMinimized'>;

function commentOf({ view, deps }: Work, wanted: WantedComment, at: Spot): PostedComment {
  return {
    ...{ id: at.id, url: at.url, investigationId: view.thread.investigationId },
    ...(at.nodeId !== undefined && { nodeId: at.nodeId }),
    ...(at.isMinimized === true && { isMinimized: true }),
    ...{ shows: wanted.shows, digest: digestOf(wanted.text), at: deps.now().toISOString() },
  };
}
