// Which causes of a red check are tied to it: twelve true ones, of which none may be lost, and beside each one that is not.

import type { FileChange } from 'causeway-diff';
import { readOutline } from 'causeway-git-objects';
import { expect, it } from 'vitest';
import { createReacher } from '../../src/ci/reach.ts';
import { judgeRelevance } from '../../src/investigate/relevance.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const SHA = 'a'.repeat(40);

type Quote = readonly [path: string, quote: string];

interface Case {
  readonly files: Readonly<Record<string, string>>;
  /** Such as `test/cart.test.js:3`. */
  readonly places: readonly string[];
  readonly tests: readonly string[];
  readonly errors: readonly string[];
}

function treeOf(files: Readonly<Record<string, string>>) {
  const memory = createMemoryRepository({ commits: [{ sha: SHA, subject: 'x', files }] }).tree(SHA);
  return { ...memory, outline: async (path: string) => readOutline(path, files[path] ?? '') };
}

const quiet = { places: [], tests: [], errors: [] };

async function judge({ files, places, tests, errors }: Case, quotes: readonly Quote[], edited: readonly string[] = []) {
  const tree = treeOf(files);
  const named = places.map((place) => {
    const [, path = '', line = '0'] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
    return { path, line: Number(line), message: '' };
  });
  const excerpt = { step: '', headline: '', lines: [], cut: '', tests };
  const steps = quotes.map(([path, quote], index) => ({
    ...{ number: index + 1, action: path === '' ? 'ci_log' : `read ${path}`, result: quote },
    ...(path === '' && { source: 'log' as const }),
  }));
  const claims = quotes.map(([path, quote], index) => ({
    ...{ text: 'It does', support: 'proven' as const, seenInSource: path !== '' },
    citations: [{ step: index + 1, quote }],
    places: path === '' ? [] : [{ file: path, line: 1, seen: true }],
  }));
  const changes = edited.map((path): FileChange => ({ kind: 'modified', path, before: 'a\n', after: 'b\n' }));
  return judgeRelevance(
    claims,
    { steps, changeSet: { base: SHA, files: changes } },
    {
      ...{ tests, errors, lines: errors },
      textsOf: async (path) => ({ now: files[path] ?? null, before: null }),
      reach: createReacher(tree, { places: named, excerpt }, new AbortController().signal),
    },
  );
}

const SHOP = {
  'test/cart.test.js': `import { test } from 'node:test';
import { checkout } from '../src/checkout.js';
import { log } from '../src/log.js';
import '../src/mail.js';

test('a cart is paid', () => {
  assert.equal(checkout([3]).total, 4);
});
test('a receipt is sent', () => {
  log('sent');
});
`,
  'src/checkout.js': `import { addTax } from './tax.js';
export function checkout(lines) {
  return { total: addTax(lines[0]) };
}
`,
  'src/tax.js': `import { LIMITS } from './limits.js';
export const RATE = 119;
export function addTax(cents) {
  return Math.round((cents * RATE) / 100);
}
export function removeTax(cents) {
  return LIMITS.small + cents / RATE;
}
`,
  'src/limits.js': 'export const LIMITS = { small: 12, large: 345 };\n',
  'src/mail.js': "export const SENDER = 'shop@example.org';\n",
  'src/log.js': 'export function log(text) {\n  process.stdout.write(text);\n}\n',
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'test/prices.json': '{ "bread": 4500 }\n',
};
const PAID: Case = {
  ...quiet,
  files: SHOP,
  places: ['test/cart.test.js:7'],
  tests: ['a cart is paid'],
  errors: ['AssertionError: 3 !== 4'],
};

const SHOP_TREE = treeOf(SHOP);
const AT_CART = {
  places: [{ path: 'test/cart.test.js', line: 7, message: '' }],
  excerpt: { step: '', headline: '', lines: [], cut: '', tests: PAID.tests },
};

