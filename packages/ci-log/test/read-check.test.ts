// What is read from a red check, and its bounds for any log.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLogLines } from '../src/log-lines.ts';
import { type ReadCheck, readCheck } from '../src/read-check.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, stamped, TSC } from './logs.ts';

function read(log: string): ReadCheck {
  return readCheck({ name: 'test (20)', output: '', log, annotations: [] });
}

describe('the first error', () => {
  it.each([
    ['npm test', JEST, 'expect(received).toBe(expected) · Expected: 90 · Received: 80'],
    ['pytest', PYTEST, 'assert 3 == 4'],
    ['npx tsc', TSC, 'src/pages/checkout.ts(12,7): error TS2345: Argument of type "string" is not assignable'],
    ['go test ./...', GO, 'coupon_test.go:61: want error, got nil'],
    ['mvn verify', MAVEN, 'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>'],
    ['npx mocha', MOCHA, 'Error: 1 != 2'],
    ['npx mocha -b', MOCHA.slice(0, 6), 'Cart totals rounds half up failed'],
  ])('of %s is the one that the tool itself calls wrong', (command, output, headline) => {
    const { excerpt } = read(actionsLog(command, output));
    expect(excerpt.headline.trim().startsWith(headline), excerpt.headline).toBe(true);
    expect(excerpt.step).toBe(command);
  });

  it.each<[string, readonly string[], string]>([
    [
      'Jest',
      ['    Error name:    "RangeError"', '    Error message: "Invalid time value"'],
      'expect(received).not.toThrow() · Error name: "RangeError" · Error message: "Invalid time value"',
    ],
    [
      'Jest before 24',
      [
        '    Expected the function not to throw an error.',
        '    Instead, it threw:',
        '      RangeError: Invalid time value',
      ],
      'expect(received).not.toThrow() · RangeError: Invalid time value',
    ],
  ])('says what was thrown where %s expects that nothing is', (_, lines, headline) => {
    const { excerpt } = read(
      actionsLog('npm test', ['  ● takes any day', '', '    expect(received).not.toThrow()', '', ...lines, '']),
    );
    expect(excerpt.headline).toBe(headline);
  });

  it('is never the script of the step, shown before it runs', () => {
    const { excerpt } = read(
      actionsLog('echo "ERROR: not up to date" && exit 1', ['checking', 'fatal: bad object HEAD']),
    );
    expect(excerpt.headline).toBe('fatal: bad object HEAD');
  });

  it('is looked for in the step that failed, not in one that complained and went on', () => {
    const log = actionsLog('npm test', TSC).replace(
      'Syncing repository: acme/shop',
      'error: pathspec did not match, going on',
    );
    expect(read(log).excerpt.headline).toContain('TS2345');
  });

  it('is in the step before where the failed one says nothing', () => {
    const log = actionsLog('[ -n "$VERSION" ]', []).replace(
      'Syncing repository: acme/shop',
      'fatal: No tags can describe that',
    );
    expect(read(log).excerpt.headline).toBe('fatal: No tags can describe that');
  });

  it('of errors without a verdict is the first of the group at the end', () => {
    const noise = Array.from({ length: 40 }, (_, index) => `request ${index} served`);
    const { excerpt } = read(
      actionsLog('./deploy.sh', ['error: cache is cold', ...noise, 'error: no such zone', 'error: giving up']),
    );
    expect(excerpt.headline).toBe('error: no such zone');
  });

  it('of a Python traceback is its exception', () => {
    const output = [
      'Traceback (most recent call last):',
      '  File "a.py", line 3, in <module>',
      'ImportError: no name x',
    ];
    expect(read(actionsLog('python a.py', output)).excerpt.headline).toBe('ImportError: no name x');
  });
});

