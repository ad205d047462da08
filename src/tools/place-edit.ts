// Places an edit in a file: exactly, else uniquely up to white space, else refused with the nearest lines; never by
// guess.
import { toLines } from '../core/diff/diff.ts';
import { formatNumberedLines } from './tool-kit.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** 1-based line at which `oldText` begins: decides between several places, never moves a unique one. */
  readonly line?: number;
}

/** Rows `from`–`to` of the file, 1-based and inclusive. */
export interface PlacedAt {
  readonly from: number;
  /** Less than `from` where nothing is in its place. */
  readonly to: number;
  /** How many rows of the file it replaces. */
  readonly removed: number;
}

export type Placement =
  /** `note` is "" for an exact match; else it says how far it was one. `at`: the rows of the new text. */
  | { readonly kind: 'placed'; readonly text: string; readonly at: PlacedAt; readonly note: string }
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'absent'; readonly nearest: string };

/** Row indices, end exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const BYTE_ORDER_MARK = '\ufeff';
/** A combining accent belongs to the letter before it. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;
/** Fewer characters than this match in many places once white space is ignored. */
const MIN_LOOSE_CHARACTERS = 5;

/**
 * The file with `newText` in the place of `oldText`. A byte order mark, the line ends, the final newline and every byte
 * outside of the place are kept.
 */
export function placeEdit(file: string, edit: Edit): Placement {
  const oldText = normaliseText(edit.oldText);
  const newText = normaliseText(edit.newText);
  if (oldText.trim() === '') return { kind: 'refused', reason: 'the old text is empty' };
  if (oldText === newText) return { kind: 'refused', reason: 'old and new text are the same' };
  const mark = file.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const rows = splitRows(file.slice(mark.length));
  const normalised = { ...edit, oldText, newText };
  const placed = placeExactly(rows, normalised) ?? placeLoosely(rows, normalised);
  if (placed === null) return { kind: 'absent', nearest: findNearest(rows.bare, trimBlankRows(oldText.split('\n'))) };
  return placed.kind === 'placed' ? { ...placed, text: `${mark}${placed.text}` } : placed;
}

function normaliseText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

interface ExactMatch extends Span {
  /** Characters of the joined rows. */
  readonly start: number;
  readonly end: number;
  readonly coversWholeRows: boolean;
}

function placeExactly(rows: Rows, edit: Edit): Placement | null {
  const { bare } = rows;
  // A newline at the end only says that the last line is complete.
  const isComplete = edit.oldText.endsWith('\n');
  const wanted = isComplete ? edit.oldText.slice(0, -1) : edit.oldText;
  const replacement = isComplete && edit.newText.endsWith('\n') ? edit.newText.slice(0, -1) : edit.newText;
  const whole = bare.join('\n');
  const starts = findRowStarts(bare);
  const getRowEnd = (row: number) => (starts[row] ?? 0) + (bare[row] ?? '').length;
  const matches = findAll(whole, wanted).flatMap((start): ExactMatch[] => {
    const end = start + wanted.length;
    if (isInsideWord(whole, start) || isInsideWord(whole, end)) return [];
    if (isComplete && end < whole.length && whole.charAt(end) !== '\n') return [];
    const from = findRow(starts, start);
    const to = findRow(starts, end) + 1;
    return [{ start, end, from, to, coversWholeRows: start === starts[from] && end === getRowEnd(to - 1) }];
  });
  if (matches.length === 0) return null;
  const complete = matches.filter(({ coversWholeRows }) => coversWholeRows);
  // Whole lines are meant rather than parts of longer ones.
  const match = chooseSpan(edit.line === undefined && complete.length === 1 ? complete : matches, edit.line);
  if (match === null) return { kind: 'ambiguous', lines: matches.map(({ from }) => from + 1) };
  const { from, to, start, end, coversWholeRows } = match;
  if (replacement === '' && coversWholeRows) return replaceRows(rows, match, [], '');
  const before = whole.slice(starts[from], start);
  const after = whole.slice(end, getRowEnd(to - 1));
  const plain = `${before}${replacement}${after}`.split('\n');
  const isIndentation = before !== '' && before.trim() === '' && after.trim() === '' && !wanted.includes('\n');
  if (!isIndentation) return replaceRows(rows, match, plain, '');
  // One line was given without its indentation: the lines after it may lack it too.
  const indented = adjustIndentation(bare.slice(from, to), [wanted], replacement.split('\n'));
  const fresh = [...indented.slice(0, -1), `${indented.at(-1) ?? ''}${after}`];
  return replaceRows(rows, match, fresh, describeIndented(plain, fresh));
}

