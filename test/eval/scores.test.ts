// Figures over ranks and times, and plain BM25, by hand.
import { describe, expect, it } from 'vitest';
import { documentOf, rankByBm25 } from './bm25.ts';
import { firstRank, quantile, rankFigures, rowsOf } from './scores.ts';

describe('figures', () => {
  it('count the first of several right ones', () => {
    expect(firstRank(['a', 'b', 'c'], ['c', 'b'])).toBe(2);
    expect(firstRank(['a'], ['b'])).toBe(0);
    expect(rankFigures(5)).toEqual({ 'top 1': 0, 'top 5': 100, 'top 10': 100, MRR: 0.2 });
    expect(rankFigures(0)).toEqual({ 'top 1': 0, 'top 5': 0, 'top 10': 0, MRR: 0 });
  });

  it('are means, with median and 90th percentile of the times', () => {
    const cases = [1, 0].map((rank, index) => ({
      language: 'go',
      source: 'made',
      figures: rankFigures(rank),
      ms: 10 * (index + 1),
    }));
    expect(rowsOf('x', cases)).toEqual([
      {
        group: 'all',
        system: 'x',
        n: 2,
        figures: { 'top 1': 50, 'top 5': 50, 'top 10': 50, MRR: 0.5, 'median ms': 10, 'p90 ms': 20 },
      },
    ]);
    expect(rowsOf('x', [])).toEqual([]);
    expect(quantile([3, 1, 2, 5, 4, 6, 7, 8, 9, 10], 0.9)).toBe(9);
  });
});

describe('plain BM25', () => {
  it('prefers seldom words, and of two that have them the shorter one', () => {
    const documents = [
      documentOf('common.ts', 'the the the'),
      documentOf('long.ts', `the parser ${'x '.repeat(6)}`),
      documentOf('short.ts', 'the parser'),
      documentOf('none.ts', 'other'),
    ];
    expect(rankByBm25('The PARSER', documents, 10)).toEqual(['short.ts', 'long.ts', 'common.ts']);
    expect(rankByBm25('The PARSER', documents, 1)).toEqual(['short.ts']);
  });
});
