// What a report names is found, and nothing that it does not name.
import { describe, expect, it } from 'vitest';
import { findSignals, splitConstantParts } from '../../src/triage/signals.ts';

describe('places and paths', () => {
  it.each([
    ['src/a.ts:12:5 - error TS2322: Type', 'src/a.ts', 12],
    ['src/a.ts(12,5): error TS2322: Type', 'src/a.ts', 12],
    ['internal/x.go:7:2: undefined: y', 'internal/x.go', 7],
    [' --> src/main.rs:4:5', 'src/main.rs', 4],
    ['[ERROR] /home/ci/App.java:[12,5] cannot find symbol', '/home/ci/App.java', 12],
    ['e: file:///home/ci/App.kt:12:5 Unresolved reference', 'file:///home/ci/App.kt', 12],
    ['see `lib/x.rb:9`, please', 'lib/x.rb', 9],
    ['https://github.com/acme/shop/blob/1a2b3c4/src/cart.ts#L33-L40', 'src/cart.ts', 33],
    ['In [this code](https://github.com/acme/shop/blob/main/src/cart.ts#L33-L40) it breaks', 'src/cart.ts', 33],
  ])('%s', (text, file, line) => {
    expect(findSignals(text).places).toEqual([{ file, line }]);
  });

  it('the name of a product is no path', () => {
    expect(findSignals('It stops.\n\nNode.js v24.21.0\nVue.js is not used, src/Node.js is.').paths).toEqual([
      'src/Node.js',
    ]);
  });

  it('a path without a line is a path', () => {
    const { paths, places } = findSignals('The fault is in `src/http/header.ts`, not in C:\\code\\a.cs.');
    expect(paths).toEqual(['src/http/header.ts', 'C:\\code\\a.cs']);
    expect(places).toEqual([]);
  });
});

it.each([
  ['a journal', 'Nov 26 16:47:15 shop-host shop[1234]: '],
  ['docker compose with times', 'api-1  | 2026-11-26T16:47:15.123456789Z '],
  ['kubectl', '[pod/shop-7d4f9/shop] '],
])('a trace that people pasted among their words is read through what stood before its lines: %s', (_, prefix) => {
  const trace = [
    'Listening on 3000',
    "TypeError: Cannot read properties of undefined (reading 'total')",
    '    at applyCoupon (/app/src/coupons.js:14:11)',
    '    at checkout (/app/src/cart.js:30:5)',
  ].map((line) => `${prefix}${line}`);
  const { traces, errors } = findSignals(`The shop stops.\n\n\`\`\`\n${trace.join('\n')}\n\`\`\`\n\nWhat can I do?`);
  expect(traces.map(({ frames }) => frames.map(({ file, line }) => [file, line]))).toEqual([
    [
      ['/app/src/coupons.js', 14],
      ['/app/src/cart.js', 30],
    ],
  ]);
  expect(errors[0]).toMatchObject({ type: 'TypeError', message: expect.stringMatching(/^Cannot read/) });
});

describe('the title', () => {
  it.each([
    ['## Title: Carts lose a cent', 'Carts lose a cent'],
    ['# Title\n\n**Carts** lose a cent\n\nmore', '**Carts** lose a cent'],
    ['**Issue Title:** Carts lose a cent', 'Carts lose a cent'],
    ['**Title: Carts lose a cent**\n', 'Carts lose a cent'],
    ['### Title pages lose a cent', 'Title pages lose a cent'],
  ])('is more than the label of a form: %j', (report, title) => {
    expect(findSignals(report).title).toBe(title);
  });
});

describe('names', () => {
  it('in backticks, called, dotted, CamelCase and snake_case are found; ordinary words are not', () => {
    const names = findSignals(
      'Header parsing\n\nCalling parseHeader() gives nonsense with `strict`, see Http.readLine and max_size. GitHub is fine.',
    ).identifiers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['parseHeader', 'strict', 'readLine', 'max_size']));
    expect(names).not.toContain('GitHub');
    expect(names).not.toContain('nonsense');
  });
});

