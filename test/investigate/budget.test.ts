// Budgets: what is left of them, what the model reads about it, how a run ends, and what the ledger sees.

import { type Model, ModelFailure, ModelUnavailable, type TurnUsage } from 'causeway-models';
import { describe, expect, it } from 'vitest';
import { describeForPeople } from '../../src/core/reason.ts';
import { assessStanding, estimateReservation, type Ledger } from '../../src/investigate/budget.ts';
import { runAgent } from '../../src/investigate/loop.ts';
import { CONCLUSION, call, DRAFT, ground, inputOf, LIMITS, type Played, play, scriptedModel } from './scripted-run.ts';

const PRICES = { prompt: 2, cached: 0.5, completion: 10 };
const NO_USAGE = { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: 0 };
const FREE = { promptTokens: 1_000, usd: 0 };

function searches(count: number): readonly Played[] {
  return Array.from({ length: count }, (_, at) => call('search', { pattern: `sum ${at}`, regex: true }));
}

function budget(limits: Partial<typeof LIMITS>, ledger?: Ledger) {
  return {
    limits: { ...LIMITS, ...limits },
    ledger: ledger ?? { reserve: async () => 'ok' as const, settle: async () => {} },
  };
}

const SPENT = { code: 'month_budget', of: 'all', usd: 200 } as const;

async function withLedger(turns: readonly Played[], refuseAt = Number.POSITIVE_INFINITY) {
  const entries: (readonly [string, number, number?])[] = [];
  const ledger: Ledger = {
    reserve: async (usd) => {
      entries.push(['reserve', usd]);
      return entries.length > refuseAt ? { refused: SPENT } : 'ok';
    },
    settle: async (reserved, actual) => void entries.push(['settle', reserved, actual]),
  };
  const model = scriptedModel(turns, { prices: PRICES });
  const input = inputOf({ model, tools: ground({ 'sum.ts': 'sum' }).tools, budget: budget({}, ledger) });
  const end = await runAgent(input, new AbortController().signal).catch((error: unknown) => error);
  return { end, entries };
}

describe('the state of the budget', () => {
  it('is open, to be concluded from 80 %, closing for its last two turns, over at the end', () => {
    const phases = Array.from({ length: 31 }, (_, turns) => assessStanding(LIMITS, { ...NO_USAGE, turns }, FREE).phase);
    expect(phases.indexOf('concluding')).toBe(24);
    expect(phases.indexOf('closing')).toBe(28);
    expect(phases.indexOf('over')).toBe(30);
  });

  it('follows time, tokens and money alike', () => {
    const at = (usage: Partial<typeof NO_USAGE>, usd = 0) =>
      assessStanding(LIMITS, { ...NO_USAGE, turns: 5, ...usage }, { ...FREE, usd }).phase;
    expect([at({ seconds: 479 }), at({ seconds: 480 }), at({ seconds: 540 }), at({ seconds: 600 })]).toEqual([
      'open',
      'concluding',
      'closing',
      'over',
    ]);
    expect([at({ promptTokens: 4_000_000 }), at({ promptTokens: 4_999_500 })]).toEqual(['concluding', 'over']);
    expect([at({ costUsd: 0.5 }, 0.1), at({ costUsd: 0.5 }, 0.3), at({ costUsd: 0.5 }, 0.6)]).toEqual([
      'open',
      'closing',
      'over',
    ]);
    expect(at({ costUsd: 0 }, 0)).toBe('open');
  });

  it('reserves the prompt and the largest answer, what was cached before at its price', () => {
    const bare = estimateReservation(10_000, undefined, PRICES);
    expect(bare).toBeCloseTo(0.02 + 0.04096);
    expect(estimateReservation(10_000, undefined, null)).toBe(0);
  });
});

describe('a run at the end of its budget', () => {
  it('is reminded once at 80 %, and then concludes partially', async () => {
    const { end, model } = await play([...searches(12), CONCLUSION], { budget: budget({ turns: 15 }) });
    expect(end).toMatchObject({
      kind: 'concluded',
      partial: true,
      stop: { reason: { code: 'run_budget', unit: 'turns', phase: 'concluding' } },
    });
    const told = model.asked.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(told).toHaveLength(2);
  });

  it('gets no tools in its last two turns, and may conclude in plain text', async () => {
    const { end, model } = await play([...searches(4), { say: 'Sorry?' }, { say: JSON.stringify(DRAFT) }], {
      budget: budget({ turns: 6 }),
    });
    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'none', 'none']);
    expect(new Set(model.asked.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    expect(end).toMatchObject({ kind: 'concluded', partial: true });
  });

  it('concludes in time by the costs that an endpoint states for a model without prices', async () => {
    const model = scriptedModel([...searches(4), CONCLUSION]);
    const billed: Model = {
      ...model,
      ask: async (request, signal) => {
        const { usage, ...turn } = await model.ask(request, signal);
        return { ...turn, usage: { ...usage, costUsd: 0.2 } };
      },
    };
    const { tools } = ground({ 'sum.ts': 'sum' });
    const reserved: number[] = [];
    const ledger: Ledger = {
      reserve: async (usd) => {
        reserved.push(usd);
        return 'ok';
      },
      settle: async () => {},
    };
    const input = inputOf({ model: billed, tools, budget: budget({ usd: 1 }, ledger) });
    const end = await runAgent(input, new AbortController().signal);
    const stop = { reason: { code: 'run_budget', unit: 'usd', phase: 'concluding' } };
    expect(end).toMatchObject({ kind: 'concluded', partial: true, stop });
    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'none']);
    expect(reserved.slice(1)).toEqual([0.2, 0.2, 0.2, 0.2]);
  });

  it('ends without a conclusion where there is none in the last two turns', async () => {
    const { end, ground: shop } = await play(searches(8), { budget: budget({ turns: 6 }) });
    expect(end).toMatchObject({
      kind: 'no_conclusion',
      usage: { turns: 6 },
      stop: { reason: { code: 'run_budget', unit: 'turns', limit: 6 } },
    });
    expect(shop.ran).toHaveLength(4);
  });

  it('ends when its time is over, even in the middle of an answer', async () => {
    const stalled = {
      name: 'stalled',
      prices: null,
      ask: (_: unknown, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    const input = inputOf({ model: stalled, tools: [], budget: budget({ seconds: 0.05 }) });
    const keepAlive = setTimeout(() => {}, 20_000);
    const end = await runAgent(input, new AbortController().signal);
    clearTimeout(keepAlive);
    expect(end).toMatchObject({ kind: 'no_conclusion', stop: { reason: { unit: 'seconds' } } });
  });
});

