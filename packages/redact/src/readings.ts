// A text as a reader may see it (without colours and stamps, decoded, unwrapped), with the way back to the offsets of
// the text itself.
import { REDACTED } from './redacted.ts';

/** UTF-16 offsets, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** `start` to `end` reads as `text`. */
export interface Replacement extends TextSpan {
  readonly text: string;
}

/** `starts` and `ends` give, for each character, the stretch of the source that it came from. */
export interface Reading {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The text as it is. */
export function createReading(text: string): Reading {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  for (let at = 0; at < text.length; at++) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { text, starts, ends };
}

/** The reading after the edits, which ascend and do not overlap; the same object where there are none. */
export function editReading(reading: Reading, edits: readonly Replacement[]): Reading {
  if (edits.length === 0) return reading;
  const grown = edits.reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0);
  const starts = new Uint32Array(reading.text.length + grown);
  const ends = new Uint32Array(reading.text.length + grown);
  const texts: string[] = [];
  let at = 0;
  let cursor = 0;
  const copyTo = (end: number): void => {
    texts.push(reading.text.slice(cursor, end));
    starts.set(reading.starts.subarray(cursor, end), at);
    ends.set(reading.ends.subarray(cursor, end), at);
    at += end - cursor;
  };
  for (const { start, end, text } of edits) {
    copyTo(start);
    texts.push(text);
    starts.fill(reading.starts[start] ?? 0, at, at + text.length);
    ends.fill(reading.ends[end - 1] ?? 0, at, at + text.length);
    at += text.length;
    cursor = end;
  }
  copyTo(reading.text.length);
  return { text: texts.join(''), starts, ends };
}

/** The stretch of the source from which a stretch of the reading came. */
export function toSource(reading: Reading, { start, end }: TextSpan): TextSpan {
  return { start: reading.starts[start] ?? 0, end: reading.ends[end - 1] ?? 0 };
}

/** The spans ascending and apart; those that overlap or touch become one. */
export function mergeSpans(spans: readonly TextSpan[]): TextSpan[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (end > start) merged.push({ start, end });
  }
  return merged;
}

/**
 * As `matchAll`, without its copy of the expression, one match at a time: two million matches at once took 300 MB.
 * `pattern` must be global; the caller may use it between two matches.
 */
export function* iterateMatches(text: string, pattern: RegExp): Generator<RegExpExecArray, void, void> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
    yield match;
    pattern.lastIndex = next;
  }
}

/** Separates lines that were apart: a noncharacter, which no secret holds. */
const SEAM = '\n\n\uFFFE\n\n';

/** Only the lines at these ascending offsets and `around` more on either side; null where there are no offsets. */
export function focusLines(reading: Reading, offsets: readonly number[], around: number): Reading | null {
  if (offsets.length === 0) return null;
  const { text } = reading;
  const edits: Replacement[] = [];
  let kept = 0;
  let lineEnd = 0;
  for (const offset of offsets) {
    if (offset < lineEnd) continue;
    lineEnd = findLineEnd(text, offset, 0);
    const start = findLineStart(text, offset, around);
    if (start > kept) edits.push({ start: kept, end: start, text: SEAM });
    kept = findLineEnd(text, offset, around);
  }
  if (kept < text.length) edits.push({ start: kept, end: text.length, text: SEAM });
  return editReading(reading, edits);
}

/** Whether the stretch runs over lines that were left out, so that what was found there is not together. */
export function crossesSeam({ text }: Reading, { start, end }: TextSpan): boolean {
  return text.slice(start, end).includes('\uFFFE');
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

/** Replaces what is not text: a noncharacter, so that no rule takes it for a part of a secret. */
export const GAP = '\uFFFF';

// What shows nothing: zero-width and direction marks, variation selectors, tag characters.
const INVISIBLE =
  '[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0]|\\uDB40[\\uDC00-\\uDDEF]';

const CONTROL = '[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]';

// Also without its ESC, which many log viewers drop, and in caret notation.
const CSI = '(?:\\x1B\\[|\\x9B)[0-?]*[ -/]*[@-~]|(?:\\^\\[|\\u241B)?\\[\\d{1,3}(?:;\\d{1,3}){0,8}m';

const STRING_SEQUENCE = '\\x1B[\\]PX^_][^\\x07\\x1B\\n]*(?:\\x07|\\x1B\\\\)?';

const OTHER_SEQUENCE = '\\x1B[ -/]*[0-~]?';

const MARKER = REDACTED.replace(/[[\]]/g, '\\$&');

const NOISE = new RegExp(`${MARKER}|${CSI}|${STRING_SEQUENCE}|${OTHER_SEQUENCE}|${CONTROL}|${INVISIBLE}`, 'g');

const CONTROLS = new RegExp(`${MARKER}|${CONTROL}|${INVISIBLE}`, 'g');

// GitHub and Azure (ISO, seven digits), GitLab (followed by a stream mark), `gh run view --log` (job, step, time),
// bracketed.
const TIMESTAMP =
  /^(?:[^\t\r\n]{1,120}\t[^\t\r\n]{1,120}\t)?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?: \d\d[OE]\+?)? ?/gm;

/** Where escape sequences, control or invisible characters are. */
export function findNoise({ text }: Reading): number[] {
  return [...iterateMatches(text, NOISE).filter(([noise]) => noise !== REDACTED)].map(({ index }) => index);
}

/**
 * Each escape sequence read as a gap (a rule may need a boundary there), and only control characters read as gaps (a
 * sequence that never ended would else swallow text, and a terminal link its address).
 */
