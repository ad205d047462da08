// Failed tests by name, as each runner says them; none of a green run.
import { describe, expect, it } from 'vitest';
import { findFailedTests } from '../../src/ci/failed-tests.ts';
import { readLogLines } from '../../src/ci/log-lines.ts';
import { JEST, MAVEN, MOCHA, PYTEST } from './logs.ts';

function names(lines: readonly string[]): readonly string[] {
  const plain = readLogLines(lines.join('\n'));
  return findFailedTests(plain, 0, plain.length).map(({ name }) => name);
}

describe('failed tests', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['pytest', PYTEST, ['tests/test_cart.py::test_total']],
    ['pytest without a summary', PYTEST.slice(1, 9), ['tests/test_cart.py::test_total']],
    [
      'pytest whose name leaves no rule',
      ['==== FAILURES ====', '_ TestToken.test_raises[aud-audience] _', ' TestToken.test_raises[nbf-start time] _'],
      ['TestToken.test_raises[aud-audience]', 'TestToken.test_raises[nbf-start time]'],
    ],
    [
      'pytest that cannot collect',
      ['ERROR tests/test_a.py - ImportError: x', 'ERROR tests/test_b.py'],
      ['tests/test_a.py', 'tests/test_b.py'],
    ],
    ['pytest-xdist', ['[gw1] [ 35%] FAILED tests/test_a.py::test_x '], ['tests/test_a.py::test_x']],
    [
      'unittest',
      ['FAIL: test_a (shop.tests.CartTest)', 'ERROR: tests.test_b (unittest.loader._FailedTest)'],
      ['test_a (shop.tests.CartTest)', 'tests.test_b (unittest.loader._FailedTest)'],
    ],
    ['Jest', JEST, ['coupons › takes the discount off once']],
    ['Vitest', [' FAIL  test/a.test.ts > cart > adds'], ['test/a.test.ts::cart > adds']],
    [
      "Node's own",
      [
        '✔ adds (0.4ms)',
        '✖ takes a coupon (1.24ms)',
        '  ✖ rounds (0.9ms)',
        '✖ failing tests:',
        '✖ 3 problems (3 errors)',
      ],
      ['takes a coupon', 'rounds'],
    ],
    ['Mocha', MOCHA, ['Cart totals rounds half up']],
    ['Surefire', MAVEN, ['com.acme.shop.CartTest.adds']],
    [
      'Surefire, only its list',
      [
        'Failed tests: ',
        '  adds(com.acme.CartTest): expected 3',
        'Tests in error: ',
        '  CartTest.takes:12->check:8 » NullPointer',
        '',
      ],
      ['adds(com.acme.CartTest)', 'CartTest.takes'],
    ],
    [
      'Gradle',
      ['CartTest > adds() FAILED', '> Task :test FAILED', 'com.acme.CartTest.takes FAILED'],
      ['CartTest > adds()', 'com.acme.CartTest.takes'],
    ],
    [
      'Ant',
      [
        '    [junit] Running com.acme.CartTest',
        '    [junit] Testcase: adds took 0.1 sec',
        '    [junit] \tFAILED',
        '    [junit] Testcase: takes took 0.1 sec',
      ],
      ['com.acme.CartTest.adds'],
    ],
    [
      'JUnit console',
      ["    MethodSource [className = 'com.acme.CartTest', methodName = 'adds', methodParameterTypes = '']"],
      ['com.acme.CartTest.adds'],
    ],
    ['Go', ['--- FAIL: TestA (0.00s)', '    --- FAIL: TestA/b (0.00s)'], ['TestA', 'TestA/b']],
    ['Rust', ['test cart::adds ... FAILED', 'test cart::takes ... ok'], ['cart::adds']],
    ['RSpec', ['rspec ./spec/cart_spec.rb:12 # Cart adds'], ['spec/cart_spec.rb::Cart adds']],
    [
      'GoogleTest',
      ['[  FAILED  ] Cart.Adds (3 ms)', '[  FAILED  ] 1 test, listed below:', '[  FAILED  ] Cart.Adds'],
      ['Cart.Adds'],
    ],
    ['CTest', ['  3/12 Test  #3: cart_adds .......***Failed    0.01 sec'], ['cart_adds']],
    ['.NET', ['  Failed Acme.CartTest.Adds [12 ms]'], ['Acme.CartTest.Adds']],
    ['TAP', ['ok 1 - a', 'not ok 2 - adds', 'not ok 3 - later # TODO', 'not ok 4 - never # SKIP'], ['adds']],
  ])('of %s', (_, lines, expected) => {
    expect(names(lines)).toEqual(expected);
  });

  it('of a green run are none, whatever it prints', () => {
    const green = [
      'tests/test_cart.py::test_failed_login PASSED [100%]',
      '[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0',
      'CartTest > failsOnEmpty() PASSED',
      'test fails_when_empty ... ok',
      '  ✓ 1) shows FAILED orders',
      'ok 3 - not ok is not ok',
      'ERROR: relation "orders" does not exist',
      'Error: FAILED to connect, retrying',
      '  11 passing (2s)',
      'FAIL: 0 tests',
    ];
    expect(names(green)).toEqual([]);
  });
});