describe('logs of other systems', () => {
  it('reads the output of gh run view, with job and step on each line', () => {
    const log = stamped(GO)
      .split('\n')
      .map((line) => `build\tRun tests\t${line}`)
      .join('\n');
    expect(read(`build\tSet up job\t2024-05-01T10:00:00.1Z ok\n${log}`).excerpt).toMatchObject({
      step: 'Run tests',
      tests: ['TestCoupon', 'TestCoupon/expired'],
    });
  });

  it('reads Travis: the command that it names as failed', () => {
    const log = [
      'travis_fold:start:install\r\u001b[0Ktravis_time:start:01\r\u001b[0K$ npm ci',
      'native/cart.cc:3:1: error: optional part does not build, skipped',
      'travis_fold:end:install\r\u001b[0Ktravis_time:start:02\r\u001b[0K$ npm test',
      '$ jest --ci',
      ...JEST,
      '\u001b[31;1mThe command "npm test" exited with 1.\u001b[0m',
      'travis_time:start:03\r\u001b[0K$ npm run lint:soft',
      'src/cart.ts:3:1: error: odd name, but let go',
      '\u001b[32;1mThe command "npm run lint:soft" exited with 0.\u001b[0m',
      'Done. Your build exited with 1.',
    ].join('\n');
    expect(read(log).excerpt).toMatchObject({ step: 'npm test', tests: ['coupons › takes the discount off once'] });
  });

  it('reads GitLab with its sections, and Jenkins with its stages', () => {
    const gitlab = [
      'section_start:1700000000:step_script\r\u001b[0K',
      '\u001b[32;1m$ go test ./...\u001b[0;m',
      ...GO,
      'section_end:1700000001:step_script\r\u001b[0K',
      'ERROR: Job failed: exit code 1',
    ].join('\n');
    expect(read(gitlab).excerpt.headline).toBe('coupon_test.go:61: want error, got nil');
    const jenkins = ['[Pipeline] { (Test)', '+ mvn verify', ...MAVEN, 'Finished: FAILURE'].join('\r\n');
    expect(read(jenkins).excerpt.headline).toContain('AssertionFailedError: expected: <3>');
  });

  it('reads a log that ends in the middle, without any step', () => {
    expect(read(PYTEST.slice(2).join('\n')).excerpt.tests).toEqual(['tests/test_cart.py::test_total']);
  });
});

it('of a deep stack the first frames are shown, and the second failure with what it says', () => {
  const frames = Array.from({ length: 40 }, (_, n) => `\tat shop.Cart.part${n}(Cart.java:${n + 1})`);
  const failed = (name: string) => [
    `FAIL: test_${name} (shop.CartTest)`,
    `ValueError: ${name}`,
    ...frames.map((frame) => `${frame} ${name}`),
  ];
  const { lines } = read(actionsLog('make test', [...failed('a'), 'ok', 'ok', 'ok', 'ok', ...failed('b')])).excerpt;
  expect(lines).toEqual(expect.arrayContaining(['ValueError: a', 'ValueError: b']));
  expect(lines.filter((line) => line.includes('part0('))).toHaveLength(2);
  expect(lines.filter((line) => line.includes('part30('))).toEqual([]);
});

describe('places', () => {
  it('are also what Node names above an error that nobody caught, over the line of source that it quotes', () => {
    const output = [
      '/home/runner/work/shop/shop/lib/parser.js:596',
      "      'Unexpected ' + word + ' here.''Unknown word',",
      '                            ^^^^^^^^^^^^^^^^^^^^^^^^',
      '',
      'SyntaxError: missing ) after argument list',
      '    at Module._compile (node:internal/modules/cjs/loader:1495:20)',
      '    at Object.<anonymous> (/home/runner/work/shop/shop/lib/parse.js:5:14)',
    ];
    expect(read(actionsLog('npx uvu test', output)).places.map(({ path, line }) => `${path}:${line}`)).toEqual([
      ...['lib/parser.js:596', 'lib/parse.js:5'],
    ]);
  });

  it('are of the repository: without the runner’s folders, installed packages and the machine’s own', () => {
    expect(read(actionsLog('npm test', JEST)).places.map(({ path, line }) => `${path}:${line}`)).toEqual([
      'src/coupons.js:41',
    ]);
    expect(read(actionsLog('pytest', PYTEST)).places).toContainEqual(
      expect.objectContaining({ path: 'tests/test_cart.py', line: 7 }),
    );
    expect(read(actionsLog('mvn verify', MAVEN)).places.map(({ path }) => path)).toEqual([
      'com/acme/shop/CartTest.java',
    ]);
  });

  it.each([
    'D:\\a\\shop\\shop\\src\\cart.cs(12,5): error CS1002: ; expected',
    '/__w/shop/shop/src/cart.cs(12,5): error CS1002: ; expected',
    '/home/vsts/work/1/s/src/cart.cs(12,5): error CS1002: ; expected',
  ])('of %s is src/cart.cs:12', (line) => {
    expect(read(actionsLog('build', [line])).places[0]).toMatchObject({ path: 'src/cart.cs', line: 12 });
  });

  it.each([
    'file:///home/runner/work/shop/shop/src/cart.js:12:5',
    'file:///D:/a/shop/shop/src/cart.js:12:5',
    'file:///__w/shop/shop/src/cart.js:12:5',
  ])('of a frame of an ECMAScript module at %s are src/cart.js:12', (address) => {
    const output = ['TypeError: total is not a function', `    at sum (${address})`, '    at node:internal/main:1:1'];
    expect(read(actionsLog('node main.js', output)).places).toMatchObject([{ path: 'src/cart.js', line: 12 }]);
  });

  it('never leave the repository', () => {
    const output = [
      '../../etc/passwd.sh:3:1: error: x',
      '/etc/shadow.sh:3:1: error: x',
      'C:\\Windows\\x.cs(1,1): error CS1: x',
      'error: at file:///etc/shadow.sh:3:1',
    ];
    expect(read(actionsLog('build', output)).places).toEqual([]);
  });
});

