// How a failure reaches a place in the source: the failure names its file, the failing test calls or names what is
// there, or that is merely imported.

import { forEachWord } from 'causeway-code-words';
import type { OutlineSymbol, SourceTree } from 'causeway-git-objects';
import type { Reach } from '../core/check/index.ts';
import { findSpans, isCommentLine } from '../core/source/index.ts';
import {
  classifyFile,
  createPathIndex,
  createTurns,
  findTestCases,
  getFileName,
  isDependencyList,
  isProgram,
  type PathIndex,
  runInSlices,
  SLICE_PATHS,
} from '../triage/index.ts';
import { createPassedOnFinder, type PassedOnFinder } from './passed-on.ts';
import {
  type Failing,
  findNearestNamed,
  findPlacedFile,
  findTestFiles,
  findUses,
  isMirror,
  isSameFile,
  isSameLanguage,
} from './touches.ts';

interface SourcePlace {
  readonly path: string;
  /** 0: the whole file. */
  readonly line: number;
}

type SearchedTree = Pick<SourceTree, 'files' | 'read' | 'outline' | 'search'>;

/** How each place is reached. Throws what the tree throws. */
type Reacher = (place: SourcePlace) => Promise<Reach>;

/** Failing tests that are followed. */
export const MOST_FOLLOWED_TESTS = 3;
const MOST_TITLES = 20;
/** Calls from the test to a place: beyond, nearly everything reaches everything. */
const MOST_CALLS = 4;
/** Files whose imports are followed, and files whose definitions are read. */
const MOST_FILES = 150;
const MOST_OUTLINED = 400;
/** Files of a language that are compared with the imports of one; larger repositories are followed in part. */
const MOST_PATHS = 100_000;
const MOST_TEXT = 200_000;

/** For following a failing test through a large repository. */
const FOLLOW_MS = 60_000;

/** Follows at the first question: a model may take minutes before it claims a cause. */
export function createReacher(tree: SearchedTree, failing: Failing, signal: AbortSignal, limitMs = FOLLOW_MS): Reacher {
  let followed: Promise<FollowedTests> | null = null;
  return async (place) => {
    followed ??= followReach(tree, failing, signal, limitMs);
    return findReach(await followed, place);
  };
}

/** How the failing tests get to a place, for those who compare changes with each other. */
export interface FollowedFailure {
  /** Calls from the failing test to a line, at least 1; null: it does not get there by calls. */
  readonly countCalls: (place: SourcePlace) => number | null;
  /** Whether a failing test is for the file by their names, or imports it. */
  readonly isTested: (path: string) => boolean;
  readonly isImported: (path: string) => boolean;
  /** Their files. */
  readonly tests: ReadonlySet<string>;
  /** What is written in the failing tests themselves. */
  readonly text: string;
}

export async function followFailure(
  tree: SearchedTree,
  failing: Failing,
  signal: AbortSignal,
): Promise<FollowedFailure> {
  const { tests, tested, imported, reached, text } = await followReach(tree, failing, signal, FOLLOW_MS);
  return {
    countCalls: ({ path, line }) => {
      const calls = (reached.get(path) ?? []).flatMap((one) =>
        line >= one.from && line <= one.to && one.calls > 0 ? [one.calls] : [],
      );
      return calls.length === 0 ? null : Math.min(...calls);
    },
    isTested: (path) => tested.has(path),
    isImported: (path) => imported.has(path),
    tests,
    text,
  };
}

function findReach({ tests, framed, imported, isNamed }: FollowedTests, { path, line }: SourcePlace): Reach {
  if (tests.has(path)) return 'test';
  if (framed.has(path)) return classifyFile(path) === 'test' ? 'test' : 'frames';
  if (isNamed({ path, line })) return 'names';
  if (isDependencyList(path) || isSetup(path)) return 'setup';
  return imported.has(path) ? 'imports' : 'none';
}

/** What CI runs, and the settings of the tools that it runs. */
export function isSetup(path: string): boolean {
  return SETUP.test(path);
}

