// The one comment that hands a pull request over to people; nothing more is said there after it.
import type { PostedPullRequest } from '../../core/thread.ts';
import { handOverComment } from '../render/hand-over-comment.ts';
import type { Work } from './deps.ts';
import { markerIn } from './marker.ts';
import { placeOf } from './place-of.ts';
import type { Check } from './read-checks.ts';
import { lookedSince } from './show-comment.ts';

/** Id of the comment, be it made now or before a crash. */
export async function handOver(work: Work, posted: PostedPullRequest, red: readonly Check[]): Promise<number> {
  const { outbox, view, signal, deps } = work;
  const own = await outbox.ownComments(posted.number, lookedSince(view.thread), signal);
  const made = own.find(({ body }) => isHandOver(body, view.thread.id));
  if (made !== undefined) return made.id;
  const last = posted.attempts.at(-1);
  const investigation = last === undefined ? null : await deps.store.investigation(last.investigationId);
  const outcome = investigation?.outcome;
  const text = handOverComment({
    place: placeOf(view, 'hand-over'),
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
