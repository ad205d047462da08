// What a failure leans to where nothing is certain, language by language: the way from the failing test to the change;
// and what keeps it open.

import { expect, it } from 'vitest';
import { findLeaning, listRedefined } from '../../src/ci/leaning.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

type Files = Readonly<Record<string, string>>;

const { signal } = new AbortController();

function treeOf(files: Files) {
  const sha = 'a'.repeat(40);
  return createMemoryRepository({ commits: [{ sha, subject: 'x', files }] }).tree(sha);
}

interface Doubt {
  readonly changed: readonly string[];
  readonly failing: readonly string[];
  readonly redefined?: readonly string[];
}

/** As if the log named those files and nothing else. */
function lean(files: Files, { changed, failing, redefined = [] }: Doubt) {
  const read = {
    places: failing.map((path) => ({ path, line: 12, message: '' })),
    excerpt: { step: '', headline: '', lines: [], cut: '', tests: [] },
  };
  return findLeaning(treeOf(files), { changed, read, listRedefined: async () => redefined }, signal);
}

it.each<[string, readonly [string, string, string], readonly [string, string, string], string]>([
  [
    'JavaScript',
    ['test/till.test.js', 'lib/till.js', 'lib/tax.js'],
    ["const till = require('../lib/till');", "const { tax } = require('./tax');", ''],
    "const fs = require('fs');",
  ],
  [
    'TypeScript',
    ['src/till/till-flow.spec.ts', 'src/till/till.ts', 'src/shared/tax.ts'],
    ["import { pay } from './till.js';", "import type { Tax } from '@/shared/tax';", ''],
    "import { tax } from 'tax';",
  ],
  [
    'Python',
    ['tests/test_shopping.py', 'shop/till.py', 'shop/tax.py'],
    ['from shop.till import pay', 'from .tax import tax', ''],
    'import tax',
  ],
  [
    'Go',
    ['shop/flow_test.go', 'shop/till.go', 'shop/tax/tax.go'],
    [
      'func TestPay(t *testing.T) { Pay(1) }',
      'import "example.com/shop/tax"\n\nfunc Pay(cents int) int {\n\treturn tax.Round(cents)\n}',
      'func Round(cents int) int {\n\treturn cents\n}',
    ],
    'func Pay(cents int) int {\n\treturn cents\n}',
  ],
  [
    'Rust',
    ['tests/flow.rs', 'src/till.rs', 'src/tax.rs'],
    ['use shop::till::pay;', 'use crate::tax::round;', 'pub fn round() {}'],
    'use std::fmt;',
  ],
  [
    'Java',
    ['src/test/java/shop/FlowTest.java', 'src/main/java/shop/Cashier.java', 'src/main/java/shop/TaxTable.java'],
    ['class FlowTest { Cashier cashier; }', 'class Cashier { TaxTable taxes; }', 'class TaxTable {}'],
    'class Cashier {}',
  ],
  [
    'C#',
    ['test/Shop.Tests/FlowTests.cs', 'src/Shop/Cashier.cs', 'src/Shop/TaxTable.cs'],
    ['class FlowTests { Cashier cashier; }', 'class Cashier { TaxTable taxes; }', 'class TaxTable {}'],
    'class Cashier {}',
  ],
  [
    'Ruby',
    ['spec/flow_spec.rb', 'lib/shop/till.rb', 'lib/shop/tax_table.rb'],
    ["require 'shop/till'", 'TaxTable.new', 'class TaxTable; end'],
    "require 'shop/other'",
  ],
  [
    'PHP',
    ['tests/FlowTest.php', 'src/Shop/Cashier.php', 'src/Shop/TaxTable.php'],
    ['use Acme\\Shop\\Cashier;', '$taxes = new TaxTable();', 'class TaxTable {}'],
    '$taxes = [];',
  ],
])('%s: by way of another file', async (_, way, texts, otherwise) => {
  const [test, , changed] = way;
  const end = /\.\w+$/.exec(test)?.[0] ?? '';
  const beside = test.replace(/flow|till-flow|till|shopping/i, (name) => `other${name}`);
  const files = { ...Object.fromEntries(way.map((path, at) => [path, texts[at] ?? ''])), [beside]: '' };
  const doubt = { changed: [changed], failing: [test] };
  expect(await lean(files, doubt)).toEqual({ to: 'code', path: way });
  expect(await lean({ ...files, [way[1]]: otherwise }, doubt)).toBeNull();
  // Another language has no way there.
  expect(await lean(files, { ...doubt, changed: [changed.replace(end, '.sql')] })).toBeNull();
});

const WAY = ['test/flow.test.js', 'src/till.js', 'src/tax.js'] as const;
const SHOP: Files = {
  'test/flow.test.js': "import { pay } from '../src/till.js';\npay(1);\nroundUp(2);",
  'src/till.js': "import { roundUp } from './tax.js';\nexport const pay = roundUp;",
  'src/tax.js': 'export function roundUp(cents) {\n  return cents;\n}',
  'src/other.js': "import './till.js';",
};
const DOUBT: Doubt = { changed: ['src/tax.js'], failing: ['test/flow.test.js'] };