const SETUP =
  /^\.(?:github|circleci|gitlab-ci|travis|buildkite)|(?:^|\/)(?:Makefile|Jenkinsfile|tox\.ini|setup\.(?:py|cfg)|pyproject\.toml|conftest\.py|tsconfig[\w.-]{0,40}\.json|\.(?:nvmrc|node-version|tool-versions|npmrc|babelrc)|[\w.-]{1,40}\.config\.[cm]?[jt]s|\.[\w-]{1,30}rc(?:\.\w{1,5})?)$/;

interface Lines {
  readonly from: number;
  readonly to: number;
}

interface FollowedTests {
  /** The files of the failing tests. */
  readonly tests: ReadonlySet<string>;
  readonly framed: ReadonlySet<string>;
  readonly imported: ReadonlySet<string>;
  readonly isNamed: (place: SourcePlace) => boolean;
  /** What they are for by their names. */
  readonly tested: ReadonlySet<string>;
  readonly reached: ReadonlyMap<string, readonly ReachedLines[]>;
  /** Of the failing tests themselves. */
  readonly text: string;
}

/** `calls`: 0 for the failing test and what stands around it. */
interface ReachedLines extends Lines {
  readonly calls: number;
}

/** Where the time is over, what was reached by then counts. */
async function followReach(
  tree: SearchedTree,
  failing: Failing,
  signal: AbortSignal,
  limitMs: number,
): Promise<FollowedTests> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const index = createPathIndex(await tree.files(signal));
  const framed = new Set(failing.places.flatMap(({ path }) => findPlacedFile(index, path)));
  const tests = (await findTests(tree, index, failing, signal)).slice(0, MOST_FOLLOWED_TESTS);
  const walk = createWalk(tree, index, until);
  const tested = new Set<string>();
  try {
    for (const test of tests) {
      for (const path of await findTestedFiles(test, index, until)) tested.add(path);
      await walk.begin(test, failing);
    }
    for (let calls = 0; calls < MOST_CALLS; calls += 1) if (!(await walk.step())) break;
    await walk.followImports();
  } catch (error) {
    signal.throwIfAborted();
    if (!until.aborted) throw error;
  }
  const text = walk.text();
  const read = new Map<string, boolean>();
  const isRead = (path: string): boolean => {
    const known = read.get(path) ?? (!isProgram(path) && text.includes(getFileName(path)));
    read.set(path, known);
    return known;
  };
  return {
    tests: new Set(tests),
    framed,
    imported: walk.imported,
    tested,
    reached: walk.reached,
    text: walk.cases(),
    isNamed: ({ path, line }) =>
      // A file of data is read by its name.
      tested.has(path) ||
      isRead(path) ||
      (walk.reached.get(path) ?? []).some(({ from, to }) => line === 0 || (line >= from && line <= to)),
  };
}

/** What a test is for by its name and folders. */
async function findTestedFiles(test: string, index: PathIndex, signal: AbortSignal): Promise<readonly string[]> {
  const nearest = await findNearestNamed(test, index, signal);
  const found = nearest === null ? [] : [nearest];
  await runInSlices(index.paths.length, { size: SLICE_PATHS, signal }, (at) => {
    const path = index.paths[at];
    if (path !== undefined && isMirror(test, path)) found.push(path);
  });
  return found;
}

/** The files of the failing tests: by what the log names, else by the titles of the tests. */
async function findTests(
  tree: SearchedTree,
  index: PathIndex,
  failing: Failing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = findTestFiles(index, failing);
  if (named.length > 0) return named;
  const found = new Set<string>();
  for (const title of failing.excerpt.tests.slice(0, MOST_FOLLOWED_TESTS)) {
    const pattern = toTitlePattern(title);
    if (pattern === null) continue;
    const { hits } = await tree.search({ pattern, regex: true, ignoreCase: false, paths: [], limit: 20 }, signal);
    for (const { path } of hits) if (classifyFile(path) === 'test') found.add(path);
  }
  return [...found];
}

/** A title as it is written: some runners put those of the groups in front of it. Null: too short to tell apart. */
function toTitlePattern(test: string): string | null {
  const words = (test.split(/ › | > /).at(-1) ?? '').replace(/[:\s]{1,5}$/, '').split(/\s+/);
  if (words.length < 2) return null;
  const [last = '', ...before] = words.map((word) => word.replace(/[^\w]/g, '.')).reverse();
  const [second = '', ...front] = before;
  const optional = front.slice(0, 12).reduceRight((rest, word) => `(?:${rest}${word}\\s)?`, '');
  return `['"\`]${optional}${second}\\s${last}['"\`]`;
}

