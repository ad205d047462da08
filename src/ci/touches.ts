// What ties a failure to the change under test: the failure names a changed file, or a failing test belongs to one by
// its name or uses it.

import type { ReadCheck } from 'causeway-ci-log';
import type { SourceTree } from 'causeway-git-objects';
import { getFolder } from 'causeway-paths';
import {
  classifyFile,
  createPathIndex,
  getFileName,
  type PathIndex,
  runInSlices,
  SLICE_PATHS,
} from '../triage/index.ts';
import { joinPaths, listModuleTargets, listRustModules } from './names-taken.ts';
import { createPassedOnFinder, type PassedOnFinder } from './passed-on.ts';

/**
 * `named`: the failure names the file. `tested`: the failing test is that file's, by the names and folders of both.
 * `used`: the failing test imports it, or uses what it defines. `beside`: the failing test is in that file, but the change
 * touches only other tests there.
 */
export interface Tie {
  readonly path: string;
  readonly kind: 'named' | 'tested' | 'used' | 'beside';
  /** The failing test's file; "" for `named`. */
  readonly test: string;
}

/** A test uses much that it does not test: that it uses a changed file is not a reason to call the change the cause. */
export function isCertainTie({ kind }: Tie): boolean {
  return kind === 'named' || kind === 'tested';
}

/** Whether a look into the commits may show that it is none. */
export function isDoubtfulTie({ kind, path }: Tie): boolean {
  return kind === 'named' && isTest(path);
}

export type Failing = Pick<ReadCheck, 'places' | 'excerpt'>;
type TestTree = Pick<SourceTree, 'files' | 'read' | 'outline'>;

/** What the failure itself says, and tests that lie in the same folders as what they test. Needs nothing but names. */
export function findTiesByName(changed: readonly string[], read: Failing): readonly Tie[] {
  const named = [...new Set(read.places.map(({ path }) => path))];
  const tests = named.filter(isTest);
  return mergeTies(
    changed.flatMap((path): readonly Tie[] => {
      if (named.some((name) => isSameFile(path, name)) || isTested(path, read.excerpt.tests))
        return [{ path, kind: 'named', test: '' }];
      // A bare name has no folders that could agree.
      const test = tests.find((one) => one.includes('/') && isMirror(one, path));
      return test === undefined ? [] : [{ path, kind: 'tested', test }];
    }),
  );
}

/** So many failing tests are looked at, and so many changed files of each test's language. */
const MOST_TESTS = 3;
const MOST_CHANGED = 60;
const MOST_OUTLINED = 20;
const MOST_TEXT = 100_000;

/**
 * The same with a look into the commit: which file a test is for where several could be, and what the test's own text
 * uses. `beside`: of the changed files those of failing tests that the change leaves alone; absent: none. Throws what the
 * tree throws.
 */
export async function findTiesInTree(
  tree: TestTree,
  {
    changed: all,
    read,
    beside = [],
  }: { readonly changed: readonly string[]; readonly read: Failing; readonly beside?: readonly string[] },
  signal: AbortSignal,
): Promise<readonly Tie[]> {
  const changed = all.filter((path) => !beside.includes(path));
  const index = createPathIndex(await tree.files(signal));
  const passedOn = createPassedOnFinder(tree, index);
  const ties: Tie[] = [
    ...findTiesByName(changed, read),
    ...beside.map((path): Tie => ({ path, kind: 'beside', test: path })),
  ];
  for (const test of findTestFiles(index, read).slice(0, MOST_TESTS)) {
    const related = changed.filter((path) => path !== test && isSameLanguage(path, test)).slice(0, MOST_CHANGED);
    const own = related.length === 0 ? null : await findNearestNamed(test, index, signal);
    if (own !== null && related.includes(own)) ties.push({ path: own, kind: 'tested', test });
    else if (related.length > 0) ties.push(...(await findUsed({ test, related }, { tree, index, passedOn }, signal)));
  }
  return mergeTies(ties);
}

