// Another run of the same failure, as it is made up: the same for the same seed, and with the lines that people call the error.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anotherRun, chanceOf, PERTURBATIONS } from './perturb-log.ts';

const STAMP = '2024-05-01T10:00:00.1234567Z ';
const TRUTH = [
  'FAILED tests/test_cart.py::test_total - assert 3 == 4',
  'E       assert total == 4',
  'TypeError: no cart',
];
const NOISE = Array.from(
  { length: 300 },
  (_, at) => `${STAMP}compiled /home/runner/work/shop/shop/a${at}.ts in ${at} ms`,
);
const LOG = [...NOISE, ...TRUTH.map((line) => `${STAMP}${line}`), ...NOISE.slice(0, 20)];

describe('another run', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(anotherRun(LOG.join('\n'), 7)).toBe(anotherRun(LOG.join('\n'), 7));
    expect(anotherRun(LOG.join('\n'), 7)).not.toBe(anotherRun(LOG.join('\n'), 8));
  });

  it('keeps what went wrong, in whatever seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const text = anotherRun(LOG.join('\n'), seed);
        for (const line of TRUTH) expect(text).toContain(line);
      }),
      { numRuns: 20 },
    );
  });

  it('differs from the first in machine, stamps and durations', () => {
    const text = anotherRun(LOG.join('\n'), 3);
    expect(text).not.toContain('/home/runner/work');
    expect(text).not.toContain(STAMP);
    expect(text).toMatch(/compiled \/Users\/runner\/work\/shop\/shop\/a299\.ts in \d+\.\d+ ms/);
  });
});

describe('one difference by itself', () => {
  const of = (name: string, line: string) => PERTURBATIONS[name]?.([line], chanceOf(1))[0];
  it.each([
    ['places', 'src/cart.ts:12:3: no', /^src\/cart\.ts:(?!12:)\d+:3: no$/],
    ['windows', 'at /home/runner/work/shop/shop/src/a.ts', /^at D:\\a\\shop\\shop\\src\\a\.ts$/],
    ['numbers', 'listening on localhost:5432', /^listening on localhost:(?!5432$)\d{5}$/],
    ['hashes', `id ${'ab12'.repeat(8)}`, /^id (?!ab12ab12)[\da-f]{32}$/],
    ['times', 'took 3 seconds', /^took \d+\.\d+ seconds$/],
  ])('of %s', (name, line, expected) => {
    expect(of(name, line)).toMatch(expected);
  });

  it('of order: a list keeps all of its lines', () => {
    const list = Array.from({ length: 9 }, (_, at) => `FAILED tests/test_a.py::test_${at} - no`);
    const other = PERTURBATIONS['order']?.(['first', ...list, 'last'], chanceOf(5)) ?? [];
    expect(other).not.toEqual(['first', ...list, 'last']);
    expect([other[0], other.at(-1)]).toEqual(['first', 'last']);
    expect(other.slice(1, -1).toSorted()).toEqual(list);
  });
});
