// What is over is folded away as resolved on GitHub, and comes back when it is not.
import type { PostedComment, ThreadRecord } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { Work } from './deps.ts';
import { placeNumber } from './place-of.ts';
import { edit, lookedSince } from './show-comment.ts';
import { isRemoved, type WantedComment } from './standing-comment.ts';

/** Both calls may be made twice. The comment still tells of what it told of. */
export async function settle(work: Work, standing: PostedComment, wanted: WantedComment): Promise<ThreadRecord> {
  const record = await edit(work, standing, wanted);
  const { comment } = record;
  if (comment === null || isRemoved(comment)) return record;
  const nodeId = standing.nodeId || (await nodeIdOf(work, standing.id));
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
async function nodeIdOf({ outbox, view, signal }: Work, commentId: number): Promise<string> {
  const number = placeNumber(view.thread.subject);
  if (number === null) return '';
  const own = await outbox.ownComments(number, lookedSince(view.thread), signal);
  return own.find(({ id }) => id === commentId)?.nodeId ?? '';
}
