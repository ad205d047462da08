// One score from many signals: the same order as the sums, never surer than there is ground for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combine, type SignalValues } from '../../../src/triage/localise/signals.ts';

function values(files: number, given: Partial<SignalValues>): SignalValues {
  const none = new Float64Array(files);
  return {
    ...{ words: none, title: none, window: none, definitions: none, definedWords: none },
    ...{ pathNames: none, pathFolders: none, commits: none, titleCommits: none, testWords: none },
    ...{ frame: none, place: none, recent: none, aside: none, scope: none },
    ...{ qualified: none, rare: none, prose: none, tested: none, reference: none, testHistory: none },
    ...given,
  };
}

describe('the score of a file', () => {
  it('is between 0 and 1, and rises with what speaks for the file', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 40 }), (words) => {
        const { scores } = combine(values(words.length, { words: Float64Array.from(words) }));
        for (const [a, one] of words.entries()) {
          expect(scores[a]).toBeGreaterThanOrEqual(0);
          expect(scores[a]).toBeLessThanOrEqual(1);
          for (const [b, other] of words.entries())
            if (one >= other) expect(scores[a]).toBeGreaterThanOrEqual(scores[b]!);
        }
      }),
    );
  });

  it('of the only file that shares a word is no proof', () => {
    const { scores } = combine(values(1, { words: Float64Array.of(2) }));
    expect(scores[0]).toBeLessThan(0.2);
  });

  it('is high where all that is known points at one file', () => {
    const one = (value: number): Float64Array => Float64Array.of(value, value / 10, 0);
    const { scores } = combine(
      values(3, { words: one(90), window: one(60), pathNames: one(15), definitions: one(2), commits: one(2) }),
    );
    expect(scores[0]).toBeGreaterThan(0.6);
    expect(scores[1]).toBeLessThan(0.4);
  });

  it('is lower for what is no part of the product', () => {
    const { sums } = combine(values(2, { words: Float64Array.of(50, 50), aside: Float64Array.of(1, 0) }));
    expect(sums[0]).toBeLessThan(sums[1]!);
  });

  it('is not first for hints, which order only what comes behind', () => {
    const words = Float64Array.of(50, 20, 30);
    const plain = combine(values(3, { words }));
    const hinted = combine(values(3, { words, testHistory: Float64Array.of(0, 5, 0) }));
    const order = (sums: Float64Array) => [...sums.keys()].sort((a, b) => sums[b]! - sums[a]!);
    expect(order(plain.sums)).toEqual([0, 2, 1]);
    expect(order(hinted.sums)).toEqual([0, 1, 2]);
    expect(hinted.scores[0]).toBe(plain.scores[0]);
  });

  it('rests less on the words of a report whose failing test is known', () => {
    const given = { words: Float64Array.of(50, 10), window: Float64Array.of(20, 40) };
    const plain = combine(values(2, given));
    const traced = combine(values(2, { ...given, testWords: Float64Array.of(10, 10) }));
    expect(plain.sums[0]).toBeGreaterThan(plain.sums[1]!);
    expect(traced.sums[0]).toBeLessThan(traced.sums[1]!);
  });

  it('says what each signal adds', () => {
    const { sums, share } = combine(values(2, { words: Float64Array.of(50, 25), frame: Float64Array.of(0, 0.8) }));
    expect(share('words', 1) + share('frame', 1)).toBeCloseTo(sums[1]!);
    expect(share('words', 0)).toBeCloseTo(2 * share('words', 1));
  });
});
