// A text as it reads after normalisation (no escapes and timestamps, decoded, base64 read), with the way back to its own offsets.
import { REDACTED } from '../core/redacted.ts';

export interface View {
  readonly text: string;
  /** The view that this one was made from; null for the text itself. */
  readonly parent: View | null;
  /** The stretch of the parent from which the non-empty stretch of this view came. */
  toParent(span: Span): Span;
}

/** `start` to `end` of the parent reads as `text`. */
export interface Edit extends Span {
  readonly text: string;
}

/** The text as it is. */
export function createView(text: string): View {
  return { text, parent: null, toParent: (span) => span };
}

/** The parent after the edits, which ascend and do not overlap; the parent itself where there are none. */
export function editView(parent: View, edits: readonly Edit[]): View {
  if (edits.length === 0) return parent;
  const runs = buildRuns(parent.text, edits);
  const text = runs.texts.join('');
  return {
    text,
    parent,
    toParent: ({ start, end }) => ({
      start: toParentOffset(runs, start, text.length, 'start'),
      end: toParentOffset(runs, end, text.length, 'end'),
    }),
  };
}

/** The stretch of the first text in the chain of views. */
export function toSource(view: View, span: Span): Span {
  let at: View = view;
  let mapped = span;
  while (at.parent) {
    mapped = at.toParent(mapped);
    at = at.parent;
  }
  return mapped;
}

/** Parallel arrays rather than objects: an escape sequence between every two characters makes half a million runs. */
interface Runs {
  readonly texts: string[];
  /** Where the run begins in the view. */
  readonly at: number[];
  /** The stretch of the parent that it stands for. */
  readonly from: number[];
  readonly to: number[];
}

function buildRuns(text: string, edits: readonly Edit[]): Runs {
  const runs: Runs = { texts: [], at: [], from: [], to: [] };
  let length = 0;
  let cursor = 0;
  const push = (from: number, to: number, content: string): void => {
    if (content === '') return;
    runs.texts.push(content);
    runs.at.push(length);
    runs.from.push(from);
    runs.to.push(to);
    length += content.length;
  };
  for (const edit of edits) {
    push(cursor, edit.start, text.slice(cursor, edit.start));
    push(edit.start, edit.end, edit.text);
    cursor = edit.end;
  }
  push(cursor, text.length, text.slice(cursor));
  return runs;
}

/** A run as long as its original maps character by character; any other (a decoded escape) only as a whole. */
function toParentOffset(runs: Runs, offset: number, length: number, edge: 'start' | 'end'): number {
  const run = findRun(runs.at, edge === 'start' ? offset : offset - 1);
  const at = runs.at[run] ?? 0;
  const from = runs.from[run] ?? 0;
  const to = runs.to[run] ?? 0;
  const runLength = (runs.at[run + 1] ?? length) - at;
  if (runLength === to - from) return from + offset - at;
  return edge === 'start' ? from : to;
}

/** Index of the last run that begins at or before the offset. */
function findRun(at: readonly number[], offset: number): number {
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((at[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `secret`: recognised. `unchecked`: could not be looked at in time, so it does not leave either. */
export interface Cut extends Span {
  readonly kind: 'secret' | 'unchecked';
}

const UNCHECKED_MARKER = '[withheld: not checked for secrets in time]';

/** The spans ascending and apart; those that overlap or touch become one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (end > start) merged.push({ start, end });
  }
  return merged;
}

/**
 * The text with each cut replaced by its marker; everything between the cuts stays as it was. Cuts ascend and do not overlap.
 * `keep-lines`: each line of a cut has its marker, so that all others keep their numbers.
 */
export function applyCuts(
  text: string,
  cuts: readonly Cut[],
  lines: 'drop-lines' | 'keep-lines' = 'drop-lines',
): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end, kind } of cuts) {
    const marker = kind === 'secret' ? REDACTED : UNCHECKED_MARKER;
    const breaks = lines === 'keep-lines' ? text.slice(start, end).split('\n').length - 1 : 0;
    parts.push(text.slice(cursor, start), marker, `\n${marker}`.repeat(breaks));
    cursor = end;
  }
  parts.push(text.slice(cursor));
  return parts.join('');
}

/**
 * In their order, as `matchAll` gives them. One at a time: all two million of a text of nothing but escapes at once took 300 MB and as long
 * again. `pattern` must be global, and without `u` and `v` if it can match nothing: it goes on behind one UTF-16 unit then. Where it goes on is
 * kept here, so that whoever is given a match may use the same expression before the next.
 */
export function* iterateMatches(text: string, pattern: RegExp): Generator<RegExpExecArray, void, void> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
    yield match;
    pattern.lastIndex = next;
  }
}

/** Stands between lines that were apart: a noncharacter, which no secret holds. */
const SEAM = '\n\n\uFFFE\n\n';

