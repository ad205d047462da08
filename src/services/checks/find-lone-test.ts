// How the first failed test of a range is run alone, from what the log says of it and what the repository says of its
// tests. Nothing of it is run here.

import type { FirstTest, TestRunner } from 'causeway-ci-log';
import type { SourceTree } from 'causeway-git-objects';
import { getFolder, isSafePath } from 'causeway-paths';
import { findTestFiles } from '../../ci/index.ts';
import { findOwnWord, type Installer, type LoneTest, mayBeInLine } from '../../core/check/index.ts';
import { classifyFile, createPathIndex, isDependencyList, type PathIndex } from '../../triage/index.ts';

/** The commit that failed, and the last one that passed. */
interface RangeTrees {
  readonly red: SourceTree;
  readonly green: SourceTree;
}

/** What each commit of the range touches. */
type TouchedPaths = ReadonlyMap<string, readonly string[]>;

const MOST_INSTALLS = 5;
const MAX_TEXT = 200_000;

/** Null: it cannot be run alone, or how is not known. Throws what the trees throw. */
export async function findLoneTest(
  first: FirstTest,
  { red, green }: RangeTrees,
  touched: TouchedPaths,
  signal: AbortSignal,
): Promise<LoneTest | null> {
  const index = createPathIndex(await red.files(signal));
  const file = findOwnFile(index, first) || (await findTitledFile(red, first, signal));
  if (file !== '' && !mayBeInLine(file)) return null;
  const read = (tree: SourceTree, path: string) => readText(tree, path, signal);
  const found = await findTestedProject(index, (path) => read(red, path), { ...first, file });
  if (found === null || (found.folder !== '' && !mayBeInLine(found.folder))) return null;
  const { folder, ...project } = found;
  const before = file === '' ? null : await read(green, file);
  const now = file === '' ? null : await read(red, file);
  const path = folder === '' ? file : file.slice(folder.length + 1);
  const name = isNested(first, now ?? '') ? '' : first.name;
  return {
    ...{ runner: first.runner, name, path, folder },
    added: findAdded(first.name, { before, now }),
    installer: project.installer,
    installedAt: project.installer === null ? [] : listInstalls(touched, folder),
    ...{ builds: project.builds, environment: project.environment, options: project.options },
  };
}

/** The file of exactly one path; "": none, or of several. */
function findOwnFile(index: PathIndex, { path, name }: FirstTest): string {
  if (path === '' || !isSafePath(path)) return '';
  const excerpt = { step: '', headline: '', lines: [], cut: '', tests: [name] };
  const [test] = findTestFiles(index, { places: [{ path, line: 0, message: '' }], excerpt });
  if (test !== undefined) return test;
  const same = index.paths.filter((one) => one === path || one.endsWith(`/${path}`));
  return same.length === 1 ? (same[0] ?? '') : '';
}

/** A title that is shorter could be of any test. */
const LEAST_TITLE = 8;

/** The only test file with that title in quotes, where the log names none; "": none, or several. */
async function findTitledFile(tree: SourceTree, { runner, name }: FirstTest, signal: AbortSignal): Promise<string> {
  const title = name.split(/ [›>] /).at(-1) ?? '';
  if (!OF_NODE.has(runner) || title.length < LEAST_TITLE) return '';
  const query = { regex: false, ignoreCase: false, paths: [], limit: MOST_TITLED } as const;
  const found = await tree.search({ ...query, pattern: title }, signal);
  if (found.hits.length >= MOST_TITLED) return '';
  const quoted = found.hits.filter(({ text }) => ['"', "'", '`'].some((quote) => text.includes(quote + title + quote)));
  const paths = [...new Set(quoted.map(({ path }) => path))].filter((path) => classifyFile(path) === 'test');
  return paths.length === 1 ? (paths[0] ?? '') : '';
}

const MOST_TITLED = 50;

async function readText(tree: SourceTree, path: string, signal: AbortSignal): Promise<string | null> {
  const found = await tree.read(path, {}, signal);
  return found.kind === 'text' && found.text.length <= MAX_TEXT ? found.text : null;
}

