// The texts of ours on a thread's subject: made once, edited in place, folded away, and never forced on those who took them away.
import {
  type PostedComment,
  type PostedPullRequest,
  type Thread,
  type ThreadRecord,
  triggerKey,
} from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { isReplyAlone, REPLY_MS, withReply } from '../render/command-reply.ts';
import { handOverComment } from '../render/hand-over-comment.ts';
import { keepRecentPosts, type Step } from './decide.ts';
import type { Check } from './follow-pull-request.ts';
import { digestOf, type Marker, markerIn } from './marker.ts';
import type { OwnComment } from './outbox.ts';
import type { View, Work } from './view.ts';
import { findNumber, isRemoved, markRemoved, toPlace, toUtterance, type WantedComment } from './wanted-comment.ts';

/** Clocks differ; a comment of this thread is not older than that. */
const SLACK_MS = 600_000;

function toLookSince({ createdAt }: Pick<Thread, 'createdAt'>): string {
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
  const found = findUnrecorded(view, own);
  const known = new Set(view.record.replaced);
  const replies = own.flatMap(({ id, body }) => (isReplyAlone(body) && !known.has(id) ? [id] : []));
  if (found.length > 0) return adoptComment(work, found, replies);
  const made = await outbox.createComment(number, wanted.text, signal);
  const before = view.record.comment;
  const replaced = before === null || isRemoved(before) ? [] : [before.id];
  return {
    ...countPost(work),
    comment: toPosted(work, wanted, made),
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
    return { ...view.record, unspoken: toUtterance(view, wanted) };
  }
}

/** A comment that somebody has deleted is not made again for the same analysis. */
export async function edit(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const { outbox, view, signal, deps } = work;
  try {
    await outbox.updateComment(standing.id, wanted.text, signal);
    return { ...view.record, comment: toPosted(work, wanted, standing) };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'gone') throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'our comment is gone');
    return { ...view.record, comment: { ...markRemoved(standing), investigationId: view.thread.investigationId } };
  }
}

/** Into what is there now: a person may have edited it, and a text of ours that needs no other words is not rendered again. */
export async function addReply(
  { outbox, view, signal, deps }: Work,
  { number, standing, reply }: Extract<Step, { kind: 'reply' }>,
): Promise<ThreadRecord> {
  const own = await outbox.ownComments(number, toLookSince(view.thread), signal);
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
  const since = toLookSince(thread);
  return record.comment === null ? new Date(Date.parse(since) - REPLY_MS).toISOString() : since;
}

interface Found {
  readonly comment: OwnComment;
  readonly marker: Marker;
}

/** Our own on this subject that the record does not know, oldest first. */
function findUnrecorded({ record, thread }: View, own: readonly OwnComment[]): readonly Found[] {
  const known = new Set([record.comment?.id, ...record.replaced]);
  return own.flatMap((comment) => {
    const marker = markerIn(comment.body);
    const isHere = marker?.threadId === thread.id && (marker.kind === 'facts' || marker.kind === 'result');
    return isHere && !known.has(comment.id) ? [{ comment, marker }] : [];
  });
}

/** The newest is the one that stands; what stood before it is replaced. */
function adoptComment(work: Work, found: readonly Found[], replies: readonly number[]): ThreadRecord {
  const { record } = work.view;
  const [newest] = found.slice(-1);
  if (newest === undefined) return record;
  const { comment, marker } = newest;
  const shows = marker.kind === 'result' ? 'result' : 'facts';
  const before = record.comment === null || isRemoved(record.comment) ? [] : [record.comment.id];
  const others = found.slice(0, -1).map((one) => one.comment.id);
  return {
    ...countPost(work),
    comment: {
      ...{ id: comment.id, nodeId: comment.nodeId, url: comment.url },
      ...{ investigationId: marker.investigationId, shows },
      ...{ digest: digestOf(comment.body), at: work.deps.now().toISOString() },
    },
    replaced: [...record.replaced, ...before, ...others, ...replies],
  };
}

function countPost({ view, deps }: Work): ThreadRecord {
  const now = deps.now();
  return { ...view.record, posts: [...keepRecentPosts(view.record.posts, now), now.toISOString()] };
}

