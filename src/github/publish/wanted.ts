// What the comment on a thread's subject should say now. Pure.
import { isEnded } from '../../core/investigation.ts';
import type { PostedComment } from '../../core/thread.ts';
import { endComment } from '../render/end-comment.ts';
import { factsComment } from '../render/facts-comment.ts';
import { MAX_PAGE } from '../render/page.ts';
import type { Result, View } from './deps.ts';
import { requestKey } from './fix-request.ts';
import { greenAgain, staysSettled } from './green-again.ts';
import { placeNumber, placeOf } from './place-of.ts';
import { resultText } from './result-text.ts';
import { diagnosisOf } from './standing.ts';
import { isOfThis, isRemoved, type WantedComment } from './standing-comment.ts';
import { isUnasked, unaskedComment } from './unasked.ts';

/** Null: what stands may stay, be it a comment or none. */
export function wantedComment(view: View): WantedComment | null {
  if (placeNumber(view.thread.subject) === null) return null;
  const standing = standingOf(view);
  if (isRemoved(standing) || (standing !== null && staysSettled(view, standing))) return null;
  const over = standing === null ? null : greenAgain(view, standing);
  if (over !== null) return over;
  // Facts stand where a person asked before the checks did: they wait for the end, whatever it is.
  const isTold = isUnasked(view) && standing?.shows !== 'facts';
  return isTold ? unaskedComment(view, standing) : askedComment(view, standing);
}

/** One that people took away is none for whoever asks for another analysis. */
function standingOf(view: View): PostedComment | null {
  const { comment } = view.record;
  return isRemoved(comment) && !isOfThis(comment, view) ? null : comment;
}

function askedComment(view: View, standing: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (!isEnded(outcome)) return whileItRuns(view, standing);
  if (outcome.state === 'concluded') return view.result && atTheEnd(view, view.result, standing);
  return outcome.state === 'gave_up' || outcome.state === 'cancelled' ? withoutResult(view, standing) : null;
}

/** Names what is to be said, and at whose wish, so that GitHub is not asked again to take what it has refused. */
export function utterance({ thread }: Pick<View, 'thread'>, { shows }: Pick<WantedComment, 'shows'>): string {
  return [thread.investigationId, shows, requestKey(thread)].join(' ').trim();
}

/** Nothing before there are facts, unless the run cannot begin for lack of disk space, which can take hours. An earlier result stays until there is a newer one. */
function whileItRuns(view: View, standing: PostedComment | null): WantedComment | null {
  const { facts, waitsFor, investigation } = view;
  if (standing?.shows === 'result' || (facts === null && waitsFor !== 'disk_full')) return null;
  const text = factsComment({ place: placeOf(view, 'facts'), facts, progress: investigation.progress, waitsFor });
  return { shows: 'facts', text, how: standing?.shows === 'facts' ? 'edit' : 'post' };
}

function atTheEnd(view: View, result: Result, standing: PostedComment | null): WantedComment {
  const isKnown = standing?.shows === 'result' && (isOfThis(standing, view) || isSameDiagnosis(view, result));
  return { shows: 'result', text: resultText(view, result), how: isKnown ? 'edit' : 'post' };
}

function isSameDiagnosis({ earlier }: View, { issue }: Result): boolean {
  return earlier !== null && diagnosisOf(earlier.issue) === diagnosisOf(issue);
}

/** A person who stopped it before anything was said needs no comment about it. What an earlier analysis found stays, below. */
function withoutResult(view: View, standing: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  const isSilent = standing === null || standing.shows === 'settled';
  if (isSilent && outcome.state === 'cancelled') return null;
  if (standing?.shows === 'result' && isOfThis(standing, view)) return null;
  const text = endComment({ place: placeOf(view, 'result'), reason: outcome.reason });
  if (standing === null) return { shows: 'result', text, how: 'post' };
  const before = standing.shows === 'result' ? view.earlier : null;
  if (before === null) return { shows: 'result', text, how: 'edit' };
  const head = `${text}\n\n---\n\n`;
  const earlier = resultText(view, before, MAX_PAGE - head.length);
  return { shows: 'result', text: `${head}${earlier}`, how: 'edit' };
}