/** Node's own runner looks for the names of tests in tests that it was told to run alone. */
function isNested({ runner, name }: FirstTest, text: string): boolean {
  if (runner !== 'node') return false;
  const line = text.split('\n').find((one) => one.includes(name));
  return line === undefined || /\b(?:t|tc|ctx|context)\.test\(/.test(line);
}

function findAdded(
  name: string,
  { before, now }: { readonly before: string | null; readonly now: string | null },
): LoneTest['added'] {
  if (now === null) return 'none';
  if (before === null) return 'file';
  const word = findOwnWord(name);
  return word !== '' && now.includes(word) && !before.includes(word) ? 'name' : 'none';
}

/** Commits that change what has to be installed. */
function listInstalls(touched: TouchedPaths, folder: string): readonly string[] {
  const counts = (path: string) =>
    isDependencyList(path) && (getFolder(path) === '' || getFolder(path) === folder) && !path.endsWith('Dockerfile');
  return [...touched].flatMap(([sha, paths]) => (paths.some(counts) ? [sha] : [])).slice(0, MOST_INSTALLS);
}

type ProjectFacts = Pick<LoneTest, 'folder' | 'installer' | 'builds' | 'environment' | 'options'>;

type ReadPath = (path: string) => Promise<string | null>;

const PLAIN: ProjectFacts = { folder: '', installer: null, builds: [], environment: [], options: [] };

const OF_NODE: ReadonlySet<TestRunner> = new Set([
  'vitest',
  'jest',
  'mocha',
  'ava',
  'jasmine',
  'tap',
  'tape',
  'node',
  'playwright',
]);

async function findTestedProject(
  index: PathIndex,
  read: ReadPath,
  first: FirstTest & { readonly file: string },
): Promise<ProjectFacts | null> {
  const { runner, file } = first;
  if (OF_NODE.has(runner)) return await findNodeProject(index, read, first);
  switch (runner) {
    case 'bun':
      return { ...PLAIN, installer: 'bun' };
    case 'pytest':
      return { ...PLAIN, options: await findPytestOptions(read) };
    case 'go':
      return { ...PLAIN, folder: findNearest(index, file, 'go.mod') };
    case 'cargo':
    case 'nextest':
      return { ...PLAIN, folder: findNearest(index, file, 'Cargo.toml') };
    case 'rspec':
    case 'minitest':
      return { ...PLAIN, folder: findNearest(index, file, 'Gemfile'), installer: 'bundler' };
    case 'phpunit':
      return { ...PLAIN, folder: findNearest(index, file, 'composer.json'), installer: 'composer' };
    default:
      return PLAIN;
  }
}

/** The folder over a file that has such a file, else the top. */
function findNearest(index: PathIndex, file: string, name: string): string {
  const paths = new Set(index.byName.get(name.toLowerCase()) ?? []);
  for (let folder = getFolder(file); folder !== ''; folder = getFolder(folder)) {
    if (paths.has(`${folder}/${name}`)) return folder;
  }
  return '';
}

/** Bounds of coverage are for all tests together. */
async function findPytestOptions(read: ReadPath): Promise<readonly string[]> {
  for (const path of ['pyproject.toml', 'setup.cfg', 'pytest.ini', 'tox.ini']) {
    if (/--cov\b/.test((await read(path)) ?? '')) return ['--no-cov'];
  }
  return [];
}

const LOCKS: readonly (readonly [string, Installer])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

function hasRunner(packages: Manifest['packages'], runner: TestRunner): boolean {
  return packages.has(runner) || (runner === 'playwright' && packages.has('@playwright/test'));
}

/** Null: the packages do not have the runner. */
async function findNodeProject(
  index: PathIndex,
  read: ReadPath,
  { runner, file }: FirstTest & { readonly file: string },
): Promise<ProjectFacts | null> {
  const nearest = findNearest(index, file, 'package.json');
  const own = readManifest(await read(join(nearest, 'package.json')));
  const top = nearest === '' ? own : readManifest(await read('package.json'));
  const call = findCall(own, runner) ?? null;
  // A package without a script of its own for its tests is tested from the top.
  const folder = call === null && nearest !== '' && findCall(top, runner) !== null ? '' : nearest;
  const used = call ?? findCall(top, runner) ?? NO_CALL;
  const isInstalled = runner === 'node' || [own, top].some(({ packages }) => hasRunner(packages, runner));
  if (!isInstalled) return null;
  const found = LOCKS.find(([name]) => index.paths.includes(join(folder, name)));
  const lock = found ?? LOCKS.find(([name]) => index.paths.includes(name));
  const isPlugged = lock?.[1] === 'yarn' && (await isPlugAndPlay(index, read));
  // Locked at the top only, the packages of all folders are installed there.
  if (folder !== '' && found === undefined && lock !== undefined && lock[1] !== 'pnpm') return null;
  const isBare = own.packages.size + top.packages.size === 0;
  const installer = isBare ? null : isPlugged ? 'yarn_plugged' : (lock?.[1] ?? 'npm_unlocked');
  const options = [...used.options, ...findCoverageOptions(runner, [own, top])];
  return { folder, installer, builds: isBare ? [] : used.builds, environment: used.environment, options };
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

async function isPlugAndPlay(index: PathIndex, read: ReadPath): Promise<boolean> {
  if (!index.paths.includes('.yarnrc.yml')) return false;
  return !/^nodeLinker:\s*["']?(?:node-modules|pnpm)/m.test((await read('.yarnrc.yml')) ?? '');
}

interface Manifest {
  readonly scripts: ReadonlyMap<string, string>;
  /** Names of packages that it needs, with the versions that it asks for. */
  readonly packages: ReadonlyMap<string, string>;
}

function readManifest(text: string | null): Manifest {
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    const get = (key: string) => listTexts(isJsonObject(found) ? found[key] : undefined);
    const packages = [...get('dependencies'), ...get('devDependencies'), ...get('optionalDependencies')];
    return { scripts: new Map(get('scripts')), packages: new Map(packages) };
  } catch {
    return { scripts: new Map(), packages: new Map() };
  }
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listTexts(value: unknown): readonly (readonly [string, string])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []));
}

