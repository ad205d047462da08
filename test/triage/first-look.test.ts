// What is looked up about the likeliest place, and about what else the report refers to, before any model is asked.
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { findTestCases } from '../../src/triage/nearest-tests.ts';
import { createReferenceClues, findBlamedCommits, findIssueNumbers } from '../../src/triage/references.ts';
import { testLexicons } from '../support/memory-source.ts';
import { pathProject, testSource } from '../support/project-source.ts';

const SIGNAL = new AbortController().signal;

type Files = Readonly<Record<string, string>>;

/** The steps for a report about a repository with these commits, oldest first. */
async function lookAt(
  report: string,
  commits: readonly {
    readonly subject?: string;
    readonly tag?: string;
    /** A branch of its own, on top of the commit before. */
    readonly branch?: string;
    readonly files: Files;
  }[],
  revision: (shas: readonly string[]) => string = () => '',
) {
  await using repo = await gitRepository();
  const shas: string[] = [];
  for (const { subject = 'Change', tag, branch, files } of commits) {
    if (branch !== undefined) repo.branch(branch);
    shas.push(await repo.commit(files, subject, branch === undefined ? {} : { branch }));
    if (branch !== undefined) repo.git('switch', '--quiet', 'main');
    if (tag !== undefined) repo.tag(tag);
  }
  await using opened = testSource();
  await using lexicons = testLexicons();
  const facts = await gatherFacts({
    ...{ report, revision: revision(shas) },
    repository: await opened.source.open(pathProject(repo.path), SIGNAL),
    lexicon: lexicons.of(pathProject(repo.path)),
    onStep: async () => {},
    signal: SIGNAL,
  });
  const { steps } = facts;
  return {
    steps,
    find: (start: string) => steps.find(({ action }) => action.startsWith(start)),
    told: concludeFromFacts(facts, { seconds: 1 }).solutionSteps.map(({ description }) => description),
  };
}

const filler = (name: string) =>
  `export function ${name}() {\n${'  // filler that is here to make the file long\n'.repeat(120)}}\n\n`;
const RATE = `export function rate(player) {\n${'  player.tick();\n'.repeat(60)}  return player.max;\n}\n`;
const LONG = `${filler('before')}${RATE}\n${filler('after')}`;
const RATE_LINES = [124, 186] as const;

