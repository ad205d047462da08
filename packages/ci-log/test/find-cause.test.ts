// What went wrong, where a runner names the test on one line and tells why on another.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../src/read-check.ts';
import { actionsLog } from './logs.ts';

function excerptOf(output: readonly string[]) {
  return readCheck({ name: 'test', output: '', log: actionsLog('make test', output), annotations: [] }).excerpt;
}

describe('the headline of a traceback', () => {
  const TRACEBACK = [
    'Traceback (most recent call last):',
    '  File "/app/lib/types.py", line 817, in convert',
    '    self.fail(',
    '    ~~~~~~~~~^',
    '  File "/app/lib/types.py", line 164, in fail',
    '    raise BadParameter(message, ctx=ctx, param=param)',
    "app.exceptions.BadParameter: 'intro' is not a valid boolean",
  ];

  it('is what was raised, whatever its name, and not a source line that speaks of failing', () => {
    expect(excerptOf(['ready', ...TRACEBACK]).headline).toBe(TRACEBACK.at(-1));
  });

  it('is what was raised where nothing is said about it', () => {
    const silent = [...TRACEBACK.slice(0, -1), 'app.exceptions.Refused'];
    expect(excerptOf(['ready', ...silent]).headline).toBe('app.exceptions.Refused');
  });
});