function describeIndented(plain: readonly string[], fresh: readonly string[]): string {
  return fresh.join('\n') === plain.join('\n') ? '' : 'exactly; the new lines got its indentation';
}

/** Whole lines with the same characters in the same order, however they are spaced and broken. */
function placeLoosely(rows: Rows, edit: Edit): Placement | null {
  const oldRows = trimBlankRows(edit.oldText.split('\n'));
  const newRows = trimBlankRows(edit.newText.split('\n'));
  const wanted = removeSpaces(oldRows.join(''));
  if (wanted.length < MIN_LOOSE_CHARACTERS) return null;
  const rowFromStart = new Map<number, number>();
  const rowFromEnd = new Map<number, number>();
  const pieces: string[] = [];
  let length = 0;
  for (const [index, row] of rows.bare.entries()) {
    const piece = removeSpaces(row);
    if (piece === '') continue;
    rowFromStart.set(length, index);
    pieces.push(piece);
    length += piece.length;
    rowFromEnd.set(length, index + 1);
  }
  const spans = findAll(pieces.join(''), wanted).flatMap((start): Span[] => {
    const from = rowFromStart.get(start);
    const to = rowFromEnd.get(start + wanted.length);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  if (spans.length === 0) return null;
  const span = chooseSpan(spans, edit.line);
  if (span === null) return { kind: 'ambiguous', lines: spans.map(({ from }) => from + 1) };
  const region = rows.bare.slice(span.from, span.to);
  const fitted = adjustIndentation(region, oldRows, newRows);
  return replaceRows(rows, span, fitted, describeLoose({ region, oldRows, newRows, fitted }));
}

interface LoosePlacement {
  readonly region: readonly string[];
  readonly oldRows: readonly string[];
  readonly newRows: readonly string[];
  readonly fitted: readonly string[];
}

/** In what the old text differs from the file, and whether the new text was changed for it. */
function describeLoose({ region, oldRows, newRows, fitted }: LoosePlacement): string {
  const squeeze = (rows: readonly string[]): string => rows.join('').replaceAll(/\s+/g, '');
  const marks = squeeze(region) === squeeze(oldRows) ? '' : ' and the form of quotation marks and dashes';
  const isAdjusted = fitted.length !== newRows.length || fitted.some((row, index) => row !== newRows[index]);
  return `up to white space${marks}${isAdjusted ? '; the indentation of the new text was adjusted' : ''}`;
}

/** Typographic quotes and dashes count as the plain ones that source code has. */
function removeSpaces(row: string): string {
  return row
    .replaceAll(/[\s\u00a0\ufeff]+/g, '')
    .replaceAll(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}

/** The only one, or the one that begins at `line`; null where that is not certain. */
function chooseSpan<Candidate extends Span>(spans: readonly Candidate[], line: number | undefined): Candidate | null {
  const chosen = spans.length === 1 ? spans : spans.filter(({ from }) => from + 1 === line);
  return chosen.length === 1 ? (chosen[0] ?? null) : null;
}

function replaceRows(rows: Rows, { from, to }: Span, fresh: readonly string[], note: string): Placement {
  const at = { from: from + 1, to: from + fresh.length, removed: to - from };
  return { kind: 'placed', text: joinRows(rows, { from, to }, fresh), at, note };
}

/** Models frame their text with empty lines, which are no part of what is to be found. */
function trimBlankRows(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return first === -1 ? [] : rows.slice(first, rows.findLastIndex((row) => row.trim() !== '') + 1);
}

function findRowStarts(bare: readonly string[]): readonly number[] {
  let next = 0;
  return bare.map((row) => {
    const start = next;
    next += row.length + 1;
    return start;
  });
}

/** Index of the row that holds the character at `offset`. */
function findRow(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isInsideWord(text: string, at: number): boolean {
  return at > 0 && WORD_CHARACTER.test(text.charAt(at - 1)) && WORD_CHARACTER.test(text.charAt(at));
}

/**
 * Where `wanted` (not empty) begins in `text`, overlapping places included (Knuth, Morris and Pratt): repetitive text
 * costs `indexOf` in a loop the product of both lengths.
 */
function findAll(text: string, wanted: string): readonly number[] {
  const borders = new Uint32Array(wanted.length);
  const extend = (matched: number, next: string) => {
    let length = matched;
    while (length > 0 && (length === wanted.length || wanted.charAt(length) !== next))
      length = borders[length - 1] ?? 0;
    return wanted.charAt(length) === next ? length + 1 : length;
  };
  for (let index = 1; index < wanted.length; index += 1) {
    borders[index] = extend(borders[index - 1] ?? 0, wanted.charAt(index));
  }
  const found: number[] = [];
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    matched = extend(matched, text.charAt(index));
    if (matched === wanted.length) found.push(index - wanted.length + 1);
  }
  return found;
}

/**
 * `fresh` with the indentation that it needs in the place of `region` (rows of the file), given that it was written
 * next to `old` (the same rows as the model spaced them). Unchanged rows at both edges come back as the file has them.
 */
function adjustIndentation(
  region: readonly string[],
  old: readonly string[],
  fresh: readonly string[],
): readonly string[] {
  const kept = findKeptRows(region, old, fresh);
  const pairs = matchRows(region, old);
  const first = pairs[0] ?? { written: '', actual: '' };
  const others = pairs.slice(1);
  const rest = others.length > 0 ? others.reduce(pickLeastIndented) : shiftRest(first, fresh);
  return fresh.map((row, index) => {
    const own = kept.get(index);
    if (own !== undefined) return own;
    return row.trim() === '' ? '' : shiftIndentation(row, index === 0 ? first : rest);
  });
}

/** Indentation of one old row as the model wrote it, and as the file has it. */
interface IndentationPair {
  readonly written: string;
  readonly actual: string;
}

/** Old rows with the rows of the file that have the same content. */
function matchRows(region: readonly string[], old: readonly string[]): readonly IndentationPair[] {
  const actual = region.filter((row) => row.trim() !== '');
  const pairs: IndentationPair[] = [];
  let next = 0;
  for (const row of old.filter((each) => each.trim() !== '')) {
    const found = actual.findIndex((other, index) => index >= next && other.trim() === row.trim());
    const index = found === -1 && pairs.length === 0 ? 0 : found;
    if (index === -1) continue;
    pairs.push({ written: getIndentation(row), actual: getIndentation(actual[index] ?? '') });
    next = index + 1;
  }
  return pairs;
}

function pickLeastIndented(best: IndentationPair, each: IndentationPair): IndentationPair {
  return each.written.length < best.written.length ? each : best;
}

/** After a single old row without its indentation, the new rows either lack it too or have it already. */
function shiftRest(first: IndentationPair, fresh: readonly string[]): IndentationPair {
  const rest = fresh.slice(1).filter((row) => row.trim() !== '');
  const isIndented = first.written === '' && rest.every((row) => getIndentation(row).length >= first.actual.length);
  return rest.length > 0 && isIndented ? { written: first.actual, actual: first.actual } : first;
}

function shiftIndentation(row: string, { written, actual }: IndentationPair): string {
  if (written === actual) return row;
  const own = getIndentation(row);
  const content = row.slice(own.length);
  if (!own.startsWith(written)) {
    return `${actual.slice(0, Math.max(0, actual.length - (written.length - own.length)))}${content}`;
  }
  const deeper = own.slice(written.length);
  // Where the file has tabs, four blanks are one.
  const inStyle = actual.includes('\t') ? deeper.replaceAll(/ {4}/g, '\t').replaceAll(/ {2}/g, '\t') : deeper;
  return `${actual}${inStyle}${content}`;
}

function getIndentation(row: string): string {
  return row.slice(0, row.length - row.trimStart().length);
}

/** Rows of `fresh` that repeat `old` at its beginning and end, with what the file has for them. */
function findKeptRows(
  region: readonly string[],
  old: readonly string[],
  fresh: readonly string[],
): ReadonlyMap<number, string> {
  const kept = new Map<number, string>();
  if (region.length !== old.length || !old.every((row, index) => row.trim() === region[index]?.trim())) return kept;
  const isSame = (a: string | undefined, b: string | undefined) => a?.trimEnd() === b?.trimEnd();
  let head = 0;
  while (head < old.length && head < fresh.length && isSame(old[head], fresh[head])) {
    kept.set(head, region[head] ?? '');
    head += 1;
  }
  for (let back = 1; back <= Math.min(old.length, fresh.length) - head; back += 1) {
    if (!isSame(old.at(-back), fresh.at(-back))) break;
    kept.set(fresh.length - back, region.at(-back) ?? '');
  }
  return kept;
}

const NEAREST_CONTEXT = 2;
const MAX_NEAREST_ROWS = 40;

/** The rows most like `wanted` with their numbers, as `read_files` shows them; "" where no row is similar. */
function findNearest(rows: readonly string[], wanted: readonly string[]): string {
  const scores = scoreRows(rows, wanted);
  const length = Math.min(wanted.length, rows.length);
  let sum = 0;
  let best = { score: 0, from: 0 };
  for (const [index, score] of scores.entries()) {
    sum += score - (scores[index - length] ?? 0);
    // The sums drift by floating point; only a real gain counts.
    if (sum > best.score + 1e-6) best = { score: sum, from: Math.max(0, index - length + 1) };
  }
  if (best.score < 0.5) return '';
  const from = Math.max(0, best.from - NEAREST_CONTEXT);
  const to = Math.min(from + MAX_NEAREST_ROWS, best.from + length + NEAREST_CONTEXT);
  return formatNumberedLines(rows.slice(from, to), from + 1).join('\n');
}

/** How much each row has of the wanted words: words that are rare in the file weigh more, an equal line most. */
function scoreRows(rows: readonly string[], wanted: readonly string[]): readonly number[] {
  const sought = new Set(splitWords(wanted.join('\n')));
  const lines = new Set(wanted.map((row) => row.trim()).filter((row) => row.length > 3));
  const found = rows.map((row) => new Set(splitWords(row).filter((word) => sought.has(word))));
  const counts = new Map<string, number>();
  for (const words of found) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return rows.map((row, index) => {
    const weight = [...(found[index] ?? [])].reduce((sum, word) => sum + 1 / Math.sqrt(counts.get(word) ?? 1), 0);
    return lines.has(row.trim()) ? weight + 2 : weight;
  });
}

function splitWords(text: string): readonly string[] {
  return text.slice(0, 20_000).match(/[\p{L}\p{N}_$]+/gu) ?? [];
}

/** A file as rows without their line ends, which are put back byte for byte where nothing changed. */
interface Rows {
  readonly bare: readonly string[];
  /** "" after a last line that has no end. */
  readonly ends: readonly ('' | '\n' | '\r\n')[];
}

function splitRows(text: string): Rows {
  const { lines, endsWithNewline } = toLines(text);
  const ends = lines.map((line, index) => {
    if (index === lines.length - 1 && !endsWithNewline) return '';
    return line.endsWith('\r') ? '\r\n' : '\n';
  });
  return { bare: lines.map((line, index) => (ends[index] === '\r\n' ? line.slice(0, -1) : line)), ends };
}

/**
 * The text with the rows of `span` replaced. Equal rows at both edges keep their own line end; each of the others takes
 * that of the row that it replaces, and rows beyond them that of the last one.
 */
function joinRows({ bare, ends }: Rows, { from, to }: Span, fresh: readonly string[]): string {
  const old = bare.slice(from, to);
  const head = countSharedRows(old, fresh);
  const tail = countSharedRows(old.slice(head).reverse(), fresh.slice(head).reverse());
  const replaced = ends.slice(from + head, to - tail);
  const freshEnds = fresh.slice(head, fresh.length - tail).map((_, index) => replaced[index] ?? replaced.at(-1) ?? '');
  const rows = [...bare.slice(0, from), ...fresh, ...bare.slice(to)];
  const newEnds = [...ends.slice(0, from + head), ...freshEnds, ...ends.slice(to - tail)];
  const isUnended = ends.at(-1) === '';
  const ended = ends.filter((end) => end !== '');
  const usual = ended.filter((end) => end === '\r\n').length * 2 > ended.length ? '\r\n' : '\n';
  return rows
    .map((row, index) => (index === rows.length - 1 && isUnended ? row : `${row}${newEnds[index] || usual}`))
    .join('');
}

function countSharedRows(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}
