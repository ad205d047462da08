// The texts of ours on a thread's subject: made once, edited in place, folded away, and never forced on people who removed them.
import {
  type PostedComment,
  type PostedPullRequest,
  type Thread,
  type ThreadRecord,
  triggerKey,
} from '../../core/thread.ts';
import { appendReply, isReplyAlone, REPLY_MS } from '../render/command-reply.ts';
import { renderHandOverComment } from '../render/comment.ts';
import { keepRecentPosts, type Step } from './decide.ts';
import type { Check } from './follow-pull-request.ts';
import { recoverFrom } from './github-calls.ts';
import { digestOf, markerIn } from './marker.ts';
import type { OwnComment } from './outbox.ts';
import { loadIssue, type Work } from './view.ts';
import { isRemoved, markRemoved, toPlace, toUtterance, type WantedComment } from './wanted-comment.ts';

/** Clocks differ; a comment of this thread is not older than that. */
const SLACK_MS = 600_000;

/** 👀, also where its comment is gone by now: somebody asked, and it was seen. */
export async function react(work: Work, number: number): Promise<ThreadRecord> {
  const { outbox, view, signal } = work;
  const { trigger } = view.thread;
  const target = { number, commentId: trigger.commentId };
  await unlessClosed(work, 'GitHub took no reaction', () => outbox.react(target, signal));
  return { ...view.record, seen: triggerKey(trigger) };
}

/** Looks for one that was made but not recorded before it makes another. */
export async function post(work: Work, number: number, wanted: WantedComment): Promise<ThreadRecord> {
  const { outbox, signal } = work;
  const { record, thread } = work.view;
  // A reply to a command may have been there before the thread was; the first comment of the thread takes its place.
  const own = await outbox.ownComments(number, toLookSince(thread, record.comment === null ? REPLY_MS : 0), signal);
  const known = new Set([record.comment?.id, ...record.replaced]);
  const unknown = own.filter(({ id }) => !known.has(id));
  const found = unknown.flatMap((comment) => {
    const marker = markerIn(comment.body);
    const isHere = marker?.threadId === thread.id && (marker.kind === 'facts' || marker.kind === 'result');
    return isHere ? [toAdopted(work, comment, marker.kind === 'result', marker.investigationId)] : [];
  });
  const newest = found.at(-1) ?? toPosted(work, wanted, await outbox.createComment(number, wanted.text, signal));
  const before = record.comment === null || isRemoved(record.comment) ? [] : [record.comment.id];
  const others = found.slice(0, -1).map(({ id }) => id);
  const replies = own.flatMap(({ id, body }) => (isReplyAlone(body) && !record.replaced.includes(id) ? [id] : []));
  return { ...countPost(work), comment: newest, replaced: [...record.replaced, ...before, ...others, ...replies] };
}

/** In a locked conversation nothing can be said; the pull request that was asked for is opened all the same. */
export function unlessRefused(
  { view, deps }: Work,
  wanted: WantedComment,
  say: () => Promise<ThreadRecord>,
): Promise<ThreadRecord> {
  return recoverFrom(['refused'], say, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub took no comment here');
    return { ...view.record, unspoken: toUtterance(view, wanted) };
  });
}

/** A comment that somebody has deleted is not made again for the same analysis. */
export async function edit(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const { outbox, view, signal, deps } = work;
  const update = async () => {
    await outbox.updateComment(standing.id, wanted.text, signal);
    return toPosted(work, wanted, standing);
  };
  const comment = await recoverFrom(['gone'], update, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'our comment is gone');
    return { ...markRemoved(standing), investigationId: view.thread.investigationId };
  });
  return { ...view.record, comment };
}

/** Makes it one line and folds it away as resolved; both calls may be made twice. The comment is still about the same investigation. */
export async function settle(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const record = await edit(work, standing, wanted);
  const { comment } = record;
  if (comment === null || isRemoved(comment)) return record;
  const nodeId = standing.nodeId ?? '';
  const isMinimized = await minimize(work, nodeId);
  return { ...record, comment: { ...comment, investigationId: standing.investigationId, nodeId, isMinimized } };
}

export async function reopen(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  await unminimize(work, standing.nodeId ?? '');
  return await edit(work, { ...standing, isMinimized: false }, wanted);
}

