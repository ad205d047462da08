// Whether another change's analysis explains the failure of this one: by what both changed of what the failing test reaches.
import { expect, it } from 'vitest';
import { hasMoreErrors, sharesCause } from '../../src/ci/same-cause.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';

const TEST = 'test/coupons.test.js';
const saying = (...tests: readonly string[]) => ({ ...EMPTY_EXCERPT, tests });
const certain = (path: string) => ({ path, isCertain: true });
const used = (path: string) => ({ path, isCertain: false });

it.each([
  ['changed what the test is for, and the other something else', [certain('src/coupons.js')], ['src/money.js'], false],
  ['both changed what the test is for', [certain('src/coupons.js')], ['src/coupons.js', 'README.md'], true],
  ['both changed what it uses', [used('src/money.js')], ['src/money.js'], true],
  [
    'both changed what it uses, and this one what it is for',
    [certain('src/a.js'), used('src/b.js')],
    ['src/b.js'],
    false,
  ],
  ['both changed what it is for, and this one the test', [certain('src/a.js'), certain(TEST)], ['src/a.js'], true],
  ['both changed the test', [certain(TEST)], [TEST], true],
  ['changed nothing that it reaches', [], ['src/coupons.js'], false],
] as const)('%s', (_, reached, changed, shares) => {
  const own = { reached, excerpt: saying('takes a coupon', 'sums') };
  expect(sharesCause(own, { changed, excerpt: saying('takes a coupon') })).toBe(shares);
});

it.each([
  [['takes a coupon'], ['sums'], false],
  [['takes a coupon'], [], false],
  [[], ['takes a coupon'], false],
  [[], [], true],
])('is for the same tests only: %j, %j', (tests, others, shares) => {
  const own = { reached: [certain('src/a.js')], excerpt: saying(...tests) };
  expect(sharesCause(own, { changed: ['src/a.js'], excerpt: saying(...others) })).toBe(shares);
});

it('is not assumed where it is unknown what a change touches', () => {
  expect(sharesCause({ excerpt: saying() }, { changed: ['src/a.js'], excerpt: saying() })).toBe(false);
  expect(sharesCause({ reached: [certain('src/a.js')], excerpt: saying() }, { excerpt: saying() })).toBe(false);
});

it.each<[string, boolean, readonly string[]]>([
  ['the same with other values', false, ['    semver_test.go:40: Constraint ">1.2" failing with "1.1"', 'ok 3 of 90']],
  ['fewer', false, []],
  ['a row more', true, [40, 41].map((line) => `    semver_test.go:${line}: Constraint "<${line}" failing with "9"`)],
  ['another error', true, ['    semver_test.go:52: Invalid version given']],
])('tells whether there are more errors than on the base: %s', (_, isMore, lines) => {
  const base = { lines: ['    semver_test.go:38: Constraint "=2" failing with "2.0"', 'done'] };
  expect(hasMoreErrors({ lines }, [base])).toBe(isMore);
  expect(hasMoreErrors({ lines }, [base, { lines }])).toBe(false);
  // Nothing of it was kept.
  expect(hasMoreErrors({ lines }, [EMPTY_EXCERPT])).toBe(false);
});
