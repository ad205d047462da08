// Places an edit in a file: exactly, else uniquely up to white space, else refused with the nearest lines; never by
// guess.
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
interface EditedRows {
  readonly from: number;
  readonly to: number;
}

const BYTE_ORDER_MARK = '\ufeff';
/** A combining accent belongs to the letter before it. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;

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
  const rows = file.slice(mark.length).split('\n');
  const bare = rows.map(removeReturn);
  const normalised = { ...edit, oldText, newText };
  const found = placeExactly(bare, normalised) ?? placeLoosely(bare, normalised);
  if (found === null) return { kind: 'absent', nearest: findNearest(bare, trimBlankRows(oldText.split('\n'))) };
  if ('lines' in found) return { kind: 'ambiguous', lines: found.lines };
  const { from, to, fresh, note } = found;
  const text = `${mark}${replaceRows(rows, { from, to }, fresh)}`;
  return { kind: 'placed', text, at: { from: from + 1, to: from + fresh.length, removed: to - from }, note };
}

function normaliseText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

/** Rows to be replaced and what comes in their place, or the lines of several places; null: no place. */
type FoundRows =
  | (EditedRows & { readonly fresh: readonly string[]; readonly note: string })
  | { readonly lines: readonly number[] }
  | null;

function placeExactly(bare: readonly string[], edit: Edit): FoundRows {
  // A newline at the end only says that the last line is complete.
  const isComplete = edit.oldText.endsWith('\n');
  const wanted = isComplete ? edit.oldText.slice(0, -1) : edit.oldText;
  const replacement = isComplete && edit.newText.endsWith('\n') ? edit.newText.slice(0, -1) : edit.newText;
  const height = countNewlines(wanted) + 1;
  const whole = bare.join('\n');
  let from = 0;
  let counted = 0;
  const matches = findAll(whole, wanted).flatMap((start) => {
    from += countNewlines(whole.slice(counted, start));
    counted = start;
    const end = start + wanted.length;
    if (isInsideWord(whole, start) || isInsideWord(whole, end)) return [];
    if (isComplete && end < whole.length && whole.charAt(end) !== '\n') return [];
    const before = whole.slice(whole.lastIndexOf('\n', start - 1) + 1, start);
    const lineEnd = whole.indexOf('\n', end);
    const after = whole.slice(end, lineEnd === -1 ? whole.length : lineEnd);
    return [{ from, to: from + height, before, after }];
  });
  if (matches.length === 0) return null;
  const complete = matches.filter(({ before, after }) => before === '' && after === '');
  // Whole lines are meant rather than parts of longer ones.
  const match = chooseSpan(edit.line === undefined && complete.length === 1 ? complete : matches, edit.line);
  if (match === null) return { lines: matches.map((each) => each.from + 1) };
  const { before, after } = match;
  if (before !== '' && before.trim() === '' && after.trim() === '' && replacement.includes('\n')) {
    // The first line was given without its indentation: the lines after it may lack it too.
    return fitRows(bare, match, wanted.split('\n'), replacement.split('\n'));
  }
  const isRemoval = replacement === '' && before === '' && after === '';
  return { ...match, fresh: isRemoval ? [] : `${before}${replacement}${after}`.split('\n'), note: '' };
}

function countNewlines(text: string): number {
  return text.split('\n').length - 1;
}