describe('a log with any content', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom(
      ...JEST,
      ...PYTEST,
      ...MAVEN,
      ...MOCHA,
      ...GO,
      '##[group]Run x',
      '##[endgroup]',
      '##[error]x',
      '\u001b[31m',
    ),
  );

  it('the excerpt keeps its bounds, and its lines are lines of the log in their order', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 300 }), (lines) => {
        const { excerpt } = read(lines.join('\n'));
        expect(excerpt.lines.length).toBeLessThanOrEqual(60);
        expect(Buffer.byteLength(excerpt.lines.join('\n'))).toBeLessThanOrEqual(8 * 1024);
        expect(excerpt.headline.length).toBeLessThanOrEqual(300);
        expect(excerpt.headline).not.toMatch(/\n|\r/);
        expect(excerpt.tests.length).toBeLessThanOrEqual(50);
      }),
      { numRuns: 60 },
    );
  });

  it('many long lines are cut to their bytes', () => {
    const word = (index: number) => String.fromCharCode(97 + (index % 26)).repeat(230 + index);
    const output = Array.from({ length: 60 }, (_, index) => `src/a.ts(1,1): error TS2304: ${word(index)}`);
    const { lines } = read(actionsLog('npx tsc', output)).excerpt;
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(8 * 1024);
    expect(lines.length).toBeGreaterThan(12);
  });

  it('a huge log is read to its end', () => {
    const noise = 'GET /health 200 error=none\n'.repeat(20_000);
    expect(read(`${noise}${actionsLog('npm test', JEST)}`).excerpt.tests).toEqual([
      'coupons › takes the discount off once',
    ]);
  });

  it.each(['Failures: \n', '  1 failing\n', 'a > '.repeat(200), '_ a ', 'Error: a-b.a-b.', '/a/b'])(
    'many times %j is read as well',
    (unit) => {
      expect(read(unit.repeat(60_000 / unit.length)).excerpt.lines.length).toBeLessThanOrEqual(60);
    },
  );

  it('says how much was left out, and shows the first error', () => {
    const noise = Array.from({ length: 500 }, (_, index) => `line ${index}`);
    const { excerpt } = read(actionsLog('npm test', [...noise, ...JEST, ...noise]));
    expect(excerpt.cut).toMatch(/^Showing \d+ of \d+ lines$/);
    expect(excerpt.lines).toContain('    Expected: 90');
  });
});

