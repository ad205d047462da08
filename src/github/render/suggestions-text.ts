// The words above the suggestions of a review: what they are, and at which commit.
import { codeSpan } from '../../core/markdown/github.ts';
import type { Place } from './ground.ts';
import { pageText, text } from './page.ts';

export interface SuggestionsGround {
  readonly place: Place;
  /** The head that they were made for. */
  readonly sha: string;
  readonly count: number;
}

/** Markdown of one line, and the marker as its last one. */
export function suggestionsText({ place, sha, count }: SuggestionsGround): string {
  const which = count === 1 ? 'One suggestion that mends' : `${count} suggestions that mend`;
  const together = count === 1 ? '' : ' Commit them together.';
  const line = `${which} the red checks at ${codeSpan(sha.slice(0, 7))}.${together} How it is known stands in the conversation.`;
  return pageText({ open: [text(line)], folds: [], footer: '', marker: place.marker });
}
