// The readings of a text in which a secret could stand: without escape sequences and timestamps, decoded, unwrapped, un-base64ed.
import { REDACTED } from '../core/redacted.ts';
import { matchesOf } from './matches.ts';
import { type Edit, editedView, type View } from './view.ts';

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
export function noiseOffsets(text: string): number[] {
  return offsetsOf(text, NOISE, (noise) => noise !== REDACTED);
}

/** Where something stands that `decodedView` decodes. */
export function escapeOffsets(text: string): number[] {
  return offsetsOf(text, ESCAPE, (encoded) => decodedEscape(encoded) !== encoded);
}

const ESCAPED_CONTROL = /\\(?:u00|x)[0189][0-9A-Fa-f]/g;

/** Where the escape of a control character stands, which only decoding before cleaning takes for one. */
export function escapedControlOffsets(text: string): number[] {
  return offsetsOf(text, ESCAPED_CONTROL, () => true);
}

function offsetsOf(text: string, pattern: RegExp, counts: (match: string) => boolean): number[] {
  const offsets: number[] = [];
  for (const match of matchesOf(text, pattern)) if (counts(match[0])) offsets.push(match.index);
  return offsets;
}

/**
 * Where there are escape sequences: each read as a gap (a rule may need a boundary there), and only their control characters
 * read as gaps (a sequence that never ended would else swallow text, and a terminal link its address).
 */
export function gappedViews(view: View): View[] {
  const sequences = replacedView(view, NOISE, () => GAP);
  const characters = replacedView(view, CONTROLS, () => GAP);
  // Without a sequence of several characters both read alike.
  const views = characters.text === sequences.text ? [sequences] : [sequences, characters];
  return views.filter((each) => each !== view);
}

/** Without escape sequences, invisible characters and the timestamps of CI at line starts. */
export function cleanView(view: View): View {
  const visible = replacedView(view, NOISE, (noise) => (noise === REDACTED ? GAP : ''));
  return replacedView(visible, TIMESTAMP, () => '');
}

// Any number of backslashes before an escape is the same escape, so JSON in JSON in JSON reads as the innermost.
const ESCAPE =
  /%[2-7][0-9A-Fa-f]|%0[9ADad]|(?:%[89A-Fa-f][0-9A-Fa-f]){2,}|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf"'`/])?/g;
const LETTER_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Percent-encoding and string escapes decoded, one layer of the first and all layers of the second. */
export function decodedView(view: View): View {
  return replacedView(view, ESCAPE, decodedEscape);
}

function decodedEscape(encoded: string): string {
  if (encoded.startsWith('%')) return decodedPercent(encoded);
  const body = encoded.replace(/^\\+/, '');
  if (body === '') return '\\';
  if (body.length > 1) return String.fromCharCode(Number.parseInt(body.slice(1), 16));
  return LETTER_ESCAPES[body] ?? body;
}

function decodedPercent(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Without any white space. */
export function compactView(view: View): View {
  return replacedView(view, /\s+/g, () => '');
}

// Shorter than 24 characters (18 bytes) no known secret fits.
const SHORTEST_RUN = 24;
const BASE64_RUN = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
// `base64` wraps at 76, PEM at 64, openssl at 64, some mail at 72.
const SHORTEST_WRAPPED = 60;
const LONGEST_WRAPPED = 80;
const NEXT_LINE = /[ \t]*\r?\n[ \t]*([A-Za-z0-9+/_-]+={0,2})(?=[ \t]*(?:\r?\n|$))/y;

/** The readable contents of what is base64 in the view, a line each; null where there is none. */
export function base64View(view: View): View | null {
  const { text } = view;
  const edits: Edit[] = [];
  let cursor = 0;
  for (const { index } of matchesOf(text, BASE64_RUN)) {
    if (index < cursor) continue;
    // Asked of its beginning alone: a text of nothing but unreadable lines would be read to its end from each of them.
    const shift = readableShift(text.slice(index, index + SHORTEST_RUN));
    if (shift === null) continue;
    const end = base64End(text, index);
    const run = text.slice(index, end).replace(/\s+/g, '');
    const content = Buffer.from(run.slice(shift), 'base64').toString('utf8');
    edits.push({ start: cursor, end: index, text: '' }, { start: index, end, text: `${content}\n` });
    cursor = end;
  }
  if (edits.length === 0) return null;
  return editedView(view, [...edits, { start: cursor, end: text.length, text: '' }]);
}

function base64End(text: string, start: number): number {
  let lineStart = start;
  let end = runEnd(text, start);
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

function runEnd(text: string, start: number): number {
  BASE64_RUN.lastIndex = start;
  BASE64_RUN.test(text);
  const end = BASE64_RUN.lastIndex;
  BASE64_RUN.lastIndex = 0;
  return end;
}

/** From which of four alignments the first twelve bytes read as ASCII (or UTF-16 of it); null if from none. */
function readableShift(beginning: string): number | null {
  for (let shift = 0; shift < 4; shift++) {
    if (isReadableFrom(beginning, shift)) return shift;
  }
  return null;
}

/** Its bytes one by one, since the first is most often the last: to decode each path of a stack trace four times was a tenth of its redaction. */
function isReadableFrom(beginning: string, shift: number): boolean {
  for (let bit = 0; bit < 96; bit += 8) {
    const at = shift + Math.floor(bit / 6);
    const twelve = (sixBits(beginning, at) << 6) | sixBits(beginning, at + 1);
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

function sixBits(text: string, at: number): number {
  return SIX_BITS_BY_CODE[text.charCodeAt(at)] ?? 0;
}

function isReadable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0 || byte === 9 || byte === 10 || byte === 13;
}

function replacedView(view: View, pattern: RegExp, replacement: (match: string) => string): View {
  const edits: Edit[] = [];
  for (const match of matchesOf(view.text, pattern)) {
    const text = replacement(match[0]);
    if (text !== match[0]) edits.push({ start: match.index, end: match.index + match[0].length, text });
  }
  return editedView(view, edits);
}