describe('the headline of a failed test', () => {
  it.each<[string, readonly string[], string, string]>([
    [
      "Node's own, which tells why at the end only",
      [
        '✔ adds (0.4ms)',
        '✖ takes a coupon (1.24ms)',
        'ℹ fail 1',
        '✖ failing tests:',
        '',
        'test at test/coupons.test.js:14:1',
        '✖ takes a coupon (1.24ms)',
        "  TypeError: Cannot read properties of undefined (reading 'percent')",
        '      at discountFor (file:///home/runner/work/shop/shop/src/coupons.js:14:11)',
      ],
      "TypeError: Cannot read properties of undefined (reading 'percent')",
      'takes a coupon',
    ],
    [
      "minitest's, below a line that has the place",
      [
        '  1) Failure:',
        'CartTest#test_takes_a_coupon [/home/runner/work/shop/shop/test/cart_test.rb:9]:',
        'the sum is off.',
        'Expected: 90',
        '  Actual: 80',
      ],
      'the sum is off. Expected: 90 Actual: 80',
      'CartTest#test_takes_a_coupon',
    ],
    [
      "minitest's in words",
      ['  1) Failure:', 'CartTest#test_takes_a_coupon [test/cart_test.rb:9]:', 'Evaluated false: 1 <= 0'],
      'Evaluated false: 1 <= 0',
      'CartTest#test_takes_a_coupon',
    ],
    [
      "Node's assert, whose values stand below",
      [
        '✖ takes a coupon (1.24ms)',
        '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
        '  ',
        '  80 !== 90',
      ],
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 80 !== 90',
      'takes a coupon',
    ],
    [
      'Rust',
      [
        'test cart::adds ... FAILED',
        'test cart::takes ... ok',
        '',
        'failures:',
        '',
        '---- cart::adds stdout ----',
        "thread 'cart::adds' panicked at src/cart.rs:12:9:",
        'assertion `left == right` failed',
      ],
      'assertion `left == right` failed',
      'cart::adds',
    ],
    [
      'Go, with what it printed before',
      [
        '=== RUN   TestCoupon',
        '    coupon_test.go:61: want error',
        '--- FAIL: TestCoupon (0.00s)',
        '=== RUN   TestZ',
        '    z_test.go:1: fine',
      ],
      'coupon_test.go:61: want error',
      'TestCoupon',
    ],
    [
      'GoogleTest',
      [
        '[ RUN      ] Cart.Adds',
        '/src/cart_test.cc:12: Failure',
        'Expected equality of these values:',
        '[  FAILED  ] Cart.Adds (3 ms)',
      ],
      'Expected equality of these values:',
      'Cart.Adds',
    ],
    [
      'unittest',
      [
        'FAIL: test_a (shop.tests.CartTest)',
        '-----',
        'Traceback (most recent call last):',
        '  File "/x/a.py", line 3, in test_a',
        'AssertionError: 1 != 2',
      ],
      'AssertionError: 1 != 2',
      'test_a (shop.tests.CartTest)',
    ],
    [
      '.NET',
      ['  Failed Acme.CartTest.Adds [12 ms]', '  Error Message:', '   Assert.Equal() Failure', '  Stack Trace:'],
      'Assert.Equal() Failure',
      'Acme.CartTest.Adds',
    ],
    [
      'Node, where a string was thrown',
      ['✖ trusts proxies (1.24ms)', "  'plan expected 13 assertions but received 11'"],
      "'plan expected 13 assertions but received 11'",
      'trusts proxies',
    ],
    [
      'ExUnit',
      ['  1) test removes buckets (KV.RegistryTest)', '     ** (exit) exited in: GenServer.call(:stop, 5000)'],
      '** (exit) exited in: GenServer.call(:stop, 5000)',
      'test removes buckets (KV.RegistryTest)',
    ],
    [
      'RSpec, whose list of names comes last',
      [
        '  1) Cart adds',
        '     Failure/Error: expect(cart.sum).to eq 3',
        '',
        'rspec ./spec/cart_spec.rb:12 # Cart adds',
      ],
      'Failure/Error: expect(cart.sum).to eq 3',
      'spec/cart_spec.rb::Cart adds',
    ],
  ])('of %s is the error, the test is kept by name', (_, output, headline, test) => {
    const excerpt = excerptOf(output);
    expect(excerpt.headline.trim()).toBe(headline);
    expect(excerpt.tests).toEqual([test]);
    expect(excerpt.lines.some((line) => headline.startsWith(line.trim()) && line.trim() !== '')).toBe(true);
  });

  it('has both values of a difference that minitest shows, at the place of the test as well', () => {
    const output = [
      ...['  1) Failure:', 'CartTest#test_takes_a_coupon [test/cart_test.rb:9]:', '--- expected', '+++ actual'],
      ...['@@ -1,3 +1,3 @@', ' # encoding: UTF-8', ' #    valid: true', '-"YAY"', '+"Yay"', ''],
    ];
    const said = 'Expected: "YAY" Actual: "Yay"';
    const check = readCheck({ name: 'test', output: '', log: actionsLog('rake', output), annotations: [] });
    expect(check.excerpt.headline).toBe(said);
    expect(check.places).toEqual([{ path: 'test/cart_test.rb', line: 9, message: said }]);
  });

  it('is the name without its duration where the log says no more, never the error of another test', () => {
    const { headline } = excerptOf([
      '✖ takes a coupon (1.24ms)',
      '✖ rounds half up (0.91ms)',
      '  TypeError: sum is not a function',
    ]);
    expect(headline).toBe('✖ takes a coupon');
  });

  it('is shown in the excerpt, far as it is from the name', () => {
    const said = ['  1) Cart adds', '     Failure/Error: expect(cart.sum).to eq 3'];
    const passing = Array.from({ length: 90 }, (_, index) => `example ${index} passed`);
    const { headline, lines } = excerptOf([...said, ...passing, 'rspec ./spec/cart_spec.rb:12 # Cart adds']);
    expect(headline.trim()).toBe('Failure/Error: expect(cart.sum).to eq 3');
    expect(lines).toContain(said[1]);
  });

  it('is the naming line where that tells why as well', () => {
    const line = 'FAILED tests/test_cart.py::test_total - assert 3 == 4';
    expect(excerptOf([line, 'ValueError: of something else']).headline).toBe(line);
  });

  it.each([
    [
      'announces it',
      ['error during build:', 'Build failed with 1 error:', '"total" is not exported by "src/cart.ts".'],
      2,
    ],
    ['is a label with a count', ['Unused files (1)', 'src/unused.js was never imported'], 1],
    [
      'names the file of Biome',
      [
        './a.ts:1:13 lint/unused ━━━━━━━━',
        '',
        '  × This import is unused.',
        '',
        'If you wish to fix errors, use --fix',
      ],
      2,
    ],
    ['only counts', ['app/cart.rb could not be parsed', '1 file had errors'], 0],
  ])('is the line that says it where another %s', (_, output, at) => {
    expect(excerptOf(output).headline).toBe(output[at]?.trim());
  });

  it.each<[string, readonly string[], string]>([
    [
      'an open bracket',
      ['CMake Error at x.cmake:230 (message):', '  Could NOT find Boost (Required is at', '  least version "1.99")'],
      'CMake Error at x.cmake:230 (message): Could NOT find Boost (Required is at least version "1.99")',
    ],
    [
      'the values that it compares',
      [
        '✖ takes a coupon (1.24ms)',
        '  AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal:',
        '  ',
        '  ',
        '  {',
        '    total: 80',
        '  }',
        '  ',
        '  should loosely deep-equal',
        '  ',
        '  {',
        '    total: 90',
        '  }',
      ],
      'AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal: { total: 80 } should loosely deep-equal { total: 90 }',
    ],
    ['a colon', ['error: cannot link these:', '    cart.o', '    tax.o'], 'error: cannot link these: cart.o'],
    ['a bracket that is quoted', ["error: expected '('", '    total 3)'], "error: expected '('"],
    ['no text below', ['error: cannot link these:', 'done'], 'error: cannot link these:'],
  ])('takes in what completes it: %s', (_, output, headline) => {
    expect(excerptOf(output).headline).toBe(headline);
  });

  it.each<[string, readonly string[], number]>([
    [
      'Perl',
      ['Global symbol "$x" requires a package at t.t line 6.', 'Execution of t.t aborted due to compilation errors.'],
      0,
    ],
    [
      'Bazel',
      [
        'ERROR: shop/BUILD:106:8: Executing genrule //shop:cart failed (Exit 1): bash failed: error executing command',
        "cp: cannot stat 'tools': No such file or directory",
        'Target //shop:cart failed to build',
      ],
      1,
    ],
  ])('is the error, not what %s gave up for it', (_, output, at) => {
    expect(excerptOf(output).headline).toBe(output[at]);
  });
});