/** How the project's own script calls the runner. */
type Call = Pick<LoneTest, 'builds' | 'environment' | 'options'>;

const NO_CALL: Call = { builds: [], environment: [], options: [] };

/** A word of a script that is nothing to a shell. */
const PLAIN_WORD = /^[\w@+=:,./-]+$/;
const MOST_DEPTH = 4;
const MOST_BUILDS = 2;
const BUILDS = /build|compile|transpile|prepare|bundle|generate|^tsc?$/i;

/** Null: no script for tests calls it. */
function findCall(manifest: Manifest, runner: TestRunner): Call | null {
  const names = [...manifest.scripts.keys()].filter((name) =>
    /test|unit|spec|e2e|mocha|jest|vitest|ava|tap|playwright/i.test(name),
  );
  for (const name of [...new Set(['test', ...names])]) {
    const call = findCallIn(manifest, runner, name, MOST_DEPTH);
    if (call !== null) return call;
  }
  return null;
}

function findCallIn(manifest: Manifest, runner: TestRunner, name: string, depth: number): Call | null {
  const script = manifest.scripts.get(name);
  if (script === undefined || depth === 0) return null;
  const builds = manifest.scripts.has(`pre${name}`) ? listBuilds(manifest, `pre${name}`) : [];
  for (const part of script.split(/&&|;|\|\|/)) {
    const words = part.trim().split(/\s+/).map(stripQuotes);
    const called = findScriptCalled(manifest, words);
    const inner = called === null ? null : findCallIn(manifest, runner, called, depth - 1);
    if (inner !== null) return { ...inner, builds: [...builds, ...inner.builds].slice(0, MOST_BUILDS) };
    const own = readCall(words, runner);
    if (own !== null) return { ...own, builds: builds.slice(0, MOST_BUILDS) };
    if (called !== null && BUILDS.test(called) && PLAIN_WORD.test(called)) builds.push(called);
  }
  return null;
}