/** A view of the lines at these ascending offsets and of `around` lines before and behind each; null where there are no offsets. */
export function focusView(view: View, offsets: readonly number[], around: number): View | null {
  if (offsets.length === 0) return null;
  const edits: Edit[] = [];
  let kept = 0;
  for (const { start, end } of findStretches(view.text, offsets, around)) {
    if (start > kept) edits.push({ start: kept, end: start, text: SEAM });
    kept = end;
  }
  if (kept < view.text.length) edits.push({ start: kept, end: view.text.length, text: SEAM });
  return editView(view, edits);
}

/** Whether the stretch runs over lines that are left out, so that what was found there is not together. */
export function crossesSeam(view: View, { start, end }: Span): boolean {
  return view.text.slice(start, end).includes('\uFFFE');
}

function findStretches(text: string, offsets: readonly number[], around: number): Span[] {
  const stretches: { start: number; end: number }[] = [];
  let lineDone = 0;
  for (const offset of offsets) {
    if (offset < lineDone) continue;
    lineDone = findLineEnd(text, offset, 0);
    const last = stretches.at(-1);
    const start = findLineStart(text, offset, around);
    const end = findLineEnd(text, offset, around);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else stretches.push({ start, end });
  }
  return stretches;
}

/** The start of the line at the offset, or of the one so many lines before. */
function findLineStart(text: string, offset: number, before: number): number {
  let at = offset;
  for (let i = 0; i <= before && at > 0; i++) at = text.lastIndexOf('\n', at - 1 - (i > 0 ? 1 : 0)) + 1;
  return at;
}

/** The end, with its break, of the line at the offset, or of the one so many lines behind. */
function findLineEnd(text: string, offset: number, behind: number): number {
  let at = offset;
  for (let i = 0; i <= behind && at < text.length; i++) {
    const next = text.indexOf('\n', at);
    at = next < 0 ? text.length : next + 1;
  }
  return at;
}

/** Stands for what is not text: a noncharacter, so that no rule takes it for a part of a secret. */
export const GAP = '\uFFFF';

// What shows nothing: zero-width and direction marks, variation selectors, tag characters.
const INVISIBLE =
  '[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0]|\\uDB40[\\uDC00-\\uDDEF]';

const CONTROL = '[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]';

// Also without its ESC, which many log viewers drop, and in caret notation.
const CSI = '(?:\\x1B\\[|\\x9B)[0-?]*[ -/]*[@-~]|(?:\\^\\[|\\u241B)?\\[\\d{1,3}(?:;\\d{1,3}){0,8}m';

const STRING_SEQUENCE = '\\x1B[\\]PX^_][^\\x07\\x1B\\n]*(?:\\x07|\\x1B\\\\)?';

const OTHER_SEQUENCE = '\\x1B[ -/]*[0-~]?';

const MARKER_PATTERN = REDACTED.replace(/[[\]]/g, '\\$&');

const NOISE = new RegExp(`${MARKER_PATTERN}|${CSI}|${STRING_SEQUENCE}|${OTHER_SEQUENCE}|${CONTROL}|${INVISIBLE}`, 'g');

const CONTROLS = new RegExp(`${MARKER_PATTERN}|${CONTROL}|${INVISIBLE}`, 'g');

// GitHub and Azure (ISO, seven digits), GitLab (followed by a stream mark), `gh run view --log` (job, step, time), bracketed.
const TIMESTAMP =
  /^(?:[^\t\r\n]{1,120}\t[^\t\r\n]{1,120}\t)?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?: \d\d[OE]\+?)? ?/gm;

/** Where escape sequences, control or invisible characters stand. */
export function findNoise(text: string): number[] {
  return findOffsets(text, NOISE, (noise) => noise !== REDACTED);
}

/** Where something stands that `decodedView` decodes. */
export function findEscapes(text: string): number[] {
  return findOffsets(text, ESCAPE, (encoded) => decodeEscape(encoded) !== encoded);
}

const ESCAPED_CONTROL = /\\(?:u00|x)[0189][0-9A-Fa-f]/g;

/** Where the escape of a control character stands, which only decoding before cleaning takes for one. */
export function findEscapedControls(text: string): number[] {
  return findOffsets(text, ESCAPED_CONTROL, () => true);
}

function findOffsets(text: string, pattern: RegExp, counts: (match: string) => boolean): number[] {
  const offsets: number[] = [];
  for (const match of iterateMatches(text, pattern)) if (counts(match[0])) offsets.push(match.index);
  return offsets;
}

/**
 * Where there are escape sequences: each read as a gap (a rule may need a boundary there), and only their control characters
 * read as gaps (a sequence that never ended would else swallow text, and a terminal link its address).
 */
export function createGappedViews(view: View): View[] {
  const sequences = replaceInView(view, NOISE, () => GAP);
  const characters = replaceInView(view, CONTROLS, () => GAP);
  // Without a sequence of several characters both read alike.
  const views = characters.text === sequences.text ? [sequences] : [sequences, characters];
  return views.filter((each) => each !== view);
}

/** Without escape sequences, invisible characters and the timestamps of CI at line starts. */
export function createCleanView(view: View): View {
  const visible = replaceInView(view, NOISE, (noise) => (noise === REDACTED ? GAP : ''));
  return replaceInView(visible, TIMESTAMP, () => '');
}

