// What is read first of a failed check: its error, with its test where the error says nothing without that.
import { describe, expect, it } from 'vitest';
import { nameBareError } from '../../src/core/check/failed-check.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';

const TEST = 'carts › add up';
const nameOf = (headline: string, tests: readonly string[] = [TEST]) =>
  nameBareError({ ...EMPTY_EXCERPT, headline, tests });

describe('an error that only compares values', () => {
  it.each([
    ['node', 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:'],
    [
      'node, of a pattern',
      'AssertionError [ERR_ASSERTION]: The input did not match the regular expression /a/. Input:',
    ],
    ['jest', 'expect(received).toBe(expected)'],
    ['jest, with the values', 'expect(received).toBe(expected) · Expected: 90 · Received: 80'],
    ['pytest', 'assert 14 == 12'],
    ['pytest, of nothing', 'AssertionError: assert None is not None'],
    ['unittest', 'AssertionError: 0.2906459910009289 not less than 0.27540040398482235'],
    ['ava', "'ok'"],
    ['mocha', 'Error: 1 != 2'],
    ['JUnit', 'org.opentest4j.AssertionFailedError: expected: <3> but was: <4>'],
    ['Rust', 'assertion `left == right` failed'],
    ['RSpec', 'Failure/Error: expect(cart.total).to eq 3'],
    ['PHPUnit', 'Failed asserting that false is true.'],
    ['testify', 'Error: Not equal:'],
  ])('of %s is named by its test', (_, headline) => {
    expect(nameOf(headline)).toBe(`${TEST}: ${headline.replace(/:$/, '')}`);
    expect(nameOf(headline, [TEST, 'b', 'c'])).toBe(`${TEST} and 2 more: ${headline.replace(/:$/, '')}`);
    expect(nameOf(headline, [])).toBeNull();
  });

  it.each([
    "TypeError: Cannot destructure property 'percent' of undefined",
    "KeyError: 'sum'",
    'Error: Snapshot `basic-usage > basic-usage 1` mismatched',
    'AssertionError [ERR_ASSERTION]: "y" string is dumped without quoting; actual dump: y',
    'src/cart.ts(12,7): error TS2345: Argument of type "string" is not assignable',
    'coupon_test.go:61: want error, got nil',
    'Timed out after 5000 ms',
    '✖ carts › add up (1.24ms)',
    '',
  ])('is not %j', (headline) => {
    expect(nameOf(headline)).toBeNull();
  });

  it('is named by its values rather than by what Node says of any two', () => {
    const said = 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 2400 !== 4800';
    expect(nameOf(said)).toBe(`${TEST}: AssertionError: 2400 !== 4800`);
  });

  it('has no margin of pytest where it stands below its test', () => {
    const lines = ['FAILED test_cart.py::test_adds', 'E       AssertionError: assert 80 == 90'];
    const excerpt = { ...EMPTY_EXCERPT, headline: lines[0] ?? '', lines, tests: ['FAILED test_cart.py::test_adds'] };
    expect(nameBareError(excerpt)).toBe('FAILED test_cart.py::test_adds: AssertionError: assert 80 == 90');
  });

  it('stays one line of at most 300 characters', () => {
    const long = `Expected ${'x'.repeat(280)}`;
    expect(nameOf(long, ['y'.repeat(150)])?.length).toBe(300);
  });
});
