// When the checks of a pull request are green again, what was said of them is over. Pure.
import { isEnded } from '../../core/investigation.ts';
import type { PostedComment } from '../../core/thread.ts';
import { settledComment } from '../render/settled-comment.ts';
import { isFlaky } from './causes.ts';
import type { View } from './deps.ts';
import { placeOf } from './place-of.ts';
import { isOfThis, isRemoved, type WantedComment } from './standing-comment.ts';
import { isUnasked, maySpeak } from './unasked.ts';

/** The one line that is to be left of the standing comment; null: it is not over, or is no more than that already. */
export function greenAgain(view: View, standing: PostedComment): WantedComment | null {
  const { checks } = view;
  if (checks?.head.state !== 'green' || standing.shows === 'settled' || !isOver(view, standing)) return null;
  const { thread, result, earlier } = view;
  const known = isOfThis(standing, view) ? result : earlier;
  const text = settledComment({
    place: placeOf({ ...view, thread: { ...thread, investigationId: standing.investigationId } }, 'result'),
    sha: checks.head.sha,
    names: checks.namesBefore,
    isFlaky: isFlaky(checks),
    issue: known?.issue ?? null,
  });
  return { shows: 'settled', text, how: 'edit' };
}

/** What a person asked for is shown first, and is over only when the checks turn green after that. */
function isOver(view: View, standing: PostedComment): boolean {
  if (isUnasked(view)) return true;
  const { checks, result, investigation } = view;
  if (standing.shows !== 'result' || !isOfThis(standing, view)) return false;
  if (checks === null || result === null || !isEnded(investigation.outcome)) return false;
  return Date.parse(checks.head.endedAt) > Date.parse(result.issue.createdAt);
}

/** Whether the one line stays as it is: until the checks are red anew, or a person asks anew. */
export function staysSettled(view: View, standing: PostedComment): boolean {
  if (standing.shows !== 'settled') return false;
  return isUnasked(view) ? view.checks?.head.state === 'green' : isOfThis(standing, view);
}

/** Whether the suggestions are over: as soon as the comment is, or where people took that away. */
export function areSuggestionsOver({ record, checks }: View): boolean {
  const { suggested, comment } = record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized === true) return false;
  return checks?.head.state === 'green' && (comment?.shows === 'settled' || isRemoved(comment));
}

/** Whether suggestions that were folded away hold again: red anew of the same cause, at the very head that they were made for. */
export function areSuggestionsBack(view: View): boolean {
  const { suggested } = view.record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized !== true) return false;
  if (suggested.investigationId !== view.thread.investigationId || suggested.headSha !== view.pull?.headSha)
    return false;
  return isUnasked(view) && maySpeak(view);
}
