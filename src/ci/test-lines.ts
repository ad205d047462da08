// Whether a change of a test file touches what runs with the failing tests in it: their own lines, what is set up for them,
// and what these call. Another test of the file is none of it.

import { diffLines } from 'causeway-diff';
import type { OutlineSymbol, SourceTree } from 'causeway-git-objects';
import { findFailedOwn, type OwnTest, readWrittenTests } from '../core/proof/index.ts';
import { findSpans, isCommentLine, splitLines } from '../core/source/index.ts';
import { SET_UP, toShortName } from './reach.ts';
import { type Failing, isSameFile } from './touches.ts';

type TestFileTree = Pick<SourceTree, 'read' | 'outline'>;

const MOST_NAMES = 20;
const MOST_TEXT = 200_000;

interface TwoTrees {
  readonly before: TestFileTree;
  readonly after: TestFileTree;
}

/** More files of failing tests are left as they are. */
const MOST_FILES = 5;

/** Those of the paths, all files of failing tests, in which the change touches other tests alone. Throws what the trees throw. */
export async function listBesideFailing(
  trees: TwoTrees,
  paths: readonly string[],
  failing: Failing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const beside: string[] = [];
  for (const path of paths.slice(0, MOST_FILES))
    if (!(await touchesFailing(trees, path, failing, signal))) beside.push(path);
  return beside;
}

/**
 * Whether the change touches lines that run with the failing tests. True also where that is unknown: a test with a computed
 * name, a file that is new or too large, an error outside of the tests.
 */
async function touchesFailing(
  { before, after }: TwoTrees,
  path: string,
  { places, excerpt }: Failing,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await readTestFile(after, path, signal);
  const old = await readTestFile(before, path, signal);
  if (now === null || old === null) return true;
  const lines = places.flatMap((place) => (place.line > 0 && isSameFile(path, place.path) ? [place.line] : []));
  const failed = findFailedParts(now, excerpt.tests, lines);
  if (failed === null) return true;
  const runs = listRunning(now, failed, lines);
  const names = failed.flatMap(({ test }) => test?.title ?? []);
  const ran = listRunning(old, findFailedParts(old, excerpt.tests.length > 0 ? excerpt.tests : names, []) ?? [], []);
  return diffLines(old.lines, now.lines).some(
    (hunk) =>
      isAnyOf(now, runs, hunk.after, hunk.inserted) ||
      // A test that was not there before is among the lines that were inserted.
      isAnyOf(old, ran, hunk.before, hunk.removed),
  );
}

interface TestFile {
  readonly path: string;
  readonly lines: readonly string[];
  readonly parts: readonly FilePart[];
}

/** A range of lines that runs as a whole or not at all; 1-based and inclusive. */
interface FilePart {
  readonly from: number;
  readonly to: number;
  /** The name by which it is called; "" if nothing calls it. */
  readonly name: string;
  /** Name of its class; "" if it is in none. */
  readonly owner: string;
  /** Null if it is not a test. */
  readonly test: OwnTest | null;
  /** It runs although the file doesn't call it: set-up for all tests, or something that others call. */
  readonly isSetUp: boolean;
}