describe('what is looked at of a log', () => {
  /** Of each more lines than are shown whole. */
  const SIZE = 24 * 1024;
  const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length));
  const HOSTILE = [
    ['one line', 'error: a.b[(at '],
    ['short lines', 'error: a\n'],
    ['names of tests', '--- FAIL: TestA (0s)\n    a_test.go:1: x\n'],
    ['one test again and again', '✖ takes a coupon (1.24ms)\n'],
    ['headings', '  1 failing\n  1) a\nFailures: \n'],
    ['linted files', 'src/a.js\n  1:1  error  x  y\n'],
    ['lines under one file', '  1:1  error  x  y\n'],
    ['steps', '##[group]Run x\nerror: y\n##[error]x\n'],
    ['frames', 'Traceback (most recent call last):\n  File "/a/b.py", line 3\nValueError: bad\n'],
    ['places', 'a/b.py:1:2 error x '],
    ['folders', `error ${'a/'.repeat(460)}\n`],
    ['warnings', 'a.lua:1:2: long line\n'],
    ['headed lists', 'There was 1 failure:\nfailures:\nFailures:\n'],
    ['rules', '=== FAILURES ===\n_____ a _____\n'],
    ['blocks', 'error: a\n    at x\nok\nok\nok\n'],
    ['brackets', `error ${'[('.repeat(400)}\n`],
    ['spaces', `error${' '.repeat(900)}x\n`],
  ] as const;
  let counts: Promise<readonly number[]> | undefined;

  it.each(HOSTILE)('grows no faster than the log: %s', async (_, unit) => {
    counts ??= charactersMatched(HOSTILE.flatMap(([, one]) => [fill(one, SIZE), fill(one, 2 * SIZE)]));
    const at = 2 * HOSTILE.findIndex(([, one]) => one === unit);
    const [single = 0, double = 0] = (await counts).slice(at, at + 2);
    expect(single).toBeGreaterThan(0);
    // Work that does not depend on the size, such as an excerpt, keeps it below; nothing may take it above.
    expect(double).toBeLessThanOrEqual(2.1 * single);
  });

  it('is the last 100,000 lines, the first 1,000 characters of each', () => {
    const lines = readLogLines(`first\n${'x'.repeat(5_000)}\n${'a\n'.repeat(150_000)}`);
    expect(lines).toHaveLength(100_000);
    expect(readLogLines('x'.repeat(4 * 1024 * 1024)).map(({ text }) => text.length)).toEqual([1_000]);
  });
});

/** How many characters patterns were given while each of these logs was read: the same on every machine. */
async function charactersMatched(logs: readonly string[]): Promise<readonly number[]> {
  const counting = new Worker(new URL('count-characters.ts', import.meta.url), { workerData: logs });
  const [counts] = await once(counting, 'message');
  return counts;
}

describe('the excerpt', () => {
  const shownOf = (output: readonly string[]) => read(actionsLog('npm test', output)).excerpt.lines;

  it.each([
    [
      'Node',
      ['TypeError: no', '    at add (/home/runner/work/shop/shop/src/cart.js:3:1)'],
      '    at run (node:internal/x:1:2)',
    ],
    ['a library', ['Error: no', '    at add (src/cart.js:3:1)'], '    at go (/x/node_modules/vite/dist/a.js:1:2)'],
    [
      'Rust',
      ["thread 'a' panicked at src/lib.rs:3:1:", 'no', '   4: shop::a', '             at ./src/lib.rs:3:47'],
      '             at /rustc/5980/library/core/src/panicking.rs:80:14',
    ],
  ])('has no frames of %s', (_, own, foreign) => {
    expect(shownOf([...own, foreign])).toEqual(own);
  });

  it('keeps source and values that repeat', () => {
    const output = ['a.c:3:52: error: no match', '    3 | int main()', '      |     ^', 'a.c:3:64: error: no cast'];
    expect(shownOf([...output, '    3 | int main()', '      |       ^'])).toEqual([
      ...output,
      '    3 | int main()',
      '      |       ^',
    ]);
  });

  it('shows one line that is between others', () => {
    const failed = (name: string) => [`✖ ${name} (1ms)`, `  'plan of ${name}'`];
    const output = [...failed('a'), 'test at test/a.js:3:1', ...failed('b')];
    expect(shownOf(output)).toEqual(output);
  });

  it('names the file of what ESLint found first', () => {
    const output = ['/home/runner/work/shop/shop/src/a.js', "  30:30  error  'x' is never used  no-unused-vars"];
    expect(read(actionsLog('eslint', output)).excerpt.headline).toBe(
      "src/a.js:30:30 error 'x' is never used no-unused-vars",
    );
  });

  it('shows the name of the file over what was found in it', () => {
    const output = ['  src/a.js:30:3', '  ✖  30:3  Type string is not assignable to type string[].'];
    const listed = Array.from({ length: 30 }, (_, index) => `✔ passes ${index} (1ms)`);
    const { excerpt, places } = read(actionsLog('tsd', [...listed, '> tsd', '', ...output, '', '  1 error']));
    expect(excerpt.lines.slice(0, 2)).toEqual(output);
    expect(places).toEqual([{ path: 'src/a.js', line: 30, message: output[1]?.trim() }]);
    expect(excerpt.headline).toBe('src/a.js:30:3 Type string is not assignable to type string[].');
  });

  it('of a difference of files says what one cause differs in from another', () => {
    const diff = (line: string) => ['diff --git a/x.sql b/x.sql', '--- a/x.sql', '+++ b/x.sql', '@@ -1 +1 @@', line];
    const [one, other] = ['+drop table cart', '+drop table tax'].map((line) =>
      read(actionsLog('git diff', diff(line))),
    );
    expect(one?.isInformative).toBe(true);
    expect(one?.fingerprint).not.toBe(other?.fingerprint);
  });
});