const TRUE_CAUSES: readonly (readonly [string, Case, Quote, Quote])[] = [
  [
    'two calls from the test',
    PAID,
    ['src/tax.js', 'Math.round((cents * RATE) / 100)'],
    ['src/log.js', 'process.stdout.write(text);'],
  ],
  [
    'a value that is read on the way',
    PAID,
    ['src/tax.js', 'export const RATE = 119;'],
    ['src/limits.js', 'LIMITS = { small: 12, large: 345 }'],
  ],
  [
    'a frame of its stack',
    { ...PAID, places: ['src/limits.js:1'] },
    ['src/limits.js', 'LIMITS = { small: 12, large: 345 }'],
    ['src/mail.js', "SENDER = 'shop@example.org'"],
  ],
  [
    'a test that is wrong itself',
    PAID,
    ['test/cart.test.js', 'assert.equal(checkout([3]).total, 4);'],
    ['src/mail.js', "SENDER = 'shop@example.org'"],
  ],
  [
    'the text of the error',
    {
      ...quiet,
      files: { 'src/a.js': "throw new Error('no fee for the parcel ' + kind);\n", ...SHOP },
      errors: ['RangeError: no fee for the parcel express'],
    },
    ['src/a.js', "throw new Error('no fee for the parcel ' + kind);"],
    ['src/mail.js', "SENDER = 'shop@example.org'"],
  ],
  [
    'a name in the error',
    {
      ...quiet,
      files: { 'src/a.js': 'total += quantityOf(line);\n', ...SHOP },
      errors: ['ReferenceError: quantityOf is not defined'],
    },
    ['src/a.js', 'total += quantityOf(line);'],
    ['src/log.js', 'process.stdout.write(text);'],
  ],
  [
    'data that the test reads by its name',
    {
      ...PAID,
      files: { ...SHOP, 'test/data.test.js': "test('prices are read', () => {\n  load('prices.json');\n});\n" },
      places: ['test/data.test.js:2'],
      tests: ['prices are read'],
    },
    ['test/prices.json', '{ "bread": 4500 }'],
    ['src/mail.js', "SENDER = 'shop@example.org'"],
  ],
  [
    'Python: a helper of the module under test',
    {
      ...quiet,
      files: {
        'shop/cart.py': 'from shop.tax import add_tax\n\ndef total(lines):\n    return add_tax(sum(lines))\n',
        'shop/tax.py':
          'def add_tax(cents):\n    return cents * 1.19\n\ndef remove_tax(cents):\n    return cents / 1.21\n',
        'tests/test_cart.py': 'from shop.cart import total\n\ndef test_total():\n    assert total([100]) == 119\n',
      },
      tests: ['tests.test_cart::test_total'],
      errors: ['E assert 118.9 == 119'],
    },
    ['shop/tax.py', 'return cents * 1.19'],
    ['shop/tax.py', 'return cents / 1.21'],
  ],
  [
    'Java: a class that the tested one makes',
    {
      ...quiet,
      files: {
        'src/main/java/com/shop/Cart.java':
          'package com.shop;\nclass Cart {\n  int total() {\n    return new TaxTable().apply(3);\n  }\n}\n',
        'src/main/java/com/shop/TaxTable.java':
          'package com.shop;\nclass TaxTable {\n  TaxTable() {\n    this.rate = 19;\n  }\n  int apply(int cents) {\n    return cents + rate;\n  }\n}\n',
        'src/main/java/com/shop/Mailer.java':
          'package com.shop;\nclass Mailer {\n  void deliver() {\n    send(address);\n  }\n}\n',
        'src/test/java/com/shop/OrderTest.java':
          'package com.shop;\nclass OrderTest {\n  @Test\n  void isPaid() {\n    assertEquals(4, new Cart().total());\n  }\n}\n',
      },
      tests: ['com.shop.OrderTest.isPaid'],
      errors: ['java.lang.AssertionError: expected:<4> but was:<3>'],
    },
    ['src/main/java/com/shop/TaxTable.java', 'return cents + rate;'],
    ['src/main/java/com/shop/Mailer.java', 'send(address);'],
  ],
  [
    'Go: another file of the package',
    {
      ...quiet,
      files: {
        'cart/order_test.go':
          'package cart\n\nfunc TestTotal(t *testing.T) {\n\tif Total(3) != 4 {\n\t\tt.Fatal("no")\n\t}\n}\n',
        'cart/total.go': 'package cart\n\nfunc Total(cents int) int {\n\treturn withTax(cents)\n}\n',
        'cart/tax.go': 'package cart\n\nfunc withTax(cents int) int {\n\treturn cents * 119 / 100\n}\n',
        'cart/mail.go': 'package cart\n\nfunc sendMail(to string) {\n\tdial(to, "smtp")\n}\n',
      },
      places: ['cart/order_test.go:5'],
      tests: ['TestTotal'],
    },
    ['cart/tax.go', 'return cents * 119 / 100'],
    ['cart/mail.go', 'dial(to, "smtp")'],
  ],
  [
    'a title alone, with the names of its groups before it',
    { ...PAID, places: [], tests: ['Shop checkout a cart is paid'] },
    ['src/checkout.js', 'return { total: addTax(lines[0]) };'],
    ['src/log.js', 'process.stdout.write(text);'],
  ],
  [
    'another name for the function',
    {
      ...PAID,
      files: {
        'lib.js':
          'function readRows(text) {\n  return text.split("|");\n}\n\nfunction writeRows(rows) {\n  return rows.join("|");\n}\nPapa.parse = readRows;\nPapa.format = writeRows;\n',
        'test/rows.test.js':
          "const Papa = require('../lib.js');\n\ntest('rows are read', () => {\n  Papa.parse('a|b');\n});\n",
      },
      places: ['test/rows.test.js:4'],
      tests: ['rows are read'],
    },
    ['lib.js', 'return text.split("|");'],
    ['lib.js', 'return rows.join("|");'],
  ],
];

