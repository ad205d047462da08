// The first test that failed, as far as it can be run by itself: its runner, its name there, and its file.

import { removeAnsi } from 'causeway-log-lines';
import type { FailedTest } from './failed-tests.ts';
import { findTestName } from './failed-tests.ts';
import type { Cause } from './find-cause.ts';
import type { LogLine } from './log-lines.ts';
import { findWrittenPlaces, toRepositoryPath } from './written-places.ts';

export type TestRunner = (typeof SIGNS)[number]['runner'];

export interface FirstTest {
  readonly runner: TestRunner;
  /** As the runner names it; never empty. */
  readonly name: string;
  /** As the log writes it, without the runner's own folder; "" where it names none. */
  readonly path: string;
}

/** What each runner prints, and no other: the most particular first. Lines are those of the step that failed. */
const SIGNS = [
  { runner: 'vitest', sign: /^\s*RUN {1,2}v\d+\.\d+|^\s*Test Files {1,3}\d+ |⎯⎯⎯ Failed (?:Tests|Suites) \d/ },
  { runner: 'jest', sign: /^Test Suites: (?:\d+ \w+, )+\d+ total|^Ran all test suites/ },
  { runner: 'playwright', sign: /^\s*\d+\) \[[^\]]{1,40}\] › / },
  { runner: 'jasmine', sign: /^\d+ specs?, \d+ failures?|^Jasmine started/ },
  { runner: 'mocha', sign: /^\s{0,8}\d+ failing$/ },
  { runner: 'bun', sign: /^bun test v\d|^\(fail\) / },
  { runner: 'deno', sign: /^running \d+ tests? from \.\/|^FAILED \| \d+ passed/ },
  { runner: 'ava', sign: /^\s{0,4}✘ \[fail\]: |^\s{2}\d+ tests? failed$/ },
  { runner: 'node', sign: /^\s*(?:#|ℹ) (?:cancelled|duration_ms) \d|^\s{1,60}failureType: 'testCodeFailure'/ },
  { runner: 'tap', sign: /^\s*# \{ total: \d|^\s*🌈 TEST COMPLETE|^# test count\(\d/ },
  { runner: 'tape', sign: /^# tests \d+$|^\s+operator: \w/ },
  { runner: 'pytest', sign: /^=+ (?:FAILURES|ERRORS|short test summary info) =+$|^(?:FAILED|ERROR) \S+\.py(?:::| |$)/ },
  { runner: 'unittest', sign: /^Ran \d+ tests? in [\d.]+s$/ },
  { runner: 'nextest', sign: /^\s{1,8}FAIL \[ *[\d.]+s\]/ },
  { runner: 'cargo', sign: /^test result: FAILED\. / },
  { runner: 'go', sign: /^\s*--- FAIL: \S+ \([\d.]+s\)$/ },
  { runner: 'gradle', sign: /^> Task :\S{0,200}test\w* FAILED|^Execution failed for task ':\S{0,200}test\w*'/i },
  { runner: 'maven', sign: /<<< (?:FAILURE|ERROR)!|^\[ERROR\] Tests run: \d/ },
  { runner: 'rspec', sign: /^rspec '?\.\// },
  { runner: 'minitest', sign: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures/ },
  { runner: 'phpunit', sign: /^PHPUnit \d|^There (?:was|were) \d+ (?:failure|error)s?:$/ },
  { runner: 'dotnet', sign: /^\s*Failed!\s+- Failed:\s+\d|^ {2}Failed [\w.+`]{1,300}.{0,200} \[[<\d]/ },
] as const;

/** Of a step with more lines the last ones: runners sum up at the end. */
const MOST_LINES = 20_000;

/** Null: no test is named, or by what it was run is not known. */
export function findFirstTest(
  lines: readonly LogLine[],
  { step, tests }: Cause,
  names: readonly string[],
): FirstTest | null {
  const to = step?.to ?? lines.length;
  const from = Math.max(step?.from ?? 0, to - MOST_LINES);
  const runner = findRunner(lines.slice(from, to));
  if (runner === null) return null;
  const form = FORMS[runner] ?? /./;
  const named = tests.find(({ name }) => names.includes(name) && form.test(name));
  if (named === undefined) return null;
  const path = IN_NAME.exec(named.name)?.[1] ?? findTestPath(lines, named, { from, to });
  return { runner, name: runner === 'pytest' ? named.name : removeFile(named), path };
}

/** Playwright has the file in the name of the test. */
const IN_NAME = /^\[[^\]]{1,40}\] › ([^\s:]{1,300}\.[cm]?[jt]sx?):\d{1,6}:\d{1,6} › /;

/** How a runner names its tests, where programs print lines like its own. */
const FORMS: Partial<Readonly<Record<TestRunner, RegExp>>> = {
  unittest: /^\w+ \([\w.]+\)/,
  pytest: /\.py(?:::|$)/,
  go: /^(?:Test|Fuzz|Example)/,
};

/** The file is put before a name that tests of several files have. */
function removeFile({ name, path }: FailedTest): string {
  return path !== '' && name.startsWith(`${path}::`) ? name.slice(path.length + 2) : name;
}

function findRunner(lines: readonly LogLine[]): TestRunner | null {
  const found = new Set<TestRunner>();
  for (const { text } of lines) {
    const printed = removeAnsi(text).trimEnd();
    for (const { runner, sign } of SIGNS) if (!found.has(runner) && sign.test(printed)) found.add(runner);
  }
  return SIGNS.find(({ runner }) => found.has(runner))?.runner ?? null;
}

interface StepRange {
  readonly from: number;
  readonly to: number;
}

/** Jest heads what a file printed with its name, Node's own runner writes it over the test, others in what it threw. */
const FILE_HEAD = /^\s{0,4}FAIL {1,3}(?<path>[^\s>]{1,400}\.[cm]?[jt]sx?)(?=\s|$)/;
const OVER_TEST = /^\s{0,40}(?:test at |# Subtest: )(?<path>\S{1,400}?\.[cm]?[jt]sx?)(?::\d|$)/;
const LOCATION = /^\s{1,60}location: '(?:file:\/\/)?(?<path>.{1,400}?):\d{1,6}:\d{1,6}'$/;

/** Lines over a test that may head it, and lines of it that may name a place. */
const HEAD_REACH = 4_000;
const OVER_REACH = 3;
const BODY_REACH = 80;

function findTestPath(lines: readonly LogLine[], { name, path, at }: FailedTest, { from, to }: StepRange): string {
  const read = (pattern: RegExp, line: number) => {
    const found = pattern.exec(lines[line]?.text ?? '')?.groups?.['path'] ?? '';
    return found === '' ? null : toRepositoryPath(found);
  };
  if (path !== '') return toRepositoryPath(path) ?? '';
  for (let line = at - 1; line >= Math.max(from, at - OVER_REACH); line -= 1) {
    const over = read(OVER_TEST, line);
    if (over !== null) return over;
  }
  for (let line = at - 1; line >= Math.max(from, at - HEAD_REACH); line -= 1) {
    const head = read(FILE_HEAD, line);
    if (head !== null) return head;
  }
  const below = findPlaceOfTest(lines, at, to);
  if (below !== '') return below;
  // Some list the names first, and say more of each under its name alone.
  const again = lines.findIndex(({ text }, line) => line > at && line < to && text.trim() === name);
  return again < 0 ? '' : findPlaceOfTest(lines, again, to);
}

/** Mocha numbers what failed, and names the test on the lines below. */
const NEXT_FAILURE = /^ {2}\d{1,5}\) \S/;

/** What the test threw comes from it: outermost in JavaScript, so the last of its own frames, innermost in Python. */
function findPlaceOfTest(lines: readonly LogLine[], at: number, to: number): string {
  let last = '';
  for (let line = at + 1; line < Math.min(to, at + BODY_REACH); line += 1) {
    const text = lines[line]?.text ?? '';
    if (findTestName(text) !== null || NEXT_FAILURE.test(text)) break;
    const located = LOCATION.exec(text)?.groups?.['path'];
    if (located !== undefined) return toRepositoryPath(located) ?? '';
    for (const { path } of findWrittenPlaces(text)) {
      const own = toRepositoryPath(path);
      if (own === null) continue;
      if (own.endsWith('.py')) return own;
      last = own;
    }
  }
  return last;
}
