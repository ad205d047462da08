// Our comments on a thread's subject: posted once, edited in place, collapsed when settled, and not restored when people delete them.
import type { Check } from '../../core/check/index.ts';
import { describeProofVerdict } from '../../core/proof/index.ts';
import {
  type PostedComment,
  type PostedPullRequest,
  type ThreadRecord,
  toUnfinished,
} from '../../core/thread/index.ts';
import { recoverFrom } from '../clients/index.ts';
import { appendReply, isReplyOnly, REPLY_MS, renderHandOverComment } from '../render/index.ts';
import { isRemoved, keepRecentPosts, type PublishStep, toPlace, toUtterance, type WantedComment } from './decide.ts';
import { digestOf, readMarker } from './marker.ts';
import { loadIssue, type Work } from './view.ts';

/** Clocks differ; no comment of a thread is older than the thread by more than this. */
const SLACK_MS = 600_000;

/** In a locked conversation nothing can be said; a requested pull request is opened all the same. */
export function writeComment(work: Work, step: Extract<PublishStep, { kind: 'post' | 'edit' }>): Promise<ThreadRecord> {
  const { deps, view } = work;
  const write = () =>
    step.kind === 'post' ? post(work, step.number, step.comment) : edit(work, step.posted, step.comment);
  return recoverFrom(['refused'], write, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused a comment');
    return { ...view.record, unspoken: toUtterance(view, step.comment) };
  });
}

/** Looks for a comment that was posted but not recorded before it posts one. */
async function post(work: Work, number: number, comment: WantedComment): Promise<ThreadRecord> {
  const { github, deps, view } = work;
  const { record, thread } = view;
  // A reply to a command may be older than the thread; the thread's first comment replaces it.
  const own = await github.listOwnComments(number, toEarliest(work, record.comment === null ? REPLY_MS : 0));
  const known = new Set([record.comment?.id, ...record.replaced]);
  const found = own.flatMap((one): PostedComment[] => {
    const marker = readMarker(one.body);
    if (known.has(one.id) || marker?.threadId !== thread.id) return [];
    if (marker.kind !== 'facts' && marker.kind !== 'result') return [];
    const { id, nodeId, url, body } = one;
    const at = deps.now().toISOString();
    const about = { investigationId: marker.investigationId, ...toAlso(view), shows: marker.kind };
    return [{ id, nodeId, url, ...about, digest: digestOf(body), at }];
  });
  const newest = found.at(-1) ?? toPosted(work, comment, await github.createComment(number, comment.text));
  const replaced = [
    ...record.replaced,
    ...(record.comment === null || isRemoved(record.comment) ? [] : [record.comment.id]),
    ...found.slice(0, -1).map(({ id }) => id),
    ...own.filter(({ id, body }) => isReplyOnly(body) && !record.replaced.includes(id)).map(({ id }) => id),
  ];
  return { ...record, posts: countPost(work), comment: newest, replaced };
}

/** A settled comment is collapsed as well, and expanded when it has more to say again. */
async function edit(work: Work, posted: PostedComment, comment: WantedComment): Promise<ThreadRecord> {
  const { github, view, deps } = work;
  const nodeId = posted.nodeId ?? '';
  const isSettled = comment.shows === 'settled';
  if (posted.isMinimized === true && !isSettled) await attemptPost(work, nodeId, () => github.unminimize(nodeId));
  const update = async (): Promise<PostedComment> => {
    await github.updateComment(posted.id, comment.text);
    const edited = toPosted(work, comment, posted);
    if (!isSettled) return edited;
    const isMinimized = await attemptPost(work, nodeId, () => github.minimize(nodeId));
    return { ...edited, investigationId: posted.investigationId, isMinimized };
  };
  const updated = await recoverFrom(['gone'], update, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'our comment is gone');
    return { ...posted, digest: '', url: '', investigationId: view.thread.investigationId };
  });
  return { ...view.record, comment: updated };
}

/** 👀; also recorded where the comment with the command is gone by now. */
export async function react(work: Work, number: number, seen: string): Promise<ThreadRecord> {
  const { github, view } = work;
  await attemptPost(work, 'reaction', () => github.react(number, view.thread.trigger.commentId));
  return { ...view.record, seen };
}