async function findUsed(
  { test, related }: { readonly test: string; readonly related: readonly string[] },
  ground: Pick<TouchedTestFile, 'tree' | 'index' | 'passedOn'>,
  signal: AbortSignal,
): Promise<readonly Tie[]> {
  const found = await ground.tree.read(test, {}, signal);
  if (found.kind !== 'text') return [];
  const uses = findUses({ path: test, text: found.text.slice(0, MOST_TEXT), ...ground });
  const ties: Tie[] = [];
  for (const path of related) if (await uses(path, signal)) ties.push({ path, kind: 'used', test });
  return ties;
}

/** Each path once, by what says most. */
function mergeTies(ties: readonly Tie[]): readonly Tie[] {
  const rank = { named: 0, tested: 1, used: 2, beside: 3 };
  const sorted = ties.toSorted((a, b) => rank[a.kind] - rank[b.kind] || (a.path < b.path ? -1 : 1));
  return [...new Map(sorted.toReversed().map((tie) => [tie.path, tie] as const)).values()].reverse();
}

/** Logs name files by the end of their path or with folders in front; a bare file name could be any of its name. */
export function isSameFile(path: string, name: string): boolean {
  if (path === name) return true;
  const isDeep = name.includes('/') && path.endsWith(`/${name}`);
  return isDeep || (path.includes('/') && name.endsWith(`/${path}`));
}

/** A class is its file: `com.shop.CartTest.adds` is in `src/test/java/com/shop/CartTest.java`. */
function isTested(path: string, tests: readonly string[]): boolean {
  if (!/.\/.{1,400}\.(?:java|kt|scala|groovy|py)$/.test(path)) return false;
  const name = path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(-2)
    .join('.');
  return tests.some((test) => test.includes(`${name}.`) || test.includes(`${name})`) || test.endsWith(name));
}

/**
 * The test files that the failure names, in paths of the commit. A bare name, or that of a class, must be of exactly
 * one file.
 */
export function findTestFiles(index: PathIndex, { places, excerpt }: Failing): readonly string[] {
  const placed = places.flatMap(({ path }) => findPlacedFile(index, path));
  const classes = new Set(excerpt.tests.flatMap((name) => name.match(/\b[A-Z]\w{2,80}\b/g) ?? []));
  const classed = [...classes].flatMap((name) => {
    const same = CLASS_ENDS.flatMap((end) => index.byName.get(`${name.toLowerCase()}.${end}`) ?? []);
    return same.length === 1 ? same : [];
  });
  const dotted = excerpt.tests.slice(0, MOST_NAMED).flatMap((name) => findDotted(index, name));
  return [...new Set([...placed, ...dotted, ...classed])].filter(isTest);
}

/** The file of the commit that a log means; a bare name, or the end of a path, must be of exactly one. */
export function findPlacedFile(index: PathIndex, name: string): readonly string[] {
  const same = (index.byName.get(getFileName(name).toLowerCase()) ?? []).filter(
    (path) => path === getFileName(name) || isSameFile(path, name) || path.endsWith(`/${name}`),
  );
  return same.length === 1 ? same : [];
}

/** Tests whose names are read for their files. */
const MOST_NAMED = 20;

/** `com.shop.CartTest.adds`, `tests.test_cart::test_adds`, `test_adds (tests.test_cart.CartTest)`. */
function findDotted(index: PathIndex, name: string): readonly string[] {
  return (name.match(/(?<![\w$])[\w$]{1,100}(?:[./][\w$-]{1,100}){1,20}/g) ?? []).flatMap((written) => {
    const parts = written.split(/[./]/);
    for (let length = parts.length; length > 1; length -= 1) {
      const stem = parts.slice(0, length).join('/');
      const file = (parts[length - 1] ?? '').toLowerCase();
      const same = DOTTED_ENDS.flatMap((end) =>
        (index.byName.get(`${file}.${end}`) ?? []).filter((path) => `/${path}`.endsWith(`/${stem}.${end}`)),
      );
      if (same.length > 0) return same.length === 1 ? same : [];
    }
    return [];
  });
}

export function isTest(path: string): boolean {
  return classifyFile(path) === 'test';
}

// By name

