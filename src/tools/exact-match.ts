// Where old text stands letter for letter, and what its lines become with the new text in its place.
import { findAll } from './find-all.ts';
import type { Span } from './loose-match.ts';
import type { Edit } from './place-edit.ts';
import { fitNewLines } from './re-indent.ts';

/** Rows of the file, and the rows that come to stand there. */
export interface Splice extends Span {
  readonly rows: readonly string[];
}

/** A combining accent belongs to the letter before it. */
const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** A place where the text stands letter for letter, from character `at` to `end` of the rows. */
interface ExactPlace extends Span {
  readonly at: number;
  readonly end: number;
  /** The text is these rows from their first letter to their last. */
  readonly wholeRows: boolean;
}

export interface ExactSearch {
  readonly places: readonly ExactPlace[];
  /** `indented`: the new rows were indented further than they were written. */
  spliceAt(place: ExactPlace): Splice & { readonly indented: boolean };
}

/** Every place where the text stands letter for letter without cutting a word in two. */
export function createExactSearch(bare: readonly string[], { oldText, newText }: Edit): ExactSearch {
  // A newline at the end only says that the last line is whole; without it the two texts are told apart by content alone.
  const ended = oldText.endsWith('\n');
  const wanted = ended ? oldText.slice(0, -1) : oldText;
  const given = ended && newText.endsWith('\n') ? newText.slice(0, -1) : newText;
  const whole = bare.join('\n');
  const starts = rowStarts(bare);
  const startOf = (row: number) => starts[row] ?? 0;
  const endOf = (row: number) => startOf(row) + (bare[row] ?? '').length;
  const places = findAll(whole, wanted).flatMap((at): ExactPlace[] => {
    const end = at + wanted.length;
    if (cutsWord(whole, at) || cutsWord(whole, end)) return [];
    if (ended && end < whole.length && whole.charAt(end) !== '\n') return [];
    const from = rowAt(starts, at);
    const to = rowAt(starts, end) + 1;
    return [{ at, end, from, to, wholeRows: at === startOf(from) && end === endOf(to - 1) }];
  });
  return {
    places,
    spliceAt({ at, end, from, to, wholeRows }) {
      if (given === '' && wholeRows) return { from, to, rows: [], indented: false };
      const before = whole.slice(startOf(from), at);
      const after = whole.slice(end, endOf(to - 1));
      const literal = `${before}${given}${after}`.split('\n');
      if (before.trim() !== '' || after.trim() !== '') return { from, to, rows: literal, indented: false };
      const fitted = indentedRows(bare.slice(from, to), wanted, given, before);
      const rows = [...fitted.slice(0, -1), `${fitted.at(-1) ?? ''}${after}`];
      return { from, to, rows, indented: rows.join('\n') !== literal.join('\n') };
    },
  };
}

/** Whole lines whose first was named without its indentation: the rows after it may lack it too. */
function indentedRows(region: readonly string[], wanted: string, given: string, before: string): readonly string[] {
  if (before === '' || wanted.includes('\n') || !given.includes('\n')) return `${before}${given}`.split('\n');
  return fitNewLines(region, [wanted], given.split('\n'));
}

function rowStarts(bare: readonly string[]): readonly number[] {
  let next = 0;
  return bare.map((row) => {
    const start = next;
    next += row.length + 1;
    return start;
  });
}

/** The row in which the character at `offset` stands. */
function rowAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function cutsWord(text: string, at: number): boolean {
  return at > 0 && WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at));
}
