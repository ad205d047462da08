// The parts of a change: tests that show the fault, and the fix; and the names of the tests that it adds or changes.
import { type ChangeSet, diffLines, type FileChange, hasChanges } from 'causeway-diff';
import { toComparablePath } from 'causeway-paths';
import { isTold, type OwnTest } from './named-tests.ts';
import { readWrittenTests, type WrittenFile, type WrittenTest } from './written-tests.ts';

const TEST_PATH =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__|__snapshots__|snapshots?|androidtest|[^/]+tests?|integration-tests?|cypress|features)\/|(?:^|\/)(?:tests?|test_[^/]+|conftest)\.[a-z]+$|[._-](?:tests?|specs?|e2e|cy|snap)(?:-d)?\.[^/]+$|\.(?:snap|approved\.[^/]+|golden)$|tests?\.(?:java|kt|cs|scala|groovy|php|swift)$|(?:it|spec|testcase)\.(?:java|kt|groovy|scala|cs)$/;

export function isTestPath(path: string): boolean {
  return TEST_PATH.test(toComparablePath(path));
}

export interface ChangeParts {
  readonly test: ChangeSet;
  readonly fix: ChangeSet;
}

/** Null where one of the parts is empty or names no test, so that there is nothing to prove it with. */
export function splitChange({ base, files }: ChangeSet): ChangeParts | null {
  const changed = files.filter(hasChanges);
  const test = changed.filter(isTestChange);
  const fix = changed.filter((file) => !isTestChange(file));
  if (fix.length === 0 || !test.flatMap((file) => readChangedTests(file).tests).some(isProvable)) return null;
  return { test: { base, files: test }, fix: { base, files: fix } };
}

/** Whether the change touches it, and logs can name it. */
export function isProvable(test: OwnTest): boolean {
  return test.isTouched && isTold(test);
}

/** A test that is deleted, or moved between tests and code, shows no fault: it belongs to the fix. */
function isTestChange(file: FileChange): boolean {
  if (file.kind === 'deleted') return false;
  return isTestPath(file.path) && (file.kind !== 'renamed' || isTestPath(file.previousPath));
}

/** What identifies the tests of a change in the log of a check. */
export interface OwnTests {
  readonly files: readonly string[];
  /** Those that the change adds or changes, and their neighbours. */
  readonly tests: readonly OwnTest[];
  /** Titles of groups in those files: runners report them as failed with their tests. */
  readonly groups: readonly string[];
  /** What their new lines assert: a fix that hides an error passes tests that assert no more than that there is none. */
  readonly asserts: 'result' | 'no_error' | 'unknown';
}

export function listOwnTests({ files }: ChangeSet): OwnTests {
  const read = files.map(readChangedTests);
  return {
    files: files.map(({ path }) => path),
    tests: read.flatMap(({ tests }) => tests),
    groups: [...new Set(read.flatMap(({ groups }) => groups))],
    asserts: findAsserted(files.flatMap(listNewLines)),
  };
}