describe('compared with the log of a run that passed', () => {
  const noise = [
    'ERROR: cache of 4f2a91c is cold',
    'at src/cache.ts:7:1',
    ...Array.from({ length: 50 }, (_, n) => `part ${n}`),
  ];
  const failed = actionsLog('make', ['ERROR: no key for src/sign.ts:3:1', ...noise.slice(2), ...noise.slice(0, 2)]);
  const passed = actionsLog('make', noise).replace('##[error]Process completed with exit code 1.', 'done');
  const texts = { name: 'sign', output: '', log: failed, annotations: [] };

  it('the excerpt and the places are of what that does not print', () => {
    expect(readCheck(texts).excerpt.headline).toBe('ERROR: cache of 4f2a91c is cold');
    const { excerpt, places } = readCheck({ ...texts, passing: passed });
    expect(excerpt.headline).toBe('ERROR: no key for src/sign.ts:3:1');
    expect(places.map(({ path }) => path)).toEqual(['src/sign.ts']);
  });

  it('the failure is the same one as without it', () => {
    expect(readCheck({ ...texts, passing: passed }).fingerprint).toBe(readCheck(texts).fingerprint);
  });

  it('where that prints all of it as well, what there is is shown', () => {
    expect(readCheck({ ...texts, passing: failed }).excerpt).toEqual(readCheck(texts).excerpt);
  });
});

describe('node:test', () => {
  const inline = ['✖ adds (2.98ms)', '▶ cart', '  ✖ rounds (1.58ms)', '  ✔ keeps (0.29ms)', '✖ cart (8.71ms)'];
  const said = (name: string, message: string, line: number) => [
    `test at test/cart.test.js:${line}:1`,
    `✖ ${name} (2.98ms)`,
    `  ${message}`,
    `      at TestContext.<anonymous> (file:///srv/shop/test/cart.test.js:${line}:27)`,
    '',
  ];
  const adds = said('adds', 'AssertionError [ERR_ASSERTION]: 2 !== 3', 3);
  const rounds = said('rounds', "TypeError [Error]: Cannot read properties of undefined (reading 'x')", 4);
  const totals = ['ℹ tests 3', 'ℹ fail 2', 'ℹ duration_ms 601.52', ''];

  it('names each test at its error, not above it as well', () => {
    const { lines, tests } = read(
      [...inline, ...totals, '✖ failing tests:', '', ...adds, ...rounds].join('\n'),
    ).excerpt;
    expect(tests).toEqual(['adds', 'rounds']);
    expect(lines).toEqual([...adds.slice(0, 4), ...rounds.slice(0, 4)]);
  });

  it('before 22 says each error where it happens and again at the end; it is shown once', () => {
    const early = ['✖ adds (2.98ms)', ...adds.slice(2), '▶ cart', ...rounds.slice(1).map((line) => `  ${line}`)];
    const log = [...early, '✖ cart (8.71ms)', ...totals, '✖ failing tests:', '', ...adds, ...rounds].join('\n');
    const { lines } = read(log).excerpt;
    for (const once of ['2 !== 3', "reading 'x'", '✖ adds', '✖ rounds']) {
      expect(
        lines.filter((line) => line.includes(once)),
        once,
      ).toHaveLength(1);
    }
  });
});