describe('commands', () => {
  it('after a prompt, in a code block and in backticks', () => {
    const { commands } = findSignals(
      'I ran `npm test -- --watch`:\n\n```sh\n$ make build\ncargo run --release\nDone in 3s\n```\n',
    );
    expect(commands).toEqual(['npm test -- --watch', 'make build', 'cargo run --release']);
  });
});

describe('versions and commits', () => {
  it('are told from those of languages and systems, and from those that work', () => {
    const { versions } = findSignals(
      'App::new("shop").version("1.0.0")\nshop version: 2.1.0\nNode v20.1.0, macOS 14.2\nIt worked in 2.0.3',
    );
    expect(versions.map(({ version, foreign, fine }) => ({ version, foreign, fine }))).toEqual([
      { version: '2.1.0', foreign: false, fine: false },
      { version: '20.1.0', foreign: true, fine: false },
      { version: '14.2', foreign: true, fine: false },
      { version: '2.0.3', foreign: false, fine: true },
    ]);
  });
});

it('the words of a sentence are not what a version is of', () => {
  const { versions } = findSignals(
    'Since the update to 1.3.0 it stops\nshop 1.2.0 is fine, so back to 1.1.0; again 1.2.1',
  );
  expect(versions.map(({ of, version }) => [of, version])).toEqual([
    ['', '1.3.0'],
    ['shop', '1.2.0'],
    ['', '1.1.0'],
    ['', '1.2.1'],
  ]);
});

it.each([
  ['node:test', '✔ adds prices (0.85ms)\n✖ a coupon (3.9407ms)\nℹ duration_ms 672.86'],
  ['node:test in TAP', '# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: 1.498\n  ...\n# duration_ms 703.46'],
  ['JUnit', '<testcase name="keeps" time="0.0005" classname="test"/>'],
  ['pytest and cargo', '2 failed, 3 passed in 0.12s\ntest result: FAILED. finished in 1.03 seconds'],
  ['amounts of money', '{"goods":"3.20 EUR","discount":"0.00 EUR"}\nIt costs $12.50, not €3.00 or 4,20.'],
  ['builds', 'Total time: 01:02 min, 12.5 MB, 98.75 % of 3.5GiB\nsleep 1.5 s'],
])('numbers that %s measures are no versions', (_, text) => {
  expect(findSignals(text).versions).toEqual([]);
});

describe('the part of a message that can stand in source', () => {
  it.each([
    ['Unknown option "--fix" for command build', ['for command build', 'Unknown option']],
    ["can't open the file 'a.txt' because it is locked", ['because it is locked', "can't open the file"]],
    ["Cannot read properties of undefined (reading 'x')", []],
    ['division by zero', []],
    ['division by zero in the given fraction', ['division by zero in the given fraction']],
    ['Index out of range: file Swift/Array.swift, line 444', []],
    ['Index out of range for the ring buffer', ['Index out of range for the ring buffer']],
    ["Value cannot be null. (Parameter 'order')", []],
    ['Value cannot be null for a shipped order', ['Value cannot be null for a shipped order']],
    ["'NoneType' object has no attribute 'x'", []],
    ['runtime error: index out of range [3] with length 3', []],
    ["undefined method `match' for nil:NilClass", []],
    ['Argument 1 passed to Coduo\\Matcher::match() must be of the type array, null given, called in /a.php', []],
    ['no function clause matching in Credo.CLI.command_for/1', []],
    ['The header must be signed by the host', ['The header must be signed by the host']],
    ['boom', []],
  ])('%s', (message, parts) => {
    expect(splitConstantParts(message)).toEqual(parts);
  });
});

describe('any text', () => {
  it('that is empty of signals gives none', () => {
    const signals = findSignals('???\n');
    expect([signals.traces, signals.places, signals.errors, signals.paths, signals.identifiers, signals.words]).toEqual(
      [[], [], [], [], [], []],
    );
  });
});

