// Names of failed tests, by runner.
import { describe, expect, it } from 'vitest';
import { findFailedTests } from '../src/failed-tests.ts';
import { readLogLines } from '../src/log-lines.ts';
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
    [
      'unittest with commas in the name',
      ['ERROR: test_watch,_and_throw (shop.tests.CartTest)'],
      ['test_watch,_and_throw (shop.tests.CartTest)'],
    ],
    [
      'Gradle with long parameters',
      [`shop.CartTest > adds[${'a, '.repeat(150)}b] FAILED`],
      [`shop.CartTest > adds[${'a, '.repeat(150)}b]`],
    ],
    [
      'sbt with JUnit',
      ['[info] [error] Test shop.CartTest.adds failed: java.lang.AssertionError: 1'],
      ['shop.CartTest.adds'],
    ],
    ['Biome, which marks findings with a cross', ['src/a.ts:2:1 lint/style', '', '  ✖ Use const instead.'], []],
    ['Jest', JEST, ['coupons › takes the discount off once']],
    ['Vitest', [' FAIL  test/a.test.ts > cart > adds'], ['test/a.test.ts::cart > adds']],
    [
      'Vitest, with the name of a project, which is a badge in colour',
      [' FAIL  |unit| test/a.test.ts > cart > adds', ' FAIL   node  test/b.test.ts > cart > takes'],
      ['test/a.test.ts::cart > adds', 'test/b.test.ts::cart > takes'],
    ],
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
    [
      "Node's own, without the suites that failed for them",
      ['▶ carts', '  ✖ adds (0.9ms)', '✖ carts (1.2ms)'],
      ['adds'],
    ],
    [
      'TAP, without the test of which it is a part',
      ['    not ok 1 - adds', '      ---', 'not ok 2 - carts', '  ---', "  failureType: 'subtestsFailed'"],
      ['adds'],
    ],
    [
      'tape, whose lines are assertions',
      [
        ...['TAP version 13', '# adds', 'ok 1 should be equal', '# takes a coupon', 'ok 2 should be truthy'],
        ...[
          'not ok 3 should be equal',
          '  ---',
          'not ok 4 should throw',
          '# rounds',
          'not ok 5 should be equal',
          '# fail 3',
        ],
      ],
      ['takes a coupon', 'rounds'],
    ],
    [
      'tape, whose process an error ends within a test',
      [
        ...['TAP version 13', '# adds', 'ok 1 should be equal', '# takes a coupon', '/a/src/coupons.js:3'],
        ...['    throw new Error("no coupon")', '    ^', '', 'Error: no coupon', '    at take (/a/src/coupons.js:3:9)'],
        ...['', 'Node.js v22.1.0', 'npm error code 1'],
      ],
      ['takes a coupon'],
    ],
    [
      'brittle, which had a result of the test above',
      [
        ...['TAP version 13', '', '# adds', '    ok 1 - should be equal', 'ok 1 - adds # time = 3ms', ''],
        ...['Error: no coupon', '    at take (/a/src/coupons.js:3:9)', '', 'Node.js v22.1.0'],
      ],
      [],
    ],
    [
      'tape, where another process ended so, and the tests went on',
      [
        ...[
          'TAP version 13',
          '# adds',
          'Error: no coupon',
          '    at take (/a/src/coupons.js:3:9)',
          '',
          'Node.js v22.1.0',
        ],
        ...['ok 1 should exit', '# takes a coupon', 'ok 2 should be equal', '1..2', '# tests 2'],
      ],
      [],
    ],
    [
      'tape, whose process a test ends itself',
      ['TAP version 13', '# adds', 'Error: no coupon', '    at take (/a/src/coupons.js:3:9)'],
      [],
    ],
    [
      'node-tap, whose files and tests have results of their own',
      [
        ...['TAP version 14', '# Subtest: test/cart.js', '    # Subtest: cart', '        # Subtest: adds'],
        ...['            not ok 1 - should be equal', '            not ok 2 - should be equal', '            1..2'],
        ...['        not ok 1 - adds # time=3ms', '    not ok 1 - cart # time=4ms', '    not ok 2 - ended'],
        ...[
          '    # Subtest: rounds',
          '        ok 1 - should be equal',
          '    ok 3 - rounds',
          'not ok 1 - test/cart.js # time=9ms',
        ],
      ],
      ['adds', 'ended'],
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
    ['minitest with groups', ['cart#test_0001_adds up [test/cart_test.rb:9]:'], ['cart#test_0001_adds up']],
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

  it('of a green run are none, for any output', () => {
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

function testNames(log: string): readonly string[] {
  const lines = readLogLines(log);
  return findFailedTests(lines, 0, lines.length).map(({ name }) => name);
}

const SAMPLES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'phpunit',
    'There were 2 failures:\n\n1) Shop\\Tests\\CartTest::testTotal\nFailed asserting that 3 matches expected 4.\n\n/app/tests/CartTest.php:12\n\n2) Shop\\Tests\\CartTest::testTax with data set "de" (19)\nFailed asserting\n\nFAILURES!\nTests: 5, Assertions: 9, Failures: 2.',
    ['Shop\\Tests\\CartTest::testTotal', 'Shop\\Tests\\CartTest::testTax with data set "de" (19)'],
  ],
  ['dotnet', '  Failed Shop.CartTest.Adds [12 ms]\n  Error Message:\n   Assert', ['Shop.CartTest.Adds']],
  [
    'dotnet theory with spaces',
    '  Failed Shop.CartTest.Adds(a: 1, b: "x y") [< 1 ms]',
    ['Shop.CartTest.Adds(a: 1, b: "x y")'],
  ],
  ['xunit', '[xUnit.net 00:00:01.23]     Shop.CartTest.Adds [FAIL]', ['Shop.CartTest.Adds']],
  ['ctest', '3/7 Test  #3: cart ........***Failed    0.02 sec', ['cart']],
  [
    'ctest list',
    'The following tests FAILED:\n\t  3 - cart.total (Failed)\n\t  5 - cart.tax (SEGFAULT)\nErrors while running CTest',
    ['cart.total', 'cart.tax'],
  ],
  [
    'bazel',
    '//shop/cart:cart_test                                   FAILED in 2.3s\n//shop/tax:tax_test     TIMEOUT in 60.0s\n//shop:ok PASSED in 1s',
    ['//shop/cart:cart_test', '//shop/tax:tax_test'],
  ],
  ['bazel shards', '//shop/cart:cart_test   FAILED in 3 out of 5 in 2.3s', ['//shop/cart:cart_test']],
  ['ava', '  ✘ [fail]: cart › adds up Error thrown in test', ['cart › adds up']],
  ['bun', '(fail) cart > adds [1.02ms]', ['cart > adds']],
  ['deno', 'adds ... FAILED (3ms)', ['adds']],
  [
    'playwright',
    '  1) [chromium] › tests/cart.spec.ts:3:1 › cart › adds ────────────',
    ['[chromium] › tests/cart.spec.ts:3:1 › cart › adds'],
  ],
  ['karma', 'Chrome Headless 120.0.0.0 (Linux x86_64) Cart adds up FAILED', ['Cart adds up']],
  [
    'exunit',
    '  1) test adds up (Shop.CartTest)\n     test/cart_test.exs:12\n     Assertion with == failed',
    ['test adds up (Shop.CartTest)'],
  ],
  ['xctest', "Test Case '-[ShopTests.CartTests testAdds]' failed (0.003 seconds).", ['ShopTests.CartTests testAdds']],
  ['xctest linux', "Test Case 'CartTests.testAdds' failed (0.003 seconds)", ['CartTests.testAdds']],
  ['minitest', '  1) Failure:\nCartTest#test_adds [test/cart_test.rb:12]:\nExpected: 3', ['CartTest#test_adds']],
  ['minitest rails', 'Failure:\nCartTest#test_adds [test/cart_test.rb:12]:\nExpected: 3', ['CartTest#test_adds']],
  ['scalatest', '[info] - adds up *** FAILED ***', ['adds up']],
  ['testng', 'FAILED: adds', ['adds']],
  ['prove', 't/cart.t ........ (Wstat: 256 Tests: 3 Failed: 1)', ['t/cart.t']],
  ['robot', 'Cart Adds Up                                                          | FAIL |', ['Cart Adds Up']],
  ['flutter', '00:01 +3 -1: cart adds up [E]', ['cart adds up']],
  ['gotestsum', '=== FAIL: shop/cart TestAdds (0.00s)', ['TestAdds']],
  [
    'behave',
    'Failing scenarios:\n  features/cart.feature:12  Adds up\n\n0 features passed',
    ['features/cart.feature::Adds up'],
  ],
  ['cucumber', 'cucumber features/cart.feature:12 # Scenario: Adds up', ['features/cart.feature::Adds up']],
  ['testthat', '── Failure (test-cart.R:3:3): adds up ──────────', ['adds up']],
  ['hspec', 'Failures:\n\n  test/CartSpec.hs:12:5: \n  1) Cart.add adds up\n       expected: 3', ['Cart.add adds up']],
  ['rspec no summary', 'Failures:\n\n  1) Cart adds up\n     Failure/Error: expect(1).to eq 2', ['Cart adds up']],
  ['jasmine', 'Failures:\n1) Cart adds up\n  Message:\n    Expected 1 to be 2.', ['Cart adds up']],
  ['boost', 'test/cart.cpp(12): error: in "cart/adds": check a == b has failed', ['cart/adds']],
  ['vitest', ' FAIL  src/cart.test.ts > cart > adds up', ['src/cart.test.ts::cart > adds up']],
  ['vitest x', '   × cart > adds up 12ms', ['cart > adds up']],
  ['jest', '  ● cart › adds up', ['cart › adds up']],
  [
    'uvu',
    '   FAIL  "comma() keeps empty value"\n    Expected values to be deeply equal:  (equal)',
    ['comma() keeps empty value'],
  ],
  ['uvu, of a suite', '   FAIL  list  "says "no""\n    Expected value to be truthy', ['says "no"']],
  ['jest single', '  ● adds up\n\n    expect(received).toBe(expected)', ['adds up']],
  ['cargo', 'test cart::adds ... FAILED', ['cart::adds']],
  [
    'cargo list',
    'failures:\n    cart::adds\n    cart::tax\n\ntest result: FAILED. 1 passed; 2 failed',
    ['cart::adds', 'cart::tax'],
  ],
  ['nextest', '        FAIL [   0.012s] shop cart::adds', ['shop cart::adds']],
  ['gradle', 'CartTest > adds(int, int) > [1] 1, 2 FAILED', ['CartTest > adds(int, int) > [1] 1, 2']],
  ['surefire new', '[ERROR] com.shop.CartTest.adds -- Time elapsed: 0.012 s <<< FAILURE!', ['com.shop.CartTest.adds']],
  [
    'surefire params',
    '[ERROR] com.shop.CartTest.adds(int, String)[1] -- Time elapsed: 0.012 s <<< ERROR!',
    ['com.shop.CartTest.adds(int, String)[1]'],
  ],
  [
    'pytest params',
    'FAILED tests/test_cart.py::TestCart::test_add[a b-1 - 2] - assert 1 == 2',
    ['tests/test_cart.py::TestCart::test_add[a b-1 - 2]'],
  ],
  ['pytest collection', 'ERROR tests/test_cart.py - ImportError: no', ['tests/test_cart.py']],
  ['pytest xdist', '[gw1] [ 50%] FAILED tests/test_cart.py::test_add ', ['tests/test_cart.py::test_add']],
  ['unittest', 'FAIL: test_add (tests.test_cart.CartTest.test_add)', ['test_add (tests.test_cart.CartTest.test_add)']],
  ['unittest verbose', 'test_add (tests.test_cart.CartTest) ... FAIL', ['test_add (tests.test_cart.CartTest)']],
  ['unittest err', 'ERROR: setUpClass (tests.test_cart.CartTest)', ['setUpClass (tests.test_cart.CartTest)']],
  [
    'unittest import',
    'ERROR: tests.test_cart (unittest.loader._FailedTest)',
    ['tests.test_cart (unittest.loader._FailedTest)'],
  ],
  ['subtest', 'FAIL: test_add (tests.test_cart.CartTest) (i=3)', ['test_add (tests.test_cart.CartTest) (i=3)']],
  ['nose gen', 'FAIL: tests.test_cart.test_add(1, 2)', ['tests.test_cart.test_add(1, 2)']],
  ['tap', 'not ok 3 - adds up', ['adds up']],
  ['tap none', 'not ok 3 adds up # time=3ms', ['adds up']],
  ['node', '✖ adds up (1.234ms)', ['adds up']],
  [
    'junit console',
    "  JUnit Jupiter:CartTest:adds()\n    MethodSource [className = 'com.shop.CartTest', methodName = 'adds', methodParameterTypes = '']",
    ['com.shop.CartTest.adds'],
  ],
  ['ant', '    [junit] Testcase: adds(com.shop.CartTest):\tFAILED', ['com.shop.CartTest.adds']],
  [
    'ant took',
    '    [junit] Testsuite: com.shop.CartTest\n    [junit] Testcase: adds took 0.01 sec\n    [junit] \tFAILED',
    ['com.shop.CartTest.adds'],
  ],
  ['ant test', '    [junit] Test com.shop.CartTest FAILED', ['com.shop.CartTest']],
  ['mocha', '  1 failing\n\n  1) cart\n       adds up:\n     Error: x', ['cart adds up']],
  ['ginkgo', '[Fail] Cart [It] adds up\n/x/cart_test.go:12', ['Cart [It] adds up']],
  ['go panic', '--- FAIL: TestAdds/with_tax (0.00s)', ['TestAdds/with_tax']],
  ['gtest', '[  FAILED  ] Cart.Adds (3 ms)', ['Cart.Adds']],
  ['gtest param', '[  FAILED  ] All/Cart.Adds/2, where GetParam() = 3', ['All/Cart.Adds/2']],
  ['rspec', 'rspec ./spec/cart_spec.rb:12 # Cart adds up', ['spec/cart_spec.rb::Cart adds up']],
  ['rspec id', "rspec './spec/cart_spec.rb[1:2:3]' # Cart adds up", ['spec/cart_spec.rb::Cart adds up']],
  ['pest', '   FAIL  Tests\\Feature\\CartTest\n  ⨯ it adds up', ['it adds up']],
  ['green', 'ok 1 - a\nPASS src/a.test.ts\n 12 passing\n0 failing', []],
];

it.each(SAMPLES)('failed tests of %s', (_, log, expected) => {
  expect(testNames(log)).toEqual(expected);
});

it.each([
  ['a suite that passes', 'ok 1 - a\nPASS src/a.test.ts\n 12 passing\n0 failing'],
  ['a target that did not link', 'FAILED: bin/cart.o\ncc -c cart.c'],
  ['services, and lists of packages', '● nginx.service - web\n  1) install\n  2) build\n    - shop 1.0'],
  ['a linter', 'src/a.js\n  1:1  error  x > y  no-z\n✖ 3 problems (3 errors)'],
  ['a compiler', 'error[E0308]: mismatched types\nerror: could not compile shop\nfailures may follow'],
  ['retries', 'Test Case timeout raised\nattempt 1 (fail) of 3, retry in (5s)\n//shop:a PASSED in 1s'],
])('no test of %s', (_, log) => {
  expect(testNames(log)).toEqual([]);
});

it('testNames nothing that is numbered after a list of failures has ended', () => {
  const log = ['There was 1 failure:', '1) Shop\\CartTest::testAdd', 'FAILURES!', '2) what to do next'];
  expect(testNames(log.join('\n'))).toEqual(['Shop\\CartTest::testAdd']);
});

it('keeps to those that say most: a suite is named only where no test is', () => {
  const suite = '    [junit] Test shop.CartTest FAILED';
  expect(testNames(suite)).toEqual(['shop.CartTest']);
  expect(testNames(`    [junit] Testcase: adds(shop.CartTest):\tFAILED\n${suite}`)).toEqual(['shop.CartTest.adds']);
});

it('testNames a test of pytest by its file only where its own assertion failed', () => {
  const rule = (name: string) => `_____ ${name} _____`;
  const log = [
    '=== FAILURES ===',
    rule('TestCart.test_add[1.5]'),
    'tests/test_base.py:9: ',
    'tests/test_cart.py:9: AssertionError',
    rule('test_b'),
    'tests/test_cart.py:19: ',
    'shop/cart.py:3: KeyError',
    rule('test_c'),
    '/usr/lib/python3/site-packages/test_plugin.py:1: KeyError',
  ];
  expect(testNames(log.join('\n'))).toEqual(['tests/test_cart.py::TestCart::test_add[1.5]', 'test_b', 'test_c']);
});

describe('failed tests of one name', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      "Node's own, in other files and groups",
      [
        '▶ Order',
        '  ✖ adds (0.4ms)',
        '✖ Order (1.2ms)',
        '▶ Bill',
        '  ✖ adds (0.2ms)',
        '✖ Bill (1.1ms)',
        '✖ adds (0.3ms)',
        '✖ failing tests:',
        '',
        'test at test/order.test.js:3:28',
        '✖ adds (0.4ms)',
        '  AssertionError [ERR_ASSERTION]: one',
        '',
        'test at test/order.test.js:4:27',
        '✖ adds (0.2ms)',
        '',
        'test at test/cart.test.js:9:1',
        '✖ adds (0.3ms)',
      ],
      ['test/order.test.js::Order > adds', 'test/order.test.js::Bill > adds', 'test/cart.test.js::adds'],
    ],
    [
      "Node's own as TAP",
      [
        '    not ok 1 - adds',
        '      ---',
        "      location: '/home/runner/work/shop/shop/test/order.test.js:3:28'",
        '      ...',
        'not ok 1 - Order',
        '  ---',
        "  failureType: 'subtestsFailed'",
        '  ...',
        '    not ok 1 - adds',
        '      ---',
        "      location: '/home/runner/work/shop/shop/test/order.test.js:4:27'",
        '      ...',
        'not ok 2 - Bill',
        '  ---',
        "  failureType: 'subtestsFailed'",
        '  ...',
      ],
      ['test/order.test.js::Order > adds', 'test/order.test.js::Bill > adds'],
    ],
    [
      'Jest, which repeats them at the end',
      [
        'FAIL test/order.test.js',
        '  ● Cart › adds',
        'FAIL test/cart.test.js',
        '  ● Cart › adds',
        'Summary of all failing tests',
        'FAIL test/order.test.js',
        '  ● Cart › adds',
        'FAIL test/cart.test.js',
        '  ● Cart › adds',
      ],
      ['test/order.test.js::Cart › adds', 'test/cart.test.js::Cart › adds'],
    ],
    [
      'Mocha',
      [
        '  2 failing',
        '  1) Cart',
        '       adds:',
        '     Error: 1 != 2',
        '      at Context.<anonymous> (test/cart.test.js:4:34)',
        '  2) Cart',
        '       adds:',
        '     Error: 1 != 2',
        '      at Context.<anonymous> (test/order.test.js:4:34)',
      ],
      ['test/cart.test.js::Cart adds', 'test/order.test.js::Cart adds'],
    ],
    [
      'Go, by package',
      [
        '--- FAIL: TestParse (0.00s)',
        '    parse_test.go:3: no',
        'FAIL',
        'FAIL\tgithub.com/acme/shop/cart\t0.01s',
        '--- FAIL: TestParse (0.00s)',
        'FAIL\tgithub.com/acme/shop/till\t0.01s',
      ],
      ['github.com/acme/shop/cart::TestParse', 'github.com/acme/shop/till::TestParse'],
    ],
    [
      'Cargo, by what was built',
      [
        '     Running unittests src/lib.rs (target/debug/deps/shop_core-0123456789abcdef)',
        'test tests::adds ... FAILED',
        '     Running tests/till.rs (target/debug/deps/till-0123456789abcdef)',
        'test tests::adds ... FAILED',
      ],
      ['shop_core::tests::adds', 'tests/till.rs::tests::adds'],
    ],
    ['the same test again', ['FAIL test/cart.test.js', '  ● Cart › adds', '  ● Cart › adds'], ['Cart › adds']],
    ['one in a list and a summary', ['✖ adds (0.4ms)', 'test at test/a.test.js:3:28', '✖ adds (0.4ms)'], ['adds']],
  ])('are told apart: %s', (_, lines, expected) => {
    expect(names(lines)).toEqual(expected);
  });

  it('are counted where nothing else differs', () => {
    const mocha = (line: number) => [
      '       adds:',
      '     Error: no',
      `      at Context.<anonymous> (test/a.js:${line}:4)`,
    ];
    const lines = ['  2 failing', '  1) Cart', ...mocha(4), '  2) Cart', ...mocha(8)];
    expect(names(lines)).toEqual(['test/a.js::Cart adds', 'test/a.js::Cart adds (2)']);
  });
});