describe('the ledger', () => {
  it('sets money aside before each call and settles the real cost after', async () => {
    const { end, entries } = await withLedger([...searches(1), CONCLUSION]);
    expect(entries.map(([what]) => what)).toEqual(['reserve', 'settle', 'reserve', 'settle']);
    const actual = entries.flatMap(([what, , cost]) => (what === 'settle' ? [cost ?? Number.NaN] : []));
    expect(entries[1]?.[1]).toBe(entries[0]?.[1]);
    expect(end).toMatchObject({ kind: 'concluded' });
    expect((end as { usage: { costUsd: number } }).usage.costUsd).toBeCloseTo(actual[0]! + actual[1]!);
    expect(actual[0]).toBeLessThan(entries[0]![1]);
  });

  it('ends the run with its own words when it refuses', async () => {
    const { end, entries } = await withLedger([...searches(2), CONCLUSION], 2);
    expect(end).toMatchObject({ kind: 'no_conclusion', stop: { reason: SPENT } });
    expect(entries).toHaveLength(3);
  });

  it('is not said to be used up where it refuses the first question', async () => {
    const refused = { code: 'run_budget', unit: 'usd', limit: 0.01, phase: 'over' } as const;
    const ledger: Ledger = { reserve: async () => ({ refused }), settle: async () => {} };
    const { end } = await play(searches(8), { budget: budget({}, ledger) });
    expect(end).toMatchObject({ kind: 'no_conclusion', stop: { reason: { ...refused, phase: 'unspent' } } });
    expect(describeForPeople(end.stop!.reason)).toBe(
      "The investigation's budget of $0.01 is too small for one question, so the model wasn't asked.",
    );
  });

  it('gives back what an outage did not cost, and keeps what a broken answer may have cost', async () => {
    const outage = await withLedger([new ModelUnavailable('away', new Date(0))]);
    expect(outage.entries.at(-1)).toEqual(['settle', outage.entries[0]?.[1], 0]);
    const broken = await withLedger([new ModelFailure('model_misbehaved', 'half an answer')]);
    expect(broken.entries.at(-1)).toEqual(['settle', broken.entries[0]?.[1], broken.entries[0]?.[1]]);
  });

  it('books an interrupted answer, whether the question is repeated, sent back or given up', async () => {
    const spent = { promptTokens: 3_000, cachedTokens: 1_000, completionTokens: 50, estimated: true };
    const cost = (2_000 * PRICES.prompt + 1_000 * PRICES.cached + 50 * PRICES.completion) / 1_000_000;
    const away = await withLedger([new ModelUnavailable('away', new Date(0), spent)]);
    expect(away.end).toBeInstanceOf(ModelUnavailable);
    expect(away.entries.at(-1)).toEqual(['settle', away.entries[0]?.[1], cost]);
    for (const code of ['model_rejected', 'model_overflow'] as const) {
      const { entries } = await withLedger([new ModelFailure(code, 'in words', spent), CONCLUSION]);
      expect(entries[1]).toEqual(['settle', entries[0]?.[1], cost]);
    }
    expect(cost).toBeGreaterThan(0);
  });

  it('books several useless answers, where they took more than was set aside for one', async () => {
    const spent = { promptTokens: 0, cachedTokens: 0, completionTokens: 9_000, estimated: false };
    const { entries } = await withLedger([new ModelFailure('model_misbehaved', 'cut, three times', spent)]);
    expect(entries.at(-1)).toEqual(['settle', entries[0]?.[1], 0.09]);
    expect(entries[0]?.[1]).toBeLessThan(0.09);
  });

  it('gets the tokens of answered calls only', async () => {
    const told: (TurnUsage | undefined)[] = [];
    const ledger: Ledger = {
      reserve: async () => 'ok',
      settle: async (_reserved, _actual, tokens) => void told.push(tokens),
    };
    const answers = [...searches(1), new ModelFailure('model_misbehaved', 'half an answer')];
    const model = scriptedModel(answers, { prices: PRICES });
    const { tools } = ground({ 'sum.ts': 'sum' });
    await runAgent(inputOf({ model, tools, budget: budget({}, ledger) }), new AbortController().signal);
    expect(told).toEqual([expect.objectContaining({ promptTokens: expect.any(Number) }), undefined]);
  });

  it('counts nothing for a question that was cancelled while the money was set aside', async () => {
    const controller = new AbortController();
    const settled: number[] = [];
    const ledger: Ledger = {
      reserve: async () => {
        controller.abort(new Error('cancelled'));
        return 'ok';
      },
      settle: async (_reserved, actual) => void settled.push(actual),
    };
    const model = scriptedModel([CONCLUSION], { prices: PRICES });
    const input = inputOf({ model, tools: [], budget: budget({}, ledger) });
    await expect(runAgent(input, controller.signal)).rejects.toThrow('cancelled');
    expect(settled).toEqual([0]);
    expect(model.asked).toEqual([]);
  });
});
