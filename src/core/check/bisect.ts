// How the failing test of a range of commits is run alone, and the line for a shell that bisects the range with it.

import type { TestRunner } from 'causeway-ci-log';

/** The packages that a test needs, by the lock file that is there. `yarn_plugged`: without `node_modules` (Plug'n'Play). */
export type Installer = 'npm' | 'npm_unlocked' | 'pnpm' | 'yarn' | 'yarn_plugged' | 'bun' | 'bundler' | 'composer';

/** The failing test as it is run alone at any commit of a range. What a log says is in it as words to match, never as code. */
export interface LoneTest {
  readonly runner: TestRunner;
  /** As the runner names it; "": all tests of the file are run. */
  readonly name: string;
  /** Seen from `folder`; "": not known, and the runner finds the test by its name. */
  readonly path: string;
  /** Where the runner is started; "" at the top. */
  readonly folder: string;
  /** What the last passing commit lacks: where a commit lacks it too, nothing fails there. `none`: the test was there. */
  readonly added: 'none' | 'file' | 'name';
  /** Null: nothing is installed, as the runner comes with the language or is the reader's own. */
  readonly installer: Installer | null;
  /** Commits of the range that change what is installed, at most 5; empty: what was installed once serves for all. */
  readonly installedAt: readonly string[];
  /** Scripts of the package that build what the test runs. */
  readonly builds: readonly string[];
  /** Of the project's own script for its tests: variables, such as `NODE_ENV=test`, and options of the runner. */
  readonly environment: readonly string[];
  readonly options: readonly string[];
}

/** A word that means the same to every shell without quotes. */
const BARE = /^[\w@+=:,./-]+$/;