/** Collapses the suggestions as resolved; tried once. */
export async function foldSuggestions(work: Work): Promise<ThreadRecord> {
  const { suggested } = work.view.record;
  if (suggested === undefined) return work.view.record;
  await attemptPost(work, suggested.nodeId, () => work.github.minimize(suggested.nodeId));
  return { ...work.view.record, suggested: { ...suggested, isMinimized: true } };
}

/** Into the comment as it is on GitHub now: people may have edited it. */
export async function addReply(work: Work, step: Extract<PublishStep, { kind: 'reply' }>): Promise<ThreadRecord> {
  const { github, view } = work;
  const { posted, reply, number } = step;
  const own = await github.listOwnComments(number, toEarliest(work));
  const current = own.find(({ id }) => id === posted.id);
  if (current !== undefined) {
    await attemptPost(work, 'reply', () => github.updateComment(posted.id, appendReply(current.body, reply)));
  }
  return { ...view.record, comment: { ...posted, replied: reply.at } };
}

export async function removeReplaced(work: Work, commentId: number): Promise<ThreadRecord> {
  const { github, view } = work;
  await attemptPost(work, 'deletion', () => github.deleteComment(commentId));
  return { ...view.record, replaced: view.record.replaced.filter((id) => id !== commentId) };
}

/** Id of the comment that hands a pull request over to people, posted now or before a crash. */
export async function handOver(work: Work, posted: PostedPullRequest, failing: readonly Check[]): Promise<number> {
  const { github, view, deps } = work;
  const own = await github.listOwnComments(posted.number, toEarliest(work));
  const made = own.find(({ body }) => {
    const marker = readMarker(body);
    return marker?.kind === 'hand-over' && marker.threadId === view.thread.id;
  });
  if (made !== undefined) return made.id;
  const { proof } = posted;
  const lastId = posted.attempts.at(-1)?.investigationId ?? proof?.secondTry?.investigationId;
  const outcome = lastId === undefined ? null : (await deps.store.findInvestigation(lastId))?.outcome;
  const isFailing = failing.length > 0 || proof?.phase !== 'ended';
  const text = renderHandOverComment(toPlace(view, 'hand-over'), {
    attempts: posted.attempts.length,
    failedChecks: failing,
    ...(!isFailing && { unproven: describeProofVerdict(proof.verdict) }),
    lastIssue: outcome?.state === 'concluded' ? await loadIssue(deps.store, outcome.issueId) : null,
    published: view.published,
    pull: toUnfinished(
      posted,
      failing.map(({ name }) => name),
    ),
    recordUrl: view.published === null ? '' : deps.recordUrl(view.published),
  });
  return (await github.createComment(posted.number, text)).id;
}

/** Whether GitHub did it. What is gone or not allowed is logged and not tried again. */
async function attemptPost({ deps, view }: Work, target: string, act: () => Promise<void>): Promise<boolean> {
  if (target === '') return false;
  const run = async () => {
    await act();
    return true;
  };
  return await recoverFrom(['gone', 'refused'], run, (error) => {
    deps.log.info({ thread: view.thread.id, target, err: error }, 'GitHub did not accept a change of our comment');
    return false;
  });
}

/** Without records a thread is as old as this process, and its comments may be of any age. */
function toEarliest({ view, deps }: Work, extraMs = 0): string {
  if (deps.memory === 'github') return new Date(0).toISOString();
  const { createdAt } = view.thread;
  return new Date(Date.parse(createdAt) - SLACK_MS - extraMs).toISOString();
}

/** The recent posts, with one more. */
export function countPost({ view, deps }: Work): readonly string[] {
  const now = deps.now();
  return [...keepRecentPosts(view.record.posts, now), now.toISOString()];
}

function toPosted(
  { view, deps }: Work,
  { shows, text }: WantedComment,
  { id, url, nodeId }: { readonly id: number; readonly url: string; readonly nodeId?: string },
): PostedComment {
  const at = deps.now().toISOString();
  const { investigationId } = view.thread;
  const about = { investigationId, ...toAlso(view), shows };
  return { id, url, ...about, ...(nodeId !== undefined && { nodeId }), digest: digestOf(text), at };
}

function toAlso({ latest }: Work['view']): Pick<PostedComment, 'also'> {
  return latest === null ? {} : { also: latest.investigation.id };
}
