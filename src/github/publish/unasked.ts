// What may be said where nobody asked: red checks began the analysis, and people hear of it only when there is something to hear. Pure.
import type { PostedComment } from '../../core/thread.ts';
import { isSettled, isWorthSaying } from './causes.ts';
import type { View } from './deps.ts';
import { resultText } from './result-text.ts';
import { isRemoved, type WantedComment } from './standing-comment.ts';

export function isUnasked({ thread }: Pick<View, 'thread'>): boolean {
  return thread.trigger.kind === 'checks';
}

/** Also where people took our comment away: it is not made again there unasked. */
export function maySpeak(view: View): boolean {
  const { config, checks, record } = view;
  if (config.comments !== 'all' || isRemoved(record.comment) || checks?.head.state !== 'red') return false;
  // What has not ended may say more, and a comment that calls people is said once.
  if (checks.head.stillWaiting.length > 0) return false;
  return isSettled(checks.causes) && isWorthSaying(checks.causes) && isLive(view);
}

/** Whether the pull request is open, waits for a review, and still stands at the head that was judged. */
function isLive({ checks, pull }: View): boolean {
  const place = checks?.head.place;
  if (pull?.state !== 'open' || pull.isDraft || place?.kind !== 'pull_request') return false;
  return pull.headSha === place.sha;
}

/** In its final form alone; after that it is only ever edited, which calls nobody. */
export function unaskedComment(view: View, standing: PostedComment | null): WantedComment | null {
  if (view.result === null || !maySpeak(view)) return null;
  return { shows: 'result', text: resultText(view, view.result), how: standing === null ? 'post' : 'edit' };
}