describe('the likeliest place', () => {
  it('is its whole function, with its callers and the nearest test', async () => {
    const { find } = await lookAt(`Error: it broke\n    at rate (/srv/src/rate.js:${RATE_LINES[1] - 1}:3)`, [
      {
        files: {
          'src/rate.js': LONG,
          'src/game.js':
            "import { rate } from './rate.js';\nexport const best = (all) => all.map((one) => rate(one));\n",
          'test/rate.test.js':
            "it('knows others', () => {\n  other();\n});\n\nit('rates a player', () => {\n  expect(rate(one)).toBe(1);\n});\n",
        },
      },
    ]);
    const place = find('read src/rate.js');
    expect(place?.action).toMatch(`read src/rate.js:${RATE_LINES.join('-')} at `);
    expect(place?.result).toContain('124 | export function rate(player) {');
    expect(place?.result).toContain('> 185 |   return player.max;');
    expect(find('find what calls rate of src/rate.js')?.result).toBe(
      'src/game.js:2 (best): export const best = (all) => all.map((one) => rate(one));\nsrc/game.js:2-2:\n  2 | export const best = (all) => all.map((one) => rate(one));',
    );
    expect(find('find tests of src/rate.js')?.result).toBe(
      "test/rate.test.js (1 line with `rate`)\ntest/rate.test.js:5-7:\n     5 | it('rates a player', () => {\n     6 |   expect(rate(one)).toBe(1);\n     7 | });",
    );
  });

  it('has as callers only what knows its file or class, those that share most with the report first', async () => {
    const other = (name: string) => `export function ${name}(all) {\n  return all.close();\n}\n`;
    const { find } = await lookAt('`Store.close` twice loses the queue\n\nSince `Store.close` is called twice.', [
      {
        files: {
          'src/store.ts': `${filler('before')}export class Store {\n  close() {\n    this.queue = null;\n  }\n}\n${filler('after')}`,
          'src/window.ts': `export class Window {\n  close() {\n    this.open = false;\n  }\n}\n${other('shut')}`,
          'src/door.ts': other('slam'),
          'app/end.ts': "import { Store } from '../src/store';\nexport function end(all: Store) {\n  all.close();\n}\n",
          'app/queue.ts':
            "import { Store } from '../src/store';\nexport function dropQueue(all: Store) {\n  // all.close();\n  all.close();\n}\n",
          'lib/files.ts': other('done').repeat(30),
        },
      },
    ]);
    const { result = '', analysis } = find('find what calls close of src/store.ts') ?? {};
    expect(result.split('\n').slice(0, 2)).toEqual([
      'app/queue.ts:4 (dropQueue):   all.close();',
      'app/end.ts:3 (end):   all.close();',
    ]);
    expect(result).not.toContain('lib/files.ts');
    expect(analysis).toContain(
      "30 lines of other files have the name; whether this function is meant there wasn't resolved.",
    );
  });

  it('has callers that import its folder, and never none where other files have its name', async () => {
    const files = {
      'internal/ledger/open.go': `package ledger\n\n// Opens.\nfunc OpenLedger(path string) error {\n\treturn fail(path)\n}\n`,
      'cmd/shop.go':
        'package main\n\nimport "shop/internal/ledger"\n\nfunc run() error {\n\treturn ledger.OpenLedger("a")\n}\n',
      'web/other.go': 'package web\n\nfunc serve() {\n\trequireAuth(OpenLedger)\n}\n',
    };
    const { find } = await lookAt('`OpenLedger` fails in internal/ledger/open.go:5', [{ files }]);
    const { result, analysis } = find('find what calls OpenLedger') ?? {};
    expect(result).toContain('cmd/shop.go:6 (run): \treturn ledger.OpenLedger("a")');
    expect(analysis).toContain('1 line of other files has the name');
  });

  it('is where an error is raised, not its class that has the message', async () => {
    const { find } = await lookAt('It crashes: `Missing pointer of the shop`', [
      {
        files: {
          'src/errors.ts':
            "export class MissingError extends Error {\n  constructor(name: string) {\n    super('Missing pointer of the shop');\n  }\n}\n\nexport class OtherError extends Error {\n  constructor(name: string) {\n    super(name);\n  }\n}\n",
          'src/pointer.ts':
            "import { MissingError } from './errors';\nexport function resolve(name: string) {\n  if (name === '') throw new MissingError(name);\n}\n",
        },
      },
    ]);
    expect(find('rank suspects')?.result).toMatch(
      /^1\. src\/pointer\.ts:3 resolve \([\d.]+\): raises `MissingError`, which has the error message, at line 3/,
    );
  });

  it('is all of a short file, of a function up to 300 lines, and 150 lines of a longer one', async () => {
    const short = await lookAt('Error: it broke\n    at rate (/srv/src/rate.js:62:3)', [
      { files: { 'src/rate.js': RATE } },
    ]);
    expect(short.find('read src/rate.js')?.action).toContain('src/rate.js:1-63 at');
    const long = `function run() {\n${'  step(one, two, three, four, five);\n'.repeat(400)}}\n`;
    const { find } = await lookAt('Error: it broke\n    at run (/srv/src/run.js:300:3)', [
      { files: { 'src/run.js': long } },
    ]);
    const [, from, to] = /:(\d+)-(\d+) at/.exec(find('read src/run.js')?.action ?? '') ?? [];
    expect(Number(to) - Number(from) + 1).toBe(150);
    expect(Number(from)).toBeLessThan(300);
    expect(Number(to)).toBeGreaterThan(300);
    const whole = `function run() {\n${'  step(one);\n'.repeat(250)}}\n${filler('after')}`;
    const found = await lookAt('Error: it broke\n    at run (/srv/src/run.js:9:3)', [
      { files: { 'src/run.js': whole } },
    ]);
    expect(found.find('read src/run.js')?.action).toContain('src/run.js:1-252 at');
  });

  it('is at most 60 lines of a file to which words hardly lead', async () => {
    const words = `// Leading zeros of numbers.\nexport function put(numbers) {\n${'  keep(zeros, numbers, leading);\n'.repeat(70)}}\n`;
    const { find } = await lookAt('A challenge with leading zeros of numbers', [
      { files: { 'src/zeros.js': words, 'src/other.js': 'export const other = 1;\n' } },
    ]);
    const [, from, to] = /:(\d+)-(\d+) at/.exec(find('read src/zeros.js')?.action ?? '') ?? [];
    expect(Number(to) - Number(from) + 1).toBeLessThanOrEqual(60);
    expect(Number(to)).toBeGreaterThan(0);
  });

  it('is the best function of a class to whose head the report leads', async () => {
    const { find } = await lookAt('`QuotedString` of src/quoted.ts is wrong', [
      {
        files: {
          'src/quoted.ts': `${filler('before')}export class QuotedString {\n  escape = '';\n\n  unescapeQuotes(quotes: string) {\n    // Drops the escape of quotes.\n${'    quotes = drop(quotes);\n'.repeat(140)}    return quotes.slice(1);\n  }\n}\n${filler('after')}`,
        },
      },
    ]);
    expect(find('read src/quoted.ts')?.result).toContain('return quotes.slice(1);');
  });

  it('comes with the functions it calls, the one nearest to the report whole', async () => {
    const lib = (name: string, body: string) => `export function ${name}(x) {\n${body}}\n`;
    const { find } = await lookAt(
      'Ratings of a guest are rounded twice\n\nError: no\n    at rate (/srv/src/rate.js:125:3)',
      [
        {
          files: {
            'src/rate.js': `${filler('before')}export function rate(x) {\n  tick(x);\n  return roundRating(clampAll(x));\n}\n${filler('after')}function tick(x) {\n  x();\n}\n`,
            'src/round.js': lib(
              'roundRating',
              '  // For a guest.\n  const rounded = Math.round(x);\n  return rounded;\n',
            ),
            'src/a.js': lib('clampAll', ''),
            'src/b.js': lib('clampAll', ''),
            'test/round.test.js': 'function roundRating() {\n}\n',
          },
        },
      ],
    );
    const step = find('find what src/rate.js:124-127 calls');
    expect(step?.result.split('\n')).toEqual([
      'roundRating src/round.js:1',
      'tick src/rate.js:251',
      'src/round.js:1-5:',
      '  1 | export function roundRating(x) {',
      '  2 |   // For a guest.',
      '  3 |   const rounded = Math.round(x);',
      '  4 |   return rounded;',
      '  5 | }',
    ]);
  });

  it('names the tests within a Rust file, also where none of them has a name of the report', async () => {
    const rust =
      'pub fn rate(x: u32) -> u32 {\n    x\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn others() {}\n}\n';
    const { find } = await lookAt('thread panicked at src/player.rs:2:5:\nno', [{ files: { 'src/player.rs': rust } }]);
    const step = find('find tests of src/player.rs');
    expect(step?.result.split('\n')[0]).toBe('src/player.rs (the tests within the file, from line 6)');
    expect(step?.result).toContain('src/player.rs:7-8:');
  });

  const testOf = (name: string) => `it('is ${name}', () => {\n  ${name}(1);\n});\n`;
  const TRACE = `Error: it broke\n    at rate (/srv/src/players-src.js:${RATE_LINES[0]}:3)\n\nSince I use \`rateAll\`.`;

  it.each([
    ['has its first words', { 'test/players-test.js': testOf('other') }, 'test/players-test.js'],
    ['has a form of its name', { 'test/player-srcs.spec.js': testOf('other') }, 'test/player-srcs.spec.js'],
    [
      'has the name of the function, before one that uses it more often',
      { 'test/game.rate.js': testOf('rate'), 'test/static.js': testOf('rate').repeat(4) },
      'test/game.rate.js (2 lines with `rate`)',
    ],
    [
      'has its name, before another that has names of the report',
      {
        'test/players-src.test.js': 'rules({ valid: [] });\n',
        'test/game.js': testOf('rateAll'),
      },
      'test/players-src.test.js',
    ],
    [
      'has the name of an option in the report, before those that use what the report names',
      { 'test/rateAll.js': 'rules();\n', 'test/game.js': testOf('rateAll'), 'test/hall.js': testOf('rateAll') },
      'test/rateAll.js',
    ],
    ['names what the report names', { 'test/game.js': testOf('rateAll') }, 'test/game.js (2 lines with `rateAll`)'],
  ])('has a nearest test that %s', async (_, tests, nearest) => {
    const { find } = await lookAt(TRACE, [{ files: { 'src/players-src.js': LONG, ...tests } as Files }]);
    const [first, ...rest] = find('find tests of src/players-src.js')?.result.split('\n') ?? [];
    expect(first).toBe(nearest);
    if (first?.includes(' with ')) expect(rest.join('\n')).toContain(`${first.split(' ')[0]}:1-3:`);
  });

  it.each([
    ['uses its function', testOf('rate'), true],
    ['only uses another that the report names', testOf('rateAll'), false],
  ])('has a test to extend where one %s', async (_, test, isNear) => {
    const { told } = await lookAt(TRACE, [{ files: { 'src/players-src.js': LONG, 'test/game.js': test } }]);
    expect(told.join('\n').includes('the nearest one is `test/game.js:1`')).toBe(isNear);
  });

  it('is not a help text where the next function has the rarest literal of the report', async () => {
    const help = `func InitCompletionCmd() {\n\tcmd.Long = \`${'Completions modify what a shell completes: completion args.\n'.repeat(150)}\`\n}\n`;
    const code = `func getCompletions(args []string) {\n${'\tmodifyArgs(completion, args)\n'.repeat(30)}\targs = append(args, "--")\n}\n`;
    const others = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`part${at}.go`, `package main\n\nfunc part${at}() {\n}\n`]),
    );
    const { find } = await lookAt(
      'Completions modify args\n\nThe completion inserts `--` into `args`, it modifies them.',
      [{ files: { 'completions.go': `package main\n\n${help}\n${code}`, ...others } }],
    );
    const place = find('read completions.go');
    expect(place?.result).toContain('args = append(args, "--")');
    expect(place?.result).not.toContain('what a shell completes');
    expect(place?.analysis).toBe(
      '`InitCompletionCmd` fits best in completions.go, but is mostly text; `getCompletions` has `--`, as the report does.',
    );
  });

  it('comes with the function of another suspect that fits better than all of its own', async () => {
    const basket = `export const COUPON = 1; // coupons of the basket\nexport const BASKET = 2; // used twice\n${filler('before')}`;
    const pay = 'export function leaveBasketUnpaid(coupon) {\n  return coupon.leaves(basket.unpaid);\n}\n';
    const others = { 'src/a.js': 'a();\n', 'src/b.js': 'b();\n', 'src/c.js': 'c();\n' };
    const { steps } = await lookAt('Coupons used twice\n\nA coupon that is used twice leaves the basket unpaid.', [
      { files: { 'src/coupons/basket.js': basket, 'src/pay.js': pay, ...others } },
    ]);
    const places = steps.filter(({ lookup }) => lookup === 'place');
    expect(places.map(({ action }) => action.split(':')[0])).toEqual(['read src/coupons/basket.js', 'read src/pay.js']);
    expect(places[1]?.result).toContain('return coupon.leaves(basket.unpaid);');
  });

  it('is a line of code that the report quotes and only one line of the source is', async () => {
    const twice = 'const both = mix(one, two);';
    const { find } = await lookAt(
      `Ratings break\n\nraet.js:125\n  return roundRating(player.max);\n\n\`\`\`\n${twice}\n\`\`\``,
      [
        {
          files: {
            'src/rate.js': `${filler('before')}function rate(player) {\n  return roundRating(player.max);\n}\n${twice}\n`,
            'src/game.js': `${twice}\n`,
            'test/rate.js': 'return roundRating(player.max);\n',
          },
        },
      ],
    );
    expect(find('search 2 quoted lines')?.result).toBe('src/rate.js:125: return roundRating(player.max);');
    expect(find('rank suspects')?.result).toMatch(
      /^1\. src\/rate\.js:125 rate .*`return roundRating\(player\.max\);`, quoted in the report, is line 125/,
    );
  });

  it('has no past where only words led to it', async () => {
    const { steps } = await lookAt('Player ratings\n\nThe rating of a player is wrong when the player ticks.', [
      { files: { 'src/rate.js': RATE } },
      { subject: 'Rate players', files: { 'src/rate.js': `${RATE}\n// Done.\n` } },
    ]);
    expect(steps.some(({ action }) => action.startsWith('read src/rate.js'))).toBe(true);
    expect(steps.map(({ lookup }) => lookup)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:blame|history|compare)$/)]),
    );
  });

  it('names only the first place: the others are listed with why', async () => {
    const trace = 'Error: it broke\n    at rate (/srv/src/rate.js:62:3)\n    at play (/srv/src/play.js:2:3)\n';
    const { steps, find } = await lookAt(trace, [
      { files: { 'src/rate.js': RATE, 'src/play.js': 'function play(one) {\n  return rate(one);\n}\n' } },
    ]);
    expect(find('rank suspects')?.result).toMatch(/^1\. src\/rate\.js:62 rate .*\n2\. src\/play\.js:2 play /);
    expect(steps.filter(({ action }) => /^(?:read|blame|history) src\/play/.test(action))).toEqual([]);
  });
});

