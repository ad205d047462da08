// The same failure as nine runners print it and as they write it to a result file, each with one failed test.

export interface RunnerSample {
  readonly runner: string;
  /** The lines of the runner's own output. */
  readonly log: string;
  readonly xml: string;
  /** A line of the file alone: the message that people should see. */
  readonly message: string;
  /** Where the trace of the file points first. */
  readonly place: string;
}

const suite = (attributes: string, cases: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite ${attributes}>${cases}</testsuite></testsuites>\n`;

export const SAMPLES: readonly RunnerSample[] = [
  {
    runner: 'pytest',
    log: [
      'tests/test_cart.py::TestCart::test_adds[1-2] FAILED                      [100%]',
      '=================================== FAILURES ===================================',
      '___________________________ TestCart.test_adds[1-2] ____________________________',
      '>       assert add(a, b) == 3',
      'E       assert 4 == 3',
      'tests/test_cart.py:12: AssertionError',
      '=========================== short test summary info ============================',
      'FAILED tests/test_cart.py::TestCart::test_adds[1-2] - assert 4 == 3',
    ].join('\n'),
    xml: suite(
      'name="pytest" errors="0" failures="1" tests="2"',
      `<testcase classname="tests.test_cart.TestCart" name="test_keeps" time="0.001" /><testcase classname="tests.test_cart.TestCart" name="test_adds[1-2]" time="0.002"><failure message="assert 4 == 3">self = &lt;test_cart.TestCart object&gt;

&gt;       assert add(a, b) == 3
E       assert 4 == 3

tests/test_cart.py:12: AssertionError</failure></testcase>`,
    ),
    message: 'assert 4 == 3',
    place: 'tests/test_cart.py:12',
  },
  {
    runner: 'Surefire',
    log: [
      '[INFO] Running com.acme.shop.CartTest',
      '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.acme.shop.CartTest',
      '[ERROR] com.acme.shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!',
      'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>',
      '\tat com.acme.shop.CartTest.adds(CartTest.java:21)',
      '[ERROR] Failures: ',
      '[ERROR]   CartTest.adds:21 expected: <3> but was: <4>',
      '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.acme.shop.CartTest" time="0.05" tests="2" errors="0" skipped="0" failures="1">
  <properties><property name="java.version" value="21"/></properties>
  <testcase name="keeps" classname="com.acme.shop.CartTest" time="0.01"/>
  <testcase name="adds" classname="com.acme.shop.CartTest" time="0.01">
    <failure message="expected: &lt;3&gt; but was: &lt;4&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <3> but was: <4>
\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
\tat com.acme.shop.CartTest.adds(CartTest.java:21)
]]></failure>
    <system-out><![CDATA[starting the cart]]></system-out>
  </testcase>
</testsuite>
`,
    message: 'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>',
    place: 'com/acme/shop/CartTest.java:21',
  },
  {
    runner: 'Gradle',
    log: [
      '> Task :test FAILED',
      '',
      'CartTest > adds() FAILED',
      '    org.opentest4j.AssertionFailedError at CartTest.java:21',
      '',
      '2 tests completed, 1 failed',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.acme.shop.CartTest" tests="2" skipped="0" failures="1" errors="0" timestamp="2026-03-01T10:00:00" hostname="runner" time="0.031">
  <properties/>
  <testcase name="adds()" classname="com.acme.shop.CartTest" time="0.02">
    <failure message="org.opentest4j.AssertionFailedError: expected: &lt;3&gt; but was: &lt;4&gt;" type="org.opentest4j.AssertionFailedError">org.opentest4j.AssertionFailedError: expected: &lt;3&gt; but was: &lt;4&gt;
\tat app//com.acme.shop.CartTest.adds(CartTest.java:21)
</failure>
  </testcase>
</testsuite>
`,
    message: 'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>',
    place: 'com/acme/shop/CartTest.java:21',
  },
  {
    runner: 'jest-junit',
    log: [
      'FAIL src/cart.test.js',
      '  ● Cart › adds two numbers',
      '',
      '    expect(received).toBe(expected) // Object.is equality',
      '',
      '    Expected: 3',
      '    Received: 4',
      '',
      '      at Object.toBe (src/cart.test.js:7:21)',
      '',
      'Tests:       1 failed, 1 passed, 2 total',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jest tests" tests="2" failures="1" errors="0" time="1.2">
  <testsuite name="Cart" errors="0" failures="1" skipped="0" timestamp="2026-03-01T10:00:00" time="0.9" tests="2">
    <testcase classname="Cart keeps" name="Cart keeps" time="0.003"></testcase>
    <testcase classname="Cart adds two numbers" name="Cart adds two numbers" time="0.006">
      <failure>Error: expect(received).toBe(expected) // Object.is equality

Expected: 3
Received: 4
    at Object.toBe (/home/runner/work/shop/shop/src/cart.test.js:7:21)
    at Promise.then.completed (/home/runner/work/shop/shop/node_modules/jest-circus/build/utils.js:298:28)</failure>
    </testcase>
  </testsuite>
</testsuites>
`,
    message: 'expect(received).toBe(expected) // Object.is equality',
    place: 'src/cart.test.js:7',
  },
  {
    runner: 'Vitest',
    log: [
      ' FAIL  test/cart.test.ts > Cart > adds two numbers',
      'AssertionError: expected 4 to be 3 // Object.is equality',
      ' ❯ test/cart.test.ts:7:21',
      ' Test Files  1 failed (1)',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="2" failures="1" errors="0" time="0.3">
    <testsuite name="test/cart.test.ts" timestamp="2026-03-01T10:00:00" hostname="runner" tests="2" failures="1" errors="0" skipped="0" time="0.01">
        <testcase classname="test/cart.test.ts" name="Cart &gt; adds two numbers" time="0.004">
            <failure message="expected 4 to be 3 // Object.is equality" type="AssertionError">
AssertionError: expected 4 to be 3 // Object.is equality
 ❯ test/cart.test.ts:7:21
            </failure>
        </testcase>
    </testsuite>
</testsuites>
`,
    message: 'AssertionError: expected 4 to be 3 // Object.is equality',
    place: 'test/cart.test.ts:7',
  },
  {
    runner: 'go-junit-report',
    log: [
      '=== RUN   TestAdds/two_numbers',
      '    cart_test.go:12: got 4, want 3',
      '--- FAIL: TestAdds (0.00s)',
      '    --- FAIL: TestAdds/two_numbers (0.00s)',
      'FAIL',
      'FAIL\tgithub.com/acme/shop/cart\t0.004s',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="2">
\t<testsuite name="github.com/acme/shop/cart" tests="3" failures="2" errors="0" id="0" hostname="runner" time="0.004" timestamp="2026-03-01T10:00:00Z">
\t\t<testcase name="TestAdds" classname="github.com/acme/shop/cart" time="0.000">
\t\t\t<failure message="Failed"></failure>
\t\t</testcase>
\t\t<testcase name="TestAdds/two_numbers" classname="github.com/acme/shop/cart" time="0.000">
\t\t\t<failure message="Failed"><![CDATA[    cart_test.go:12: got 4, want 3]]></failure>
\t\t</testcase>
\t\t<testcase name="TestKeeps" classname="github.com/acme/shop/cart" time="0.000"></testcase>
\t</testsuite>
</testsuites>
`,
    message: 'cart_test.go:12: got 4, want 3',
    place: 'cart/cart_test.go:12',
  },
  {
    runner: 'PHPUnit',
    log: [
      'There was 1 failure:',
      '',
      '1) App\\Tests\\CartTest::testAdds with data set #0 (1, 2)',
      'Failed asserting that 4 is identical to 3.',
      '',
      '/home/runner/work/shop/shop/tests/CartTest.php:19',
      '',
      'FAILURES!',
      'Tests: 2, Assertions: 2, Failures: 1.',
    ].join('\n'),
    xml: suite(
      'name="default" tests="2" assertions="2" errors="0" failures="1"',
      `<testsuite name="App\\Tests\\CartTest" file="/home/runner/work/shop/shop/tests/CartTest.php" tests="2" failures="1"><testsuite name="App\\Tests\\CartTest::testAdds" tests="2" failures="1"><testcase name="testAdds with data set #0" file="/home/runner/work/shop/shop/tests/CartTest.php" line="16" class="App\\Tests\\CartTest" classname="App.Tests.CartTest" assertions="1" time="0.001"><failure type="PHPUnit\\Framework\\ExpectationFailedException">App\\Tests\\CartTest::testAdds with data set #0 (1, 2)
Failed asserting that 4 is identical to 3.

/home/runner/work/shop/shop/tests/CartTest.php:19</failure></testcase></testsuite></testsuite>`,
    ),
    message: 'Failed asserting that 4 is identical to 3.',
    place: 'tests/CartTest.php:16',
  },
  {
    runner: 'nextest',
    log: [
      '        FAIL [   0.004s] shop cart::tests::adds',
      "thread 'cart::tests::adds' panicked at src/cart.rs:31:9:",
      'assertion `left == right` failed',
      '  left: 4',
      ' right: 3',
      '     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="2" failures="1" errors="0" uuid="4b1f8d0e-3c52-4d0f-9a55-0d1f6f1c2b3a" timestamp="2026-03-01T10:00:00.000+00:00" time="0.005">
    <testsuite name="shop" tests="2" disabled="0" errors="0" failures="1">
        <testcase name="cart::tests::adds" classname="shop" timestamp="2026-03-01T10:00:00.000+00:00" time="0.004">
            <failure message="thread 'cart::tests::adds' panicked at src/cart.rs:31:9" type="test failure">thread 'cart::tests::adds' panicked at src/cart.rs:31:9:
assertion \`left == right\` failed
  left: 4
 right: 3</failure>
        </testcase>
    </testsuite>
</testsuites>
`,
    message: "thread 'cart::tests::adds' panicked at src/cart.rs:31:9",
    place: 'src/cart.rs:31',
  },
  {
    runner: 'node:test',
    log: [
      '✖ adds two numbers (1.23ms)',
      'ℹ tests 2',
      '✖ failing tests:',
      'test at test/cart.test.js:5:1',
      '✖ adds two numbers (1.23ms)',
      '  AssertionError [ERR_ASSERTION]: 4 !== 3',
      '      at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/cart.test.js:6:10)',
    ].join('\n'),
    xml: `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="keeps" time="0.000500" classname="test" file="/home/runner/work/shop/shop/test/cart.test.js"/>
	<testcase name="adds two numbers" time="0.001230" classname="test" file="/home/runner/work/shop/shop/test/cart.test.js">
		<failure type="testCodeFailure" message="4 !== 3">
[Error [ERR_TEST_FAILURE]: 4 !== 3] {
  code: 'ERR_TEST_FAILURE',
  cause: AssertionError [ERR_ASSERTION]: 4 !== 3
      at TestContext.&lt;anonymous&gt; (file:///home/runner/work/shop/shop/test/cart.test.js:6:10)
}
		</failure>
	</testcase>
	<!-- tests 2 -->
</testsuites>
`,
    message: '4 !== 3',
    place: 'test/cart.test.js:6',
  },
];