// Any number of backslashes before an escape is the same escape, so JSON in JSON in JSON reads as the innermost.
const ESCAPE =
  /%[2-7][0-9A-Fa-f]|%0[9ADad]|(?:%[89A-Fa-f][0-9A-Fa-f]){2,}|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf"'`/])?/g;

const LETTER_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Percent-encoding and string escapes decoded, one layer of the first and all layers of the second. */
export function decodeView(view: View): View {
  return replaceInView(view, ESCAPE, decodeEscape);
}

function decodeEscape(encoded: string): string {
  if (encoded.startsWith('%')) return decodePercent(encoded);
  const body = encoded.replace(/^\\+/, '');
  if (body === '') return '\\';
  if (body.length > 1) return String.fromCharCode(Number.parseInt(body.slice(1), 16));
  return LETTER_ESCAPES[body] ?? body;
}

function decodePercent(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Without any white space. */
export function removeSpaces(view: View): View {
  return replaceInView(view, /\s+/g, () => '');
}

// Shorter than 24 characters (18 bytes) no known secret fits.
const SHORTEST_RUN = 24;

const BASE64_RUN = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

// `base64` wraps at 76, PEM at 64, openssl at 64, some mail at 72.
const SHORTEST_WRAPPED = 60;

const LONGEST_WRAPPED = 80;

const NEXT_LINE = /[ \t]*\r?\n[ \t]*([A-Za-z0-9+/_-]+={0,2})(?=[ \t]*(?:\r?\n|$))/y;

/** The readable contents of what is base64 in the view, a line each; null where there is none. */
export function decodeBase64View(view: View): View | null {
  const { text } = view;
  const edits: Edit[] = [];
  let cursor = 0;
  for (const { index } of iterateMatches(text, BASE64_RUN)) {
    if (index < cursor) continue;
    // Asked of its beginning alone: a text of nothing but unreadable lines would be read to its end from each of them.
    const shift = findReadableShift(text.slice(index, index + SHORTEST_RUN));
    if (shift === null) continue;
    const end = findBase64End(text, index);
    const run = text.slice(index, end).replace(/\s+/g, '');
    const content = Buffer.from(run.slice(shift), 'base64').toString('utf8');
    edits.push({ start: cursor, end: index, text: '' }, { start: index, end, text: `${content}\n` });
    cursor = end;
  }
  if (edits.length === 0) return null;
  return editView(view, [...edits, { start: cursor, end: text.length, text: '' }]);
}

function findBase64End(text: string, start: number): number {
  let lineStart = start;
  let end = findRunEnd(text, start);
  const width = end - start;
  if (width < SHORTEST_WRAPPED || width > LONGEST_WRAPPED) return end;
  while (end - lineStart === width && text.charAt(end - 1) !== '=') {
    NEXT_LINE.lastIndex = end;
    const next = NEXT_LINE.exec(text)?.[1];
    if (next === undefined || next.length > width) break;
    end = NEXT_LINE.lastIndex;
    lineStart = end - next.length;
  }
  return end;
}

function findRunEnd(text: string, start: number): number {
  BASE64_RUN.lastIndex = start;
  BASE64_RUN.test(text);
  const end = BASE64_RUN.lastIndex;
  BASE64_RUN.lastIndex = 0;
  return end;
}

/** From which of four alignments the first twelve bytes read as ASCII (or UTF-16 of it); null if from none. */
function findReadableShift(beginning: string): number | null {
  for (let shift = 0; shift < 4; shift++) {
    if (isReadableFrom(beginning, shift)) return shift;
  }
  return null;
}

/** Its bytes one by one, since the first is most often the last: to decode each path of a stack trace four times was a tenth of its redaction. */
function isReadableFrom(beginning: string, shift: number): boolean {
  for (let bit = 0; bit < 96; bit += 8) {
    const at = shift + Math.floor(bit / 6);
    const twelve = (getSixBits(beginning, at) << 6) | getSixBits(beginning, at + 1);
    if (!isReadable((twelve >> (4 - (bit % 6))) & 0xff)) return false;
  }
  return true;
}

/** What each character of base64 stands for, of either alphabet. */
const SIX_BITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, at) => [c, at]),
);

const SIX_BITS_BY_CODE = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return SIX_BITS.get(character === '-' ? '+' : character === '_' ? '/' : character) ?? 0;
});

function getSixBits(text: string, at: number): number {
  return SIX_BITS_BY_CODE[text.charCodeAt(at)] ?? 0;
}

function isReadable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0 || byte === 9 || byte === 10 || byte === 13;
}

function replaceInView(view: View, pattern: RegExp, replacement: (match: string) => string): View {
  const edits: Edit[] = [];
  for (const match of iterateMatches(view.text, pattern)) {
    const text = replacement(match[0]);
    if (text !== match[0]) edits.push({ start: match.index, end: match.index + match[0].length, text });
  }
  return editView(view, edits);
}
