// What ties a failing test to a change, language by language: by name, by what the test uses; and what must not be
// tied.

import { readCheck } from 'causeway-ci-log';
import { expect, it } from 'vitest';
import { actionsLog } from '../../packages/ci-log/test/logs.ts';
import { findTiesByName, findTiesInTree, type Tie } from '../../src/ci/touches.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const SHA = 'a'.repeat(40);

/** As if the log named only that file. */
function failing(test: string) {
  return {
    places: [{ path: test, line: 12, message: '' }],
    excerpt: { step: '', headline: '', lines: [], cut: '', tests: [] },
  };
}

function tied(files: Readonly<Record<string, string>>, changed: string, read: Parameters<typeof findTiesByName>[1]) {
  const tree = createMemoryRepository({
    commits: [{ sha: SHA, subject: 'x', files: { [changed]: '', ...files } }],
  }).tree(SHA);
  return findTiesInTree(tree, { changed: [changed], read }, new AbortController().signal);
}

const kinds = (ties: readonly Tie[]) => ties.map(({ kind }) => kind);

it.each([
  ['test/coupons.test.js', 'src/coupons.js'],
  ['test/coupons.test-d.ts', 'src/coupons.ts'],
  ['src/shop/__tests__/coupons.tsx', 'src/shop/coupons.ts'],
  ['packages/core/test/coupons.spec.ts', 'packages/core/src/coupons/index.ts'],
  ['internal/shop/coupons_test.go', 'internal/shop/coupons.go'],
  ['tests/coupons.rs', 'src/coupons.rs'],
  ['spec/shop/coupon_list_spec.rb', 'lib/shop/coupon_list.rb'],
  ['tests/Unit/Pricing/CouponsTest.php', 'src/Pricing/Coupons.php'],
  ['test/Shop.Tests/Pricing/CouponsTests.cs', 'src/Shop/Pricing/Coupons.cs'],
  ['src/test/java/com/shop/CouponsTest.java', 'src/main/java/com/shop/Coupons.java'],
  ['tests/shop/test_coupons.py', 'src/shop/coupons.py'],
])('%s is the test of %s, by their names alone', (test, path) => {
  expect(findTiesByName([path, 'docs/coupons.md'], failing(test))).toEqual([{ path, kind: 'tested', test }]);
});

it.each([
  ['another package', 'packages/a/test/coupons.test.js', 'packages/b/src/coupons.js'],
  ['another language', 'test/coupons.test.js', 'src/coupons.py'],
  ['another name', 'test/coupons.test.js', 'src/coupon-list.js'],
  [
    'a folder further down, unless the commit says that there is no other',
    'test/coupons.test.js',
    'src/shop/coupons.js',
  ],
  ['a name that every folder has', 'test/index.test.js', 'src/shop/index.js'],
])('names alone tie nothing to %s', (_, test, path) => {
  expect(findTiesByName([path], failing(test))).toEqual([]);
});

it('takes the nearest file of that name, and none where two are as near', async () => {
  const test = 'test/coupons.test.js';
  const files = { [test]: '' };
  expect(kinds(await tied(files, 'src/shop/coupons.js', failing(test)))).toEqual(['tested']);
  expect(await tied({ ...files, 'src/coupons.js': '' }, 'src/shop/coupons.js', failing(test))).toEqual([]);
  expect(await tied({ ...files, 'src/till/coupons.js': '' }, 'src/shop/coupons.js', failing(test))).toEqual([]);
  const utils = 'test/utils.test.js';
  expect(await tied({ [utils]: '' }, 'src/shop/utils.js', failing(utils))).toEqual([]);
});

it.each([
  [
    'test/shop.test.js',
    "import { a } from '../src/deep/coupons.js';",
    'src/deep/coupons.ts',
    "import '../src/other.js';",
  ],
  ['test/shop.test.js', "const a = require('../lib/utils');", 'lib/utils/index.js', "require('./lib/utils');"],
  ['shop/till_test.go', 'func TestX(t *testing.T) { Discount(1) }', 'shop/coupons.go', 'func TestX(t *testing.T) {}'],
  ['tests/shop.rs', 'use shop::pricing::{coupons, tax};', 'src/pricing/coupons.rs', 'use shop::pricing;'],
  ['spec/till_spec.rb', "require 'shop/coupons'", 'lib/shop/coupons.rb', "require 'shop/tax'"],
  ['tests/TillTest.php', 'use Acme\\Shop\\Coupons;', 'src/Shop/Coupons.php', 'use Acme\\Shop\\Tax;'],
  ['test/Shop.Tests/TillTests.cs', 'var c = new Coupons();', 'src/Shop/Coupons.cs', 'var c = new Till();'],
  ['tests/test_till.py', 'from shop.pricing import coupons', 'shop/pricing/coupons.py', 'from shop import pricing'],
])('%s uses what it says: %s', async (test, text, path, otherwise) => {
  const source = path.endsWith('.go') ? 'func Discount(cents int) int {' : '';
  expect(await tied({ [test]: text, [path]: source }, path, failing(test))).toEqual([{ path, kind: 'used', test }]);
  expect(await tied({ [test]: otherwise, [path]: source }, path, failing(test))).toEqual([]);
});

