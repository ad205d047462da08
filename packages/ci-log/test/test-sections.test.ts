// A check where some tests failed before the change: what is shown is about the others.
import { describe, expect, it } from 'vitest';
import type { CheckTexts } from '../src/read-check.ts';
import { readCheck } from '../src/read-check.ts';
import { actionsLog } from './logs.ts';

const read = (output: readonly string[], more: Partial<CheckTexts> = {}) =>
  readCheck({ name: 'test', output: '', log: actionsLog('npm test', output), annotations: [], ...more });

/** As the base's own check would be read. */
const failedAt = (output: readonly string[]) => {
  const { excerpt, places } = read(output);
  return { tests: excerpt.tests, paths: places.map(({ path }) => path) };
};

const nodeTest = (name: string, file: string, message: string) => [
  `test at test/${file}.test.js:4:3`,
  `✖ ${name} (1.2ms)`,
  `  AssertionError [ERR_ASSERTION]: ${message}`,
  `      at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/${file}.test.js:6:12)`,
  '    generatedMessage: true,',
  '',
];
const nodeLog = (...tests: readonly (readonly [string, string, string])[]) => [
  '✔ pays (0.2ms)',
  ...tests.flatMap(([name]) => [`▶ group of ${name}`, `  ✖ ${name} (1.2ms)`, `✖ group of ${name} (2ms)`]),
  `ℹ fail ${tests.length}`,
  '✖ failing tests:',
  '',
  ...tests.flatMap((test) => nodeTest(...test)),
];
const tapLog = (...tests: readonly (readonly [string, string, string])[]) => [
  'TAP version 13',
  ...tests.flatMap(([name, file, message], at) => [
    `# Subtest: ${name}`,
    `not ok ${at + 1} - ${name}`,
    '  ---',
    `  location: '/home/runner/work/shop/shop/test/${file}.test.js:4:3'`,
    "  failureType: 'testCodeFailure'",
    `  error: '${message}'`,
    "  name: 'AssertionError'",
    '  stack: |-',
    `    TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/${file}.test.js:6:12)`,
    '  ...',
  ]),
];
const jestLog = (...tests: readonly (readonly [string, string, string])[]) =>
  tests.flatMap(([name, file, message]) => [
    `FAIL test/${file}.test.js`,
    `  ● ${name} › works`,
    '',
    `    ${message}`,
    '',
    `      at Object.<anonymous> (test/${file}.test.js:6:12)`,
    '',
  ]);
const vitestLog = (...tests: readonly (readonly [string, string, string])[]) => [
  ...tests.flatMap(([name, file]) => [` ❯ test/${file}.test.ts (4 tests | 1 failed) 7ms`, `     × ${name} 5ms`]),
  '⎯⎯⎯⎯⎯⎯⎯ Failed Tests ⎯⎯⎯⎯⎯⎯⎯',
  ...tests.flatMap(([name, file, message]) => [
    ` FAIL  test/${file}.test.ts > ${name}`,
    `${message}`,
    ` ❯ test/${file}.test.ts:6:12`,
    '',
  ]),
  ' Test Files  2 failed (2)',
];
const mochaLog = (...tests: readonly (readonly [string, string, string])[]) => [
  `  ${tests.length} failing`,
  '',
  ...tests.flatMap(([name, file, message], at) => [
    `  ${at + 1}) ${name}`,
    '       works:',
    `     ${message}`,
    `      at Context.<anonymous> (test/${file}.test.js:6:12)`,
    '',
  ]),
];
const pytestLog = (...tests: readonly (readonly [string, string, string])[]) => [
  '=================================== FAILURES ===================================',
  ...tests.flatMap(([name, file, message]) => [
    `_________________________________ test_${name} _________________________________`,
    '',
    `    def test_${name}():`,
    '>       assert total() == 1',
    `E       ${message}`,
    '',
    `tests/test_${file}.py:6: AssertionError`,
    '----------------------------- Captured log call ------------------------------',
    `ERROR    root:shop.py:3 said by ${name}`,
  ]),
  '=========================== short test summary info ============================',
  ...tests.map(([name, file, message]) => `FAILED tests/test_${file}.py::test_${name} - ${message}`),
  `============================== ${tests.length} failed in 0.12s ===============================`,
];
const goLog = (...tests: readonly (readonly [string, string, string])[]) => [
  ...tests.flatMap(([name, file, message]) => [
    `=== RUN   Test${name}`,
    `    ${file}_test.go:6: ${message}`,
    `--- FAIL: Test${name} (0.00s)`,
  ]),
  'FAIL',
  'FAIL\tgithub.com/acme/shop/cart\t0.004s',
];
const cargoLog = (...tests: readonly (readonly [string, string, string])[]) => [
  ...tests.map(([name]) => `test ${name}::works ... FAILED`),
  'test cart::pays ... ok',
  '',
  'failures:',
  '',
  ...tests.flatMap(([name, file, message]) => [
    `---- ${name}::works stdout ----`,
    `thread '${name}::works' panicked at src/${file}.rs:6:12:`,
    message,
    '',
  ]),
  'failures:',
  ...tests.map(([name]) => `    ${name}::works`),
  '',
  'test result: FAILED. 1 passed; 2 failed',
];
const rspecLog = (...tests: readonly (readonly [string, string, string])[]) => [
  'Failures:',
  '',
  ...tests.flatMap(([name, file, message], at) => [
    `  ${at + 1}) ${name} works`,
    `     Failure/Error: ${message}`,
    `     # ./spec/${file}_spec.rb:6:in 'block (2 levels) in <top (required)>'`,
    '',
  ]),
  'Failed examples:',
  '',
  ...tests.map(([name, file]) => `rspec ./spec/${file}_spec.rb:5 # ${name} works`),
];
const mavenLog = (...tests: readonly (readonly [string, string, string])[]) => [
  ...tests.flatMap(([name, file, message]) => [
    `[ERROR] com.shop.${file}Test.${name}  Time elapsed: 0.006 s  <<< FAILURE!`,
    `java.lang.AssertionError: ${message}`,
    `\tat com.shop.${file}Test.${name}(${file}Test.java:6)`,
    '',
  ]),
  '[ERROR] Failures: ',
  ...tests.map(([name, file, message]) => `[ERROR]   ${file}Test.${name}:6 ${message}`),
  '[INFO] ',
  '[ERROR] Tests run: 3, Failures: 2, Errors: 0, Skipped: 0',
];

