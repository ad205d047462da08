// What the comment on a thread's subject should say now. Pure.
import { isEnded } from '../../domain/investigation.ts';
import type { PostedComment } from '../../domain/thread.ts';
import { endComment } from '../render/end-comment.ts';
import { factsComment } from '../render/facts-comment.ts';
import type { Place } from '../render/ground.ts';
import { MAX_PAGE } from '../render/page.ts';
import { resultComment } from '../render/result-comment.ts';
import type { Result, View } from './deps.ts';
import { requestKey } from './fix-request.ts';
import { type MarkerKind, markerText } from './marker.ts';
import { diagnosisOf, fixStanding } from './standing.ts';

export interface WantedComment {
  readonly shows: PostedComment['shows'];
  readonly text: string;
  /** `post`: a new one takes the place of the standing one, so that those who wait hear of it. */
  readonly how: 'post' | 'edit';
}

/** Null: what stands may stay, be it a comment or none. */
export function wantedComment(view: View): WantedComment | null {
  const { thread, record, investigation } = view;
  const standing = isRemoved(record.comment) && !isOfThis(record.comment, view) ? null : record.comment;
  if (thread.subject.kind === 'report' || isRemoved(standing)) return null;
  const { outcome } = investigation;
  if (!isEnded(outcome)) return whileItRuns(view, standing);
  if (outcome.state === 'concluded') return view.result && atTheEnd(view, view.result, standing);
  return outcome.state === 'gave_up' || outcome.state === 'cancelled' ? withoutResult(view, standing) : null;
}

/** Names what is to be said, and at whose wish, so that GitHub is not asked again to take what it has refused. */
export function utterance({ thread }: Pick<View, 'thread'>, { shows }: Pick<WantedComment, 'shows'>): string {
  return [thread.investigationId, shows, requestKey(thread)].join(' ').trim();
}

/** Somebody has taken our comment away: it is not written again for the same analysis. */
export function isRemoved(comment: PostedComment | null): boolean {
  return comment?.digest === '';
}

export function removed(comment: PostedComment): PostedComment {
  return { ...comment, digest: '', url: '' };
}

export function placeOf({ project, thread, webUrl }: View, kind: MarkerKind): Place {
  return {
    repository: project.name,
    webUrl,
    isPublic: !project.source.isPrivate,
    subject: thread.subject,
    marker: markerText({ threadId: thread.id, investigationId: thread.investigationId, kind }),
    askedBy: thread.trigger.by.login,
  };
}

function isOfThis(comment: PostedComment | null, { thread }: View): boolean {
  return comment?.investigationId === thread.investigationId;
}

/** Nothing before there are facts. An earlier result stays until there is a newer one. */
function whileItRuns(view: View, standing: PostedComment | null): WantedComment | null {
  const { facts, waitsFor, investigation } = view;
  if (facts === null || standing?.shows === 'result') return null;
  const text = factsComment({ place: placeOf(view, 'facts'), facts, progress: investigation.progress, waitsFor });
  return { shows: 'facts', text, how: standing === null ? 'post' : 'edit' };
}

function atTheEnd(view: View, result: Result, standing: PostedComment | null): WantedComment {
  const isKnown = standing?.shows === 'result' && (isOfThis(standing, view) || isSameDiagnosis(view, result));
  return { shows: 'result', text: resultText(view, result), how: isKnown ? 'edit' : 'post' };
}

function isSameDiagnosis({ earlier }: View, { issue }: Result): boolean {
  return earlier !== null && diagnosisOf(earlier.issue) === diagnosisOf(issue);
}

function resultText(view: View, result: Result, most = MAX_PAGE): string {
  const fix = fixStanding(view, result);
  const recordUrl = view.result === result ? view.recordUrl : '';
  return resultComment({ place: placeOf(view, 'result'), ...result, fix, recordUrl, most });
}

/** A person who stopped it before anything was said needs no comment about it. What an earlier analysis found stays, below. */
function withoutResult(view: View, standing: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  if (standing === null && outcome.state === 'cancelled') return null;
  if (standing?.shows === 'result' && isOfThis(standing, view)) return null;
  const text = endComment({ place: placeOf(view, 'result'), reason: outcome.reason });
  if (standing === null) return { shows: 'result', text, how: 'post' };
  const before = standing.shows === 'result' ? view.earlier : null;
  if (before === null) return { shows: 'result', text, how: 'edit' };
  const head = `${text}\n\n---\n\n`;
  const earlier = resultText(view, before, MAX_PAGE - head.length);
  return { shows: 'result', text: `${head}${earlier}`, how: 'edit' };
}