/** Languages by the ends of their files; what is in none of them is tied by no name. */
const LANGUAGES: readonly RegExp[] = [
  /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
  /\.go$/,
  /\.rs$/,
  /\.(?:rb|rake)$/,
  /\.php$/,
  /\.cs$/,
  /\.(?:java|kt|scala|groovy)$/,
  /\.py$/,
];
/** Where a file bears the name of the class that it holds. */
const CLASS_ENDS = ['php', 'cs', 'java', 'kt', 'scala', 'groovy'];
const DOTTED_ENDS = ['py', 'java', 'kt', 'scala', 'groovy'];

export function isSameLanguage(one: string, other: string): boolean {
  return LANGUAGES.some((ends) => ends.test(one) && ends.test(other));
}

/** Folders that say what kind of file is in them, not what it is about. */
const LAYOUT =
  /^(?:src|source|lib|app|tests?|testing|specs?|__tests?__|unit|integration|functional|e2e|features?|main|java|kotlin|scala|groovy|python)$/i;
/** Names that many files have: they say nothing by themselves. */
const COMMON =
  /^(?:..?|index|main|mod|lib|init|app|core|base|utils?|helpers?|common|shared|misc|types?|constants?|config|options|errors?|setup|client|server|models?|api)$/;
/** Files that represent their folder. */
const FOLDER_FILE = /^(?:index|mod)$/;

interface FileStem {
  /** What the file is about, in lower case and without separators. */
  readonly stem: string;
  readonly folders: readonly string[];
}

function readName(path: string): FileStem {
  const folders = path.split('/').slice(0, -1);
  const bare = readStem(path)
    .replace(/^(?:test[_-]|Test(?=[A-Z]))/, '')
    .replace(/[._-](?:tests?|specs?|e2e|unit|integration)(?:-d)?$/, '')
    .replace(/(?<=[a-z\d])(?:UnitTests?|IntegrationTests?|Tests?|Specs?|TestCase|IT|Fixture|Facts)$/, '');
  const telling = folders
    .map((folder) => folder.replace(/[._-]?(?:Unit|Integration)?(?:Tests?|Specs?)$/i, ''))
    .filter((folder) => folder !== '' && !LAYOUT.test(folder));
  const isFolder = FOLDER_FILE.test(bare) && telling.length > 0;
  const stem = isFolder ? (telling.at(-1) ?? '') : bare;
  return {
    stem: stem.replace(/[._-]/g, '').toLowerCase(),
    folders: (isFolder ? telling.slice(0, -1) : telling).map((folder) => folder.toLowerCase()),
  };
}

function readStem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

/** Whether the test has the name of that file and lies in the same folders, those of the layout apart. */
export function isMirror(test: string, path: string): boolean {
  if (!isSameLanguage(test, path) || isTest(path)) return false;
  const [one, other] = [readName(test), readName(path)];
  return one.stem === other.stem && one.stem !== '' && one.folders.join('/') === other.folders.join('/');
}

/** The file that a test is for by its name; null: none, or several that agree equally. */
export async function findNearestNamed(
  test: string,
  { paths }: PathIndex,
  signal: AbortSignal,
): Promise<string | null> {
  const { stem, folders } = readName(test);
  if (COMMON.test(stem)) return null;
  const found: { readonly path: string; readonly apart: number }[] = [];
  await runInSlices(paths.length, { size: SLICE_PATHS, signal }, (at) => {
    const path = paths[at] ?? '';
    const name = normaliseStem(path);
    if (!name.includes(stem) && !FOLDER_FILE.test(name)) return;
    const other = readName(path);
    const isOne = other.stem === stem && !isTest(path) && isSameLanguage(path, test);
    const apart = isOne ? countFoldersApart(folders, other.folders) : null;
    if (apart !== null) found.push({ path, apart });
  });
  const [first, second] = found.toSorted((a, b) => a.apart - b.apart);
  return first === undefined || first.apart === second?.apart ? null : first.path;
}

/** How many folders the one has beyond the other; null where each has some that the other has not. */
function countFoldersApart(one: readonly string[], other: readonly string[]): number | null {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let at = 0;
  for (const folder of long) if (folder === short[at]) at += 1;
  return at === short.length ? long.length - short.length : null;
}

// By use

