// What an excerpt says is wrong, in one or two lines: the error itself, and the failed test where that is all that its first line names.
import type { Excerpt } from '../../core/head.ts';

/** How long a test took differs each time, and tells nothing. */
const TIME = /(?<!\s)\s*[([]\d{1,6}(?:\.\d{1,9})?\s?m?s[)\]]$/;
const MARK = /^(?:[✖✗✘×●❌✕]|not ok \d{1,6} -|--- FAIL:|FAIL:?|\d{1,4}\))\s+/;
const FRAME = /^\s*(?:at |File "|from \/)/;
const ERROR = /\b\w{0,60}(?:Error|Exception|Failure|Failed|panic)\b|^\s*(?:E\s|error\b|assert|expected\b|panicked\b)/i;

interface ShownError {
  /** The first error line; "" where nothing tells. */
  readonly error: string;
  /** The line that names the failed test, where the excerpt begins with that; "" otherwise. */
  readonly test: string;
}

export function withoutTime(line: string): string {
  return line.replace(TIME, '').trim();
}

export function shownError({ headline, lines, tests }: Excerpt): ShownError {
  const first = withoutTime(headline);
  if (!namesTest(first, tests)) return { error: first, test: '' };
  const at = lines.findIndex((line) => line.replace(/\s+/g, ' ').trim() === headline.trim());
  const below = at === -1 ? [] : lines.slice(at + 1);
  const error = below.find((line) => ERROR.test(line) && !FRAME.test(line) && !namesTest(line, tests));
  return error === undefined ? { error: first, test: '' } : { error: error.trim(), test: first };
}

/** Both, one below the other. */
export function errorLines({ error, test }: ShownError): string {
  return [test, error].filter((line) => line !== '').join('\n');
}

function namesTest(line: string, tests: readonly string[]): boolean {
  const bare = withoutTime(line).replace(MARK, '');
  return bare !== '' && tests.some((test) => test === bare || test.endsWith(bare) || bare.endsWith(test));
}

/** Whether a reason says no more than those lines do. */
export function isRepeated(reason: string, { error, test }: ShownError): boolean {
  const quote = /^(?:it says: “(.*)”|“(.*)” failed)$/is.exec(reason.trim());
  const said = (quote?.[1] ?? quote?.[2] ?? '').replace(/…$/, '').replace(TIME, '').trim();
  return said !== '' && [error, test].some((line) => line.startsWith(said) || (line !== '' && line.endsWith(said)));
}
