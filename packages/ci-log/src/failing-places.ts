// The files that the log of one failure names: the evidence for which commit caused it.
import { isPassedTest } from 'causeway-log-lines';
import { type Cause, findCause } from './find-cause.ts';
import { findSteps, type LogLine, readLogLines } from './log-lines.ts';
import { findPlaces } from './places.ts';
import { toRepositoryPath } from './written-places.ts';

export interface FailingPlaces {
  /** Paths as written in the log, of places next to its errors; `tests`: of the tests that failed. */
  readonly places: readonly string[];
  readonly tests: readonly string[];
  /** What these tests are called. */
  readonly titles: readonly string[];
  /** The first line that says what is wrong; "" if none. */
  readonly headline: string;
  /** Lines of the errors that the check failed with, without white space at their end. */
  readonly errors: readonly string[];
}

/** `isLeftOut`: whether a line is not a part of the failure. Linear in the log; nothing in it makes this fail. */
export function findFailingPlaces(log: string, isLeftOut: (line: string) => boolean): FailingPlaces {
  const lines = removePassed(readLogLines(log).filter(({ text }) => !isLeftOut(text)));
  const cause = cutToFirstVerdict(findCause(lines, findSteps(lines)));
  const { errorLines, headline } = cause;
  const headed = errorLines.flatMap(({ at }) => FILE_HEAD.exec(lines[at]?.text ?? '')?.[2] ?? []);
  const failed = errorLines.filter(({ at, kind }) => kind !== 'weak' && kind !== 'end' && at >= headline);
  return {
    places: findPlaces(lines, cause).map(({ path }) => path),
    tests: [...cause.tests.map(({ path }) => path), ...headed].flatMap((path) => toRepositoryPath(path) ?? []),
    titles: cause.tests.map(({ name }) => name),
    headline: lines[cause.message]?.text ?? '',
    errors: failed.map(({ at }) => lines[at]?.text.trimEnd() ?? ''),
  };
}

/** Runners of JavaScript head what a file printed with its name and how it went. */
const FILE_HEAD = /^\s{0,4}(PASS|FAIL) {1,3}([^\s>]{1,400}\.[cm]?[jt]sx?)(?=\s|$)/;

/** What ends the part of a file that passed. */
const PART_END = /^\s{0,4}(?:● |Summary of all failing tests|Test Suites?: |Tests?: |={3,} |##\[)/;

/** Lines about what passed are emptied rather than removed, so that the others keep their order. */
function removePassed(lines: readonly LogLine[]): readonly LogLine[] {
  let isPassing = false;
  return lines.map((line) => {
    const head = FILE_HEAD.exec(line.text)?.[1];
    if (head !== undefined) isPassing = head === 'PASS';
    else if (PART_END.test(line.text) || line.mark !== '') isPassing = false;
    return isPassing || isPassedTest(line.text) ? { ...line, text: '' } : line;
  });
}

/** A summary at the end says most, but the places that it sums up come before it. */
function cutToFirstVerdict(cause: Cause): Cause {
  const first = cause.errorLines.find(({ kind }) => kind === 'verdict')?.at ?? cause.headline;
  return { ...cause, headline: Math.min(first, cause.headline) };
}
