// Lines that were wrapped, read on: all of them, or only where the break may stand inside of a secret.
import { isDrawn, isRandom } from './literals.ts';
import { matchesOf } from './matches.ts';
import { type Edit, editedView, type View } from './view.ts';

/** Line breaks, with the white space around them and a backslash before them, taken out. Empty lines still part. */
export function unwrappedView(view: View): View {
  return editedView(view, breaksIn(view));
}

/** The same only for breaks behind which something stands that could be the rest of a secret. */
export function joinedView(view: View): View {
  return editedView(view, jointsIn(view));
}

/** Where `joinedView` takes out a break. */
export function jointOffsets(view: View): number[] {
  return jointsIn(view).map(({ start }) => start);
}

/** Each reading is asked for both several times, and a text of nothing but line ends has half a million. */
const BREAKS = new WeakMap<View, readonly Edit[]>();
const JOINTS = new WeakMap<View, readonly Edit[]>();

function breaksIn(view: View): readonly Edit[] {
  const breaks = BREAKS.get(view) ?? breaksOf(view.text);
  BREAKS.set(view, breaks);
  return breaks;
}

function jointsIn(view: View): readonly Edit[] {
  const { text } = view;
  const joints = JOINTS.get(view) ?? breaksIn(view).filter((edit) => edit.start > 0 && mayBeRest(text, edit));
  JOINTS.set(view, joints);
  return joints;
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
  return isDrawn(word) || isRandom(word) || BEGUN.test(lastWord(text, start));
}

/** What stands right before `end` without white space, which no token holds: at most 120 characters. */
function lastWord(text: string, end: number): string {
  let at = end;
  while (at > 0 && end - at < 120 && text.charCodeAt(at - 1) > 0x20) at--;
  return text.slice(at, end);
}

const LINE_BREAK = /\r*\n\r*|\r+/g;

function breaksOf(text: string): Edit[] {
  const edits: Edit[] = [];
  let from = 0;
  let empty = false;
  for (const { 0: lineBreak, index } of matchesOf(text, LINE_BREAK)) {
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
