// Logs of red checks as CI systems write them, each made up for these tests.

const STAMP = '2024-05-01T10:00:00.1234567Z ';

/** Lines with the time stamps of GitHub Actions. */
export function stamped(lines: readonly string[]): string {
  return lines.map((line) => `${STAMP}${line}`).join('\n');
}

/** A log of GitHub Actions: set-up, checkout, one step that runs a command and fails, clean-up. */
export function actionsLog(
  command: string,
  output: readonly string[],
  end = 'Process completed with exit code 1.',
): string {
  return stamped([
    '\uFEFFCurrent runner version: 2.316.0',
    '##[group]Operating System',
    'Ubuntu',
    '##[endgroup]',
    '##[group]Run actions/checkout@v4',
    'with:',
    '  repository: acme/shop',
    '##[endgroup]',
    'Syncing repository: acme/shop',
    `##[group]Run ${command}`,
    `\u001b[36;1m${command}\u001b[0m`,
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    ...output,
    `##[error]${end}`,
    'Post job cleanup.',
    '[command]/usr/bin/git version',
    'Cleaning up orphan processes',
  ]);
}

export const JEST = [
  'PASS test/cart.test.ts',
  '  console.error',
  '    Error: connect ECONNREFUSED 127.0.0.1:5432',
  'FAIL test/coupons.test.ts (5.1 s)',
  '  ● coupons › takes the discount off once',
  '',
  '    expect(received).toBe(expected) // Object.is equality',
  '',
  '    Expected: 90',
  '    Received: 80',
  '',
  '      at Object.<anonymous> (/home/runner/work/shop/shop/src/coupons.js:41:12)',
  '      at run (/home/runner/work/shop/shop/node_modules/jest-circus/run.js:3:1)',
  '',
  'Tests:       1 failed, 11 passed, 12 total',
  'npm ERR! code ELIFECYCLE',
];

export const PYTEST = [
  'tests/test_cart.py::test_total FAILED                            [ 50%]',
  '=================================== FAILURES ===================================',
  '__________________________________ test_total __________________________________',
  '',
  '    def test_total():',
  '>       assert total([1, 2]) == 4',
  'E       assert 3 == 4',
  '',
  '/home/runner/work/shop/shop/tests/test_cart.py:7: AssertionError',
  '=========================== short test summary info ============================',
  'FAILED tests/test_cart.py::test_total - assert 3 == 4',
  '========================= 1 failed, 9 passed in 0.12s ==========================',
];

export const TSC = [
  'src/pages/checkout.ts(12,7): error TS2345: Argument of type "string" is not assignable to parameter of type "number".',
  'src/cart.ts(3,1): error TS2304: Cannot find name "Basket".',
  'Found 2 errors in 2 files.',
];

export const GO = [
  'ok  \tgithub.com/acme/shop/cart\t0.177s',
  '--- FAIL: TestCoupon (0.00s)',
  '    --- FAIL: TestCoupon/expired (0.00s)',
  '        coupon_test.go:61: want error, got nil',
  'FAIL',
  'FAIL\tgithub.com/acme/shop/coupon\t0.012s',
];

export const MAVEN = [
  '[INFO] Running com.acme.shop.CartTest',
  '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.014 s <<< FAILURE! - in com.acme.shop.CartTest',
  '[ERROR] com.acme.shop.CartTest.adds  Time elapsed: 0.006 s  <<< FAILURE!',
  'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>',
  '\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)',
  '\tat org.mockito.internal.Checker.check(Checker.java:12)',
  '\tat com.acme.shop.CartTest.adds(CartTest.java:62)',
  '[ERROR] Failures: ',
  '[ERROR]   CartTest.adds:62 expected: <3> but was: <4>',
  '[INFO] BUILD FAILURE',
  '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.0.0:test on project shop: There are test failures. -> [Help 1]',
];

export const MOCHA = [
  '  11 passing (2s)',
  '  1 failing',
  '',
  '  1) Cart',
  '       totals',
  '         rounds half up:',
  '     Error: 1 != 2',
];

/** As `node --test` of Node 20 writes to a pipe. */
export const NODE_TAP = [
  'TAP version 13',
  '# Subtest: applies a coupon',
  'ok 1 - applies a coupon',
  '  ---',
  '  duration_ms: 1.371817',
  '  ...',
  '# Subtest: ignores an unknown coupon',
  'not ok 2 - ignores an unknown coupon',
  '  ---',
  '  duration_ms: 0.357106',
  "  location: '/home/ada/shop/test/coupons.test.js:5:1'",
  "  failureType: 'testCodeFailure'",
  `  error: "Cannot destructure property 'percent' of 'find(...)' as it is undefined."`,
  "  code: 'ERR_TEST_FAILURE'",
  "  name: 'TypeError'",
  '  stack: |-',
  '    apply (file:///home/ada/shop/src/coupons.js:14:11)',
  '    TestContext.<anonymous> (file:///home/ada/shop/test/coupons.test.js:5:56)',
  '    Test.runInAsyncScope (node:async_hooks:206:9)',
  '    Test.run (node:internal/test_runner/test:796:25)',
  '    async Test.processPendingSubtests (node:internal/test_runner/test:526:7)',
  '  ...',
  '1..2',
  '# tests 2',
  '# suites 0',
  '# pass 1',
  '# fail 1',
  '# cancelled 0',
  '# skipped 0',
  '# todo 0',
  '# duration_ms 569.718337',
];

/** The same of a comparison: its message has lines. */
export const NODE_TAP_ASSERT = [
  'TAP version 13',
  '# Subtest: rounds half up',
  'not ok 1 - rounds half up',
  '  ---',
  '  duration_ms: 2.1',
  "  location: '/home/ada/shop/test/cart.test.js:6:1'",
  "  failureType: 'testCodeFailure'",
  '  error: |-',
  '    Expected values to be strictly equal:',
  '    ',
  '    1 !== 2',
  '    ',
  "  code: 'ERR_ASSERTION'",
  "  name: 'AssertionError'",
  '  expected: 2',
  '  actual: 1',
  "  operator: 'strictEqual'",
  '  stack: |-',
  '    TestContext.<anonymous> (file:///home/ada/shop/test/cart.test.js:7:10)',
  '    Test.runInAsyncScope (node:async_hooks:206:9)',
  '  ...',
  '1..1',
  '# tests 1',
  '# pass 0',
  '# fail 1',
];