interface TouchedTestFile {
  readonly path: string;
  readonly text: string;
  readonly index: PathIndex;
  readonly tree: TestTree;
  /** Of the same tree. */
  readonly passedOn: PassedOnFinder;
}

/** Whether the test uses that changed file of its language. */
type Uses = (changed: string, signal: AbortSignal) => Promise<boolean> | boolean;

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** Also what other files only pass on to it. */
export function findUses(test: TouchedTestFile): Uses {
  const uses = findNamed(test);
  let passed: Promise<ReadonlySet<string>> | null = null;
  return async (path, signal) => {
    if (await uses(path, signal)) return true;
    passed ??= test.passedOn.find(test, signal);
    return (await passed).has(path);
  };
}

function findNamed(test: TouchedTestFile): Uses {
  if (SCRIPT.test(test.path)) return findUsedModules(test);
  if (test.path.endsWith('.py')) return findUsedPackages(test);
  if (test.path.endsWith('.go')) return findUsedNames(test);
  if (test.path.endsWith('.rs')) return findUsedCrates(test);
  if (/\.(?:rb|rake)$/.test(test.path)) return findUsedFeatures(test);
  return findUsedClasses(test);
}

/** JavaScript and TypeScript: what is imported by its path. Packages are not followed, the repository's own neither. */
function findUsedModules({ path: test, text }: TouchedTestFile): Uses {
  const written = findMatches(
    text,
    /(?:\bfrom|\bimport\s{0,4}\(?|\brequire\s{0,4}\()\s{0,4}['"`]([^'"`\n]{1,300})['"`]/g,
  );
  const targets = written.flatMap((name) => listModuleTargets(test, name));
  // What is written as `.js` may be a `.ts`.
  const found = new Set(targets.flatMap((target) => [target, target.replace(SCRIPT, '')]));
  return (path) => {
    const bare = path.replace(SCRIPT, '');
    return found.has(path) || found.has(bare) || (/(?:^|\/)index$/.test(bare) && found.has(getFolder(bare)));
  };
}

/** Python: modules by their dotted names. */
function findUsedPackages({ path: test, text, index }: TouchedTestFile): Uses {
  const modules = new Set(
    findMatches(text, /^[ \t]{0,40}import[ \t]{1,4}([\w.]{1,200})/gm).map((name) => name.replaceAll('.', '/')),
  );
  const imports =
    /^[ \t]{0,40}from[ \t]{1,4}(\.{0,5})([\w.]{0,200})[ \t]{1,4}import[ \t]{1,4}(\([^)]{0,1000}\)|[^\n]{1,400})/gm;
  for (const [, dots = '', from = '', names = ''] of text.matchAll(imports)) {
    const above = dots === '' ? [] : test.split('/').slice(0, -dots.length);
    const base = [...above, ...from.split('.')].filter((part) => part !== '').join('/');
    modules.add(base);
    for (const name of names.match(/\w+/g) ?? []) modules.add(base === '' ? name : `${base}/${name}`);
  }
  const endsOf = (path: string) => listPathEnds(path.replace(/(?:\/__init__)?\.py$/, ''));
  return (path) => {
    const end = endsOf(path).find((one) => modules.has(one));
    return end !== undefined && findSameNamed(index, path).filter((other) => endsOf(other).includes(end)).length === 1;
  };
}

/** Go: a file of its own package, or of one that is imported, which defines a name that the test has. */
function findUsedNames({ path: test, text, tree }: TouchedTestFile): Uses {
  const imported = findMatches(text, /"([\w.~-]{1,100}(?:\/[\w.~-]{1,100}){1,20})"/g);
  const words = new Set(text.match(/[A-Za-z_]\w{2,100}/g));
  let outlined = 0;
  return async (path, signal) => {
    const folder = getFolder(path);
    const isOwn = folder === getFolder(test);
    const isImported =
      folder !== '' && !path.endsWith('_test.go') && imported.some((name) => name.endsWith(`/${folder}`));
    if ((!isOwn && !isImported) || outlined >= MOST_OUTLINED) return false;
    outlined += 1;
    return (await tree.outline(path, signal)).some(({ name }) => words.has(name.slice(name.lastIndexOf('.') + 1)));
  };
}

/**
 * Rust: modules by their paths, of its own crate or of another of the workspace, and types by the file that is named
 * for them.
 */
function findUsedCrates({ path: test, text, index }: TouchedTestFile): Uses {
  const types = findTypes(text);
  const own = /^.*?(?=(?:^|\/)(?:src|tests|benches|examples)\/)/.exec(test)?.[0] ?? '';
  const imported = readImports(text, listRustModules(test));
  return (path) => {
    const crate = /^.*?(?=(?:^|\/)src\/)/.exec(path)?.[0];
    const inside = listRustModules(path);
    if (crate === undefined || inside.length === 0) return false;
    const name = crate.slice(crate.lastIndexOf('/') + 1).replaceAll('-', '_');
    const isHere = (first: string) => first === name || (crate === own && (first === 'crate' || own === ''));
    const isUsed = imported.some(
      ([first = '', ...rest]) => isHere(first) && inside.every((segment, at) => rest[at] === segment),
    );
    return isUsed || isTyped(path, types, index);
  };
}

/** Paths of `use`, with the crate first; `super` is resolved. */
function readImports(text: string, inside: readonly string[]): readonly (readonly string[])[] {
  const uses = /\buse[ \t]{1,4}((?:\w{1,80}::){0,12})(\w{1,80}|\{[^}]{0,1000}\}|\*)/g;
  return [...text.matchAll(uses)].flatMap(([, prefix = '', last = '']) => {
    const items = last.startsWith('{') ? (last.match(/\w+(?:::\w+)*/g) ?? []) : [last];
    return items.map((item) => {
      const segments = `${prefix}${item}`.split('::');
      const ups = segments.lastIndexOf('super') + 1;
      return ups === 0 ? segments : ['crate', ...inside.slice(0, -ups), ...segments.slice(ups)];
    });
  });
}

/** Ruby: what is required, and constants by the file that is named for them. */
function findUsedFeatures({ path: test, text, index }: TouchedTestFile): Uses {
  const required = findMatches(text, /\brequire[ (]{1,3}['"]([\w./-]{1,200})['"]/g);
  const relative = findMatches(text, /\brequire_relative[ (]{1,3}['"]([\w./-]{1,200})['"]/g);
  const found = new Set([
    ...required.filter((name) => name.includes('/')),
    ...relative.flatMap((name) => joinPaths(getFolder(test), name) ?? []),
  ]);
  const types = findTypes(text);
  return (path) => {
    const isRequired = listPathEnds(path.replace(/\.rb$/, '')).some((end) => found.has(end) || found.has(`${end}.rb`));
    return isRequired || (!isTest(path) && isTyped(path, types, index));
  };
}

/** C#, PHP and the languages of the JVM: the class that a file is named for. */
function findUsedClasses({ text, index }: TouchedTestFile): Uses {
  const types = findTypes(text);
  return (path) => isTyped(path, types, index);
}

/** Names with a capital, in lower case. */
function findTypes(text: string): ReadonlySet<string> {
  return new Set((text.match(/\b[A-Z]\w{2,100}\b/g) ?? []).map((name) => name.toLowerCase()));
}

/**
 * Whether the type is there that a file is named for, such as `AppSettings` for `app_settings.rb`, where no other
 * source has that name.
 */
function isTyped(path: string, types: ReadonlySet<string>, index: PathIndex): boolean {
  const name = normaliseStem(path);
  if (!types.has(name) || COMMON.test(name)) return false;
  return findSameNamed(index, path).filter((other) => !isTest(other)).length === (isTest(path) ? 0 : 1);
}

function findSameNamed(index: PathIndex, path: string): readonly string[] {
  return index.byName.get(getFileName(path).toLowerCase()) ?? [];
}

function normaliseStem(path: string): string {
  return readStem(path).replace(/[._-]/g, '').toLowerCase();
}

function findMatches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
}

/** `a/b/c`, `b/c`; the last name by itself says too little. */
function listPathEnds(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(0, Math.max(1, parts.length - 1)).map((_, at) => parts.slice(at).join('/'));
}