/** Of the suggestions; tried once. */
export async function fold(work: Work): Promise<ThreadRecord> {
  const { suggested, ...record } = work.view.record;
  if (suggested === undefined) return record;
  await minimize(work, suggested.nodeId);
  return { ...record, suggested: { ...suggested, isMinimized: true } };
}

/** Of the suggestions; what GitHub does not show again is not offered again. */
export async function unfold(work: Work): Promise<ThreadRecord> {
  const { suggested, ...record } = work.view.record;
  if (suggested === undefined) return record;
  const isShown = await unminimize(work, suggested.nodeId);
  const reviewId = isShown ? suggested.reviewId : 0;
  return { ...record, suggested: { ...suggested, reviewId, isMinimized: !isShown } };
}

/** Into what is there now: a person may have edited it, and a text of ours that needs no other words is not rendered again. */
export async function addReply(
  work: Work,
  { number, standing, reply }: Extract<Step, { kind: 'reply' }>,
): Promise<ThreadRecord> {
  const { outbox, view, signal } = work;
  const own = await outbox.ownComments(number, toLookSince(view.thread), signal);
  const current = own.find(({ id }) => id === standing.id);
  if (current !== undefined) {
    const body = appendReply(current.body, reply);
    await unlessClosed(work, 'GitHub took no reply', () => outbox.updateComment(standing.id, body, signal));
  }
  return { ...view.record, comment: { ...standing, replied: reply.at } };
}

/** Of a comment that a newer one has replaced; gone is gone. */
export async function remove(work: Work, commentId: number): Promise<ThreadRecord> {
  const { outbox, view, signal } = work;
  await unlessClosed(work, 'GitHub deleted no comment', () => outbox.deleteComment(commentId, signal));
  return { ...view.record, replaced: view.record.replaced.filter((id) => id !== commentId) };
}

/** The comment that hands a pull request over to people: its id, be it made now or before a crash. Nothing more is said there after it. */
export async function handOver(work: Work, posted: PostedPullRequest, red: readonly Check[]): Promise<number> {
  const { outbox, view, signal, deps } = work;
  const own = await outbox.ownComments(posted.number, toLookSince(view.thread), signal);
  const made = own.find(({ body }) => {
    const marker = markerIn(body);
    return marker?.kind === 'hand-over' && marker.threadId === view.thread.id;
  });
  if (made !== undefined) return made.id;
  const last = posted.attempts.at(-1);
  const investigation = last === undefined ? null : await deps.store.findInvestigation(last.investigationId);
  const outcome = investigation?.outcome;
  const text = renderHandOverComment({
    place: toPlace(view, 'hand-over'),
    attempts: posted.attempts.length,
    failedChecks: red.map(({ name, url }) => ({ name, url })),
    lastIssue: outcome?.state === 'concluded' ? await loadIssue(deps.store, outcome.issueId) : null,
  });
  return (await outbox.createComment(posted.number, text, signal)).id;
}

/** Folds it away as resolved. Whether it was done: something unfolded that is not allowed to be folded is no harm. */
export async function minimize(work: Work, nodeId: string): Promise<boolean> {
  const { outbox, signal } = work;
  return (
    nodeId !== '' && (await unlessClosed(work, 'GitHub did not fold our text', () => outbox.minimize(nodeId, signal)))
  );
}

async function unminimize(work: Work, nodeId: string): Promise<boolean> {
  const { outbox, signal } = work;
  return (
    nodeId !== '' &&
    (await unlessClosed(work, 'GitHub did not unfold our text', () => outbox.unminimize(nodeId, signal)))
  );
}

/** Whether GitHub did it. What is gone, or not allowed, is logged and not tried again. */
function unlessClosed({ deps, view }: Work, failure: string, act: () => Promise<void>): Promise<boolean> {
  const tryIt = async () => {
    await act();
    return true;
  };
  return recoverFrom(['gone', 'refused'], tryIt, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, failure);
    return false;
  });
}

function toLookSince({ createdAt }: Thread, longerMs = 0): string {
  return new Date(Date.parse(createdAt) - SLACK_MS - longerMs).toISOString();
}

function toAdopted({ deps }: Work, comment: OwnComment, isResult: boolean, investigationId: string): PostedComment {
  const { id, nodeId, url, body } = comment;
  const shows = isResult ? 'result' : 'facts';
  return { id, nodeId, url, investigationId, shows, digest: digestOf(body), at: deps.now().toISOString() };
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