/** What a quoted word may hold in any shell, those of Windows included: neither quotes, backslashes nor a `%`, `!` or `&`. */
const QUOTABLE = /^[\p{L}\p{M}\p{N}\w @+=:,./()[\]{}^$*?~#-]*$/u;

/** Null: no shell could be sure to take it for one word. */
function quoteForShell(word: string): string | null {
  if (BARE.test(word)) return word;
  return QUOTABLE.test(word) ? `'${word}'` : null;
}

/** A path of the repository that can be a word of the line. */
export function mayBeInLine(path: string): boolean {
  return !path.startsWith('-') && !/[*?^$#]/.test(path) && QUOTABLE.test(path);
}

/** What a shell gives a meaning to is replaced by `any`, such as the dot of an expression, so that a name can run nothing. */
function toPattern(name: string, any: string): string {
  const words = [...name.slice(0, MOST_NAME)].map((character) => (SAFE_IN_NAME.test(character) ? character : any));
  return words
    .join('')
    .replace(/^[^\p{L}\p{N}_]+/u, '')
    .trimEnd();
}

const SAFE_IN_NAME = /[\p{L}\p{M}\p{N}\w ,:/=@#-]/u;
const MOST_NAME = 200;

/** One command, or several of which each must work for the next: `"$1"` and so on are its words. */
interface TestCommand {
  /** What has to work before the test says anything about the commit. */
  readonly before: readonly string[];
  readonly words: readonly string[];
  /** How its end is read, where more than 0 and 1 says something. */
  readonly after?: string;
}

interface NamedEnds {
  readonly from: string;
  readonly to: string;
}

const SHA = /^[0-9a-f]{40,64}$/;

/**
 * One line for a POSIX shell. Its exit codes are those that git understands: 125, "this commit cannot be tested", where
 * installing or building fails. "": the test cannot be run alone.
 */
function formatBisectLine({ from, to }: NamedEnds, test: LoneTest): string {
  const command = SHA.test(from) && SHA.test(to) ? findCommand(test) : null;
  if (command === null) return '';
  const quoted: string[] = [];
  const words: string[] = [];
  for (const word of command.words) {
    const safe = quoteForShell(word);
    if (safe === null) return '';
    if (safe !== word) quoted.push(safe);
    words.push(safe === word ? word : `"$${quoted.length}"`);
  }
  const environment = test.environment.map((one) => `${one} `).join('');
  // Each was chosen from what may stand there, and is looked at once more where it comes into a script.
  if (
    ![...test.environment, ...test.builds, ...(test.folder === '' ? [] : [test.folder])].every((one) => BARE.test(one))
  )
    return '';
  const place = test.folder === '' ? [] : [`cd ${test.folder} || exit 125`];
  const parts = [
    ...place,
    ...guardAdded(test),
    ...listInstalls(test),
    ...command.before.map((one) => `${one} || exit 125`),
    `${environment}${words.join(' ')}`,
    ...(command.after === undefined ? [] : [command.after]),
  ];
  const script = parts.join('; ');
  return `git bisect start ${to} ${from} && git bisect run sh -c '${script}' ${['sh', ...quoted].join(' ')}`;
}

/** The line, and what has to be known of it: a sentence, or "". Null: there is nothing to bisect, or no way to. */
export function describeBisect({
  total,
  test = null,
  ...ends
}: NamedEnds & { readonly total: number; readonly test?: LoneTest | null }): {
  readonly line: string;
  readonly note: string;
} | null {
  const line = test === null || total < 2 ? '' : formatBisectLine(ends, test);
  if (test === null || line === '') return null;
  const changed = test.installedAt.map((sha) => sha.slice(0, 7)).filter((sha) => /^[0-9a-f]{7}$/.test(sha));
  const note =
    test.installer === null || changed.length === 0
      ? ''
      : `Dependencies change in ${changed.join(', ')}, so it installs them at each commit.`;
  return { line, note };
}

/** Of a test that came with the range: before that, the check did not fail of it. */
function guardAdded({ added, path, name }: LoneTest): readonly string[] {
  if (added === 'none' || !BARE.test(path)) return [];
  if (added === 'file') return [`[ -f ${path} ] || exit 0`];
  const word = findOwnWord(name);
  return word === '' ? [] : [`grep -q ${word} ${path} || exit 0`];
}

/** The name of a function that is a test; "" where the name is a sentence. */
export function findOwnWord(name: string): string {
  const last = name
    .split(/::|[.#/\s(]/)
    .filter((part) => /^test\w*$|^Test\w*$/.test(part))
    .at(-1);
  return last ?? '';
}

const INSTALLS: Readonly<Record<Installer, { readonly folder: string; readonly command: string }>> = {
  npm: { folder: 'node_modules', command: 'npm ci' },
  npm_unlocked: { folder: 'node_modules', command: 'npm install --no-package-lock' },
  pnpm: { folder: 'node_modules', command: 'pnpm install --frozen-lockfile' },
  yarn: { folder: 'node_modules', command: 'yarn install --frozen-lockfile' },
  yarn_plugged: { folder: '', command: 'yarn install --immutable' },
  bun: { folder: 'node_modules', command: 'bun install --frozen-lockfile' },
  bundler: { folder: '', command: 'bundle install' },
  composer: { folder: 'vendor', command: 'composer install' },
};

const MANAGERS: Partial<Readonly<Record<Installer, string>>> = { npm_unlocked: 'npm', yarn_plugged: 'yarn' };

function listInstalls({ installer, installedAt, builds }: LoneTest): readonly string[] {
  if (installer === null) return [];
  const { folder, command } = INSTALLS[installer];
  // What Yarn plugs in may be committed without what it leads to, and takes no time where that is there.
  const isOnce = installedAt.length === 0 && installer !== 'yarn_plugged';
  const missing = folder === '' ? 'bundle check' : `[ -d ${folder} ]`;
  const manager = MANAGERS[installer] ?? installer;
  return [
    isOnce ? `${missing} || ${command} || exit 125` : `${command} || exit 125`,
    ...builds.map((script) => `${manager} run ${script} || exit 125`),
  ];
}

/** Null: it cannot be run alone. */
function findCommand(test: LoneTest): TestCommand | null {
  return COMMANDS[test.runner](test);
}

type CommandWriter = (test: LoneTest) => TestCommand | null;

/** `write`: the words after the runner's options. Null: the runner has to be told the file. */
function writeNpx(write: (test: LoneTest, title: string) => readonly string[] | null): CommandWriter {
  return (test) => {
    const words = write(test, toPattern(test.name, '.'));
    if (words === null) return null;
    const start = test.runner === 'vitest' ? ['vitest', 'run'] : [test.runner];
    return { before: [], words: [...startPackage(test), ...start, ...test.options, ...words] };
  };
}

/** Without asking whether it should be downloaded, and whatever scripts have its name. */
function startPackage({ installer }: LoneTest): readonly string[] {
  return installer === 'yarn_plugged' ? ['yarn', 'run', '-B'] : ['npx', '--no-install'];
}

function writeTitle(option: string, pattern: string): readonly string[] {
  return pattern === '' ? [] : [`${option}=${pattern}`];
}

function listFile({ path }: LoneTest): readonly string[] {
  return path === '' ? [] : [path];
}

/** Runners join the titles of groups and test with a space, and print another sign between them. */
function joinTitles(title: string): string {
  return title === '' ? '' : `${title.replace(/ \. /g, ' .*')}$`;
}

const COMMANDS: Readonly<Record<TestRunner, CommandWriter>> = {
  vitest: writeNpx((test, title) => [...listFile(test), ...writeTitle('--testNamePattern', joinTitles(title))]),
  jest: writeNpx((test, title) => [
    // Bounds of coverage are not for one test.
    ...['--coverage=false', '--watchAll=false', ...writeTitle('--testNamePattern', joinTitles(title))],
    ...(test.path === '' ? [] : ['--runTestsByPath', test.path]),
  ]),
  mocha: writeNpx(({ path }, title) => (path === '' ? null : [...(title === '' ? [] : [`--grep=^${title}.?$`]), path])),
  ava: writeNpx(({ path, name }) => {
    const title = toPattern(name.split(' › ').at(-1) ?? '', '*');
    return path === '' ? null : [path, ...(title === '' ? [] : [`--match=*${title}`])];
  }),
  // Its filter is no expression, and what matches nothing has failed: other titles are left to the file.
  jasmine: writeNpx(({ path, name }) =>
    path === '' ? null : [path, ...(/^[\w ,]+$/.test(name) ? [`--filter=${name}`] : [])],
  ),
  tap: writeNpx(({ path }) => (path === '' ? null : [path])),
  tape: writeNpx(({ path }) => (path === '' ? null : [path])),
  playwright: findPlaywrightCommand,
  node: ({ path, name, options, installer }) => {
    const title = toPattern(name, '.');
    const pattern = title === '' ? [] : [`--test-name-pattern=^${title}$`];
    const start = installer === 'yarn_plugged' ? ['yarn', 'node'] : ['node'];
    return path === '' ? null : { before: [], words: [...start, ...options, '--test', ...pattern, path] };
  },
  bun: (test) => ({
    before: [],
    words: ['bun', 'test', ...listFile(test), ...writeTitle('--test-name-pattern', toPattern(test.name, '.'))],
  }),
  deno: ({ path, name }) =>
    path === ''
      ? null
      : { before: [], words: ['deno', 'test', '-A', ...writeTitle('--filter', toPattern(name, '.')), path] },
  pytest: findPytestCommand,
  unittest: findUnittestCommand,
  go: findGoCommand,
  cargo: findCargoCommand,
  nextest: findCargoCommand,
  maven: findJavaCommand,
  gradle: findJavaCommand,
  rspec: ({ path, name }) => {
    const title = toPattern(name, '.');
    const example = title === '' ? [] : ['--example-matches', title];
    return path === '' ? null : { before: [], words: ['bundle', 'exec', 'rspec', path, ...example] };
  },
  minitest: ({ path, name }) => {
    const method = /#(test_\w+)$/.exec(name)?.[1];
    if (path === '' || method === undefined) return null;
    return { before: [], words: ['bundle', 'exec', 'ruby', '-Itest', '-Ilib', path, '-n', method] };
  },
  phpunit: (test) => {
    const method = /::(\w+)/.exec(test.name)?.[1];
    const words = ['vendor/bin/phpunit', `--filter=${method}`, ...listFile(test)];
    return method === undefined ? null : { before: [], words };
  },
  dotnet: ({ name }) => {
    const full = /^[\w.+]+/.exec(name)?.[0] ?? '';
    const words = ['dotnet', 'test', '--no-build', `--filter=FullyQualifiedName~${full.replaceAll('+', '.')}`];
    return full.includes('.') ? { before: ['dotnet build'], words } : null;
  },
};

/** `[chromium] › e2e/cart.spec.ts:3:7 › cart › adds`: the project, the place, and the titles. */
const OF_PLAYWRIGHT = /^(?:\[([^\]]{1,100})\] › )?(?:\S{1,300}:\d{1,6}:\d{1,6} › )?(.{1,1000})$/;

/** What a project is called says mostly what it needs; null: all browsers are installed. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/firefox/i, 'firefox'],
  [/webkit|safari|iphone|ipad/i, 'webkit'],
  [/chrom|android|pixel/i, 'chromium'],
];

/** Its filters are expressions, that of the file too. What the report of a failed run is served by never ends. */
function findPlaywrightCommand(test: LoneTest): TestCommand | null {
  const [, project = '', titles = ''] = OF_PLAYWRIGHT.exec(test.name) ?? [];
  const file = toPattern(test.path, '.');
  const title = joinTitles(toPattern(titles, '.'));
  if (title === '' || file === '' || test.path.length > MOST_NAME) return null;
  const isPlain = project !== '' && toPattern(project, '.') === project;
  const browser = BROWSERS.find(([named]) => named.test(project))?.[1] ?? '';
  const start = [...startPackage(test), 'playwright'];
  // Tags stand behind the title. Where there is no such test, nothing fails.
  const grep = `--grep=${title.replace(/\$$/, '( @.*)?$')}`;
  return {
    before: [[...start, 'install', browser].join(' ').trim()],
    words: [
      ...[...start, 'test', ...test.options, '--reporter=line', '--pass-with-no-tests'],
      ...(isPlain ? [`--project=${project}`] : []),
      ...[grep, file],
    ],
  };
}

/** Exit codes of pytest: 1, tests failed; 2, a file cannot be collected; 4, it cannot be found; 5, no test was run. */
const PYTEST_END = 'case $? in 0|5) exit 0;; 1) exit 1;; *) exit 125;; esac';
const COLLECTION_END = 'case $? in 0) exit 0;; 1|2) exit 1;; *) exit 125;; esac';

function findPytestCommand({ name, path, options }: LoneTest): TestCommand | null {
  if (path === '') return null;
  // Values of a parameter are written in many ways: all of one test are run.
  const parts = name
    .split('::')
    .slice(1)
    .map((part) => part.split('[', 1)[0] ?? '');
  const isNamed = parts.length > 0 && parts.every((part) => /^\w+$/.test(part));
  return {
    before: ['python3 -m pytest --version >/dev/null 2>&1'],
    words: ['python3', '-m', 'pytest', ...options, isNamed ? [path, ...parts].join('::') : path],
    after: parts.length === 0 ? COLLECTION_END : PYTEST_END,
  };
}

/** `test_total (tests.test_cart.CartTest.test_total)`, before Python 3.11 without the test at the end. */
function findUnittestCommand({ name, path }: LoneTest): TestCommand | null {
  const [, method = '', of = ''] = /^(\w+) \(([\w.]+)\)/.exec(name) ?? [];
  if (method === '') return null;
  const full = of.endsWith(`.${method}`) ? of : `${of}.${method}`;
  const [type = '', ...modules] = full.split('.').slice(0, -1).reverse();
  const file = `/${modules.toReversed().join('/')}.py`;
  if (!`/${path}`.endsWith(file) || path === file.slice(1))
    return { before: [], words: ['python3', '-m', 'unittest', full] };
  // It was discovered in a folder, from which its module is seen.
  const start = path.slice(0, -file.length);
  const discover = ['discover', '-s', start, '-p', `${modules[0]}.py`, '-k', `${type}.${method}`];
  return { before: [], words: ['python3', '-m', 'unittest', ...discover] };
}

/** `cart::tests::adds`, of nextest after its crate. */
function findCargoCommand({ runner, name, path }: LoneTest): TestCommand | null {
  const test = runner === 'nextest' ? (/^[\w:-]+ (\S+)$/.exec(name)?.[1] ?? '') : name;
  const words = ['cargo', 'test', ...(path === '' ? ['--workspace'] : [])];
  if (!/^\w[\w:]*$/.test(test)) return null;
  return { before: [[...words, '--no-run'].join(' ')], words: [...words, test, '--', '--exact'] };
}

function findGoCommand({ name, path }: LoneTest): TestCommand | null {
  if (!/^(?:Test|Fuzz|Example)\w*(?:\/|$)/.test(name)) return null;
  const folder = path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.';
  const place = path === '' ? './...' : folder;
  if (!BARE.test(place)) return null;
  const pattern = name
    .split('/')
    .map((part) => `^${toPattern(part, '.')}$`)
    .join('/');
  // Compiles the tests, and runs none.
  return { before: [`go test -run=^- ${place}`], words: ['go', 'test', '-count=1', `-run=${pattern}`, place] };
}

/** `adds(shop.CartTest)`, `shop.CartTest.adds`, `CartTest.adds:12`, `CartTest > adds()`. */
function findJavaCommand({ runner, name }: LoneTest): TestCommand | null {
  const [, method = '', type = ''] = /^(\w+)(?:\[.{0,200}\])?\((?:[\w$]+\.){0,20}(\w+)\)/.exec(name) ?? [];
  const [, ofType = type, ofMethod = method] =
    /^(?:[\w$]+\.){0,20}?(\w+)(?:\.| > )(\w+)(?:[(:[ ].*)?$/.exec(name) ?? [];
  if (ofType === '' || ofMethod === '') return null;
  if (runner === 'gradle') {
    return { before: ['./gradlew testClasses'], words: ['./gradlew', 'test', '--tests', `*${ofType}.${ofMethod}*`] };
  }
  const none = ['-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false'];
  return { before: ['mvn -q test-compile'], words: ['mvn', '-q', 'test', `-Dtest=${ofType}#${ofMethod}`, ...none] };
}