export function replaceNoiseByGaps(reading: Reading): Reading[] {
  return [replaceMatches(reading, NOISE, () => GAP), replaceMatches(reading, CONTROLS, () => GAP)];
}

/** Without escape sequences, invisible characters and the timestamps of CI at line starts. */
export function removeNoise(reading: Reading): Reading {
  const visible = replaceMatches(reading, NOISE, (noise) => (noise === REDACTED ? GAP : ''));
  return replaceMatches(visible, TIMESTAMP, () => '');
}

// Any number of backslashes before an escape is the same escape, so JSON in JSON in JSON reads as the innermost.
const ESCAPE =
  /%[2-7][0-9A-Fa-f]|%0[9ADad]|(?:%[89A-Fa-f][0-9A-Fa-f]){2,}|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf"'`/])?/g;

const LETTER_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Where something is that `decodeEscapes` decodes. */
export function findEscapes({ text }: Reading): number[] {
  return [...iterateMatches(text, ESCAPE).filter(([encoded]) => decodeEscape(encoded) !== encoded)].map(
    ({ index }) => index,
  );
}

/** Percent-encoding and string escapes decoded, one layer of the first and all layers of the second. */
export function decodeEscapes(reading: Reading): Reading {
  return replaceMatches(reading, ESCAPE, decodeEscape);
}

function decodeEscape(encoded: string): string {
  if (encoded.startsWith('%')) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  }
  const body = encoded.replace(/^\\+/, '');
  if (body === '') return '\\';
  if (body.length > 1) return String.fromCharCode(Number.parseInt(body.slice(1), 16));
  return LETTER_ESCAPES[body] ?? body;
}

/** Without any white space. */
export function removeSpaces(reading: Reading): Reading {
  return replaceMatches(reading, /\s+/g, () => '');
}

function replaceMatches(reading: Reading, pattern: RegExp, replacement: (match: string) => string): Reading {
  const edits: Replacement[] = [];
  for (const { 0: match, index } of iterateMatches(reading.text, pattern)) {
    const text = replacement(match);
    if (text !== match) edits.push({ start: index, end: index + match.length, text });
  }
  return editReading(reading, edits);
}

const LINE_BREAK = /\r*\n\r*|\r+/g;

/**
 * Line breaks with the white space around them and a backslash before them, as edits that take them out. Empty lines
 * still separate.
 */
export function findLineBreaks(text: string): Replacement[] {
  const edits: Replacement[] = [];
  let from = 0;
  let empty = false;
  for (const { 0: lineBreak, index } of iterateMatches(text, LINE_BREAK)) {
    const start = findContentEnd(text, from, index);
    const end = findContentStart(text, index + lineBreak.length);
    const nextEmpty = '\r\n'.includes(text[end] ?? ' ');
    if (!empty && !nextEmpty) edits.push({ start, end, text: '' });
    empty = nextEmpty;
    from = end;
  }
  return edits;
}

/** Where the line that ends at `end` has its last character, without a backslash that continues it; at least `from`. */
function findContentEnd(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && ' \t'.includes(text.charAt(at - 1))) at--;
  return at > from && text.charAt(at - 1) === '\\' ? at - 1 : at;
}

/** Where the line that starts at `start` has its first character. */
function findContentStart(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t'.includes(text.charAt(at))) at++;
  return at;
}

// Shorter than 24 characters (18 bytes) no known secret fits.
const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

// `base64` wraps at 76, PEM at 64, openssl at 64, some mail at 72.
const SHORTEST_WRAPPED = 60;

const LONGEST_WRAPPED = 80;

const NEXT_LINE = /[ \t]*\r?\n[ \t]*([A-Za-z0-9+/_-]+={0,2})(?=[ \t]*(?:\r?\n|$))/y;

/** The readable contents of what is base64 in the reading, a line each; null if none. */
export function decodeBase64(reading: Reading): Reading | null {
  const { text } = reading;
  const edits: Replacement[] = [];
  let cursor = 0;
  for (const { 0: run, index } of iterateMatches(text, BASE64)) {
    if (index < cursor) continue;
    // Only its first twelve bytes decide: a text of nothing but unreadable lines would be read to its end from each of
    // them.
    const shift = [0, 1, 2, 3].find((each) =>
      READABLE.test(Buffer.from(run.slice(each, each + 16), 'base64').toString('latin1')),
    );
    if (shift === undefined) continue;
    const end = findBase64End(text, index, run.length);
    const content = Buffer.from(text.slice(index, end).replace(/\s+/g, '').slice(shift), 'base64').toString('utf8');
    edits.push({ start: cursor, end: index, text: '' }, { start: index, end, text: `${content}\n` });
    cursor = end;
  }
  if (edits.length === 0) return null;
  return editReading(reading, [...edits, { start: cursor, end: text.length, text: '' }]);
}

// ASCII, UTF-16 of it, or UTF-8, whose first and last character may be cut.
const READABLE =
  /^[\x80-\xBF]{0,3}(?:[\x00\t\n\r -~]|[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3})*(?:[\xC2-\xF4][\x80-\xBF]{0,2})?$/;

/** The end of a run of `width` characters, with the lines of the same width that follow where it is wrapped. */
function findBase64End(text: string, start: number, width: number): number {
  let end = start + width;
  if (width < SHORTEST_WRAPPED || width > LONGEST_WRAPPED) return end;
  for (let length = width; length === width && text.charAt(end - 1) !== '='; ) {
    NEXT_LINE.lastIndex = end;
    length = NEXT_LINE.exec(text)?.[1]?.length ?? 0;
    if (length > 0 && length <= width) end = NEXT_LINE.lastIndex;
  }
  return end;
}
