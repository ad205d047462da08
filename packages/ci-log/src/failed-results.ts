// What the result files of a job say failed, in addition to its log: the same tests under the same names, with the exact
// message, trace and place.

import type { FailedTest } from './failed-tests.ts';
import { type Cause, NO_CAUSE } from './find-cause.ts';
import type { ErrorLine } from './last-words.ts';
import type { LogLine } from './log-lines.ts';
import { findPlaces, type LogPlace } from './places.ts';
import { toRepositoryPath } from './written-places.ts';

/** One failure of a result file, with its texts as the file has them, each bounded: an untrusted word of the job. */
export interface FailedResult {
  /** A test of JUnit XML, or an error of SARIF. */
  readonly kind: 'test' | 'finding';
  /** Class, package or file of the test; the rule of the finding; "" for none. */
  readonly scope: string;
  /** Of the test; "" for a finding. */
  readonly name: string;
  /** As written; "" for none. */
  readonly path: string;
  /** 0: none. */
  readonly line: number;
  readonly message: string;
  /** "" for none. */
  readonly trace: string;
}

/** Failed tests as lines, in the form that the readers of logs take. */
export interface ResultText {
  readonly lines: readonly LogLine[];
  readonly cause: Cause;
  /** Where the files say that they failed, and then what their traces name. */
  readonly places: readonly LogPlace[];
  /** In the order of the tests of the cause. */
  readonly tests: readonly FailedResult[];
}

/** As many as a result file has. */
const MOST_TESTS = 200;
const MOST_LINES = 60;
/** Lines of each that are more than its details. */
const MOST_SHOWN = 6;
const MOST_PLACES = 20;
const LINE_CHARACTERS = 1_000;
/** A longer list of the log's tests is not searched for those of the files. */
const MOST_COMPARED = 500;

/** Of the tests among the results; null: there are none. */
export function writeResults(results: readonly FailedResult[]): ResultText | null {
  const tests = results.filter(({ kind }) => kind === 'test').slice(0, MOST_TESTS);
  if (tests.length === 0) return null;
  const lines: LogLine[] = [];
  const named: FailedTest[] = [];
  const errorLines: ErrorLine[] = [];
  // A test may fail only because a part of it did, which says why.
  const silent: ErrorLine[] = [];
  for (const test of tests) {
    const path = findTestPath(test);
    const name = nameTest(test, path);
    named.push({ name, at: lines.length, path });
    const said = listSaid(test);
    said.slice(0, MOST_SHOWN).forEach((_, at) => {
      errorLines.push({ at: lines.length + 1 + at, kind: at === 0 ? 'verdict' : 'error', isHeading: false });
    });
    if (said.length === 0) silent.push({ at: lines.length, kind: 'verdict', isHeading: false });
    for (const text of [name, ...said, ...listGoPackage(test)]) {
      lines.push({ text: text.slice(0, LINE_CHARACTERS), mark: '', step: '' });
    }
  }
  const told = errorLines.length === 0 ? silent : errorLines;
  const at = told[0]?.at ?? -1;
  const step = { name: '', phase: 'work', from: 0, to: lines.length, isFailed: true } as const;
  const cause = { ...NO_CAUSE, step, headline: at, message: at, errorLines: told, tests: named };
  const given = tests.flatMap((test) => findGivenPlace(test));
  return { lines, cause, places: [...given, ...findPlaces(lines, cause)].slice(0, MOST_PLACES), tests };
}

/** The message, and what of the trace does not repeat it. */
function listSaid({ message, trace }: FailedResult): readonly string[] {
  const said = splitResultLines(message.replace(/^Error: (?=expect\()/, ''));
  const repeated = new Set(splitResultLines(message).map((line) => line.trim()));
  const rest = splitResultLines(trace.replaceAll('at app//', 'at ')).filter((line) => !repeated.has(line.trim()));
  return [...said, ...rest].slice(0, MOST_LINES);
}

function splitResultLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}

/** As `go test` ends the lines of a package, from which the folder of its files is known. */
function listGoPackage({ scope, trace }: FailedResult): readonly string[] {
  return /\.go:\d/.test(trace) && scope.includes('/') ? [`FAIL\t${scope}\t0.0s`] : [];
}

function findGivenPlace({ path, line, message }: FailedResult): readonly LogPlace[] {
  const own = path === '' || line === 0 ? null : toRepositoryPath(path);
  return own === null ? [] : [{ path: own, line, message: message.split('\n', 1)[0] ?? '' }];
}

const FILE_NAME =
  /^(?:[\w.@~+-]{1,200}[/\\]){0,40}[\w.@~+-]{1,200}\.(?:[cm]?[jt]sx?|py|rb|php|feature|vue|dart|exs|R)$/;