describe('the error of a report', () => {
  it('is that of its trace, then of its log; what the prose mentions comes last', () => {
    const { errors } = findSignals(`Not wrapped as a shop.errors.ConnectionError:

2024-05-01 ERROR: cannot open the ledger
  File "/srv/shop/net.py", line 3, in read
    data = self.sock.recv(left)
socket.error: [Errno 104] Connection reset by peer
`);
    expect(errors.map(({ type, message, from }) => [from, type, message])).toEqual([
      ['trace', 'socket.error', '[Errno 104] Connection reset by peer'],
      ['log', '', 'cannot open the ledger'],
      ['prose', 'shop.errors.ConnectionError', ''],
    ]);
  });

  it('is one where its message is wrapped somewhere else, and so begins there only', () => {
    const { errors } = findSignals(`The shop stops.

It ends with \`TypeError: Cannot destructure property 'percent' of
'COUPONS.get(...)' as it is undefined.\`

TypeError: Cannot destructure property 'percent' of 'COUPONS.get(...)' as it is undefined.
    at discountFor (/srv/src/coupons.js:14:11)
`);
    expect(errors.map(({ message }) => message)).toEqual([
      "Cannot destructure property 'percent' of 'COUPONS.get(...)' as it is undefined.",
    ]);
  });

  it('is another where it only begins with the same words', () => {
    const { errors } = findSignals(
      'ERROR: no such coupon\nERROR: no such coupons\nERROR: no such coupon. Try another\n',
    );
    expect(errors.map(({ message }) => message)).toContain('no such coupon');
    expect(errors).toHaveLength(3);
  });
});

/** What the report is said to fail with, of what it names. */
function listErrors(report: string): readonly string[] {
  return findSignals(report)
    .errors.filter(({ from, message }) => from !== 'quote' && (from !== 'prose' || message !== ''))
    .map(({ type, message }) => [type, message].filter((part) => part !== '').join(': '));
}

describe('what is no error, though it is quoted or labelled so', () => {
  it.each([
    ['code in backticks', 'Totals\n\nThe argument is `bool = False, or nothing at all`.'],
    ['a call', 'Totals\n\nThen `cart.total(items, coupon, today)` is slow.'],
    ['the name of a test', 'Totals\n\nSee the test "cart should not count coupons twice".'],
    ['a system', 'Totals\n\nOn "Windows 10 Pro 22H2 64 bit".'],
    ['what is wished for', 'Totals\n\nIt should say "the coupon is not valid" there.'],
    ['a sentence of documents', 'Totals\n\nThe docs say "Prices are stored in cents and never rounded".'],
    ['a handler', 'Totals\n\n```js\nonError: {\n  retry: true,\n}\n```'],
    ['a field', 'Totals\n\n```ts\nisFetchNextPageError\n```'],
    ['a text of the code', 'Totals\n\n```js\nconsole.log("cart.save error: ", err);\n```'],
    ['a text of the code that goes on', 'Totals\n\n```cpp\nstd::cerr << "Error: no price of "\n```'],
    ['a type in the code', 'Totals\n\n```go\ncase *shop.CodeError:\n```'],
    ['a comment of the code', 'Totals\n\n```rs\n// * Panic\n```'],
    ['a heading', 'Totals\n\n## Error\n\nSee the picture.'],
    ['a question of a form', 'Totals\n\n- If you see a compilation error: can you run the tests?'],
    ['a title', 'Compile error: Nested loops since 3.9.1\n\nThey stop.'],
    ['a heading that goes on', 'Totals\n\n## Error: what I see\n\nSee the picture.'],
    ['a heading with a type', 'Totals\n\n### CartError: where it comes from\n\nSee the picture.'],
    ['a sentence after a label', 'Totals\n\nThe cart is full.\nerror: the docs say so'],
    ['a sentence after a word', 'Totals\n\nException: when the user has no account, it is fine'],
    ['how many there were', 'Totals\n\n```\nFailed: 1 failure(s), 0 warning(s) in 1 files\n```'],
    ['the name of what failed', 'Totals\n\n```\nERROR: test_total (shop.tests.CartTest)\n```'],
    ['a key of translations', 'Totals\n\nIt throws a `[[error:invalid-data]]` there.'],
  ])('%s', (_, report) => {
    expect(listErrors(report)).toEqual([]);
  });
});