async function readTestFile(tree: TestFileTree, path: string, signal: AbortSignal): Promise<TestFile | null> {
  const found = await tree.read(path, {}, signal);
  if (found.kind !== 'text' || found.text.length > MOST_TEXT) return null;
  const lines = splitLines(found.text);
  const titled = SCRIPT.test(path) ? listTitledParts(path, found.text) : [];
  if (titled === null) return null;
  const outline = await tree.outline(path, signal);
  return { path, lines, parts: [...titled, ...listDefinedParts(path, found.text, outline)] };
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

/** Null: the source can't be followed. */
function listTitledParts(path: string, text: string): readonly FilePart[] | null {
  const written = readWrittenTests(text);
  if (written === null) return null;
  const tests = written.tests.map(({ title, parts, groups, from, to }): FilePart => {
    const test = { file: path, title, parts, groups, isTouched: false, isAdded: false };
    return { from: from + 1, to: to + 1, name: '', owner: '', test, isSetUp: false };
  });
  const groups = written.groupLines.map(
    ({ from, to }): FilePart => ({ from: from + 1, to: to + 1, name: '', owner: '', test: null, isSetUp: false }),
  );
  return [...tests, ...groups];
}

/** Elsewhere tests are functions. */
function listDefinedParts(path: string, text: string, outline: readonly OutlineSymbol[]): readonly FilePart[] {
  const lines = splitLines(text);
  const named = findNamingLines(lines);
  const spans = findSpans(path, text, outline)
    .filter(({ owner, line }) => !SCRIPT.test(path) || owner !== '' || !isOfObject(lines[line - 1] ?? ''))
    .map((span) => ({ ...span, short: toShortName(span.name), head: readSpanHead(lines, span) }));
  const tests = spans.filter(({ kind, short, head }) => kind === 'function' && isMeantAsTest(short, head));
  return spans.map(({ short, head, kind, owner: owners, leadLine: from, line, lastLine: to }): FilePart => {
    const owner = toShortName(owners);
    const isMaker = MAKERS.has(short) || short === owner;
    const isOfAll =
      kind === 'function' &&
      (SET_UP.test(short) || AFTER.test(short) || isMaker || SET_UP_MARKS.some((mark) => head.includes(mark)));
    const test = { file: path, title: short, parts: [short], groups: null, isTouched: false, isAdded: false };
    const isTest = kind === 'function' && !SCRIPT.test(path) && !isOfAll;
    const isWithTests = tests.some((one) => one.line >= line && one.line <= to);
    // What the file names nowhere else is called by others: a fixture of another name, or what a base class calls.
    const isOfOthers = !isWithTests && (named.get(short) ?? []).every((at) => at >= line && at <= to);
    return { from, to, name: short, owner, test: isTest ? test : null, isSetUp: isOfAll || isOfOthers };
  });
}

function readSpanHead(
  lines: readonly string[],
  { leadLine, line }: { readonly leadLine: number; readonly line: number },
) {
  return lines
    .slice(leadLine - 1, line)
    .join('\n')
    .toLowerCase();
}

/** `load() {` in an object, with which it is passed on. */
function isOfObject(line: string): boolean {
  return /^[\w$*\s]{1,120}\(/.test(line) && !line.includes('function');
}

/** The lines on which each word stands. */
function findNamingLines(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    for (const word of line.match(WORD) ?? []) {
      const places = found.get(word);
      if (places === undefined) found.set(word, [at + 1]);
      else places.push(at + 1);
    }
  }
  return found;
}

/** In lower case. */
const TEST_MARKS = ['@test', '[test', 'test]', '::test', '[fact', '[theory', '[datatest', 'edtest', '#[rstest'];

function isMeantAsTest(name: string, head: string): boolean {
  return /^(?:test|benchmark|example|fuzz)/i.test(name) || TEST_MARKS.some((mark) => head.includes(mark));
}

const MAKERS: ReadonlySet<string> = new Set(['constructor', '__init__', '__new__', '__construct', '__post_init__']);
const AFTER = /^(?:tear_?down|after|test_?main)/i;
/** `@BeforeEach`, `[OneTimeSetUp]`, `#[Before]`, `@pytest.fixture(autouse=True)`, in lower case. */
const SET_UP_MARKS = [
  '@before',
  '@after',
  '#[before',
  '#[after',
  'setup]',
  'teardown]',
  'initialize]',
  'cleanup]',
].concat(['@setup', '@rule', '@classrule', 'autouse']);

/** Null: it isn't known of each failed test which it is. Without names the lines that the log names tell. */
function findFailedParts(
  { parts }: TestFile,
  names: readonly string[],
  lines: readonly number[],
): readonly FilePart[] | null {
  const tests = parts.flatMap((part) => (part.test === null ? [] : [{ part, test: part.test }]));
  const ofNames = names.map((name) => {
    const found = findByName(
      name,
      tests.map(({ test }) => test),
    );
    return tests.filter(({ test }) => found.has(test));
  });
  const found = names.length > 0 ? ofNames : lines.map((line) => tests.filter(({ part }) => holds(part, line)));
  const isKnown = found.length > 0 && names.length <= MOST_NAMES && found.every((some) => some.length > 0);
  return isKnown ? found.flat().map(({ part }) => part) : null;
}

function findByName(name: string, tests: readonly OwnTest[]): ReadonlySet<OwnTest> {
  const { failed, unclear } = findFailedOwn([name], { tests });
  return failed.union(unclear);
}

function holds({ from, to }: FilePart, line: number): boolean {
  return line >= from && line <= to;
}

/** By line, from index 1, whether it runs with the failed tests. `lines`: what the log names besides runs too. */
function listRunning({ lines, parts }: TestFile, failed: readonly FilePart[], named: readonly number[]): boolean[] {
  const isFailed = (part: FilePart) => failed.some(({ from, to }) => from <= part.to && part.from <= to);
  const idle = new Set(
    parts.filter((part) => !part.isSetUp && !isFailed(part) && !named.some((line) => holds(part, line))),
  );
  const ofFailed = new Set(parts.filter(isFailed).map(({ name }) => name));
  for (;;) {
    const runs = markRunning(lines.length, idle);
    const words = new Set(lines.flatMap((line, at) => (runs[at + 1] === true ? (line.match(WORD) ?? []) : [])));
    // What a class is made for may call any of it.
    const isCalled = ({ name, owner }: FilePart) =>
      (name !== '' && words.has(name)) || (owner !== '' && !ofFailed.has(owner) && words.has(owner));
    const called = [...idle].filter(isCalled);
    if (called.length === 0) return runs;
    for (const part of called) idle.delete(part);
  }
}

const WORD = /[A-Za-z_$][\w$]*/g;

function markRunning(count: number, idle: ReadonlySet<FilePart>): boolean[] {
  const runs = Array.from({ length: count + 1 }, () => true);
  for (const { from, to } of idle) runs.fill(false, from, to + 1);
  return runs;
}

function isAnyOf({ path, lines }: TestFile, runs: readonly boolean[], from: number, count: number): boolean {
  return lines
    .slice(from, from + count)
    .some((line, index) => OF_MODULES.test(line) || (runs[from + index + 1] === true && doesSomething(path, line)));
}

/** Runners hoist it, so it applies to the whole file wherever it is written. */
const OF_MODULES = /\b(?:vi|jest)\.(?:un)?mock\(/;

/** A line that only closes what was opened before moves with whatever is put in above it. */
function doesSomething(path: string, line: string): boolean {
  const rest = line.replace(/[\s(){}[\];,]/g, '');
  return rest !== '' && rest !== 'end' && (!isCommentLine(path, line) || FOR_TOOLS.test(line));
}

/** A comment that runners and compilers read: `@jest-environment`, `@dataProvider`, `//go:build`, `# frozen_string_literal`. */
const FOR_TOOLS = /@[a-z]|\/\/go:|frozen_string_literal|coding[:=]/i;
