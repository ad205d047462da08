// What a failed check says of itself: the test that failed and its first error, and both in one line.

import { type Excerpt, formatHeadline } from 'causeway-ci-log';
import { sanitiseLine } from 'causeway-visible-text';

const BULLET = /^(?:[✖✗✘×●❌✕]|not ok \d{1,6} -|--- FAIL:|FAIL:?|\d{1,4}\))\s+/;
const FRAME = /^\s*(?:at |File "|from \/)/;
const ERROR = /\b\w{0,60}(?:Error|Exception|Failure|Failed|panic)\b|^\s*(?:E\s|error\b|assert|expected\b|panicked\b)/i;

/** The first error, and the line that names the failed test where the excerpt begins with that. */
export function splitError({ headline, lines, tests }: Excerpt): { readonly error: string; readonly test: string } {
  const isTest = (line: string) => {
    const name = removeDuration(line).replace(BULLET, '');
    return name !== '' && tests.some((test) => test === name || test.endsWith(name) || name.endsWith(test));
  };
  const first = removeDuration(headline);
  if (!isTest(first)) return { error: first, test: '' };
  const at = lines.findIndex((line) => line.replace(/\s+/g, ' ').trim() === headline.trim());
  const below = at === -1 ? [] : lines.slice(at + 1);
  const error = below.find((line) => ERROR.test(line) && !FRAME.test(line) && !isTest(line));
  return error === undefined ? { error: first, test: '' } : { error: formatHeadline(error), test: first };
}

/** The duration of a test differs each time and says nothing about its failure. */
export function removeDuration(line: string): string {
  return line.replace(/(?<!\s)\s*[([]\d{1,6}(?:\.\d{1,9})?\s?m?s[)\]]$/, '').trim();
}

/** What Node says of any two values, before it says which. */
const COMPARES =
  /^(\w{0,60}Error)(?: \[ERR_ASSERTION\])?: Expected values to be (?:strictly |loosely )?(?:deep-)?equal: (?=\S)/;
/** The error has its values at the end, and one line has to hold both. */
const MAX_TEST = 120;
const MAX_ERROR = 300;

/** Such as `a basket is worth what is in it: AssertionError: 2400 !== 4800`; "" where nothing is known. */
export function nameFailure(excerpt: Excerpt): string {
  const { error, test: line } = splitError(excerpt);
  const [test = '', ...more] = excerpt.tests;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  // The error is the line that names the test where the log has nothing better.
  const isTest = test !== '' && line === '' && error.includes(test);
  const said = isTest ? '' : sanitiseLine(error.replace(COMPARES, '$1: ').replace(/:$/, ''), MAX_ERROR);
  return [test === '' ? '' : `${sanitiseLine(test, MAX_TEST)}${others}`, said].filter(Boolean).join(': ');
}

/** That of assertions, and the one that says nothing: any other is what went wrong. */
const ERROR_CLASS = /^(?:[\w.$]{0,200}Assert[a-z]{0,20}(?:Error|Exception)(?: \[\w{1,60}\])?|(?:Failure\/)?Error): ?/i;
const VALUE = String.raw`(?:"[^"]{0,300}"|'[^']{0,300}'|<[^<>]{0,300}>|[-+]?\d[\d.,]{0,40})`;
/** An assertion in any words, values alone, or what they follow on the next lines. */
const BARE = new RegExp(`^(?:Failed )?(?:assert|expect)|^${VALUE}(?: (?:.{0,300} )?${VALUE})?$|:$`, 'i');

/**
 * The failed test with its error, where a single line has to identify the failure. Null: no test is known, or the error
 * alone says more than that values differ.
 */
export function nameBareError(excerpt: Excerpt): string | null {
  const { error } = splitError(excerpt);
  const isBare = excerpt.tests.length > 0 && BARE.test(error.replace(ERROR_CLASS, ''));
  return isBare ? sanitiseLine(nameFailure(excerpt), MAX_ERROR) : null;
}
