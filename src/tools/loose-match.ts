// Where lines stand in a file if white space is overlooked, from the strictest reading to the widest.
import { findAll } from './find-all.ts';

/** Row indices, end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Reading {
  readonly spans: readonly Span[];
  /** What was overlooked, for the result. */
  readonly how: string;
}

const QUOTES: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b]/g, "'"],
  [/[\u201c\u201d\u201e\u201f]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
];
/** Fewer letters than this stand by chance in many places, once white space is gone. */
const MIN_LETTERS = 6;
const MANY = 500;

/** One reading after the other, the next only if it is asked for; the first with a span is the one to take. */
export function* looseSpans(rows: readonly string[], wanted: readonly string[]): Generator<Reading> {
  yield { spans: equalRuns(rows, wanted, (row) => row.trimEnd()), how: 'blanks at line ends aside' };
  if (squeeze(wanted.join('')).length < MIN_LETTERS) return;
  yield { spans: shiftedSpans(rows, wanted), how: 'the indentation aside, which was adjusted' };
  yield { spans: squeezedRuns(rows, wanted, squeeze), how: 'white space aside; the indentation was adjusted' };
  yield {
    spans: squeezedRuns(rows, wanted, (row) => plainQuotes(squeeze(row))),
    how: 'white space and typographic quotes aside; the indentation was adjusted',
  };
}

function equalRuns(rows: readonly string[], wanted: readonly string[], key: (row: string) => string): Span[] {
  const starts = findAll(rows.map(key), wanted.map(key));
  return starts.map((from) => ({ from, to: from + wanted.length }));
}

/** The same lines, all moved by one indentation; the first may have lost its own. */
export function shiftedSpans(rows: readonly string[], wanted: readonly string[]): Span[] {
  const spans = equalRuns(rows, wanted, (row) => row.trim());
  // So many are ambiguous, however they are indented; looking at each line of each would take long.
  if (spans.length > MANY) return spans;
  return spans.filter((span) => {
    const shifts = wanted.flatMap((row, offset) => {
      const there = rows[span.from + offset] ?? '';
      return row.trim() === '' ? [] : [widthOf(there) - widthOf(row)];
    });
    return new Set(shifts.slice(1)).size <= 1;
  });
}

function widthOf(row: string): number {
  return row.length - row.trimStart().length;
}

function squeeze(row: string): string {
  return row.replaceAll(/[\s\u00a0\ufeff]+/g, '');
}

function plainQuotes(text: string): string {
  return QUOTES.reduce((plain, [pattern, letter]) => plain.replaceAll(pattern, letter), text);
}

/** Whole lines that hold the same letters in the same order, however they are spaced and broken. */
function squeezedRuns(rows: readonly string[], wanted: readonly string[], key: (row: string) => string): Span[] {
  const letters = key(wanted.join('\n'));
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  let whole = '';
  for (const [index, row] of rows.entries()) {
    const own = key(row);
    if (own === '') continue;
    starts.set(whole.length, index);
    whole += own;
    ends.set(whole.length, index + 1);
  }
  const spans: Span[] = [];
  for (const at of findAll(whole, letters)) {
    const from = starts.get(at);
    const to = ends.get(at + letters.length);
    if (from !== undefined && to !== undefined) spans.push({ from, to });
  }
  return spans;
}