interface Walk {
  /** The failing test and what its file does around it. */
  readonly begin: (test: string, failing: Failing) => Promise<void>;
  /** One call further; false: nothing new. */
  readonly step: () => Promise<boolean>;
  readonly reached: ReadonlyMap<string, readonly ReachedLines[]>;
  /** Of the failing cases alone. */
  readonly cases: () => string;
  readonly followImports: () => Promise<void>;
  /** What everything that is reached imports, and what that imports. */
  readonly imported: ReadonlySet<string>;
  /** Of everything that is reached. */
  readonly text: () => string;
}

interface OutlinedFile {
  readonly lines: readonly string[];
  readonly parts: readonly NamedLines[];
}

/** A definition, or a line that gives it another name. */
interface NamedLines extends Lines {
  readonly name: string;
  /** The class of a method; "" where it is none. */
  readonly owner: string;
}

function createWalk(tree: SearchedTree, index: PathIndex, signal: AbortSignal): Walk {
  const files = new Map<string, OutlinedFile | null>();
  const imports = new Map<string, readonly string[]>();
  const reached = new Map<string, ReachedLines[]>();
  const texts: string[] = [];
  const cases: string[] = [];
  let calls = 0;
  const names = new Set<string>();
  /** Files in which names are looked up. */
  const open = new Set<string>();
  const followed = new Set<string>();
  const taken = new Set<NamedLines>();
  const imported = new Set<string>();
  const turn = createTurns(signal);
  const candidates = createCandidates(index, signal);
  const passedOn = createPassedOnFinder(tree, index);
  let fresh: { readonly path: string; readonly text: string }[] = [];

  const read = async (path: string): Promise<OutlinedFile | null> => {
    const known = files.get(path);
    if (known !== undefined) return known;
    await turn();
    const found = files.size >= MOST_OUTLINED ? null : await readFile(tree, path, signal);
    files.set(path, found);
    return found;
  };
  const listImports = async (path: string): Promise<readonly string[]> => {
    const known = imports.get(path);
    if (known !== undefined) return known;
    const file = imports.size >= MOST_FILES ? null : await read(path);
    const among = file === null ? [] : await candidates(path);
    const found = file === null ? [] : await findImported(path, among, { tree, index, passedOn, signal, turn });
    imports.set(path, found);
    return found;
  };
  const take = (path: string, { from, to }: Lines, lines: readonly string[]) => {
    const own = reached.get(path) ?? [];
    own.push({ from, to, calls });
    reached.set(path, own);
    fresh.push({ path, text: lines.slice(from - 1, to).join('\n') });
  };
  // `close` may be a method of anything.
  const isCalled = ({ name, owner }: NamedLines) =>
    names.has(name) && (owner === '' || names.has(owner) || COMPOUND.test(name));
  const openFile = async (path: string): Promise<void> => {
    if (followed.has(path)) return;
    followed.add(path);
    open.add(path);
    for (const one of await listImports(path)) {
      open.add(one);
      // What a folder's file passes on is used as if it were there.
      if (isFolderFile(one)) for (const further of await listImports(one)) open.add(further);
    }
  };
  const takeCalled = async (path: string): Promise<void> => {
    const file = await read(path);
    if (file === null) return;
    for (const part of file.parts.filter((one) => !taken.has(one) && isCalled(one))) {
      taken.add(part);
      take(path, part, file.lines);
    }
  };
  return {
    reached,
    begin: async (test, failing) => {
      const file = await read(test);
      if (file === null) return;
      const { failed, around } = findFailingLines(test, file, failing);
      for (const range of [...failed, ...around]) take(test, range, file.lines);
      for (const { from, to } of failed) cases.push(file.lines.slice(from - 1, to).join('\n'));
      await openFile(test);
    },
    step: async () => {
      const now = fresh;
      fresh = [];
      calls += 1;
      for (const { path, text } of now) {
        await turn();
        texts.push(text);
        for (const name of listUsedNames(path, text)) names.add(name);
        await openFile(path);
      }
      for (const path of [...open]) {
        await turn();
        await takeCalled(path);
      }
      return fresh.length > 0;
    },
    imported,
    followImports: async () => {
      for (const path of reached.keys()) imported.add(path);
      for (const path of imported) {
        if (imported.size > MOST_OUTLINED) break;
        for (const one of await listImports(path)) imported.add(one);
      }
    },
    text: () => texts.join('\n'),
    cases: () => cases.join('\n'),
  };
}