describe('what is an error by its grammar', () => {
  it.each([
    ['It fails with `the cart is locked by another one`.', 'the cart is locked by another one'],
    ['I get "Cannot find the coupon" there.', 'Cannot find the coupon'],
    ['The log shows "unknown field Coupon" once.', 'unknown field Coupon'],
    ['It stops with the message "Skipping the whole cart".', 'Skipping the whole cart'],
    ['> [shop error]: Use of shop as a pager is disallowed', 'Use of shop as a pager is disallowed'],
    ["```\nthread 'main' panicked at 'no price of tea'\n```", 'no price of tea'],
    ['```\nE       assert 1 == 75\nE         +1\n```', 'assert 1 == 75'],
    ['```\nMessage: byte index 1 is not a char boundary\n```', 'byte index 1 is not a char boundary'],
    ['```\n  ✖ Failed to parse the .shoprc file.\n```', 'Failed to parse the .shoprc file.'],
    ['```\nlevel=warning msg="left out" error="stat Tea: invalid argument"\n```', 'stat Tea: invalid argument'],
    [
      '```\nWARNING: 2019/12/13 06:59:10 no link. Err :refused: dial\nERROR: 2019/12/13 06:59:10 rpc error: no address\n```',
      'rpc error: no address',
    ],
    ['It ends in "TypeError: no price" when I click "Buy".', 'TypeError: no price'],
    ['Error: spawn git ENOENT', 'Error: spawn git ENOENT'],
    ['Error: Could not find the coupon', 'Error: Could not find the coupon'],
    ['Error: no rating for this player', 'Error: no rating for this player'],
    ['$ shop total\nerror: the price of tea\n  --> cart.shop:3', 'the price of tea'],
    ['```\nError: what I see\n```', 'Error: what I see'],
    ['## TypeError: no price is not a function', 'TypeError: no price is not a function'],
    ["```\nKeyError    Traceback (most recent call last)\nKeyError: 'tea'\n```", "KeyError: 'tea'"],
  ])('%j', (text, error) => {
    expect(listErrors(`Totals\n\n${text}`)[0]).toBe(error);
  });
});

describe('a text in quotation marks', () => {
  it.each([
    ['It says "the cart is empty".', ['the cart is empty']],
    ['```\nshop: "the cart is empty" is no price\n```', ['the cart is empty']],
    ['```js\nconsole.log("the cart is empty", cart);\n```', []],
    ['```js\nconst said = `the cart is empty`;\n```', []],
  ])('is a message, but for a value in the code of the report: %j', (report, messages) => {
    expect(findSignals(`Totals\n\n${report}`).errors.map(({ message }) => message)).toEqual(messages);
  });
});

describe('a path of an installed package', () => {
  it.each([
    ['  File "/x/site-packages/shop-2.3.0-py2.7.egg/shop/a.py", line 1, in f', 'shop', '2.3.0'],
    ['   1: shop::f\n      at /root/.cargo/registry/src/index-1ecc/shop-2.3.0/src/lib.rs:4:1', 'shop', '2.3.0'],
    [
      'example.com/acme/shop.Run(...)\n\t/root/go/pkg/mod/example.com/acme/shop@v1.4.2/run.go:4 +0x1',
      'example.com/acme/shop',
      '1.4.2',
    ],
  ])('names its version: %s', (text, of, version) => {
    expect(findSignals(text).versions[0]).toMatchObject({ of, version, foreign: false });
  });
});