export const ASSERTION =
  /\b(?:expect\w*|assert\w*|should\w*|verify\w*|refute\w*|must_\w+|require\s*\.\s*\w+|raises|throws|snapshot\w*|approve\w*|XCTAssert\w*|(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST)_\w+|CHECK|REQUIRE)\b|\b[tb]\s*\.\s*(?:Error|Fatal|Fail|is|ok|equal|deepEqual|same|not)\w*\s*\(|\bAssert\w*\s*\.|\bdebug_assert\w*!|\.\s*(?:to|not|should)\s*[.(]|\bis_expected\b|^\s*>>> /i;

const NO_ERROR =
  /\bdoes_?not_?(?:throw|reject|raise)\w*|\bnot\s*\.\s*(?:to\s*\.\s*)?(?:to)?throw\w*|\bnothing_?(?:raised|thrown)|\bnot_to\s+raise_error/i;

function findAsserted(lines: readonly string[]): OwnTests['asserts'] {
  const bare = lines
    .map((line) => line.slice(0, 600).replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "''"))
    .filter((line) => !/^\s*(?:import|from|use|using|#include)\b|\brequire\s*\(/.test(line));
  if (bare.some((line) => ASSERTION.test(line) && !NO_ERROR.test(line))) return 'result';
  return bare.some((line) => NO_ERROR.test(line)) ? 'no_error' : 'unknown';
}

interface ChangedTests {
  readonly tests: readonly OwnTest[];
  readonly groups: readonly string[];
}

const NO_TESTS: ChangedTests = { tests: [], groups: [] };

function readChangedTests(change: FileChange): ChangedTests {
  if (change.kind === 'deleted') return NO_TESTS;
  const written = SCRIPT.test(change.path) ? readWrittenTests(change.after) : null;
  return written === null ? readNamedFunctions(change) : readTitledTests(change, written);
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

/** A test is added where its title is new, and changed where a line of it is, or a row of the table that it is made from. */
function readTitledTests(change: Exclude<FileChange, { kind: 'deleted' }>, written: WrittenFile): ChangedTests {
  const inserted = new Set(findInserted(change, change.after.split('\n')));
  const touched = new Set<WrittenTest>();
  for (const line of inserted) {
    const inner = findInnermost(written.tests, line);
    if (inner !== null) touched.add(inner);
    else for (const test of written.tests) if (test.tables.some((table) => isBetween(line, table))) touched.add(test);
  }
  const before = change.kind === 'added' ? [] : (readWrittenTests(change.before)?.tests ?? []);
  const old = countTitles(before);
  const now = countTitles(written.tests);
  const isNew = (title: string) => (now.get(title) ?? 0) > (old.get(title) ?? 0);
  const source = change.kind === 'added' ? '' : change.before;
  const gone = before.filter(({ title }) => (now.get(title) ?? 0) < (old.get(title) ?? 0));
  const left = countTestBodies(source, gone);
  const tests = written.tests.map((test): OwnTest => {
    const { title, parts, groups, isWrapped } = test;
    const isAdded = inserted.has(test.at) && isNew(title) && !takeTestBody(left, readTestBody(change.after, test));
    const isTouched = isAdded || touched.has(test);
    return { file: change.path, title, parts, groups, isTouched, isAdded, ...(isWrapped && { isWrapped }) };
  });
  return { tests, groups: written.groups };
}

/** What an old test of the same groups does under a new title is no new test. */
function countTestBodies(source: string, gone: readonly WrittenTest[]): Map<string, number> {
  const left = new Map<string, number>();
  for (const test of gone) {
    const body = readTestBody(source, test);
    if (body !== null) left.set(body, (left.get(body) ?? 0) + 1);
  }
  return left;
}

function takeTestBody(left: Map<string, number>, body: string | null): boolean {
  const count = body === null ? 0 : (left.get(body) ?? 0);
  if (body !== null && count > 0) left.set(body, count - 1);
  return count > 0;
}

const MAX_BODY = 20_000;

/** Null where it is another function's, which may read the title, or too long. */
function readTestBody(source: string, { body, parts, groups }: WrittenTest): string | null {
  if (body === null || parts.length > 1 || body.to - body.from > MAX_BODY) return null;
  const text = source.slice(body.from, body.to);
  // What is set up for another group may make another test of the same words.
  return text.includes('{') ? `${JSON.stringify(groups)}\n${text}` : null;
}

function findInnermost(tests: readonly WrittenTest[], line: number): WrittenTest | null {
  const around = tests.filter((test) => isBetween(line, test));
  return around.reduce<WrittenTest | null>(
    (inner, test) => (inner === null || test.to - test.from <= inner.to - inner.from ? test : inner),
    null,
  );
}

function isBetween(line: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return line >= from && line <= to;
}

function countTitles(tests: readonly Pick<WrittenTest, 'title'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { title } of tests) counts.set(title, (counts.get(title) ?? 0) + 1);
  return counts;
}

/** Of other languages, and of what can't be followed: by lines. Of neighbours nothing is said. */
function readNamedFunctions(change: Exclude<FileChange, { kind: 'deleted' }>): ChangedTests {
  const lines = change.after.split('\n');
  const inserted = findInserted(change, lines);
  const fresh = new Set(inserted);
  const places = new Set(inserted.flatMap((at) => findTestAround(lines, at) ?? []));
  const titles = (text: string) => text.split('\n').flatMap((line) => ({ title: readBlockTitle(line) ?? '' }));
  const old = countTitles(change.kind === 'added' ? [] : titles(change.before));
  const now = countTitles(titles(change.after));
  const tests = [...places].map((at): OwnTest => {
    const title = readBlockTitle(lines[at] ?? '') ?? '';
    const isAdded = fresh.has(at) && (now.get(title) ?? 0) > (old.get(title) ?? 0);
    return { file: change.path, title, parts: [title], groups: null, isTouched: true, isAdded };
  });
  return { tests, groups: listGroups(change) };
}

/** With computed parts, such as `${n}` or `%s`, a title isn't what the log says. */
const COMPUTED = /\$\{|%[sdifjop#$]/;
const TITLED = /\b(?:it|test|specify|scenario)\b[^'"`\n+]{0,40}(['"`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/;
const GROUPED = /\b(?:describe|suite|context|feature)\b[^'"`\n]{0,40}(['"`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/;
const IMPORTED = /^\s*(?:import|export)\b|\brequire\s*\(/;
const NAMED: readonly RegExp[] = [
  /\bdef (test\w{0,200})/,
  /\bfunc (?:\([^)\n]{0,100}\) )?(Test\w{1,200})/,
  /\bfunction (test\w{1,200})/,
  /\bfn (\w{1,200})/,
  /\b(?:void|fun|Task) `?(\w{1,200})`?\(/,
];

function listNewLines(change: FileChange): readonly string[] {
  if (change.kind === 'deleted') return [];
  const lines = change.after.split('\n');
  return findInserted(change, lines).map((at) => lines[at] ?? '');
}

function findInserted(change: Exclude<FileChange, { kind: 'deleted' }>, lines: readonly string[]): readonly number[] {
  const before = change.kind === 'added' ? [] : change.before.split('\n');
  return diffLines(before, lines).flatMap((hunk) =>
    Array.from({ length: hunk.inserted }, (_, index) => hunk.after + index),
  );
}

/** Where the test begins that the line is in. */
function findTestAround(lines: readonly string[], at: number): number | null {
  if (readBlockTitle(lines[at] ?? '') !== null) return at;
  const depth = measureBlockIndent(lines[at] ?? '');
  for (let above = at - 1; above >= 0 && depth > 0; above -= 1) {
    const line = lines[above] ?? '';
    if (line.trim() === '' || measureBlockIndent(line) >= depth) continue;
    if (readBlockTitle(line) !== null) return above;
    // The end of a block at a lower depth, or a function of another kind: the line isn't in a test.
    if (measureBlockIndent(line) === 0) return null;
  }
  return null;
}

function measureBlockIndent(line: string): number {
  return line.trim() === '' ? 0 : line.length - line.trimStart().length;
}

function readBlockTitle(line: string): string | null {
  const short = line.slice(0, 600);
  // An import of `test` names no test.
  if (IMPORTED.test(short)) return null;
  const titled = TITLED.exec(short);
  const title = titled !== null && !isInString(short.slice(0, titled.index)) ? titled[2] : undefined;
  if (title !== undefined) return COMPUTED.test(title) ? null : unescapeTitle(title);
  for (const pattern of NAMED) {
    const name = pattern.exec(short)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

/** Whether a string begins in the text and goes on behind it, such as an address with `test.com`. */
function isInString(before: string): boolean {
  return QUOTES.some((quote) => before.split(quote).length % 2 === 0);
}

const QUOTES = ["'", '"', '`'];

function unescapeTitle(title: string): string {
  return title.replace(/\\(['"`\\])/g, '$1');
}

function listGroups(change: FileChange): readonly string[] {
  if (change.kind === 'deleted') return [];
  return change.after.split('\n').flatMap((line) => {
    const title = GROUPED.exec(line.slice(0, 600))?.[2];
    return title === undefined || COMPUTED.test(title) ? [] : unescapeTitle(title);
  });
}
