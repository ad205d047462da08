// The fingerprint of a cause: the same on any machine, and another for another cause or another linted file.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCheck } from '../src/read-check.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, TSC } from './logs.ts';

function print(output: readonly string[], { name = 'test (20)', command = 'npm test' } = {}): string {
  return readCheck({ name, output: '', log: actionsLog(command, output), annotations: [] }).fingerprint;
}

const CAUSES = [
  JEST,
  PYTEST,
  TSC,
  GO,
  MAVEN,
  MOCHA,
  ['error: no such zone eu-9'],
  ['panic: assignment to entry in nil map'],
];

describe('the same cause', () => {
  it('is the same on every machine, in every job of a matrix', () => {
    for (const output of CAUSES) {
      const windows = output.map((line) => line.replaceAll('/home/runner/work/shop/shop/', 'D:\\a\\shop\\shop\\'));
      expect(print(windows, { name: 'test (22, windows)', command: 'npm test -- --ci' })).toBe(print(output));
    }
  });

  it('is the same for any numbers: lines, times, ports, hashes, runs', () => {
    const line = (n: number) =>
      `error: build ${n} of ${n.toString(16).padStart(40, 'a1b2')} at 10:0${n % 10}:00 on 127.0.0.1:${4000 + n} in /tmp/x${n}/a.ts:${n}:2 took ${n}ms`;
    fc.assert(
      fc.property(fc.nat({ max: 5_000 }), fc.nat({ max: 5_000 }), (a, b) => {
        expect(print([line(a)])).toBe(print([line(b)]));
      }),
    );
  });

  it('is the same wherever in its file a test of Playwright begins, but not in another project or file', () => {
    const failed = (at: string, project = 'chromium') => [
      `  1) [${project}] › ${at} › cart › adds ──────────`,
      '',
      '    Error: expect(received).toBe(expected)',
    ];
    const one = print(failed('e2e/cart.spec.ts:4:7'));
    expect(print(failed('e2e/cart.spec.ts:19:3'))).toBe(one);
    expect(print(failed('e2e/till.spec.ts:4:7'))).not.toBe(one);
    expect(print(failed('e2e/cart.spec.ts:4:7', 'firefox'))).not.toBe(one);
  });

  it('is the same in any folder, but not of another file', () => {
    expect(print(['error: cannot parse /opt/a/shop.toml'])).toBe(print(['error: cannot parse /tmp/b/c/shop.toml']));
    expect(print(['error: cannot parse /opt/a/shop.toml'])).not.toBe(print(['error: cannot parse /opt/a/cart.toml']));
  });

  it('is the same in any order of tests and of errors', () => {
    const tests = ['--- FAIL: TestA (0.1s)', '--- FAIL: TestB (0.2s)', '--- FAIL: TestC (0.3s)'];
    const errors = ['src/a.ts(1,2): error TS2304: no name', 'src/b.ts(3,4): error TS2345: no type'];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(tests, { minLength: 3 }),
        fc.shuffledSubarray(errors, { minLength: 2 }),
        (shuffledTests, shuffledErrors) => {
          expect(print(shuffledTests)).toBe(print(tests));
          expect(print(shuffledErrors)).toBe(print(errors));
        },
      ),
    );
  });
});

describe('another cause', () => {
  it('is another by its tests, its codes, its words', () => {
    const prints = CAUSES.map((output) => print(output));
    expect(new Set(prints).size).toBe(CAUSES.length);
    expect(print(['a.ts(1,1): error TS2304: x y'])).not.toBe(print(['a.ts(1,1): error TS2345: x y']));
    expect(print(['--- FAIL: TestA1 (0s)'])).not.toBe(print(['--- FAIL: TestA2 (0s)']));
    expect(print(['src/cart.go:1:2: undefined: x'])).not.toBe(print(['src/coupon.go:1:2: undefined: x']));
  });

  it('is distinguished by the text under a heading that all share', () => {
    const suite = (error: string) => ['FAIL test/a.test.ts', '  ● Test suite failed to run', '', `    ${error}`];
    expect(print(suite('ReferenceError: cart is not defined'))).not.toBe(print(suite('SyntaxError: Unexpected token')));
  });
});

describe('a machine that failed', () => {
  it('is one cause in any step', () => {
    expect(print(['cc: No space left on device'])).toBe(print(['error: odd', 'tar: write x: No space left on device']));
    expect(print(['cc: No space left on device'])).not.toBe(
      print(['npm ERR! 503 Service Unavailable'], { command: 'npm ci' }),
    );
  });
});

describe('a check that says nothing', () => {
  it('is known by its name, all jobs of a matrix as one', () => {
    expect(print([], { name: 'test (20, linux)' })).toBe(print([], { name: 'test (22, windows)' }));
    expect(print([], { name: 'test (20)' })).not.toBe(print([], { name: 'lint (20)' }));
    const late = readCheck({ name: 'test', output: '', log: '##[error]The operation was canceled.', annotations: [] });
    expect(late).toMatchObject({ isInformative: false, excerpt: { headline: 'The operation was canceled.' } });
  });
});

function read(output: readonly string[]) {
  return readCheck({ name: 'lint', output: '', log: actionsLog('npm run lint', output), annotations: [] });
}

const RUNS: readonly [string, (file: string, line: number) => readonly string[]][] = [
  [
    'Prettier',
    (file) => [
      'Checking formatting...',
      `[warn] ${file}.js`,
      '[warn] Code style issues found in the above file. Run Prettier with --write to fix.',
    ],
  ],
  [
    'ESLint',
    (file, line) => [
      '',
      `/home/runner/work/shop/shop/${file}.js`,
      `  ${line}:1  warning  'y' is odd  odd`,
      `  ${line}:5  error    'x' is never used  no-unused-vars`,
      '',
      '✖ 2 problems (1 error, 1 warning)',
    ],
  ],
  ['Black', (file) => [`would reformat ${file}.py`, '', '1 file would be reformatted.']],
  ['rustfmt', (file, line) => [`Diff in /home/runner/work/shop/shop/${file}.rs:${line}:`, '-a', '+b']],
  ['flake8', (file, line) => [`${file}.py:${line}:1: F401 'os' imported but unused`]],
  ['golangci-lint', (file, line) => [`${file}.go:${line}:2: ineffectual assignment to err (ineffassign)`]],
  ['Checkstyle', (file, line) => [`[ERROR] ${file}.java:[${line},5] (imports) UnusedImports: Unused import.`]],
];

describe.each(RUNS)('%s', (_, run) => {
  it('is another cause in another file, even of the same name', () => {
    const prints = ['src/cart/index', 'src/coupon/index', 'src/coupon/index2'].map((file) => read(run(file, 3)));
    expect(prints.every(({ isInformative }) => isInformative)).toBe(true);
    expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it('is the same cause on another line and on another machine', () => {
    const windows = run('src/cart/index', 90).map((line) =>
      line.replace('/home/runner/work/shop/shop/src/cart/', 'D:\\a\\shop\\shop\\src\\cart\\'),
    );
    expect(read(windows).fingerprint).toBe(read(run('src/cart/index', 3)).fingerprint);
  });
});

it('the headline of Prettier is the first file, and all files count', () => {
  const found = (files: readonly string[]) =>
    read([...files.map((file) => `[warn] ${file}`), '[warn] Code style issues found in 2 files.']);
  expect(found(['src/a.js', 'src/c.js']).excerpt.headline).toBe('[warn] src/a.js');
  expect(found(['src/a.js', 'src/c.js']).fingerprint).not.toBe(found(['src/a.js']).fingerprint);
});