const PYTHON_PLACE = /(?<![\w/.-])((?:[\w-]{1,100}\/){0,30}[\w-]{1,100}\.py):\d/g;

/** Of the file with the test; "" where neither the results nor the trace name it. */
function findTestPath({ path, scope, trace }: FailedResult): string {
  if (path !== '') return toRepositoryPath(path) ?? '';
  if (FILE_NAME.test(scope)) return toRepositoryPath(scope) ?? '';
  // pytest writes modules with dots and, at the end of a trace, the file.
  for (const [, written = ''] of trace.matchAll(PYTHON_PLACE)) {
    const module = toPythonModule(written);
    if (scope === module || scope.startsWith(`${module}.`)) return written;
  }
  return '';
}

/** As the log of the same runner names it, where that can be known: a failure keeps its fingerprint either way. */
function nameTest({ scope, name, trace }: FailedResult, path: string): string {
  if (name === '') return scope;
  if (path.endsWith('.py')) return [path, ...listPythonClasses(scope, path), name].join('::');
  if (FILE_NAME.test(scope)) return `${scope}::${name}`;
  if (isWholeName(scope, name)) return name;
  if (name.includes('::')) return `${scope} ${name}`;
  // Gradle
  if (name.endsWith('()')) return `${scope.split('.').at(-1)} > ${name}`;
  if (!scope.includes('\\')) return `${scope}.${name}`;
  // PHPUnit writes the values of a data set above the trace.
  const [first = ''] = trace.split('\n', 1);
  return first.startsWith(`${scope}::${name}`) ? first.trim() : `${scope}::${name}`;
}

/** Jest writes suites and test in both, Go names the package, and Node's own runner only that it is a test. */
function isWholeName(scope: string, name: string): boolean {
  if (scope === '' || scope === 'test' || name.startsWith(scope) || name.endsWith(scope)) return true;
  return scope.includes('/') && /^(?:Test|Fuzz|Example|Benchmark)/.test(name);
}

function listPythonClasses(scope: string, path: string): readonly string[] {
  const module = toPythonModule(path);
  return scope.startsWith(`${module}.`) ? scope.slice(module.length + 1).split('.') : [];
}

function toPythonModule(path: string): string {
  return path.slice(0, -'.py'.length).replaceAll('/', '.');
}

/** The tests of the log, and those of the files that it does not name. Names of the log stay as they are. */
export function mergeTests(ofLog: readonly FailedTest[], { tests, cause }: ResultText): readonly FailedTest[] {
  const compared = ofLog.slice(0, MOST_COMPARED).map(({ name }) => listResultWords(name));
  const isNamed = (test: TestWords) => compared.some((words) => isSameTest(words, test));
  return [...ofLog, ...cause.tests.filter((_, at) => !isNamed(readTestWords(tests[at])))];
}

/** The result of the test that a line of the log names. */
export function findResult(name: string, { tests }: ResultText): FailedResult | undefined {
  const words = listResultWords(name);
  return tests.find((test) => isSameTest(words, readTestWords(test)));
}

interface TestWords {
  readonly scope: readonly string[];
  readonly name: readonly string[];
}

function readTestWords(test: FailedResult | undefined): TestWords {
  return { scope: listResultWords(test?.scope ?? ''), name: listResultWords(test?.name ?? '') };
}

const EXTENSION = /\.(?:[cm]?[jt]sx?|py|rb|php)(?!\w)/g;
/** PHPUnit lists the values of a data set in the log only. */
const VALUES = /( with data set \S{1,100}) \(.*$/s;

/** Runners join package, file, class and test in their logs with other signs than in their files. */
function listResultWords(text: string): readonly string[] {
  return (
    text
      .replace(VALUES, '$1')
      .replace(EXTENSION, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? []
  );
}

/** Logs leave out what is in front, such as the package, or put the test before its class. */
function isSameTest(ofLog: readonly string[], { scope, name }: TestWords): boolean {
  if (name.length === 0 || ofLog.length < name.length) return false;
  const whole = [...scope, ...name];
  if (endsWith(whole, ofLog) || endsWith(ofLog, whole)) return true;
  if (whole.length === ofLog.length && whole.toSorted().join(' ') === ofLog.toSorted().join(' ')) return true;
  return endsWith(ofLog, name) && scope.length > 0 && scope.every((word) => ofLog.includes(word));
}

function endsWith(words: readonly string[], end: readonly string[]): boolean {
  const from = words.length - end.length;
  return from >= 0 && end.every((word, at) => words[from + at] === word);
}