type Spot = Pick<PostedComment, 'id' | 'url' | 'nodeId' | 'isMinimized'>;

function toPosted({ view, deps }: Work, wanted: WantedComment, at: Spot): PostedComment {
  return {
    ...{ id: at.id, url: at.url, investigationId: view.thread.investigationId },
    ...(at.nodeId !== undefined && { nodeId: at.nodeId }),
    ...(at.isMinimized === true && { isMinimized: true }),
    ...{ shows: wanted.shows, digest: digestOf(wanted.text), at: deps.now().toISOString() },
  };
}

/** Both calls may be made twice. The comment still tells of what it told of. */
export async function settle(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const record = await edit(work, standing, wanted);
  const { comment } = record;
  if (comment === null || isRemoved(comment)) return record;
  const nodeId = standing.nodeId || (await findNodeId(work, standing.id));
  const isMinimized = await unlessClosed(work, nodeId, (id) => work.outbox.minimize(id, work.signal));
  return { ...record, comment: { ...comment, investigationId: standing.investigationId, nodeId, isMinimized } };
}

export async function reopen(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  await unlessClosed(work, standing.nodeId ?? '', (id) => work.outbox.unminimize(id, work.signal));
  return await edit(work, { ...standing, isMinimized: false }, wanted);
}

/** Of the suggestions; tried once. */
export async function fold(work: Work): Promise<ThreadRecord> {
  const { suggested, ...record } = work.view.record;
  if (suggested === undefined) return record;
  await unlessClosed(work, suggested.nodeId, (id) => work.outbox.minimize(id, work.signal));
  return { ...record, suggested: { ...suggested, isMinimized: true } };
}

/** Of the suggestions; what GitHub does not show again is not offered again. */
export async function unfold(work: Work): Promise<ThreadRecord> {
  const { suggested, ...record } = work.view.record;
  if (suggested === undefined) return record;
  const isShown = await unlessClosed(work, suggested.nodeId, (id) => work.outbox.unminimize(id, work.signal));
  const reviewId = isShown ? suggested.reviewId : 0;
  return { ...record, suggested: { ...suggested, reviewId, isMinimized: !isShown } };
}

/** Whether it was done. Something unfolded that is not allowed to be folded is no harm. */
export async function unlessClosed(
  { deps, view }: Work,
  nodeId: string,
  act: (nodeId: string) => Promise<void>,
): Promise<boolean> {
  if (nodeId === '') return false;
  try {
    await act(nodeId);
    return true;
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'GitHub did not fold or unfold a text of ours');
    return false;
  }
}

/** Records of old lack it. */
async function findNodeId({ outbox, view, signal }: Work, commentId: number): Promise<string> {
  const number = findNumber(view.thread.subject);
  if (number === null) return '';
  const own = await outbox.ownComments(number, toLookSince(view.thread), signal);
  return own.find(({ id }) => id === commentId)?.nodeId ?? '';
}

/** Id of the comment, be it made now or before a crash. */
export async function handOver(work: Work, posted: PostedPullRequest, red: readonly Check[]): Promise<number> {
  const { outbox, view, signal, deps } = work;
  const own = await outbox.ownComments(posted.number, toLookSince(view.thread), signal);
  const made = own.find(({ body }) => isHandOver(body, view.thread.id));
  if (made !== undefined) return made.id;
  const last = posted.attempts.at(-1);
  const investigation = last === undefined ? null : await deps.store.investigation(last.investigationId);
  const outcome = investigation?.outcome;
  const text = handOverComment({
    place: toPlace(view, 'hand-over'),
    attempts: posted.attempts.length,
    failedChecks: red.map(({ name, url }) => ({ name, url })),
    lastIssue: outcome?.state === 'concluded' ? await deps.store.issue(outcome.issueId) : null,
  });
  return (await outbox.createComment(posted.number, text, signal)).id;
}

function isHandOver(body: string, threadId: string): boolean {
  const marker = markerIn(body);
  return marker?.kind === 'hand-over' && marker.threadId === threadId;
}