it.each(TRUE_CAUSES)('%s ties a cause to the failure, and not what is beside it', async (_, of, cause, beside) => {
  expect([await judge(of, [cause]), await judge(of, [beside])]).toEqual(['tied', expect.not.stringMatching('tied')]);
});

const MAIL: Quote = ['src/mail.js', "SENDER = 'shop@example.org'"];
const LOG: Quote = ['', 'AssertionError: 3 !== 4'];
const PACKAGE: Quote = ['package.json', '"test": "node --test"'];

it.each<readonly [string, readonly Quote[], readonly string[], string]>([
  ['a file that is only imported is a lead', [MAIL], [], 'lead'],
  ['the quoted error beside it does not tie it', [MAIL, LOG], [], 'lead'],
  ['nor does the quoted test', [MAIL, ['test/cart.test.js', 'checkout([3])']], [], 'lead'],
  [
    'nor a true place, where the change is made elsewhere',
    [MAIL, ['src/tax.js', 'cents * RATE']],
    ['src/mail.js'],
    'lead',
  ],
  ['what is neither is nothing', [['test/prices.json', '"bread": 4500']], [], 'none'],
  ['the error alone is quoted: the cause is in the log', [LOG], [], 'tied'],
  ['settings of the check, with the error', [PACKAGE, LOG], [], 'tied'],
  ['settings of the check, without it', [PACKAGE], [], 'none'],
])('%s', async (_, quotes, edited, relevance) => {
  expect(await judge(PAID, quotes, edited)).toBe(relevance);
});

it('counts from the first question on, whatever a model takes until then', async () => {
  const reach = createReacher(SHOP_TREE, AT_CART, new AbortController().signal, 200);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await reach({ path: 'src/tax.js', line: 4 })).toBe('names');
});

it('keeps what was reached when the time is over, and ends at once when it is stopped', async () => {
  const slow = {
    ...SHOP_TREE,
    outline: async (path: string, signal: AbortSignal) => {
      if (path === 'src/tax.js')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return SHOP_TREE.outline(path);
    },
  };
  const reach = createReacher(slow, AT_CART, new AbortController().signal, 200);
  expect(await reach({ path: 'test/cart.test.js', line: 7 })).toBe('test');
  const stop = new AbortController();
  const stopped = createReacher(slow, AT_CART, stop.signal)({ path: 'src/tax.js', line: 4 });
  setTimeout(() => stop.abort(), 50);
  await expect(stopped).rejects.toThrow(/abort/);
});

it('leaves other work its turn in a large repository and in hostile files', async () => {
  const constants = Array.from({ length: 12_000 }, (_, at) => `const C${at} = 1;`).join('\n');
  const classes = Array.from({ length: 8_000 }, (_, at) => `class K${at} {\n}`).join('\n');
  const uses = Array.from({ length: 10 }, (_, at) => `import { f${at} } from './m/f${at}.js';`).join('\n');
  const files = {
    ...SHOP,
    'src/checkout.js': `${uses}\nimport './constants.js';\nimport './classes.js';\n${SHOP['src/checkout.js']}`,
    'src/constants.js': constants,
    'src/classes.js': classes,
    'src/blank.js': `let${' '.repeat(190_000)}`,
    ...Object.fromEntries(
      Array.from({ length: 25_000 }, (_, at) => [
        `src/m/f${at}.js`,
        `export function f${at}() {\n  return ${at};\n}\n`,
      ]),
    ),
  };
  const reach = createReacher(treeOf(files), AT_CART, new AbortController().signal);
  // In the time of this process alone: other processes may hold the machine.
  let longest = 0;
  let since = process.cpuUsage();
  const ticking = setInterval(() => {
    const { user, system } = process.cpuUsage(since);
    longest = Math.max(longest, (user + system) / 1_000);
    since = process.cpuUsage();
  }, 0);
  expect(await reach({ path: 'src/tax.js', line: 4 })).toBe('names');
  clearInterval(ticking);
  expect(longest).toBeLessThan(1_000);
});

it('is nothing where nothing of the failure is known', async () => {
  expect(await judge({ ...quiet, files: SHOP }, [MAIL])).toBe('none');
});
