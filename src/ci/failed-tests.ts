// Names of failed tests as test runners print them: on lines that name one, and in lists under a heading.
import type { LogLine } from './log-lines.ts';
import { LAST_NAMING_LINES, NAMING_LINES, type NamingLine } from './test-name-patterns.ts';
import { toRepositoryPath } from './written-places.ts';

interface NamedTest {
  readonly name: string;
  /** Index of the line that names it. */
  readonly at: number;
  /** Its file, where the log names it. */
  readonly path?: string;
}

/** Lines of one step. */
interface Span {
  readonly lines: readonly LogLine[];
  readonly from: number;
  readonly to: number;
}

const MOCHA = /^\s{0,8}[1-9]\d{0,4} failing$/;

const NUMBERED = /^\s{1,12}\d{1,4}\) (\S.{0,700})$/;

/**
 * Each number is followed by the titles of suites and test on lines of their own, the last of which ends with a colon.
 */
function readMochaTests(span: Span): readonly NamedTest[] {
  return findIndexes(span, MOCHA).flatMap((heading) => {
    const found: NamedTest[] = [];
    for (let at = heading + 1; at < span.to; at += 1) {
      const text = readText(span, at);
      if (MOCHA.test(text) || span.lines[at]?.mark === 'begin') break;
      const title = NUMBERED.exec(text)?.[1];
      if (title) found.push({ name: [title, ...readTitlesAfter(span, at, title)].join(' ').replace(/:$/, ''), at });
    }
    return found;
  });
}

function readTitlesAfter(span: Span, at: number, title: string): readonly string[] {
  const titles: string[] = [];
  while (!(titles.at(-1) ?? title).endsWith(':') && titles.length < 8) {
    const next = readText(span, at + titles.length + 1).trim();
    if (next === '') break;
    titles.push(next);
  }
  return titles;
}

const SUREFIRE = /^(?:\[ERROR\] )?(?:Failed tests|Tests in error|Failures|Errors): ?(.{0,300})$/;

const SUREFIRE_ITEM = /^(?:\[ERROR\] {1,6}|\s{1,6})(\S.{0,300})$/;

const SUREFIRE_END =
  /^(?:\[(?:INFO|ERROR)\] *$|$|\[INFO\]|\[ERROR\] (?:Tests run|Errors: ?$|Failures: ?$)|Tests (?:run|in error)|Failed tests)/;

/** `adds(shop.CartTest)`, with anything before the class. */
const OF_CLASS = /^([^:]{1,250}?(?:\[.{1,200}\])?\([\w$]{1,100}(?:\.[\w$]{1,100}){1,20}\))/;

const MAX_LISTED = 600;

/** `CartTest.adds:12->check:8 expected …`, `adds(shop.CartTest): expected …` under a heading. */
function readSurefireTests(span: Span): readonly NamedTest[] {
  return findIndexes(span, SUREFIRE).flatMap((heading) => {
    const first = OF_CLASS.exec(SUREFIRE.exec(readText(span, heading))?.[1]?.trim() ?? '')?.[1];
    const listed = readSurefireItems(span, heading);
    return first ? [{ name: first, at: heading }, ...listed] : listed;
  });
}

/** Which may name the first test itself. */
function isSurefireHeading(text: string): boolean {
  return SUREFIRE.test(text);
}

function readSurefireItems(span: Span, heading: number): readonly NamedTest[] {
  const found: NamedTest[] = [];
  for (let at = heading + 1; at < Math.min(heading + MAX_LISTED, span.to); at += 1) {
    const text = readText(span, at);
    if (SUREFIRE_END.test(text) || SUREFIRE.test(text)) break;
    const name = readSurefireName(SUREFIRE_ITEM.exec(text)?.[1] ?? '');
    if (name !== '') found.push({ name, at });
  }
  return found;
}

