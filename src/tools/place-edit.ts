// Where old text stands in a file, and the file with the new text in its place: exactly, else uniquely up to white space, never by guess.
import { plainCopies } from './copied-text.ts';
import { createExactSearch, type ExactSearch, type Splice } from './exact-match.ts';
import { looseSpans, type Span } from './loose-match.ts';
import { nearestText } from './nearest-text.ts';
import { placeElided } from './place-elided.ts';
import { fitNewLines } from './re-indent.ts';
import { joinRows, type Rows, splitRows } from './text-rows.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** 1-based line at which `oldText` begins: decides between several places, never moves a unique one. */
  readonly line?: number;
}

/** Rows `from`–`to` of the file, 1-based and inclusive. */
export interface PlacedAt {
  readonly from: number;
  readonly to: number;
}

export type Placement =
  /** `how` is "" where the text stood exactly so; else it says in words what was overlooked. `at`: the rows of the new text. */
  | { readonly kind: 'placed'; readonly text: string; readonly at: PlacedAt; readonly how: string }
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'absent'; readonly nearest: string };

const MARK = '\ufeff';

/** Puts `newText` in the place of `oldText`. Line ends, a byte order mark and the final newline of `file` are kept; so is every other byte. */
export function placeEdit(file: string, edit: Edit): Placement {
  const given = { ...edit, oldText: plainText(edit.oldText), newText: plainText(edit.newText) };
  if (given.oldText.trim() === '') return { kind: 'refused', reason: 'the old text is empty' };
  if (given.oldText === given.newText) return { kind: 'refused', reason: 'old and new text are the same' };
  const mark = file.startsWith(MARK) ? MARK : '';
  const rows = splitRows(file.slice(mark.length));
  const placed = placeAsWritten(rows, given) ?? placeCopied(rows, given) ?? placeElided(rows, given);
  if (placed === null) {
    const nearest = nearestText(rows.bare, withoutOuterBlanks(given.oldText.split('\n')));
    return { kind: 'absent', nearest };
  }
  return placed.kind === 'placed' ? { ...placed, text: `${mark}${placed.text}` } : placed;
}

/** The byte order mark and the line ends are the file's own affair. */
function plainText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

function placeAsWritten(rows: Rows, edit: Edit): Placement | null {
  const exact = createExactSearch(rows.bare, edit);
  if (exact.places.length > 0) return chooseExact(rows, exact, edit);
  const oldRows = withoutOuterBlanks(edit.oldText.split('\n'));
  const newRows = withoutOuterBlanks(edit.newText.split('\n'));
  for (const { spans, how } of looseSpans(rows.bare, oldRows)) {
    if (spans.length === 0) continue;
    const span = onlyOne(spans, edit);
    if (span === null) return ambiguous(spans);
    return spliced(rows, { ...span, rows: fitNewLines(rows.bare.slice(span.from, span.to), oldRows, newRows) }, how);
  }
  return null;
}

/** The text as it was before it was copied with line numbers or escapes, should it stand so; the faulty copy does not stand there. */
function placeCopied(rows: Rows, edit: Edit): Placement | null {
  for (const copy of plainCopies(edit)) {
    if (copy.kind === 'unclear') return { kind: 'refused', reason: copy.reason };
    const placed = placeAsWritten(rows, copy.edit);
    if (placed?.kind === 'placed') return { ...placed, how: [copy.how, placed.how].filter(Boolean).join(', and ') };
    if (placed !== null) return placed;
  }
  return null;
}

/** Where the text stands as whole lines once, the places inside of longer lines are not meant. */
function chooseExact(rows: Rows, { places, spliceAt }: ExactSearch, edit: Edit): Placement {
  const whole = places.filter(({ wholeRows }) => wholeRows);
  const [only] = whole;
  if (edit.line !== undefined || places.length === 1 || whole.length !== 1 || only === undefined) {
    const place = onlyOne(places, edit);
    if (place === null) return ambiguous(places);
    const splice = spliceAt(place);
    return spliced(
      rows,
      splice,
      splice.indented ? 'without its indentation, which the lines after the first got too' : '',
    );
  }
  const others = places.filter(({ wholeRows }) => !wholeRows).map(({ from }) => from + 1);
  const some = others.slice(0, 5).join(', ') + (others.length > 5 ? ', …' : '');
  return spliced(rows, spliceAt(only), `as whole lines; within other lines it also stands at ${some}`);
}

/** The one of several places that the line decides for; null where that is not certain. */
function onlyOne<Place extends Span>(places: readonly Place[], { line }: Edit): Place | null {
  const meant = places.length === 1 ? places : places.filter(({ from }) => from + 1 === line);
  return meant.length === 1 ? (meant[0] ?? null) : null;
}

function ambiguous(places: readonly Span[]): Placement {
  return { kind: 'ambiguous', lines: places.map(({ from }) => from + 1) };
}

function spliced(rows: Rows, splice: Splice, how: string): Placement {
  const text = joinRows(rows, splice.from, splice.to, splice.rows);
  const at = { from: splice.from + 1, to: splice.from + Math.max(1, splice.rows.length) };
  return { kind: 'placed', text, at, how };
}

/** Models frame their text with empty lines; these are no part of what is to be found. */
function withoutOuterBlanks(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return first === -1 ? [] : rows.slice(first, rows.findLastIndex((row) => row.trim() !== '') + 1);
}
