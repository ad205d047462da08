// The first failed test of a log as it is run alone: its runner, name and file.
import { expect, it } from 'vitest';
import { readCheck } from '../src/index.ts';

function firstOf(...lines: readonly string[]) {
  const log = ['##[group]Run npm test', '##[endgroup]', ...lines, '##[error]Process completed with exit code 1.'];
  return readCheck({ name: 'test', output: '', annotations: [], log: log.join('\n') }).firstTest;
}

const ROOT = '/home/runner/work/shop/shop';

it('is that of Vitest, with its file', () => {
  const lines = [
    ' RUN  v3.2.4 /home/runner/work/shop/shop',
    ' FAIL  test/cart.test.ts > Cart > adds',
    'AssertionError: expected 1 to be 2',
  ];
  expect(firstOf(...lines, ' Test Files  1 failed (1)')).toEqual({
    runner: 'vitest',
    name: 'Cart > adds',
    path: 'test/cart.test.ts',
  });
});

it('is that of Jest, whose file heads it', () => {
  const lines = [
    'FAIL test/cart.test.js',
    '  ● Cart › adds',
    '',
    '    expect(received).toBe(expected)',
    'Test Suites: 1 failed, 1 total',
  ];
  expect(firstOf(...lines)).toEqual({ runner: 'jest', name: 'Cart › adds', path: 'test/cart.test.js' });
});

it('is that of Mocha, in the outermost of its own frames', () => {
  const error = [
    '      AssertionError: 1 == 2',
    `      at add (${ROOT}/src/cart.js:3:1)`,
    `      at Context.<anonymous> (${ROOT}/test/cart.js:9:12)`,
    '      at process.processImmediate (node:internal/timers:483:21)',
  ];
  const next = ['  2) Coupon', '       applies:', '', '      at Context.<anonymous> (test/coupon.js:4:5)'];
  expect(firstOf('  2 failing', '', '  1) Cart', '       adds:', '', ...error, '', ...next)).toEqual({
    runner: 'mocha',
    name: 'Cart adds',
    path: 'test/cart.js',
  });
});

it('is that of Playwright, whose file stands in its name', () => {
  const name = '[chromium] › e2e/cart.spec.ts:4:7 › cart › adds';
  const frame = `    at total (${ROOT}/e2e/helpers.ts:5:23)`;
  expect(
    firstOf(`  1) ${name} ──────────`, '', '    Error: expect(received).toBe(expected)', frame, '  1 failed'),
  ).toEqual({
    ...{ runner: 'playwright', name, path: 'e2e/cart.spec.ts' },
  });
});

it('is the first in the form of unittest, whatever a program prints like it', () => {
  const lines = [
    'FAIL: expected 2 words, found 3',
    'FAIL: test_total (tests.test_cart.CartTest.test_total)',
    '-'.repeat(70),
    'Traceback (most recent call last):',
    `  File "${ROOT}/tests/test_cart.py", line 9, in test_total`,
    'AssertionError: 0 != 1',
    'Ran 3 tests in 0.010s',
    'FAILED (failures=1)',
  ];
  expect(firstOf(...lines)).toEqual({
    runner: 'unittest',
    name: 'test_total (tests.test_cart.CartTest.test_total)',
    path: 'tests/test_cart.py',
  });
});

it('is none where no test is named, or its runner is not known', () => {
  expect(firstOf('error: something broke')).toBeNull();
  expect(firstOf('MyRunner', 'not ok 1 - adds')).toBeNull();
});