it('a commit that took out a line which the report prints is no recent change, and a version is not asked for', async () => {
  await using repo = await gitRepository();
  const lines = (rate: string) =>
    `def play(player):\n    return player.rate\n\n\ndef rate(player):\n    return ${rate}\n`;
  await repo.commit({ 'src/rate.py': lines('player.max') }, 'Rate players.');
  await repo.commit({ 'src/rate.py': lines('player.max / player.games') }, 'Rate by games');
  await repo.commit({ 'src/rate.py': lines('player.max / max(1, player.games)') }, 'Fix: players without games');
  await using opened = testSource();
  await using lexicons = testLexicons();
  const facts = await gatherFacts({
    report:
      'Traceback (most recent call last):\n  File "/srv/src/rate.py", line 6, in rate\n    return player.max / player.games\nZeroDivisionError: division by zero\n',
    revision: '',
    repository: await opened.source.open(pathProject(repo.path), SIGNAL),
    lexicon: lexicons.of(pathProject(repo.path)),
    onStep: async () => {},
    signal: SIGNAL,
  });
  const { rootCause, solutionSteps, analysis } = concludeFromFacts(facts, { seconds: 1 });
  expect(rootCause).toMatch(
    /isn't in that file at this commit\. [0-9a-f]{7} \(\S+, “Fix: players without games”\) removed a line that the report prints, so the report may be from before that\./,
  );
  const told = solutionSteps.map(({ description }) => description).join('\n');
  expect(told).toMatch(
    /Look at the recent changes to `src\/rate\.py`:\n- [0-9a-f]{7} \(\S+\) Rate by games\n- [0-9a-f]{7} \(\S+\) Rate players/,
  );
  expect(analysis.questions).toEqual([expect.stringMatching(/^Does it still happen at [0-9a-f]{7}, /)]);
});

