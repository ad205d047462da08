// The line that says what went wrong, where a test runner names the test on one line and tells why on another.
import type { Cause } from './find-cause.ts';
import type { PlainLine } from './plain-lines.ts';
import { nameOn } from './test-names.ts';

/** What is said of a test stands within so many lines of its name. */
const WINDOW = 40;
const MAX_MENTIONS = 12;
/** A shorter name stands in lines that are about something else. */
const MIN_NAME = 4;
const FRAME = /^\s*(?:at |File "|\.{3} \d)/;
const OTHER_TEST =
  /^\s*(?:=== (?:RUN|CONT|PAUSE|NAME)\b|--- (?:PASS|SKIP|FAIL)\b|\[ +(?:RUN|OK|FAILED|PASSED) +\]|[✔✓√✖●] |ok \d|not ok \d|test \S.{0,300} \.\.\. |(?:PASS|FAIL|FAILED|ERROR)\b|\d{1,4}\) \S|---- .{1,200} stdout ----|_{3,} .{1,300} _{3,}$|rspec \.\/)/;
/** What stands beside a name on lines that only name it. */
const BESIDES =
  /FAILED|FAILURE|ERROR|FAIL|Failed|Time elapsed|took|methodParameterTypes|(?<![A-Za-z])(?:ms|s|secs?|seconds)\b|Test +#\d+/g;

const SAYING: readonly RegExp[] = [
  /^E {2,}\S/,
  /^\s{0,14}(?:=> )?(?:Caused by: |Uncaught |Unhandled )?(?:[\w$-]{1,100}[.:]{1,2}){0,20}(?:[A-Z][\w$]{0,100})?(?:Error|Exception|Failure|Failed|Interrupt|Exit)(?: \[[^\]]{1,60}\])?(?:: \S|(?<=Exception)$)/,
  /^\s{0,12}expect\(.{1,200}\)\.\w/,
  /^\s{0,12}(?:thrown|Failure\/Error): \S/,
  /^\s{1,14}Error:\s{1,12}\S/,
  /^\s{2,40}[\w.-]{1,200}\.go:\d+: \S/,
  /^panic: \S/,
  /^\s{2,40}(?:error|message): ['"]?[^\s|>]/,
  /^\s{0,12}Condition not satisfied/,
];
/** The message stands on the next line. */
const ANNOUNCING =
  /^thread '.{1,200}' (?:\(\d{1,10}\) )?panicked at .{1,300}:\d+:\d+:$|^\s{1,12}Error Message: ?$|^\S{1,300}:\d+: Failure$|^\s{2,40}error: [|>]-?$/;

/** Index of the line that says most of the first cause: the headline, unless that only names a test. -1: nothing tells. */
export function findMessage(lines: readonly PlainLine[], cause: Omit<Cause, 'message'>): number {
  const { headline, tests, step } = cause;
  const test = tests.find(({ at }) => at === headline);
  if (!test) return headline;
  const name = lastPart(test.name);
  if (!isBare(lines[headline]?.text ?? '', name)) return headline;
  const to = step?.to ?? lines.length;
  const mentions = [headline, ...mentionsOf(lines, name, { from: step?.from ?? 0, to, besides: headline })];
  for (const mention of mentions) {
    const found = saidAfter(lines, name, { at: mention, to });
    if (found >= 0) return found;
  }
  return headline;
}

/** Whether nothing but the name stands there. */
function isBare(text: string, name: string): boolean {
  const at = text.indexOf(name);
  const rest = at < 0 ? '' : text.slice(at + name.length);
  return !/\p{L}{2}/u.test(rest.replace(BESIDES, ' '));
}

/** `a.test.ts::cart > adds`: what other lines call it by. */
function lastPart(name: string): string {
  return name.split(/::| > | › /).at(-1) ?? name;
}

function mentionsOf(
  lines: readonly PlainLine[],
  name: string,
  { from, to, besides }: { readonly from: number; readonly to: number; readonly besides: number },
): readonly number[] {
  const found: number[] = [];
  if (name.length < MIN_NAME) return found;
  for (let at = from; at < to && found.length < MAX_MENTIONS; at += 1) {
    if (at !== besides && lines[at]?.text.includes(name)) found.push(at);
  }
  return found;
}

/** -1: nothing is said before another test is named. */
function saidAfter(
  lines: readonly PlainLine[],
  name: string,
  { at, to }: { readonly at: number; readonly to: number },
): number {
  for (let line = at + 1; line < Math.min(at + WINDOW, to); line += 1) {
    const { text = '', mark = '' } = lines[line] ?? {};
    if (mark === 'begin' || isOther(text, name)) return -1;
    const isPrinted = mark === '' || mark === 'error';
    if (isPrinted && ANNOUNCING.test(text)) return nextWithText(lines, line, to);
    if (isPrinted && isSaying(text)) return line;
  }
  return -1;
}

function isSaying(text: string): boolean {
  return !FRAME.test(text) && SAYING.some((pattern) => pattern.test(text));
}

function isOther(text: string, name: string): boolean {
  return !text.includes(name) && (OTHER_TEST.test(text) || nameOn(text) !== null);
}

function nextWithText(lines: readonly PlainLine[], at: number, to: number): number {
  for (let next = at + 1; next < Math.min(at + 3, to); next += 1) if (lines[next]?.text.trim()) return next;
  return at;
}

/** Values that a matcher compares stand on lines of their own. */
const COMPARED = /^\s*(?:Expected|Received|expected|received|actual|Actual)\b.{0,60}: {1,4}\S/;

/** The message, with what it announces: compared values, or what follows a colon at its end. */
export function messageText(lines: readonly PlainLine[], at: number): string {
  const text = lines[at]?.text ?? '';
  if (/^\s*expect\(/.test(text)) {
    const values = textsAfter(lines, at, 10).filter((line) => COMPARED.test(line));
    const matcher = text.replace(/ {1,4}\/\/ .{0,200}$/, '');
    return [matcher, ...values.slice(0, 2)].map((part) => part.trim().replace(/\s+/g, ' ')).join(' · ');
  }
  const [next = ''] = textsAfter(lines, at, 3);
  return /Error.{0,300}:$/.test(text) && /^\s{0,12}[^+\s-]/.test(next) && !FRAME.test(next)
    ? `${text} ${next.replace(/^E? +/, '')}`
    : text;
}

function textsAfter(lines: readonly PlainLine[], at: number, most: number): readonly string[] {
  return lines
    .slice(at + 1, at + most)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '');
}
