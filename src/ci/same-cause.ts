// What two red checks have in common: the cause, as far as files say, and the errors.
import { type Excerpt, matchError } from 'causeway-ci-log';
import type { Finding } from '../core/check/index.ts';
import { isTest } from './touches.ts';

/**
 * Whether what is found for the other change explains the failure of this one: the same test fails, and both changed a
 * file that it reaches. What only this change did to what the test is for comes first.
 */
export function sharesCause(
  { reached = [], excerpt }: Pick<Finding, 'reached' | 'excerpt'>,
  other: Pick<Finding, 'changed' | 'excerpt'>,
): boolean {
  const { tests } = excerpt;
  const isSameTest =
    tests.length === 0 ? other.excerpt.tests.length === 0 : tests.some((name) => other.excerpt.tests.includes(name));
  const isCommon = ({ path }: { readonly path: string }) => other.changed?.includes(path) === true;
  // The test fails there without this change's version of it.
  const isOwn = reached.some((file) => file.isCertain && !isTest(file.path) && !isCommon(file));
  return isSameTest && !isOwn && reached.some(isCommon);
}

/**
 * Whether an excerpt names an error that the others together don't name, or names one more often than they do. Words with
 * digits are ignored, so rows of a table that differ only in these are told apart by their number. False where one of the
 * others shows no error at all: how many it had is unknown.
 */
export function hasMoreErrors(here: Pick<Excerpt, 'lines'>, there: readonly Pick<Excerpt, 'lines'>[]): boolean {
  if (there.some(({ lines }) => countErrors(lines).size === 0)) return false;
  const known = countErrors(there.flatMap(({ lines }) => lines));
  return [...countErrors(here.lines)].some(([words, times]) => times > (known.get(words) ?? 0));
}

function countErrors(lines: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const line of lines) {
    const kind = matchError(line, false)?.kind;
    if (kind === undefined || kind === 'summary' || kind === 'end') continue;
    const words = line
      .split(/\s/)
      .filter((word) => word !== '' && !/\d/.test(word))
      .join(' ');
    times.set(words, (times.get(words) ?? 0) + 1);
  }
  return times;
}