function readSurefireName(item: string): string {
  const called = OF_CLASS.exec(item)?.[1];
  if (called) return called;
  return /^[\w$.]{1,200}(?:[.>(][\w$]|:\d)/.test(item)
    ? item.replace(/(?:->|:\d|\s»|\s|:\s).*$/, '').replace(/:$/, '')
    : '';
}

const RULED = /^=+ (?:FAILURES|ERRORS) =+$/;

/** A name between rules, of which a long name leaves little or nothing. */
const RULE =
  /^(?:_{1,100} (?!_ )\S.{0,300}? _{1,100}|_{1,100} [^_\s]\S{0,300}| (?!_ )[A-Za-z]\w{0,100}(?:\.\w{1,200}){0,3}(?:\[.{0,200}\])?(?: _{1,100})?)$/;

/** Where an exception came from: of a file with the name of tests it is the test's own assertion. */
const RULED_PLACE = /^(?<path>(?:[\w./\\-]{0,300}[/\\])?(?:test\w{0,100}|\w{1,100}_tests?)\.py):\d{1,6}: \S/;

const MAX_RULED = 2_000;

/** pytest without its summary: the rules over each failure, named as the summary would: file, classes and test. */
function readRuledTests(span: Span): readonly NamedTest[] {
  const found: NamedTest[] = [];
  let isInside = false;
  for (let at = findIndexes(span, RULED)[0] ?? span.to; at < span.to; at += 1) {
    const text = readText(span, at);
    if (RULED.test(text)) isInside = true;
    else if (/^={3,} .{1,200} ={3,}$/.test(text)) isInside = false;
    const name = isInside && RULE.test(text) ? text.replace(/^_* (?:ERROR at (?:setup|teardown) of )?| ?_*$/g, '') : '';
    if (/\w{2}/.test(name)) found.push({ name, at });
  }
  return found.map((test, index) => findRuledFile(span, test, found[index + 1]?.at ?? span.to));
}

function findRuledFile(span: Span, { name, at }: NamedTest, to: number): NamedTest {
  for (let line = at + 1; line < Math.min(to, at + MAX_RULED); line += 1) {
    const path = toRepositoryPath(RULED_PLACE.exec(readText(span, line))?.groups?.['path'] ?? '/');
    if (path !== null) return { name: `${path}::${replaceDots(name)}`, at, path };
  }
  return { name, at };
}

/** Dots of parameters stay. */
function replaceDots(name: string): string {
  const end = name.indexOf('[');
  const bare = end < 0 ? name : name.slice(0, end);
  return `${bare.replaceAll('.', '::')}${name.slice(bare.length)}`;
}

const ANT_CASE = /^\s{0,12}\[junit\] Testcase: (.{1,300}?)(?:\(([\w$.]{1,300})\))?:? took /;

const ANT_SUITE = /^\s{0,12}\[junit\] (?:Testsuite|Running):? ([\w$.]{1,300})/;

/** The case and its end on one line. */
const ANT_ENDED = /^\s{0,12}\[junit\] Testcase: (.{1,300}?)\(([\w$.]{1,300})\):\s{0,4}(?:FAILED|Caused an ERROR)/;

const ANT_FAILED = /^\s{0,12}\[junit\]\s{1,12}(?:FAILED|Caused an ERROR)/;

/** Ant names the case on one line and its failure on the next. */
function readAntTests(span: Span): readonly NamedTest[] {
  const found: NamedTest[] = [];
  let suite = '';
  let test: NamedTest | null = null;
  for (let at = span.from; at < span.to; at += 1) {
    const text = readText(span, at);
    if (!text.includes('[junit]')) continue;
    suite = ANT_SUITE.exec(text)?.[1] ?? suite;
    const [, name, of] = ANT_ENDED.exec(text) ?? [];
    if (name !== undefined) found.push({ name: `${of}.${name}`, at });
    else if (test && ANT_FAILED.test(text)) found.push(test);
    test = readAntCase(text, suite, at) ?? test;
  }
  return found;
}

function readAntCase(text: string, suite: string, at: number): NamedTest | null {
  const [, name, of = suite] = ANT_CASE.exec(text) ?? [];
  return name === undefined ? null : { name: of === '' ? name : `${of}.${name}`, at };
}

/** Of the lines that the pattern of a list fits. */
function findIndexes({ lines, from, to }: Span, pattern: RegExp): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 1) if (pattern.test(lines[at]?.text ?? '')) found.push(at);
  return found;
}

function readText({ lines }: Span, at: number): string {
  return lines[at]?.text ?? '';
}

interface HeadedList {
  readonly heading: RegExp;
  /** Group 1: the name; `path`: the file. */
  readonly item: RegExp;
  /** The first line that is no longer of it. */
  readonly ends: RegExp;
}

const HEADED_LISTS: readonly HeadedList[] = [
  // PHPUnit
  {
    heading: /^There (?:was|were) \d+ (?:failures?|errors?):$/,
    item: /^\d{1,4}\) (\S.{0,700})$/,
    ends: /^(?:FAILURES!|ERRORS!|Tests: \d|--$)/,
  },
  // RSpec, Jasmine, Hspec
  {
    heading: /^Failures: ?$/,
    item: /^\s{0,4}\d{1,4}\) (?!Failure:|Error:)(\S.{0,700})$/,
    ends: /^(?:Finished in|Failed examples:|Ran \d|Executed \d|Randomized with|\d+ (?:specs?|examples?),)/,
  },
  // CTest
  { heading: /^The following tests FAILED:$/, item: /^\s{1,12}\d{1,6} - (\S{1,300}) \([\w ]{1,30}\)/, ends: /^\S/ },
  // Cargo
  { heading: /^failures:$/, item: /^ {4}(\w[\w:]{0,300})$/, ends: /^\S/ },
  // Karma with Mocha: a tree of suites under this heading
  {
    heading: /^\s{0,4}(?:✖ \d{1,6} tests? failed|FAILED TESTS:)$/,
    item: /^\s{2,40}✖ (?!\d+ )(\S.{1,600})$/,
    ends: /^\S/,
  },
  // behave
  {
    heading: /^(?:Failing|Errored) scenarios:$/,
    item: /^ {2}(?<path>\S{1,200}\.feature):\d{1,6} {1,4}(\S.{0,300})$/,
    ends: /^(?:\S|$)/,
  },
];

