// Quotations: what the model copied, found again in what it was shown.
import { foldSpaces, removeInvisible, restoreBlanks } from 'causeway-visible-text';

/** What a line of our tools may begin with: `> 14 | `, `14: `, `src/a.ts:14: `, `14<tab>`. */
const GUTTER = /^[ \t]*(?:>[ \t]*)?(?:[^\s:|]{1,300}[:-])?\d{1,7}(?:[ \t]*[|│:→]|\t|-(?=[ \t]))[ \t]?/gm;

const MIN_QUOTE_CHARACTERS = 8;
/** Without blanks. So long a quotation proves something even if each of its words is common. */
const LONG_QUOTE_CHARACTERS = 40;

const WORD = /[\p{L}_$][\p{L}\p{N}_$]+|\d{3,}/gu;

/** Words of nearly every file: a quotation of only these shows nothing. */
const EVERYWHERE = new Set(
  `abstract and as async await bool boolean break case catch char class const continue def default del do double elif else end
  enum except export extends false final finally float fn for foreach from func function global if impl implements import in
  include instanceof int interface is lambda let long loop match module mut namespace new nil none not null object or override
  package pass private protected public raise require return self short static string struct super switch template then this
  throw throws true try type typedef typeof undefined unless until use using val var virtual void when where while with yield
  ok found nothing line lines file files`.split(/\s+/),
);

/** A text made ready to be searched for quotations. */
export interface PreparedText {
  readonly plain: string;
  readonly withoutGutters: string;
}

export function prepareText(text: string): PreparedText {
  // A blank that the model saw by its number is white space like any other here.
  const seen = restoreBlanks(removeInvisible(text));
  return { plain: foldSpaces(seen), withoutGutters: foldSpaces(seen.replace(GUTTER, '')) };
}

/** Ignores white space, and the line numbers that our tools print. */
export function occursIn(quote: PreparedText, text: PreparedText): boolean {
  return text.plain.includes(quote.plain) || text.withoutGutters.includes(quote.withoutGutters);
}

/** At least eight characters, and at least one word that is not in every file. */
export function isInformative({ withoutGutters }: PreparedText): boolean {
  const { length } = withoutGutters.replaceAll(' ', '');
  if (length < MIN_QUOTE_CHARACTERS) return false;
  // `return a != a ? b == b : a !== b` has no word of its own, and no other line is like it.
  if (length >= LONG_QUOTE_CHARACTERS) return true;
  return [...withoutGutters.matchAll(WORD)].some(([word]) => !EVERYWHERE.has(word.toLowerCase()));
}

/** The lines with one space where several were, and without the numbers that our tools print; without empty ones. `isSource`: of a file, with its empty lines and without such numbers. */
export function listQuotedLines(text: string, isSource = false): readonly string[] {
  const seen = restoreBlanks(removeInvisible(text));
  const lines = (isSource ? seen : seen.replace(GUTTER, '')).split('\n').map(foldSpaces);
  return isSource ? lines : lines.filter((line) => line !== '');
}
