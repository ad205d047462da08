// Checks without a log: their annotations and their own words, which mostly say no more than that they failed.
import { describe, expect, it } from 'vitest';
import { type ReadCheck, readCheck } from '../src/read-check.ts';
import { actionsLog } from './logs.ts';

function said(output: string, name = 'ci/other'): ReadCheck {
  return readCheck({ name, output, log: '', annotations: [] });
}

describe('annotations', () => {
  const note = (level: 'failure' | 'warning', path: string, message: string) => ({ level, path, line: 4, message });

  it('tell the cause, and their places count first', () => {
    const annotations = [
      note('failure', '.github', 'Process completed with exit code 1.'),
      note('failure', '/home/runner/work/shop/shop/src/a.ts', 'Type "x" is not assignable to type "y"'),
    ];
    const found = readCheck({ name: 'lint', output: '', log: '', annotations });
    expect(found.excerpt.headline).toContain('is not assignable');
    expect(found.places[0]).toMatchObject({ path: 'src/a.ts', line: 4 });
    expect(found.isInformative).toBe(true);
  });

  it('that only warn are neither places nor a cause', () => {
    const annotations = [
      note('warning', 'src/old.ts', 'unused variable'),
      note('failure', 'src/a.ts', 'Type "x" is not assignable to type "y"'),
    ];
    const found = readCheck({ name: 'lint', output: '', log: '', annotations });
    expect(found.places.map(({ path }) => path)).toEqual(['src/a.ts']);
    expect(readCheck({ name: 'lint', output: '', log: '', annotations: annotations.slice(0, 1) })).toMatchObject({
      isInformative: false,
      places: [],
    });
  });
});

describe('own words that only say that it failed', () => {
  it.each([
    'Build failed in 3 min',
    'Deploy failed',
    'Your tests failed on CircleCI',
    'Your CircleCI tests were canceled',
    'Quality Gate failed',
    'The Travis CI build failed',
    'Build #123 failed (2 minutes, 3 seconds)',
    'Deploy Preview canceled.',
    'Unit tests: FAILED',
    'Failing after 3m',
    'ERROR: build failed',
  ])('are nothing: %s', (words) => {
    expect(said(words)).toMatchObject({ isInformative: false, excerpt: { headline: '', lines: [] } });
  });

  it('are nothing in two contexts of one name each', () => {
    expect(said('Deploy failed', 'site').fingerprint).not.toBe(said('Deploy failed', 'docs').fingerprint);
  });
});

describe('own words that say something', () => {
  it.each([
    ['an error', 'Build failed\nerror: no such zone', 'error: no such zone'],
    ['a test', 'Tests\n\n--- FAIL: TestCoupon (0.01s)', '--- FAIL: TestCoupon'],
    ['a place', 'Deploy failed\nsrc/a.ts:12 lacks a semicolon', 'src/a.ts:12 lacks a semicolon'],
  ])('tell by %s', (_, words, headline) => {
    expect(said(words)).toMatchObject({ isInformative: true, excerpt: { headline } });
  });

  it('name the places that they tell', () => {
    expect(said('src/a.ts:12 lacks a semicolon').places).toMatchObject([{ path: 'src/a.ts', line: 12 }]);
  });

  it('name the test', () => {
    expect(said('Tests\n\n--- FAIL: TestCoupon (0.01s)').excerpt.tests).toEqual(['TestCoupon']);
  });

  it.each([
    ['71.42% of diff hit (target 88.00%)'],
    ['Quality Gate failed\n71.42% of diff hit (target 88.00%)'],
    ['codecov/patch\n## ![x](https://c.example/x.svg) **71.42% of diff hit (target 88.00%)**'],
  ])('are shown where they are no error: %s', (words) => {
    const found = said(words, 'codecov/patch');
    expect(found.isInformative).toBe(false);
    expect(found.excerpt.headline).toBe('71.42% of diff hit (target 88.00%)');
    expect(found.excerpt.lines.at(-1)).toContain('71.42% of diff hit');
  });

  it('are words of trouble only, which are in every check that is red, and are shown', () => {
    const found = said('The preview cannot be made: quota exceeded');
    expect(found).toMatchObject({
      isInformative: false,
      excerpt: { headline: 'The preview cannot be made: quota exceeded' },
    });
  });

  it('are not its own name', () => {
    expect(said('tests on linux\n3 of 90 tests are slow', 'tests on linux').excerpt.headline).toBe(
      '3 of 90 tests are slow',
    );
  });

  it('are shown of long summaries in part, and it says what is left out', () => {
    const rows = Array.from({ length: 90 }, (_, index) => `| module ${index} | ${index}% |`);
    const { excerpt } = said(['Coverage went down', ...rows].join('\n'));
    expect(excerpt.headline).toBe('Coverage went down');
    expect(excerpt.cut).toMatch(/^Showing \d+ of 91 lines$/);
  });

  it('are other causes in other checks, but a tool’s verdict is the same in every check', () => {
    expect(said('error: no such zone', 'site').fingerprint).not.toBe(said('error: no such zone', 'docs').fingerprint);
    const verdict = 'src/cart.ts(3,1): error TS2304: Cannot find name "Basket".';
    const log = actionsLog('npx tsc', [verdict]);
    expect(said(verdict).fingerprint).toBe(readCheck({ name: 'x', output: '', log, annotations: [] }).fingerprint);
  });
});

it('a check that tells nothing has no cause, no place and no excerpt', () => {
  const silent = actionsLog('make check', ['working', 'done']);
  const found = readCheck({ name: 'test', output: '', log: silent, annotations: [] });
  expect(found).toMatchObject({ isInformative: false, places: [], infrastructure: null });
  expect(said('')).toMatchObject({ isInformative: false, excerpt: { headline: '', lines: [], tests: [], cut: '' } });
});
