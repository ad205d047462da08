// Private keys in PEM and their like: whole, cut off at either end, on one line, quoted, or without their markers.
import { iterateMatches, type TextSpan } from './readings.ts';

const BEGIN = /-{2,5} ?BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}/g;
const END = /-{2,5} ?END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}/g;
// How PKCS #1, PKCS #8 (plain, encrypted), SEC 1, Ed25519 and OpenSSH private keys begin in base64; certificates and
// public keys begin otherwise.
const HEAD =
  /MII[A-Za-z0-9+/]{3}(?:IBAAK[BC]|IBADANBgkqhkiG9w0BAQEFAASC|BOBgkqhkiG9w0BBQ0)|MH[cQ]CAQEE|MIG[A-Za-z0-9+/]AgE[AB]|MC4CAQAwBQYDK2VwBCIEI|b3BlbnNzaC1rZXktdjE/g;

/** A 16,384-bit RSA key is 12,700 characters in PEM; twice that leaves room for quoting. */
const LONGEST = 25_000;
/** The smallest private key, Ed25519, has 64 characters. */
const SMALLEST_BODY = 40;

/** Where private keys are. A marker without a key, as in source code, is none. */
export function findPrivateKeys(text: string): TextSpan[] {
  const marked = text.includes('PRIVATE KEY') ? findMarkedKeys(text) : [];
  return [...marked, ...findHeads(text)];
}

function findMarkedKeys(text: string): TextSpan[] {
  const begins = findKeys(BEGIN, text);
  const ends = findKeys(END, text);
  let next = 0;
  const begun = begins.map((begin, i) => {
    while ((ends[next]?.start ?? text.length) < begin.end) next++;
    const limit = Math.min(begins[i + 1]?.start ?? text.length, begin.start + LONGEST);
    return findBegunKey(text, begin, { end: ends[next], limit });
  });
  const ended = ends.map((end) => ({ start: findKeyStart(text, end.start), end: end.end }));
  return [...begun.filter((span) => span !== null), ...ended.filter((span) => measureKey(text, span) > 0)];
}

/** From the marker to the one at the end, if that comes before the limit; else as far as key lines follow. */
function findBegunKey(
  text: string,
  begin: TextSpan,
  next: { readonly end: TextSpan | undefined; readonly limit: number },
): TextSpan | null {
  if (next.end && next.end.start < next.limit) {
    const body = { start: begin.end, end: next.end.start };
    return measureKey(text, body) >= SMALLEST_BODY ? { start: begin.start, end: next.end.end } : null;
  }
  const body = { start: begin.end, end: findKeyEnd(text, begin.end) };
  return measureKey(text, body) > 0 ? { start: begin.start, end: body.end } : null;
}

function findKeys(pattern: RegExp, text: string): TextSpan[] {
  return [...iterateMatches(text, pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function findHeads(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let cursor = 0;
  for (const { index } of iterateMatches(text, HEAD)) {
    if (index < cursor) continue;
    const end = findKeyEnd(text, index);
    if (end - index >= SMALLEST_BODY) spans.push({ start: index, end });
    cursor = Math.max(end, findKeyRunEnd(text, index));
  }
  return spans;
}

function findKeyRunEnd(text: string, start: number): number {
  const run = /[A-Za-z0-9+/]*/y;
  run.lastIndex = start;
  run.test(text);
  return run.lastIndex;
}

/** How many characters of the text are in runs that look like a key. */
function measureKey(text: string, { start, end }: TextSpan): number {
  let length = 0;
  for (const [run] of text.slice(start, end).matchAll(/[A-Za-z0-9+/]{20,}/g)) if (isKeyLine(run)) length += run.length;
  return length;
}

const MAX_KEY_LINE = 1_000;
const KEY_LINE =
  /(?:[\s"'`,;+\\|>*#-]|\/\/){0,80}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n]{0,120}|([A-Za-z0-9+/]{4,}={0,2}))/y;

/** The end of the key lines that follow. */
function findKeyEnd(text: string, start: number): number {
  let end = start;
  KEY_LINE.lastIndex = start;
  for (let line = KEY_LINE.exec(text); line; line = KEY_LINE.exec(text)) {
    if (line[1] !== undefined && !isKeyLine(line[1])) break;
    end = KEY_LINE.lastIndex;
  }
  return end;
}

/** The start of the key lines that end right before `end`. */
function findKeyStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < LONGEST) {
    // Never further back than a line may be long: a text full of END markers would be searched from its start for each.
    const from = Math.max(0, start - MAX_KEY_LINE - 1);
    const lineStart = text.slice(from, start - 1).lastIndexOf('\n') + 1 + from;
    if (start - lineStart > MAX_KEY_LINE) break;
    const run = /(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{4,}={0,2})["'`,;+\\ \t\r\n]*$/.exec(text.slice(lineStart, start));
    if (run?.[1] === undefined || !isKeyLine(run[1])) break;
    start = lineStart + run.index;
    if (run.index > 0 && !/^[\s"'`,;+\\|>*#-]*$/.test(text.slice(lineStart, start))) break;
  }
  return start;
}

function isKeyLine(run: string): boolean {
  return run.endsWith('=') || (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
}