/** So many other tests, the first of which get to the change as well. */
function others(count: number, reaching: number, text = ''): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `test/n${at}.test.js`,
      at < reaching ? `import { pay } from '../src/till.js';\n${text}` : '',
    ]),
  );
}

it('takes the shortest way', async () => {
  const files = { ...SHOP, ...others(20, 0), 'test/flow.test.js': "import '../src/till.js';\nimport '../src/tax.js';" };
  expect(await lean(files, DOUBT)).toEqual({ to: 'code', path: ['test/flow.test.js', 'src/tax.js'] });
});

it.each([
  ['none of five', { count: 5, fine: 0, tooMany: 1 }],
  ['one of forty', { count: 40, fine: 1, tooMany: 2 }],
])('asks that few other tests get there: %s', async (_, { count, fine, tooMany }) => {
  expect(await lean({ ...SHOP, ...others(count, fine) }, DOUBT)).toEqual({ to: 'code', path: WAY });
  expect(await lean({ ...SHOP, ...others(count, tooMany) }, DOUBT)).toBeNull();
});

it('asks of few tests that nothing but one file could be it', async () => {
  const files = { ...SHOP, ...others(5, 0) };
  expect(await lean(files, { ...DOUBT, changed: ['src/tax.js', 'assets/logo.svg'] })).toBeNull();
  expect(await lean(files, { ...DOUBT, changed: ['src/tax.js', 'README.md'] })).not.toBeNull();
});

it('knows nothing of a project whose only test fails', async () => {
  expect(await lean(SHOP, DOUBT)).toBeNull();
});

it('takes what the test names of what was redefined, where few others do', async () => {
  const everywhere = { ...SHOP, ...others(30, 30) };
  expect(await lean(everywhere, DOUBT)).toBeNull();
  const named = { ...DOUBT, redefined: ['roundDown', 'roundUp'] };
  expect(await lean(everywhere, named)).toEqual({ to: 'code', path: WAY });
  expect(await lean({ ...SHOP, ...others(30, 30, 'roundUp(1)') }, named)).toBeNull();
  expect(await lean(everywhere, { ...DOUBT, redefined: ['roundDown'] })).toBeNull();
});

it.each<[string, Files, Doubt]>([
  ['nothing that could be it', {}, { ...DOUBT, changed: ['README.md', 'test/other.test.js'] }],
  [
    'too much',
    {},
    { ...DOUBT, changed: ['src/tax.js', 'src/a.js', 'src/b.js', 'src/c.js', 'src/d.js', 'assets/logo.svg'] },
  ],
  ['dependencies as well', {}, { ...DOUBT, changed: ['src/tax.js', 'package-lock.json'] }],
  ['the settings of the tests as well', {}, { ...DOUBT, changed: ['src/tax.js', 'vitest.config.ts'] }],
  [
    'what only one of the failing tests gets to',
    { 'test/far.test.js': '' },
    { ...DOUBT, failing: ['test/flow.test.js', 'test/far.test.js'] },
  ],
  [
    'what the source that the failure names does not get to',
    { 'src/mail.js': '' },
    { ...DOUBT, failing: ['src/mail.js', 'test/flow.test.js'] },
  ],
  ['something, and no test is named', {}, { ...DOUBT, failing: ['src/till.js'] }],
])('leans to nothing where the change touches %s', async (_, files, doubt) => {
  expect(await lean({ ...SHOP, ...others(20, 0), ...files }, doubt)).toBeNull();
});

it('goes on where the source that the failure names leads to the change', async () => {
  const doubt = { ...DOUBT, failing: ['src/till.js', 'test/flow.test.js'] };
  expect(await lean({ ...SHOP, ...others(20, 0) }, doubt)).toEqual({ to: 'code', path: WAY });
});

it('stops when it is told to', async () => {
  const stopped = AbortSignal.abort(new Error('enough'));
  const read = {
    places: [{ path: WAY[0], line: 1, message: '' }],
    excerpt: { step: '', headline: '', lines: [], cut: '', tests: [] },
  };
  const asked = findLeaning(treeOf(SHOP), { ...DOUBT, read, listRedefined: async () => [] }, stopped);
  await expect(asked).rejects.toThrow('enough');
});

it('lists what differs, what is new and what is gone, and not what only holds it', async () => {
  const before = treeOf({
    'src/shop.py':
      'class Shop:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n\n\ndef lower():\n    return 3\n',
  });
  const after = treeOf({
    'src/shop.py':
      'class Shop:\n    def open(self):\n        return 1\n\n    def close(self):\n        return 4\n\n\ndef higher():\n    return 3\n',
  });
  expect([...(await listRedefined(before, after, 'src/shop.py', signal))].sort()).toEqual(['close', 'higher', 'lower']);
  expect(await listRedefined(before, after, 'src/none.py', signal)).toEqual([]);
});