/** What is said of the commit that a checkout is read at. */
async function describeHeadOf(folder: string): Promise<string> {
  await using opened = testSource();
  await using lexicons = testLexicons();
  const { steps } = await gatherFacts({
    ...{ report: 'It breaks', revision: '' },
    repository: await opened.source.open(pathProject(folder), SIGNAL),
    lexicon: lexicons.of(pathProject(folder)),
    onStep: async () => {},
    signal: SIGNAL,
  });
  return steps.find(({ action }) => action.startsWith('resolve'))?.result ?? '';
}

describe('the commit that is looked at', () => {
  const files = (text: string): Files => ({ 'src/rate.js': text });

  it('is said to be the newest, or how far behind it is', async () => {
    const commits = [{ files: files('a\n') }, { files: files('b\n') }, { files: files('c\n') }];
    expect((await lookAt('It breaks', commits)).find('resolve')?.result).toContain(
      'of 2024-01-01: the newest commit of main',
    );
    const first = await lookAt('It breaks', commits, ([sha = '']) => sha);
    expect(first.find('resolve')?.result).toContain(': 2 commits behind main');
  });

  it('is the newest of the branch that is checked out, whatever that is called', async () => {
    await using repo = await gitRepository();
    const first = await repo.commit(files('a\n'), 'Begin');
    repo.branch('discount');
    await repo.commit(files('b\n'), 'Discount', { branch: 'discount' });
    expect(await describeHeadOf(repo.path)).toMatch(/^discount: .*: the newest commit of discount$/);
    repo.git('checkout', '--quiet', '--detach', first);
    expect(await describeHeadOf(repo.path)).toMatch(/: the commit that is checked out$/);
  });

  it('is not said to be of the default branch where that does not have it', async () => {
    const commits = [{ files: files('a\n') }, { files: files('b\n') }, { files: files('c\n'), branch: 'mine' }];
    const mine = ([, , sha = '']: readonly string[]) => sha;
    const upToDate = await lookAt('It breaks', commits, mine);
    const later = await lookAt('It breaks', [...commits, { files: { 'b.js': 'd\n' } }], mine);
    const describe = ({ find }: typeof later) => find('resolve')?.result;
    expect([describe(upToDate), describe(later)]).toEqual([
      expect.stringMatching(/of 2024-01-01: 1 commit ahead of main$/),
      expect.stringMatching(/of 2024-01-01: 1 commit ahead of and 1 commit behind main$/),
    ]);
  });
});

