// What speaks for the change where nothing ties it to the failure for certain: the failing test gets to a changed file
// through imports, few other tests of the project do, and nothing points elsewhere.

import type { SourceTree } from 'causeway-git-objects';
import type { Leaning } from '../core/check/index.ts';
import { findSpans } from '../core/source/index.ts';
import { classifyFile, createPathIndex, createTurns, isDependencyList, type PathIndex } from '../triage/index.ts';
import { createPassedOnFinder } from './passed-on.ts';
import { isSetup, toShortName } from './reach.ts';
import { type Failing, findPlacedFile, findTestFiles, findUses, isSameLanguage, isTest } from './touches.ts';

type LeaningTree = Pick<SourceTree, 'files' | 'read' | 'outline'>;

interface DoubtfulFailure {
  readonly changed: readonly string[];
  readonly read: Failing;
  /** Names of what the change redefines in that file; empty: unknown. */
  readonly listRedefined: (path: string) => Promise<readonly string[]>;
}

/** Files of a change that could be it: of more, one is reached by chance. */
const MOST_CHANGED = 5;
/** Failing tests that are followed, and others that they are compared with. */
const MOST_TESTS = 3;
const MOST_OTHERS = 40;
/**
 * The share of other tests that get to the file as closely, or that name what was redefined. Chosen on 19 repositories; on
 * 27 others 18.7 % of real commits lean to their own sources without a certain tie, and 3.5 % to another commit's
 * (`npm run eval -- ties`).
 */
const SELDOM_REACHED = 0.05;
const SELDOM_NAMED = 0.1;

/** Null: nothing speaks for the change, or something points elsewhere. Throws what the tree throws. */
export async function findLeaning(
  tree: LeaningTree,
  { changed, read, listRedefined }: DoubtfulFailure,
  signal: AbortSignal,
): Promise<Leaning | null> {
  const possible = changed.filter(mayBreakTests);
  // What every check runs with can break any of them.
  const isForAll = possible.some((path) => isDependencyList(path) || isSetup(path));
  if (isForAll || possible.length === 0 || possible.length > MOST_CHANGED) return null;
  const index = createPathIndex(await tree.files(signal));
  const walk = createImportWalk(tree, index, signal);
  const tests = findTestFiles(index, read).slice(0, MOST_TESTS);
  const ways: Way[] = [];
  for (const test of tests) {
    const own = await listWays(walk, test, possible);
    // A test that does not get to the change at all fails for another reason.
    if (own.length === 0) return null;
    ways.push(...own);
  }
  if (await pointsElsewhere({ walk, index, ways }, read, changed)) return null;
  for (const way of ways.toSorted((a, b) => a.path.length - b.path.length)) {
    const others = listOthers(index, tests, way.test);
    const isOnly = possible.length === 1;
    if (
      (await isSeldomReached(walk, way, { others, isOnly })) ||
      (await isSeldomNamed(walk, way, others, listRedefined))
    ) {
      return { to: 'code', path: way.path };
    }
  }
  return null;
}

/** Whatever a test may read: no text for people, and no other test. */
function mayBreakTests(path: string): boolean {
  const kind = classifyFile(path);
  return kind !== 'document' && kind !== 'test' && kind !== 'example';
}

/** From a failing test to a changed file. */
interface Way {
  readonly test: string;
  readonly file: string;
  /** Both ends, and the file between them where there is one. */
  readonly path: readonly string[];
}

async function listWays(walk: ImportWalk, test: string, changed: readonly string[]): Promise<readonly Way[]> {
  const ways: Way[] = [];
  for (const file of changed.filter((one) => one !== test && isSameLanguage(one, test))) {
    const path = await walk.findPath(test, file, 2);
    if (path !== null) ways.push({ test, file, path });
  }
  return ways;
}

/** Whether the failure names sources besides the change, and none of them leads to it. */
async function pointsElsewhere(
  { walk, index, ways }: { readonly walk: ImportWalk; readonly index: PathIndex; readonly ways: readonly Way[] },
  { places }: Failing,
  changed: readonly string[],
): Promise<boolean> {
  const named = [...new Set(places.flatMap(({ path }) => findPlacedFile(index, path)))].filter(
    (path) => classifyFile(path) === 'source' && !changed.includes(path),
  );
  for (const path of named)
    for (const { file } of ways)
      if (isSameLanguage(path, file) && (await walk.findPath(path, file, 1)) !== null) return false;
  return named.length > 0;
}

/** Tests of that language from all over the project, the failing ones left out; always the same. */
function listOthers({ paths }: PathIndex, failing: readonly string[], like: string): readonly string[] {
  const all = paths.filter((path) => isTest(path) && isSameLanguage(path, like) && !failing.includes(path));
  const step = Math.max(1, all.length / MOST_OTHERS);
  return Array.from({ length: Math.min(all.length, MOST_OTHERS) }, (_, at) => all[Math.floor(at * step)] ?? '');
}