const MAX_HEADED = 20_000;

/** Of every list in turn; each line is looked at once for each. */
function readHeadedTests(span: Span): readonly NamedTest[] {
  return HEADED_LISTS.flatMap((list) => {
    const found: NamedTest[] = [];
    let left = 0;
    for (let at = findIndexes(span, list.heading)[0] ?? span.to; at < span.to; at += 1) {
      const text = readText(span, at);
      left = countLinesLeft(text, left, list);
      const item = left > 0 ? readItem(text, at, list.item) : null;
      if (item) found.push(item);
    }
    return found;
  });
}

/** Of a list, with this line; 0: it is in none. */
function countLinesLeft(text: string, left: number, { heading, ends }: HeadedList): number {
  if (heading.test(text)) return MAX_HEADED;
  return left === 0 || ends.test(text) ? 0 : left - 1;
}

function readItem(text: string, at: number, form: RegExp): NamedTest | null {
  const match = form.exec(text);
  const path = match?.groups?.['path'];
  const name = match?.[path === undefined ? 1 : 2];
  if (name === undefined) return null;
  return path === undefined ? { name, at } : { name: `${path}::${name}`, at, path };
}

export interface FailedTest {
  readonly name: string;
  /** Index of the line that names it first. */
  readonly at: number;
  /** Its file, where the runner names it; "" otherwise. */
  readonly path: string;
}

const MAX_TESTS = 2_000;

const MAX_NAME = 700;

/** No test: what totals and tasks look like. */
const NOT_A_TEST = /^(?:\d+ tests?\b|Task\b|BUILD\b|.{0,300}\btests? completed\b|[\d.]+$)/;

/** Tried in turn until one finds any: later ones would find the same tests under other names. */
const READERS: readonly ((span: Span) => readonly NamedTest[])[] = [
  (span) => [...readNamedTests(span, NAMING_LINES), ...readMochaTests(span), ...readAntTests(span)],
  readSurefireTests,
  readRuledTests,
  readHeadedTests,
  (span) => readNamedTests(span, LAST_NAMING_LINES),
];

/** Distinct failed tests between two lines, in order of their first mention. */
export function findFailedTests(lines: readonly LogLine[], from: number, to: number): readonly FailedTest[] {
  const distinct = new Map<string, FailedTest>();
  for (const read of READERS) {
    const found = read({ lines, from, to }).map(toFailedTest).filter(isTest).slice(0, MAX_TESTS);
    for (const test of found) if (!distinct.has(test.name)) distinct.set(test.name, test);
    if (distinct.size > 0) break;
  }
  return [...distinct.values()];
}

function readNamedTests({ lines, from, to }: Span, forms: readonly NamingLine[]): readonly NamedTest[] {
  const found: NamedTest[] = [];
  for (let at = from; at < to; at += 1) {
    const text = lines[at]?.text ?? '';
    const named = text.length >= 6 ? matchTestName(text, forms) : null;
    if (named) found.push({ ...named, at });
  }
  return found;
}

function toFailedTest(named: NamedTest): FailedTest {
  return { name: cleanName(named.name), at: named.at, path: named.path ?? '' };
}

function isTest({ name }: FailedTest): boolean {
  return name !== '' && !NOT_A_TEST.test(name);
}

/** Whether a line may name a test by itself where no other line names any: what is under a heading is not counted. */
export function mayNameTestLast({ text }: LogLine): boolean {
  return text.includes('[junit]') || isSurefireHeading(text) || matchTestName(text, LAST_NAMING_LINES) !== null;
}

/** The test that a line names as failed; null: none. */
export function findTestName(text: string): string | null {
  return text.length < 6 ? null : (matchTestName(text, NAMING_LINES)?.name ?? null);
}

function matchTestName(text: string, forms: readonly NamingLine[]): Pick<FailedTest, 'name' | 'path'> | null {
  for (const { word, pattern } of forms) {
    const match = text.includes(word) ? pattern.exec(text) : null;
    if (!match) continue;
    const path = match.groups?.['path'] ?? '';
    // A named group counts as a group as well.
    const name = match.slice(1).find((group) => group !== undefined && group !== path) ?? path;
    return { name: path !== '' && name !== path ? `${path}::${name}` : name, path };
  }
  return null;
}

function cleanName(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .replace(/ \(?\d+(?:\.\d+)? ?m?s\)?$| <- .*$/, '')
    .replace("', methodName = '", '.')
    .trim()
    .slice(0, MAX_NAME);
}