function stripQuotes(word: string): string {
  return /^(["']).*\1$/.test(word) ? word.slice(1, -1) : word;
}

/** The scripts that a script calls, as far as they build; itself where it builds by its own commands. */
function listBuilds(manifest: Manifest, name: string): string[] {
  const script = manifest.scripts.get(name) ?? '';
  const parts = script.split(/&&|;/).map((part) => findScriptCalled(manifest, part.trim().split(/\s+/)));
  const called = parts.flatMap((one) => (one !== null && BUILDS.test(one) && PLAIN_WORD.test(one) ? [one] : []));
  if (called.length > 0) return called;
  return /\b(?:tsc|rollup|babel|esbuild|tsup|tshy|swc|webpack|vite build)\b/.test(script) && PLAIN_WORD.test(name)
    ? [name]
    : [];
}

/** `npm run build`, `yarn build`, `pnpm run -s build`. */
function findScriptCalled({ scripts }: Manifest, words: readonly string[]): string | null {
  const [manager = '', ...rest] = words;
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(manager)) return null;
  const name = rest.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'run-script');
  return name !== undefined && scripts.has(name) ? name : null;
}

/** Options of each runner that a test may need, with how many words follow; others, such as reporters, are for CI. */
const OPTIONS: Partial<Readonly<Record<TestRunner, Readonly<Record<string, 0 | 1>>>>> = {
  mocha: {
    ...{ '-r': 1, '--require': 1, '--import': 1, '--loader': 1, '-u': 1, '--ui': 1, '-t': 1, '--timeout': 1 },
    ...{ '--config': 1, '--file': 1, '--opts': 1, '--exit': 0, '--extension': 1, '--experimental-loader': 1 },
  },
  jest: { '--config': 1, '-c': 1, '--env': 1, '--rootDir': 1 },
  vitest: { '--config': 1, '-c': 1, '--root': 1, '--environment': 1, '--globals': 0, '--typecheck': 0 },
  ava: { '--config': 1 },
  playwright: { '--config': 1, '-c': 1 },
  jasmine: { '--config': 1, '--require': 1, '--helper': 1 },
  tape: { '-r': 1, '--require': 1 },
  node: {
    ...{
      '--import': 1,
      '--loader': 1,
      '--experimental-loader': 1,
      '-r': 1,
      '--require': 1,
      '--conditions': 1,
      '-C': 1,
    },
    ...{ '--experimental-strip-types': 0, '--experimental-vm-modules': 0, '--experimental-test-module-mocks': 0 },
    ...{ '--expose-gc': 0, '--no-warnings': 0, '--enable-source-maps': 0 },
  },
};

/** Null: this part of a script does something else. */
function readCall(words: readonly string[], runner: TestRunner): Omit<Call, 'builds'> | null {
  const at = words.findIndex((word) => isRunner(word, runner));
  if (at < 0 || (runner === 'node' && !words.includes('--test'))) return null;
  const environment = words.slice(0, at).filter((word) => /^[A-Z_][A-Z\d_]*=[\w@+:,./-]*$/.test(word));
  const known = OPTIONS[runner] ?? {};
  const options: string[] = [];
  const rest = words.slice(at + 1);
  for (const [index, word] of rest.entries()) {
    const [option = '', value] = word.split('=', 2);
    const follows = Object.hasOwn(known, option) ? known[option] : undefined;
    if (follows === undefined || !PLAIN_WORD.test(word)) continue;
    const next = rest[index + 1] ?? '';
    if (follows === 0 || value !== undefined) options.push(word);
    else if (PLAIN_WORD.test(next)) options.push(word, next);
  }
  return { environment, options };
}

function isRunner(word: string, runner: TestRunner): boolean {
  if (word === runner) return true;
  const name = word.slice(word.lastIndexOf('/') + 1).replace(/^_/, '');
  return runner !== 'node' && name.replace(/\.[cm]?js$/, '') === runner;
}

/** tap counts coverage of all files, whichever are run; others are told to by `npm test` alone. */
function findCoverageOptions(runner: TestRunner, manifests: readonly Manifest[]): readonly string[] {
  if (runner !== 'tap') return [];
  const version = manifests.map(({ packages }) => packages.get('tap') ?? '').find((text) => text !== '') ?? '';
  const major = Number(/\d+/.exec(version)?.[0] ?? 0);
  if (major >= 18) return ['--disable-coverage'];
  return major >= 10 ? ['--no-check-coverage', '--no-coverage'] : [];
}
