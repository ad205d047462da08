// Lines that were wrapped, read on: all of them, or only where the break may stand inside of a secret.
import { isDrawn, isRandom } from './literals.ts';
import { type Edit, editedView, type View } from './view.ts';

/** Line breaks, with the white space around them and a backslash before them, taken out. Empty lines still part. */
export function unwrappedView(view: View): View {
  return editedView(view, breaksOf(view.text));
}

/** The same only for breaks behind which something stands that could be the rest of a secret. */
export function joinedView(view: View): View {
  return editedView(view, joints(view.text));
}

/** Where `joinedView` takes out a break. */
export function jointOffsets(text: string): number[] {
  return joints(text).map(({ start }) => start);
}

function joints(text: string): Edit[] {
  return breaksOf(text).filter((edit) => edit.start > 0 && mayBeRest(text, edit));
}

/** Longer words are no rest of a line's end: they are found by themselves. */
const LONGEST_WORD = 4_000;
const WORD = /[^\s"'`<>&;,)}\]@\\\uFFFF]+/y;

/** Beginnings of tokens: behind one of these even what looks like a word is the rest. */
const BEGUN =
  /(?:A[KS]IA|gh[pousr]_|github_pat_|cwy_|whsec_|glpat-|npm_|xox[abeoprs]-|hf_|lin_api_|dp\.pt\.|sk-|[sr]k_live_|\.slack\.com\/services\/)[\w/-]{0,100}$/;

function mayBeRest(text: string, { start, end }: Edit): boolean {
  WORD.lastIndex = end;
  const word = WORD.exec(text.slice(0, end + LONGEST_WORD))?.[0] ?? '';
  return isDrawn(word) || isRandom(word) || BEGUN.test(text.slice(Math.max(0, start - 120), start));
}

function breaksOf(text: string): Edit[] {
  const edits: Edit[] = [];
  let from = 0;
  let empty = false;
  for (const { 0: lineBreak, index } of text.matchAll(/\r*\n\r*|\r+/g)) {
    const start = contentEnd(text, from, index);
    const end = contentStart(text, index + lineBreak.length);
    const nextEmpty = '\r\n'.includes(text[end] ?? ' ');
    if (!empty && !nextEmpty) edits.push({ start, end, text: '' });
    empty = nextEmpty;
    from = end;
  }
  return edits;
}

/** Where the line that ends at `end` has its last character, a backslash that continues it left out; at least `from`. */
function contentEnd(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && ' \t'.includes(text.charAt(at - 1))) at--;
  return at > from && text.charAt(at - 1) === '\\' ? at - 1 : at;
}

/** Where the line that starts at `start` has its first character. */
function contentStart(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t'.includes(text.charAt(at))) at++;
  return at;
}