describe('the values that an assertion of Node compares', () => {
  const spec = (message: readonly string[]) => [
    '✖ takes a coupon (1.24ms)',
    `  AssertionError [ERR_ASSERTION]: ${message[0]}`,
    ...message.slice(1).map((line) => `  ${line}`),
    '      at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/coupons.test.js:33:12)',
    '      at async startSubtestAfterBootstrap (node:internal/test_runner/harness:387:3) {',
    '    generatedMessage: true,',
    "    code: 'ERR_ASSERTION',",
    "    operator: 'strictEqual'",
    '  }',
  ];
  const tap = (message: readonly string[]) => [
    'TAP version 13',
    'not ok 1 - takes a coupon',
    '  ---',
    '  duration_ms: 1.24',
    "  location: '/home/runner/work/shop/shop/test/coupons.test.js:33:12'",
    "  failureType: 'testCodeFailure'",
    '  error: |-',
    ...message.map((line) => `    ${line}`),
    "  code: 'ERR_ASSERTION'",
    "  name: 'AssertionError'",
    '  stack: |-',
    '    TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/coupons.test.js:33:12)',
    '  ...',
  ];
  const difference = ['+ actual - expected', ''];

  it.each<[string, readonly string[], string]>([
    ['one line', ['Expected values to be strictly equal:', '', '2400 !== 4800', ''], ' 2400 !== 4800'],
    [
      'a difference of one line',
      ['Expected values to be strictly equal:', ...difference, '+ null', "- '1234'", ''],
      " null !== '1234'",
    ],
    [
      'a difference with a caret',
      ['Expected values to be strictly equal:', ...difference, "+ 'bat'", "- 'bat, cat'", '      ^', ''],
      " 'bat' !== 'bat, cat'",
    ],
    [
      'a difference of several lines',
      [
        ...['Expected values to be strictly deep-equal:', ...difference, '  {', '    a: 1,', '    b: ['],
        ...['      1,', '+     2,', '-     3,', '      4', '    ]', '  }', ''],
      ],
      ' + 2 - 3',
    ],
    [
      'both sides in turn',
      ['Expected values to be loosely deep-equal:', '', '[ 1, 2 ]', '', 'should loosely deep-equal', '', '[ 1, 3 ]'],
      ' [ 1, 2 ] should loosely deep-equal [ 1, 3 ]',
    ],
    [
      'an expression',
      ['The expression evaluated to a falsy value:', '', '  assert(total === 2)', ''],
      ' assert(total === 2)',
    ],
    [
      'a text that does not match',
      ['The input did not match the regular expression /Latin/. Input:', '', "'Usage:\\n' +", "  'Options:\\n'", ''],
      " 'Usage:\\n' + 'Options:\\n'",
    ],
  ])('are in the headline: %s', (_, message, values) => {
    const said = `${message[0]}${values}`;
    expect(excerptOf(spec(message)).headline).toBe(`AssertionError [ERR_ASSERTION]: ${said}`);
    expect(excerptOf(tap(message)).headline).toBe(`AssertionError: ${said}`);
  });

  it('show where long ones differ', () => {
    const same = 'a'.repeat(150);
    const message = ['Expected values to be strictly equal:', ...difference, `+ '${same}is'`, `- '${same}should be'`];
    const { headline } = excerptOf(spec(message));
    expect(headline).toContain(' !== … ');
    expect(headline).toContain("should be'");
    expect(headline.length).toBeLessThan(300);
  });

  it('of Jest stand beside each other', () => {
    const jest = [
      '  ● Cart › adds',
      '',
      '    assert.strictEqual(received, expected)',
      '',
      '    Expected value to strictly be equal to:',
      '      4800',
      '    Received:',
      '      2400',
      '',
      '      2 |',
      '    > 4 |   it("adds");',
      '',
      '      at Object.strictEqual (test/cart.test.js:4:34)',
      '  ● Cart › adds texts',
      '',
      '    Expected value to strictly be equal to:',
      '      "the basket"',
    ];
    expect(excerptOf(jest).headline).toBe('Expected value to strictly be equal to: 4800 Received: 2400');
  });
});

it('leaves out the margin of pytest at whatever depth the source stands', () => {
  const output = [
    '=================================== FAILURES ===================================',
    '____________________________ TestCart.test_discount ____________________________',
    '            with cart:',
    '>               assert cart.total == 90',
    'E               AssertionError: assert 80 == 90',
    'E                +  where 80 = Cart().total',
    '',
    'tests/test_cart.py:12: AssertionError',
    '=========================== short test summary info ============================',
    'FAILED tests/test_cart.py::TestCart::test_discount - AssertionError: assert 80 == 90',
    '============================== 1 failed in 0.12s ===============================',
  ];
  expect(excerptOf(output).headline).toBe('AssertionError: assert 80 == 90');
});