const COMPOUND = /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/;

function isFolderFile(path: string): boolean {
  return /(?:^|\/)(?:index|mod|lib|main|__init__)\.\w+$/.test(path);
}

/** The failing cases of a test file, or all of it where none is named, with what is set up for each of them. */
function findFailingLines(
  test: string,
  { lines, parts }: OutlinedFile,
  { places, excerpt }: Failing,
): { readonly failed: readonly Lines[]; readonly around: readonly Lines[] } {
  const at = places
    .filter(({ path, line }) => line > 0 && (isSameFile(test, path) || getFileName(test) === path))
    .map(({ line }) => line);
  const named = excerpt.tests.slice(0, MOST_TITLES);
  const titles = named.map(readTestTitle).filter((title) => title.length > 2);
  const patterns = named.flatMap((title) => toTitlePattern(title) ?? []).map((pattern) => new RegExp(pattern));
  const cases = findTestCases(lines);
  const failed = cases.filter(
    ({ from, to }) =>
      at.some((line) => line >= from && line <= to) ||
      lines
        .slice(from - 1, from + 3)
        .some((line) => titles.some((title) => line.includes(title)) || patterns.some((pattern) => pattern.test(line))),
  );
  if (failed.length === 0) return { failed: [], around: [{ from: 1, to: lines.length }] };
  const setUps = parts.filter(({ name }) => SET_UP.test(name));
  return { failed, around: [...setUps, ...listLinesOutside([...cases, ...parts], lines.length)] };
}

function listLinesOutside(ranges: readonly Lines[], count: number): readonly Lines[] {
  const outside: Lines[] = [];
  let next = 1;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from > next) outside.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  return next <= count ? [...outside, { from: next, to: count }] : outside;
}

export const SET_UP = /^(?:set_?up\w*|before\w*|init\w*)$/i;

/** What a test is called where it is written: without its class, its file, its parameters. */
function readTestTitle(test: string): string {
  return (
    test
      .replace(/\[[^\]]{0,200}\]$/, '')
      .replace(/\(.{0,200}\)$/, '')
      .split(/::| › | > |\.(?=\w+$)/)
      .at(-1)
      ?.trim() ?? ''
  );
}

async function readFile(tree: SearchedTree, path: string, signal: AbortSignal): Promise<OutlinedFile | null> {
  const found = await tree.read(path, {}, signal);
  if (found.kind !== 'text' || found.text.length > MOST_TEXT) return null;
  const text = removeImports(found.text);
  return { lines: text.split(/\r?\n/), parts: listNamedLines(path, text, await tree.outline(path, signal)) };
}

/**
 * A class runs its fields and what makes it; its methods are called by their own names. A constant is read with what it
 * holds.
 */
function listNamedLines(path: string, text: string, outline: readonly OutlineSymbol[]): readonly NamedLines[] {
  const spans = findSpans(path, text, outline);
  const parts = spans.map(({ name, kind, owner, line, lastLine }, index): NamedLines => {
    const short = toShortName(name);
    const whole = { from: line, to: lastLine };
    if (kind === 'function') {
      const holder = toShortName(owner);
      const isMaker = holder !== '' && (short === holder || MAKER.test(short));
      return { name: isMaker ? holder : short, owner: holder, ...whole };
    }
    let next = index + 1;
    while (spans[next]?.line === line) next += 1;
    const member = spans[next]?.line ?? lastLine + 1;
    return { name: short, owner: '', from: line, to: Math.max(line, Math.min(lastLine, member - 1)) };
  });
  const lines = text.split(/\r?\n/);
  const begins = [...new Set(outline.map(({ line }) => line))].sort((a, b) => a - b);
  const ends = new Map(begins.map((line, at) => [line, (begins[at + 1] ?? lines.length + 1) - 1]));
  const constants = outline
    .filter(({ kind }) => kind === 'constant')
    .map(({ name, line }): NamedLines => ({ name, owner: '', from: line, to: Math.max(line, ends.get(line) ?? line) }));
  const aliases = lines.flatMap((line, index): readonly NamedLines[] => {
    const name = ALIAS.exec(line.slice(0, 300))?.[1];
    return name === undefined ? [] : [{ name, owner: '', from: index + 1, to: index + 1 }];
  });
  return [...parts, ...constants, ...aliases];
}