/** Whole lines with the same characters in the same order, however they are spaced and broken. */
function placeLoosely(bare: readonly string[], edit: Edit): FoundRows {
  const oldRows = trimBlankRows(edit.oldText.split('\n'));
  const wanted = removeLineSpaces(oldRows.join(''));
  const rowFromStart = new Map<number, number>();
  const rowFromEnd = new Map<number, number>();
  const pieces: string[] = [];
  let length = 0;
  for (const [index, row] of bare.entries()) {
    const piece = removeLineSpaces(row);
    if (piece === '') continue;
    rowFromStart.set(length, index);
    pieces.push(piece);
    length += piece.length;
    rowFromEnd.set(length, index + 1);
  }
  const spans = findAll(pieces.join(''), wanted).flatMap((start): EditedRows[] => {
    const from = rowFromStart.get(start);
    const to = rowFromEnd.get(start + wanted.length);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  if (spans.length === 0) return null;
  const span = chooseSpan(spans, edit.line);
  if (span === null) return { lines: spans.map(({ from }) => from + 1) };
  return fitRows(bare, span, oldRows, trimBlankRows(edit.newText.split('\n')));
}

function removeReturn(row: string): string {
  return row.endsWith('\r') ? row.slice(0, -1) : row;
}

function removeLineSpaces(row: string): string {
  return row.replaceAll(/\s+/g, '');
}

/** The only one, or the one that begins at `line`; null where that is not certain. */
function chooseSpan<Candidate extends EditedRows>(
  spans: readonly Candidate[],
  line: number | undefined,
): Candidate | null {
  const chosen = spans.length === 1 ? spans : spans.filter(({ from }) => from + 1 === line);
  return chosen.length === 1 ? (chosen[0] ?? null) : null;
}

/** Models frame their text with empty lines, which are no part of what is to be found. */
function trimBlankRows(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return first === -1 ? [] : rows.slice(first, rows.findLastIndex((row) => row.trim() !== '') + 1);
}

function trimEnds(rows: readonly string[]): readonly string[] {
  return rows.map((row) => row.trimEnd());
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
 * `fresh` with the indentation that it needs in the place of the rows of the file, given that it was written next to
 * `old` (the same rows as the model spaced them). Unchanged rows at both edges stay as the file has them.
 */
function fitRows(
  bare: readonly string[],
  { from, to }: EditedRows,
  old: readonly string[],
  fresh: readonly string[],
): FoundRows {
  const region = bare.slice(from, to);
  const [first, second] = pairIndentation(region, old);
  const rest = second ?? shiftRest(first, fresh);
  const isSame = region.length === old.length && region.every((row, index) => row.trim() === old[index]?.trim());
  const [head, tail] = isSame ? countSharedRows(trimEnds(old), trimEnds(fresh)) : [0, 0];
  const fitted = fresh.map((row, index) => {
    const fromEnd = fresh.length - index;
    if (index < head || fromEnd <= tail) return (index < head ? region[index] : region.at(-fromEnd)) ?? row;
    return row.trim() === '' ? '' : shiftIndentation(row, index === 0 ? first : rest);
  });
  const isAdjusted = fitted.some((row, index) => row !== fresh[index]);
  const note = `up to white space${isAdjusted ? '; the indentation of the new text was adjusted' : ''}`;
  return { from, to, fresh: fitted, note };
}

/** Indentation of one old row as the model wrote it, and as the file has it. */
interface IndentationPair {
  readonly written: string;
  readonly actual: string;
}

/** Of the first two rows; of the first only where the model broke the lines differently. */
function pairIndentation(
  region: readonly string[],
  old: readonly string[],
): readonly [IndentationPair, IndentationPair | undefined] {
  const actual = region.filter((row) => row.trim() !== '');
  const written = old.filter((row) => row.trim() !== '');
  const pair = (index: number) => ({
    written: getIndentation(written[index] ?? ''),
    actual: getIndentation(actual[index] ?? ''),
  });
  const hasSecond = actual.length > 1 && actual[1]?.trim() === written[1]?.trim();
  return [pair(0), hasSecond ? pair(1) : undefined];
}

/** After a single old row without its indentation, the new rows either lack it too or have it already. */
function shiftRest(first: IndentationPair, fresh: readonly string[]): IndentationPair {
  const rest = fresh.slice(1).filter((row) => row.trim() !== '');
  const isIndented = first.written === '' && rest.every((row) => getIndentation(row).length >= first.actual.length);
  return isIndented ? { written: first.actual, actual: first.actual } : first;
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

const NEAREST_CONTEXT = 2;
const MAX_NEAREST_ROWS = 40;

/** The rows most like `wanted` with their numbers, as `read_files` shows them; "" where no row is similar. */
function findNearest(rows: readonly string[], wanted: readonly string[]): string {
  const scores = scoreRows(rows, wanted);
  const length = Math.min(wanted.length, rows.length);
  const last = rows.findLastIndex((row) => row !== '') + 1;
  let sum = 0;
  let best = { score: 0, from: 0 };
  for (const [index, score] of scores.entries()) {
    sum += score - (scores[index - length] ?? 0);
    // The sums drift by floating point; only a real gain counts.
    if (sum > best.score + 1e-6) best = { score: sum, from: Math.max(0, index - length + 1) };
  }
  if (best.score < 0.5) return '';
  const from = Math.max(0, best.from - NEAREST_CONTEXT);
  const to = Math.min(last, from + MAX_NEAREST_ROWS, best.from + length + NEAREST_CONTEXT);
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

/**
 * The text with the rows of `span` replaced. Unchanged rows at both edges keep their line end; the others get that of
 * the row before them.
 */
function replaceRows(rows: readonly string[], { from, to }: EditedRows, fresh: readonly string[]): string {
  const [head, tail] = countSharedRows(rows.slice(from, to).map(removeReturn), fresh);
  const isLast = to === rows.length;
  const usual = (rows[from + head - 1] ?? rows[from] ?? '').endsWith('\r') ? '\r' : '';
  const middle = fresh
    .slice(head, fresh.length - tail)
    .map((row, index, all) => (isLast && tail === 0 && index === all.length - 1 ? row : `${row}${usual}`));
  return [...rows.slice(0, from + head), ...middle, ...rows.slice(to - tail)].join('\n');
}

/** How many rows are the same at the beginning, and at the end. */
function countSharedRows(a: readonly string[], b: readonly string[]): readonly [number, number] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [head, tail];
}
