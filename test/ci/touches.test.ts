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