describe('what the report refers to', () => {
  it('is looked for by number in commit messages and tests', async () => {
    const { find } = await lookAt('It breaks again\n\nThis is #123, and maybe https://github.com/o/r/pull/456.', [
      { subject: 'Rate players (#123)', files: { 'src/rate.js': RATE } },
      { subject: 'Count to #1234', files: { 'test/rate.test.js': "it('rates, see issue 123', () => {});\n" } },
    ]);
    // Nothing here has the other number: it may be of another project.
    const step = find('look for #123 in');
    expect(step?.result).toMatch(
      /^#123:\n {2}\w{7} 2024-01-01 .*: Rate players \(#123\)\n {2}test\/rate\.test\.js:1: it\('rates, see issue 123', [^\n]*$/,
    );
  });

  it('leads to the source files of the commit that the number names', async () => {
    const { find } = await lookAt('Ratings are wrong again\n\nThe player is wrong since #123.', [
      { files: { 'src/player.js': 'export const rating = 1; // wrong ratings of a player\n' } },
      { subject: 'Count twice (#123)', files: { 'src/count.js': 'b();\n', 'docs/count.md': 'Count\n' } },
    ]);
    expect(find('rank suspects')?.result).toMatch(
      /src\/count\.js.*: changed in \w{7} “Count twice \(#123\)” for #123, which the report names/,
    );
  });

  it('leads to the files of a blamed commit that is older than the history that is indexed', () => {
    const sha = '0f97279'.padEnd(40, 'a');
    const commit = { sha, date: '2017-01-01T00:00:00.000Z', author: 'Ann', subject: 'Update: refactor indent' };
    const reference = { name: '0f97279', isMeant: true, commits: [commit], paths: ['src/indent.js', 'a.md'], hits: [] };
    expect(createReferenceClues([reference], [])).toMatchObject([
      { path: 'src/indent.js', reason: 'changed in 0f97279 “Update: refactor indent”, which the report names' },
    ]);
  });

  it('says once that a commit names two of the numbers', async () => {
    const { find } = await lookAt('Ratings are wrong\n\nBroken by #22, which was for #21.', [
      { files: { 'src/player.js': 'export const rating = 1;\n' } },
      { subject: 'Count twice (#22), closes #21', files: { 'src/count.js': 'b();\n' } },
    ]);
    expect(find('rank suspects')?.result).toMatch(
      /src\/count\.js.*: changed in \w{7} “Count twice \(#22\), closes #21” for #22, which the report names/,
    );
    expect(find('rank suspects')?.result).not.toContain('for #21');
  });

  it.each([
    ['see #12 and GH-34, issue 56', [12, 34, 56]],
    ['https://github.com/o/r/issues/789#issuecomment-1', [789]],
    ['other/repo#12, color #123abc, step #1', []],
    ['```\n#99\n```', []],
    ['✓ resolves a pointer with slashes #212', []],
    ['It breaks since #31 in the test `✓ prompts again #640`', [31]],
    ['2024-05-02T10:11:12Z INFO merged #77', []],
  ])('has the numbers of %j', (report, numbers) => {
    expect(findIssueNumbers(report)).toEqual(numbers);
  });

  it.each([
    ['An unintended side-effect of the refactor in 0f97279 caused it to report spaces.', ['0f97279']],
    ['Prior to 4.9.1 (specifically, cf41a8f#diff-5372f) an empty path worked.', ['cf41a8f']],
    ['Commit `6d3d2750` now requires -e to detect an error', ['6d3d2750']],
    ['Since [this commit](https://github.com/o/r/commit/24638f5984c5) the length is not set', ['24638f5984c5']],
    ['It broke in 1a2b3c4 and was not mended by its reversion 7f04916.', ['1a2b3c4', '7f04916']],
    ['What version are you using? 2.10.0, sha: 8b78697', []],
    ['The program is 2.8.0.dev0 (devel a4c9f57b38) last updated in May and it breaks', []],
    ['Version: 1.3.3-nightly.38797b7', []],
    ['Built from source at commit b662fec2 and it breaks', []],
    ['From source: https://github.com/o/r/commit/b662fec214', []],
    ['The comment says why it was changed: https://github.com/o/r/blob/9c3a9595/stats/stats.go#L68', []],
    ['It is similar to 9c3a959, which changed another thing', []],
    ['  command: go test -ldflags "-X shop/version.commit=71eb68cc4 -X a=b" after the change', []],
    ['It changed the build in /builddir/cart/71eb68cc4/src after a while', []],
    ['```\nafter the change in 0f97279 it breaks\n```', []],
  ])('has the commits that are blamed in %j', (report, commits) => {
    expect(findBlamedCommits(report)).toEqual(commits);
  });

  const history = (release: (version: string) => { readonly subject?: string; readonly tag?: string }) => [
    { ...release('1.2.0'), files: { 'src/rate.js': 'a\n', 'package.json': '{ "name": "shop" }\n' } },
    { subject: 'Describe it', files: { 'README.md': 'x\n' } },
    { subject: 'Round the rate', files: { 'src/rate.js': 'b\n' } },
    { ...release('1.3.0'), files: { 'CHANGES.md': '1.3.0\n' } },
    { subject: 'Later', files: { 'src/rate.js': 'c\n' } },
  ];

  it.each([
    ['tags', (version: string) => ({ tag: `v${version}` })],
    ['release commits', (version: string) => ({ subject: `Release version ${version}` })],
  ])('has the commits between a good and a bad version that touch source, by %s', async (_, release) => {
    const { steps } = await lookAt('The rate is wrong. It worked in 1.2.0 and is broken in 1.3.0.', history(release));
    const step = steps.find(({ lookup }) => lookup === 'compare');
    expect(step?.action).toMatch(/^compare .*1\.2\.0.* \(reported working\) with .*1\.3\.0.* \(reported broken\)$/);
    expect(step?.result).toMatch(/^\w{7} 2024-01-01 .*: Round the rate \[src\/rate\.js\]$/);
    for (const said of ['Broken since 1.3.0.', 'It worked before 1.3.0', 'Fails after upgrading shop to v1.3.0!']) {
      const looked = await lookAt(`The rate is wrong\n\n${said}`, history(release));
      const since = looked.steps.find(({ lookup }) => lookup === 'compare');
      expect(since?.action, said).toMatch(/^compare \S*1\.2\.0(?: \(\w+\))? with .*1\.3\.0.* \(reported broken\)$/);
      expect(since?.analysis, said).toMatch(/1\.2\.0.* is the release before it\./);
      expect(since?.result, said).toBe(step?.result);
    }
  });

  it.each(['I use 1.3.0.', 'It works since 1.3.0.', 'Since 7.7.0 it fails.'])(
    'has no such commits for %j',
    async (said) => {
      const { steps } = await lookAt(
        `The rate is wrong\n\n${said}`,
        history((version) => ({ tag: `v${version}` })),
      );
      expect(steps.filter(({ analysis }) => analysis.includes('is the release before it'))).toEqual([]);
    },
  );
});

describe('what others wrote', () => {
  it('is not searched', async () => {
    const text = 'throw new Error("no rating for this player");\n';
    const { steps } = await lookAt('It breaks\n\nError: no rating for this player', [
      { files: { 'src/rate.js': text, 'vendor/rate/rate.js': text, 'web/node_modules/rate/rate.js': text } },
    ]);
    const searched = steps.filter(({ action }) => action.startsWith('search "no rating'));
    expect(searched.map(({ result }) => result)).toEqual([expect.stringMatching(/^src\/rate\.js:1: [^\n]+$/)]);
  });
});

describe('what to do about a regression', () => {
  it('is to look at the commits between, first those of which the report speaks, and at no file that is the same', async () => {
    const coupon = (text: string): Files => ({ 'src/coupon.js': `${text}\n`, 'src/till.js': 'open();\n' });
    const { told } = await lookAt(
      'applyCoupon gives no discount\n\nStarted with 1.1.0, it does not happen with 1.0.0',
      [
        { files: { ...coupon('a'), 'src/same.js': 'a\n' }, tag: 'v1.0.0' },
        { files: { 'src/same.js': 'b\n' }, subject: 'Try something' },
        { files: coupon('b'), subject: 'Read applyCoupon in capitals' },
        { files: { 'src/same.js': 'a\n' }, subject: 'Take it back' },
        { files: { 'src/till.js': 'open(1);\n' }, subject: 'Open the till', tag: 'v1.1.0' },
      ],
    );
    expect(told[0]?.replaceAll(/[0-9a-f]{7} \(\S+\)/g, 'SHA').split('\n')).toEqual([
      'Check the 2 commits that changed source between v1.0.0 and v1.1.0:',
      '- SHA Read applyCoupon in capitals',
      '- SHA Open the till',
    ]);
  });

  it('names some of many commits as those to check first', async () => {
    const { told } = await lookAt(
      'applyCoupon gives no discount\n\nStarted with 1.1.0, it does not happen with 1.0.0',
      Array.from({ length: 8 }, (_, at) => ({
        files: { 'src/coupon.js': `${at}\n` },
        subject: `Change ${at}`,
        ...(at === 0 && { tag: 'v1.0.0' }),
        ...(at === 7 && { tag: 'v1.1.0' }),
      })),
    );
    expect(told[0]?.split('\n')[0]).toBe(
      'Check these 5 of the 7 commits that changed source between v1.0.0 and v1.1.0 first:',
    );
  });
});

describe('test cases', () => {
  it.each([
    ['a.test.ts', "describe('a', () => {\n  it('b', () => {\n    c();\n  });\n});\n", [[2, 4]]],
    ['test_a.py', '@mark\ndef test_a():\n    one()\n\n    two()\n\nx = 1\n', [[1, 5]]],
    ['a_test.go', 'func TestA(t *testing.T) {\n\tone()\n}\n', [[1, 3]]],
    ['a.rs', 'fn a() {}\nmod tests {\n    #[test]\n    fn b() {\n        c();\n    }\n}\n', [[3, 6]]],
    ['ATest.java', 'class ATest {\n  @Test\n  void adds() {\n    one();\n  }\n}\n', [[2, 5]]],
  ])('are found in %s', (_, text, ranges) => {
    expect(findTestCases(text.split('\n')).map(({ from, to }) => [from, to])).toEqual(ranges);
  });
});