const OLD = ['ships', 'Parcel', 'Error: the old trouble'] as const;
const OWN = ['adds', 'Basket', 'Error: the new trouble'] as const;

const RUNNERS = [
  ['node:test', nodeLog],
  ['TAP', tapLog],
  ['Jest', jestLog],
  ['Vitest', vitestLog],
  ['Mocha', mochaLog],
  ['pytest', pytestLog],
  ['Go', goLog],
  ['Cargo', cargoLog],
  ['RSpec', rspecLog],
  ['Maven', mavenLog],
] as const;

describe.each(RUNNERS)('where the base is red too, %s', (_, log) => {
  const before = failedAt(log(OLD));

  it('is shown by what fails here alone, whatever comes first', () => {
    for (const output of [log(OLD, OWN), log(OWN, OLD)]) {
      const whole = read(output);
      const { excerpt, places, before: old, fingerprint } = read(output, { before });
      expect(whole.excerpt.tests).toHaveLength(2);
      expect(excerpt.tests).toHaveLength(1);
      expect(excerpt.tests[0]).toContain('adds');
      expect(old).toEqual({ tests: [expect.stringContaining('ships')], isAll: false });
      // RSpec's own says the name only.
      expect(excerpt.headline).toMatch(/the new trouble|1\) adds works/);
      expect(excerpt.lines.join('\n')).toContain('the new trouble');
      expect(excerpt.lines.join('\n')).not.toMatch(/the old trouble|Parcel|ships/);
      expect(places.map(({ path }) => path).join()).not.toContain('Parcel');
      expect(fingerprint).toBe(whole.fingerprint);
    }
  });

  it('says so where nothing else fails', () => {
    const output = log(OLD);
    const { before: old, excerpt } = read(output, { before: failedAt(log(OWN, OLD)) });
    expect(old).toEqual({ tests: excerpt.tests, isAll: true });
    expect(excerpt).toEqual(read(output).excerpt);
  });

  it('is shown as it is where other tests failed before', () => {
    expect(read(log(OWN), { before })).toEqual(read(log(OWN)));
  });
});

describe('where the base is red too', () => {
  it('another tool that fails here is shown', () => {
    const lint = ['src/basket.ts(12,7): error TS2345: Argument of type "string" is not assignable.'];
    const output = [...nodeLog(OLD), 'ℹ tests 2', ...lint];
    const { excerpt, before } = read(output, { before: failedAt(nodeLog(OLD)) });
    expect(excerpt.headline).toContain('TS2345');
    expect(before).toMatchObject({ isAll: false });
  });

  it('a test of the same name in another file is not excused', () => {
    const bill = ['adds', 'bill', 'the old trouble'] as const;
    const order = ['adds', 'order', 'the new trouble'] as const;
    const { excerpt, before } = read(nodeLog(bill, order), { before: failedAt(nodeLog(bill)) });
    expect(before).toEqual({ tests: ['test/bill.test.js::adds'], isAll: false });
    expect(excerpt.tests).toEqual(['test/order.test.js::adds']);
    expect(excerpt.headline).toContain('the new trouble');
  });

  it('annotations of those tests name no place', () => {
    const annotate = (test: string, path: string) =>
      ({ path, line: 6, level: 'failure', title: `${path} > ${test}`, message: 'AssertionError' }) as const;
    const annotations = [annotate('ships', 'test/Parcel.test.ts'), annotate('adds', 'test/Basket.test.ts')];
    const { places } = read(vitestLog(OLD, OWN), { annotations, before: failedAt(vitestLog(OLD)) });
    expect(new Set(places.map(({ path }) => path))).toEqual(new Set(['test/Basket.test.ts']));
  });

  it('result files are read the same way', () => {
    const result = (name: string, file: string, message: string) =>
      ({ kind: 'test', scope: `tests.${file}`, name, path: `tests/${file}.py`, line: 6, message, trace: '' }) as const;
    const results = [result(...OLD), result(...OWN)];
    const before = { tests: ['tests/Parcel.py::ships'], paths: ['tests/Parcel.py'] };
    const { excerpt, places } = read(['make: *** [test] Error 1'], { results, before });
    expect(excerpt.tests).toEqual(['tests/Basket.py::adds']);
    expect(excerpt.headline).toContain('the new trouble');
    expect(places.map(({ path }) => path)).toEqual(['tests/Basket.py', 'tests/Basket.py']);
  });
});