/** `isOnly`: nothing else could be it. Then it is enough in a project of few tests that no other gets there. */
async function isSeldomReached(
  walk: ImportWalk,
  { file, path }: Way,
  { others, isOnly }: { readonly others: readonly string[]; readonly isOnly: boolean },
): Promise<boolean> {
  const reaches = async (test: string) => (await walk.findPath(test, file, path.length - 1)) !== null;
  if (canBeSeldom(others, SELDOM_REACHED)) return isSeldom(others, SELDOM_REACHED, reaches);
  if (!isOnly || others.length === 0) return false;
  for (const test of others) if (await reaches(test)) return false;
  return true;
}

async function isSeldomNamed(
  walk: ImportWalk,
  { test, file }: Way,
  others: readonly string[],
  listRedefined: DoubtfulFailure['listRedefined'],
): Promise<boolean> {
  const words = await walk.listWords(test);
  for (const name of (await listRedefined(file)).filter((one) => words.has(one)))
    if (await isSeldom(others, SELDOM_NAMED, async (other) => (await walk.listWords(other)).has(name))) return true;
  return false;
}

async function isSeldom(
  tests: readonly string[],
  most: number,
  does: (test: string) => Promise<boolean>,
): Promise<boolean> {
  if (!canBeSeldom(tests, most)) return false;
  let count = 0;
  for (const test of tests) {
    if (await does(test)) count += 1;
    if (toShare(count, tests.length) > most) return false;
  }
  return true;
}

/** Of few tests nothing is: what none of ten does, one of twelve may do. */
function canBeSeldom(tests: readonly string[], most: number): boolean {
  return toShare(0, tests.length) <= most;
}

function toShare(count: number, of: number): number {
  return (count + 1) / (of + 2);
}

interface ImportWalk {
  /** Through at most so many imports, the shortest; null: there is none. */
  readonly findPath: (from: string, to: string, hops: number) => Promise<readonly string[] | null>;
  readonly listWords: (path: string) => Promise<ReadonlySet<string>>;
}

const MOST_TEXT = 100_000;
/** Imports of one file that are followed. */
const MOST_IMPORTS = 60;
/** Paths that are compared between two looks at the clock. */
const COMPARED = 64;

function createImportWalk(tree: LeaningTree, index: PathIndex, signal: AbortSignal): ImportWalk {
  const passedOn = createPassedOnFinder(tree, index);
  const turn = createTurns(signal);
  const sources = index.paths.filter((path) => !isTest(path) && classifyFile(path) !== 'vendored');
  const read = keep(async (path) => {
    await turn();
    const found = await tree.read(path, {}, signal);
    return found.kind === 'text' ? found.text.slice(0, MOST_TEXT) : '';
  });
  const openUses = async (path: string) => findUses({ path, text: await read(path), index, tree, passedOn });
  const uses = keep(openUses);
  const listImports = keep(async (path) => {
    // It looks into so many files at most, which must not be those that are asked for by name.
    const own = await openUses(path);
    const found: string[] = [];
    for (const [at, source] of sources.entries()) {
      if (at % COMPARED === 0) await turn();
      if (source !== path && isSameLanguage(source, path) && (await own(source, signal))) found.push(source);
      if (found.length === MOST_IMPORTS) break;
    }
    return found;
  });
  return {
    findPath: async (from, to, hops) => {
      if (await (await uses(from))(to, signal)) return [from, to];
      if (hops < 2) return null;
      for (const between of await listImports(from))
        if (between !== to && (await (await uses(between))(to, signal))) return [from, between, to];
      return null;
    },
    listWords: keep(async (path) => new Set((await read(path)).match(/[A-Za-z_$][\w$]{2,80}/g))),
  };
}

function keep<T>(make: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (path) => {
    const known = made.get(path) ?? make(path);
    made.set(path, known);
    return known;
  };
}

/** Names of the definitions of a file that differ between two commits, or that only one of them has. */
export async function listRedefined(
  before: LeaningTree,
  after: LeaningTree,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [old, now] = [await readDefinitions(before, path, signal), await readDefinitions(after, path, signal)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}

/** The text of each, without that of the definitions in it; of several of one name together. */
async function readDefinitions(
  tree: LeaningTree,
  path: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = await tree.read(path, {}, signal);
  const texts = new Map<string, string>();
  if (found.kind !== 'text') return texts;
  const lines = found.text.split(/\r?\n/);
  const owners: (string | undefined)[] = [];
  // What begins later lies deeper.
  for (const { name, line, lastLine } of findSpans(path, found.text, await tree.outline(path, signal)))
    for (let at = line; at <= Math.min(lastLine, lines.length); at += 1) owners[at - 1] = toShortName(name);
  for (const [at, name] of owners.entries())
    if (name !== undefined) texts.set(name, `${texts.get(name) ?? ''}${lines[at] ?? ''}\n`);
  return texts;
}
