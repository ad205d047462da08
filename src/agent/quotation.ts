// Whether a quotation stands in a text, and whether it is long and telling enough to prove anything.
import { withoutUnseen } from '../core/inert-text.ts';

/** What a line of our tools may begin with: `> 14 | `, `14: `, `src/a.ts:14: `, `14<tab>`. */
const GUTTER = /^[ \t]*(?:>[ \t]*)?(?:[^\s:|]{1,300}[:-])?\d{1,7}(?:[ \t]*[|│:→]|\t|-(?=[ \t]))[ \t]?/gm;
const LEAST_CHARACTERS = 8;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]+|\d{3,}/gu;
/** Words that stand in nearly every file: a quotation of these alone shows nothing. */
const EVERYWHERE = new Set(
  `abstract and as async await bool boolean break case catch char class const continue def default del do double elif else end
  enum except export extends false final finally float fn for foreach from func function global if impl implements import in
  include instanceof int interface is lambda let long loop match module mut namespace new nil none not null object or override
  package pass private protected public raise require return self short static string struct super switch template then this
  throw throws true try type typedef typeof undefined unless until use using val var virtual void when where while with yield
  ok found nothing line lines file files`.split(/\s+/),
);

/** A text made ready to be searched for quotations. */
export interface Quotable {
  readonly plain: string;
  readonly withoutGutters: string;
}

export function quotable(text: string): Quotable {
  const seen = withoutUnseen(text);
  return { plain: folded(seen), withoutGutters: folded(seen.replace(GUTTER, '')) };
}

/** White space apart, and with or without the line numbers that our tools print, the quotation stands in the text. */
export function standsIn(quote: Quotable, text: Quotable): boolean {
  return text.plain.includes(quote.plain) || text.withoutGutters.includes(quote.withoutGutters);
}

/** At least eight characters, and at least one word that is not in every file. */
export function isTelling({ withoutGutters }: Quotable): boolean {
  if (withoutGutters.replaceAll(' ', '').length < LEAST_CHARACTERS) return false;
  return [...withoutGutters.matchAll(WORD)].some(([word]) => !EVERYWHERE.has(word.toLowerCase()));
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
