// How near an answer is to the real fix, and what many answers amount to.

import type { Diff } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import type { Suspect } from '../../src/core/issue/issue.ts';
import type { FixedFile } from '../../src/evaluation/cases.ts';
import { scoreAnswer } from '../../src/evaluation/score.ts';
import { type CaseAnswer, computeMean, computeWilson, summarise } from '../../src/evaluation/summary.ts';
import { sampleIssue } from '../support/sample-issue.ts';

const TRUTH: readonly FixedFile[] = [
  { path: 'src/cart.js', lines: [{ from: 10, to: 11 }], functions: [{ name: 'total', from: 8, to: 20 }] },
  { path: 'src/mail.js', lines: [{ from: 5, to: 6 }], functions: [] },
];

function answer(suspects: readonly (readonly [string, number])[], diff: Diff = { files: [] }) {
  const issue = sampleIssue();
  const all = suspects.map(([file, line]): Suspect => ({ file, line, function: '', score: 1, reasons: [] }));
  return { diff, analysis: { ...issue.analysis, suspects: all } };
}

const change = (fileName: string, ...lineNumbers: readonly number[]): Diff => ({
  files: [
    {
      fileName,
      changes: [
        { type: 'modify', lines: lineNumbers.map((lineNumber) => ({ lineNumber, oldCode: 'a', newCode: 'b' })) },
      ],
    },
  ],
});

const NOWHERE = { rank: 0, file: false, function: false, line: false, covered: null };

describe('an answer', () => {
  it.each([
    ['names nothing', answer([]), NOWHERE],
    [
      'names another file first',
      answer([
        ['src/a.js', 1],
        ['src/mail.js', 5],
      ]),
      { ...NOWHERE, rank: 2 },
    ],
    [
      'points into the function, far from the lines',
      answer([['src/cart.js', 19]]),
      { ...NOWHERE, rank: 1, file: true, function: true },
    ],
    ['points at the file without a line', answer([['src/cart.js', 0]]), { ...NOWHERE, rank: 1, file: true }],
    [
      'points three lines before a changed one',
      answer([['src/cart.js', 7]]),
      { ...NOWHERE, rank: 1, file: true, line: true },
    ],
    [
      'changes one of the lines: what it changes counts, not whom it suspects',
      answer([['src/a.js', 1]], change('src/cart.js', 11)),
      { rank: 1, file: true, function: true, line: true, covered: { files: 0.5, functions: 1, lines: 0.25 } },
    ],
    [
      'changes another file',
      answer([['src/cart.js', 10]], change('src/a.js', 1)),
      { ...NOWHERE, rank: 2, covered: { files: 0, functions: 0, lines: 0 } },
    ],
  ])('%s', (_, given, score) => {
    expect(scoreAnswer(TRUTH, given)).toEqual(score);
  });

  it('has no function to find where the fix changed none', () => {
    expect(scoreAnswer(TRUTH.slice(1), answer([['src/mail.js', 5]])).function).toBeNull();
  });
});

describe('an interval', () => {
  // The bounds of R's prop.test(correct = FALSE).
  it.each([
    [0, 10, 0, 0.2775],
    [8, 10, 0.4902, 0.9433],
    [20, 20, 0.8389, 1],
    [0, 0, 0, 1],
  ])('of %i of %i is from %f to %f', (count, of, low, high) => {
    const found = computeWilson(count, of);
    expect([found.low, found.high]).toEqual([expect.closeTo(low, 3), expect.closeTo(high, 3)]);
  });

  it('of a mean holds it, is the same for the same numbers, and is a point where they are equal', () => {
    const found = computeMean([1, 2, 3, 4, 10]);
    expect(found).toEqual(computeMean([1, 2, 3, 4, 10]));
    expect([found.mean, found.low < 4, found.low > 1, found.high > 4, found.high < 10]).toEqual([
      4,
      ...Array(4).fill(true),
    ]);
    expect([computeMean([7, 7, 7]), computeMean([])]).toEqual([
      { mean: 7, low: 7, high: 7 },
      { mean: 0, low: 0, high: 0 },
    ]);
  });

  it('of a mean of 20 normal values holds the truth in about 95 of 100 samples', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const holds = Array.from({ length: 200 }, () => computeMean(Array.from({ length: 20 }, normal))).filter(
      ({ low, high }) => low <= 0 && 0 <= high,
    ).length;
    expect(holds / 200).toBeGreaterThan(0.88);
    expect(holds / 200).toBeLessThan(0.99);
  });
});

it('counts shares among those to which a figure applies', () => {
  const one: CaseAnswer = {
    ...{ outcome: 'code_fix', partial: false, applies: true, turns: 4, tokens: 100, costUsd: 0.1, seconds: 3 },
    score: { rank: 1, file: true, function: null, line: true, covered: { files: 1, functions: null, lines: 0.5 } },
  };
  const two: CaseAnswer = {
    ...one,
    outcome: 'inconclusive',
    applies: null,
    score: { ...NOWHERE, rank: 6 },
    costUsd: 0.3,
  };
  expect(summarise([one, two])).toMatchObject({
    answers: 2,
    firstFile: { count: 1, of: 2 },
    inFive: { count: 1, of: 2 },
    function: { count: 0, of: 1 },
    applies: { count: 1, of: 1 },
    covered: { lines: { mean: 0.5 } },
    outcomes: { code_fix: 1, inconclusive: 1 },
    costUsd: { mean: expect.closeTo(0.2) },
    totalUsd: expect.closeTo(0.4),
  });
});