/** Without its class or module. */
export function toShortName(name: string): string {
  return name.slice(name.search(/[^.:]*$/));
}

const MAKER = /^(?:constructor|__init__|__new__|initialize|__construct|__post_init__)$/;
/** `Papa.parse = readRows;`, `parse: readRows,`: another name for what is called. */
const ALIAS = /^\s*(?:[\w$]{1,60}\.){0,4}([\w$]{3,60})\s*[:=]\s*[\w$.]{3,80}\s*(?:[,;]\s*)?$/;

const MANY_LINES =
  /^[ \t]*(?:import\b|export\s{1,4}(?:type\s{1,4})?[{*])(?:[^;'"`]{0,2000}\bfrom\b)?\s{0,4}['"][^'"\n]{0,300}['"];?|^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^)]{0,4000}\)|[^\n]*)|^[ \t]*(?:const|let|var)\s{1,20}[^=;]{1,1000}=\s{0,20}require\([^)\n]{0,300}\);?|^import[ \t]*\([^)]{0,4000}\)|^[ \t]*(?:pub\s+)?use\s[^;]{0,2000};|^[ \t]*(?:import|using|package|require|require_relative)\b[^\n]*/gm;

/** With as many lines as before. */
function removeImports(text: string): string {
  return text.replace(MANY_LINES, (found) => found.replace(/[^\n]/g, ''));
}

/** Lists the files of a path's language that may be imported; each language is looked through once. */
function createCandidates(index: PathIndex, signal: AbortSignal): (path: string) => Promise<readonly string[]> {
  const own: string[] = [];
  let listed = false;
  const found = new Map<string, readonly string[]>();
  return async (path) => {
    if (!listed) {
      listed = true;
      await runInSlices(index.paths.length, { size: SLICE_PATHS, signal }, (at) => {
        const one = index.paths[at] ?? '';
        if (isSameLanguage(one, one) && classifyFile(one) !== 'vendored') own.push(one);
      });
    }
    const end = path.slice(path.lastIndexOf('.'));
    const known = found.get(end) ?? own.filter((one) => isSameLanguage(one, path)).slice(0, MOST_PATHS);
    found.set(end, known);
    return known;
  };
}

interface Looking {
  readonly tree: SearchedTree;
  readonly index: PathIndex;
  readonly passedOn: PassedOnFinder;
  readonly signal: AbortSignal;
  readonly turn: () => Promise<void>;
}

/** Paths that are compared between two looks at the clock. */
const COMPARED = 64;

async function findImported(
  path: string,
  among: readonly string[],
  { tree, index, passedOn, signal, turn }: Looking,
): Promise<readonly string[]> {
  const whole = await tree.read(path, {}, signal);
  if (whole.kind !== 'text') return [];
  const uses = findUses({ path, text: whole.text.slice(0, MOST_TEXT), index, tree, passedOn });
  const found: string[] = [];
  for (const [at, other] of among.entries()) {
    if (at % COMPARED === 0) await turn();
    if (other !== path && (await uses(other, signal))) found.push(other);
  }
  return found;
}

const KEYWORDS = new Set(
  'if for while switch case catch return function await typeof new def elif else not and or func match super with this self true false null none undefined const let var import from class test it describe expect assert equal ok throws async yield raise throw try except finally print string int number bool void public private static final'.split(
    ' ',
  ),
);

/** Names that are called or read, outside of comments and of texts. */
function listUsedNames(path: string, text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    if (isCommentLine(path, line)) continue;
    forEachWord(line.slice(0, 1_000).replace(TEXTS, '""'), (word) => {
      if (word.length > 2 && !KEYWORDS.has(word.toLowerCase())) names.add(word);
    });
  }
  return names;
}

const TEXTS = /"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'/g;
