// What an answer took, in words: one duration and one cost, whatever shows them.
import { describe, expect, it } from 'vitest';
import { describeCost, formatDollars, formatDuration } from '../../src/core/issue/effort.ts';
import { type RunUsage, toIssue } from '../../src/core/issue/issue.ts';
import { conclusion } from '../support/store-samples.ts';

it.each([
  [0.02, 'under 1 s'],
  [1, '1 s'],
  [37.7, '38 s'],
  [89.6, '1 min 30 s'],
  [250, '4 min 10 s'],
  [5_399.6, '1 h 30 min'],
  [8_000, '2 h 13 min'],
])('says %d seconds as "%s"', (seconds, said) => {
  expect(formatDuration(seconds)).toBe(said);
});

it.each([
  [0, '$0'],
  [0.000_02, 'under $0.0001'],
  [0.006_94, '$0.0069'],
  [0.0431, '$0.04'],
  [12, '$12.00'],
])('says %d dollars as "%s"', (usd, said) => {
  expect(formatDollars(usd)).toBe(said);
});

describe('the cost of an answer', () => {
  const owner = {
    ...{ issueId: 'iss_1', investigationId: 'inv_1', projectId: 'prj_1', reference: '', report: '' },
    origin: 'api',
    ...{ verdict: null, sameAs: null },
    ...{ requestedAt: '2026-11-26T12:00:00.000Z', createdAt: '2026-11-26T12:00:37.700Z' },
  } as const;
  const issueOf = (model: string | null, usage: Partial<RunUsage> = {}, lookUsd?: number) => {
    const sample = conclusion();
    const used = { ...sample.analysis.usage, turns: 3, promptTokens: 900, completionTokens: 90, seconds: 8, ...usage };
    const look = { turns: 1, promptTokens: 100, completionTokens: 10, costUsd: lookUsd ?? 0 };
    const facts = { reason: '', evidence: [], model: 'other', usage: look } as const;
    const secondLook = lookUsd === undefined ? null : ({ verdict: 'agrees', ...facts } as const);
    return toIssue(owner, { ...sample, analysis: { ...sample.analysis, model, usage: used, secondLook } }).analysis;
  };

  it.each<[string, string | null, Partial<RunUsage>, string]>([
    ['of a script', 'scripted', {}, '$0 (script)'],
    ['without a model', null, {}, '$0 (no model)'],
    ['of a model that nobody has priced', 'qwen3.5:27b', {}, 'cost unknown'],
    ['of a model with prices of 0', 'qwen3.5:27b', { isPriced: true }, '$0'],
    ['of an endpoint that states it', 'gemini', { costUsd: 0.0069 }, '$0.0069'],
  ])('%s is told apart from the others', (_, model, usage, said) => {
    const analysis = issueOf(model, usage);
    expect(describeCost(analysis)).toBe(said);
    expect(analysis.usage.costUsd === null).toBe(said === 'cost unknown');
    expect(analysis.usage).not.toHaveProperty('isPriced');
  });

  it('includes the second look, and its duration is from the request to the answer', () => {
    expect(issueOf('a-model', { costUsd: 0.4, isPriced: true }, 0.05).usage).toMatchObject({
      ...{ turns: 4, promptTokens: 1_000, completionTokens: 100, seconds: 37.7 },
      costUsd: expect.closeTo(0.45, 9),
    });
  });
});