it.each([
  [
    'all of a file',
    'src/coupons.ts',
    {
      'test/shop.test.ts': "import { discount } from '../src/index.js';",
      'src/index.ts': "export * from './coupons.js';\nexport * from './tax.js';",
      'src/coupons.ts': 'export function discount(cents: number) {',
      'src/tax.ts': 'export function tax(cents: number) {',
    },
    'src/tax.ts',
  ],
  [
    'one name of it, under another',
    'lib/coupons.js',
    {
      'test/shop.test.js': "import Shop, { discount as off } from '../index.js';",
      'index.js':
        "import { lower } from './lib/coupons.js';\nimport { tax } from './lib/tax.js';\nexport { lower as discount, tax };",
      'lib/coupons.js': '',
      'lib/tax.js': '',
    },
    'lib/tax.js',
  ],
  [
    'a folder that passes on a folder',
    'src/shop/coupons/lower.ts',
    {
      'src/till/__tests__/till.test.ts': "import * as shop from '../../shop';\nshop.discount(1);",
      'src/shop/index.ts': "export * from './coupons';",
      'src/shop/coupons/index.ts': "export { default as discount } from './lower';\nexport { raise } from './raise';",
      'src/shop/coupons/lower.ts': '',
      'src/shop/coupons/raise.ts': '',
    },
    'src/shop/coupons/raise.ts',
  ],
  [
    'CommonJS',
    'lib/coupons.js',
    {
      'test/shop.test.js': "const { Coupon } = require('../');",
      'index.js':
        "const { Coupon } = require('./lib/coupons');\nexports.Coupon = Coupon;\nexports.Tax = require('./lib/tax').Tax;",
      'lib/coupons.js': '',
      'lib/tax.js': '',
    },
    'lib/tax.js',
  ],
  [
    'CommonJS as an object',
    'lib/coupons.js',
    {
      'test/shop.test.js': "const shop = require('..');\nshop.discount(1);",
      'index.js': "const tax = require('./lib/tax');\nmodule.exports = { ...require('./lib/coupons'), tax };",
      'lib/coupons.js': '',
      'lib/tax.js': '',
    },
    'lib/tax.js',
  ],
  [
    '`__init__`',
    'src/shop/pricing/coupons.py',
    {
      'tests/test_till.py': 'from shop import discount',
      'src/shop/__init__.py': 'from .pricing import (\n    discount,  # the lower price\n    tax as tax,\n)',
      'src/shop/pricing/__init__.py': 'from .coupons import lower as discount\nfrom .taxes import tax',
      'src/shop/pricing/coupons.py': '',
      'src/shop/pricing/taxes.py': '',
    },
    'src/shop/pricing/taxes.py',
  ],
  [
    '`__init__` with everything',
    'shop/coupons.py',
    {
      'tests/test_till.py': 'import shop\n\ndef test_till():\n    assert shop.discount(1) == 0',
      'shop/__init__.py': 'from .coupons import *\nfrom .taxes import *',
      'shop/coupons.py': 'def discount(cents):',
      'shop/taxes.py': 'def tax(cents):',
    },
    'shop/taxes.py',
  ],
  [
    '`pub use`',
    'crates/shop-core/src/pricing/lower.rs',
    {
      'crates/till/tests/till.rs': 'use shop_core::{prelude::*, Tax};\n\nfn till() { Discount::new(); }',
      'crates/shop-core/src/lib.rs':
        'pub mod prelude;\npub mod pricing;\npub use pricing::{taxes::Tax, raise::{Raise, More as Much}};',
      'crates/shop-core/src/prelude.rs': 'pub use crate::pricing::{Discount, raise::Raise};',
      'crates/shop-core/src/pricing/mod.rs': 'mod lower;\npub use self::lower::Lower as Discount;',
      'crates/shop-core/src/pricing/lower.rs': 'pub struct Lower {',
      'crates/shop-core/src/pricing/raise.rs': 'pub struct Raise {',
    },
    'crates/shop-core/src/pricing/raise.rs',
  ],
])('follows what a file passes on: %s', async (_, path, files, other) => {
  const [test = ''] = Object.keys(files);
  const own = files as Readonly<Record<string, string>>;
  expect(await tied(own, path, failing(test))).toEqual([{ path, kind: 'used', test }]);
  expect(await tied(own, other, failing(test))).toEqual([]);
});

it('comes to an end where files pass on each other', async () => {
  const files = {
    'test/shop.test.ts': "import { discount } from '../src/a.js';",
    'src/a.ts': "export * from './b.js';",
    'src/b.ts': "export * from './a.js';\nexport * from './c.js';",
    'src/c.ts': 'export const discount = 1;',
  };
  expect(kinds(await tied(files, 'src/c.ts', failing('test/shop.test.ts')))).toEqual(['used']);
});

it.each([
  [
    'go test',
    [
      '--- FAIL: TestLower (0.00s)',
      '    coupons_test.go:12: got 0, want 10',
      'FAIL',
      'FAIL\tgithub.com/acme/shop/internal/coupons\t0.004s',
    ],
    'internal/coupons/coupons.go',
  ],
  [
    'dotnet test',
    [
      '  Failed Shop.Tests.CouponsTests.Lower [12 ms]',
      '  Error Message:',
      '   Assert.Equal() Failure',
      '  Stack Trace:',
      '     at Shop.Tests.CouponsTests.Lower() in /home/runner/work/shop/shop/test/Shop.Tests/CouponsTests.cs:line 12',
    ],
    'src/Shop/Coupons.cs',
  ],
  [
    'minitest',
    ['  1) Failure:', 'CouponsTest#test_lower [test/coupons_test.rb:12]:', 'Expected: 10', '  Actual: 0'],
    'lib/coupons.rb',
  ],
])('finds the test’s file in a log of %s', (command, lines, path) => {
  const read = readCheck({ name: 'test', output: '', log: actionsLog(command, lines), annotations: [] });
  expect(kinds(findTiesByName([path], read))).toEqual(['tested']);
});
