// Budgets over a real store while runs are killed, prices jump between question and bill, and an endpoint bills more than was set aside.

import type { Model, Prices } from 'causeway-models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/db/runs.ts';
import type { Store } from '../../src/db/store.ts';
import { runAgent } from '../../src/investigate/loop.ts';
import { createRunLedger } from '../../src/services/run-records.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { CONCLUSION, call, ground as files, inputOf, LIMITS, scriptedModel } from '../investigate/scripted-run.ts';
import { acceptance, accepted, ground, NOW, started } from '../support/store-samples.ts';

const CHEAP: Prices = { prompt: 1, cached: 1, completion: 1 };
const SPIKE: Prices = { prompt: 1_000, cached: 1_000, completion: 1_000 };
const USD = { run: 1, repository: 1, all: 1 };
const SEARCH = call('search', { pattern: 'sum' });

async function newRun(store: Store, fingerprint: string): Promise<Run> {
  const { runId } = await accepted(store, acceptance(await ground(store), { fingerprint }));
  return started(store, runId);
}

/** Lets the model investigate on this store's money; what it was asked, how it ended, what it cost. */
async function spend(store: Store, run: Run, model: Model & { readonly asked: readonly unknown[] }) {
  const ledger = createRunLedger({ store, now: () => new Date(NOW) }, run, USD);
  const { tools } = files({ 'sum.ts': 'sum' });
  const budget = { limits: { ...LIMITS, usd: USD.run }, ledger };
  const end = await runAgent(inputOf({ model, tools, budget }), new AbortController().signal);
  return { end, asked: model.asked.length, ...(await store.readRunSpending(run.id)) };
}

/** The prices that hold when a question is asked, and those when its answer is paid. */
function repriced(before: Prices, after: Prices): ReturnType<typeof scriptedModel> {
  let prices = before;
  const onAsk = () => {
    prices = after;
  };
  const model = scriptedModel([SEARCH, CONCLUSION], { onAsk });
  return Object.defineProperty(model, 'prices', { get: () => prices });
}

describe('a budget', () => {
  it('is charged what a question cost by the price of its bill, and then allows no other', async () => {
    await using opened = await openSqlite();
    const spiked = await spend(opened.store, await newRun(opened.store, 'a'), repriced(CHEAP, SPIKE));
    expect(spiked.spentUsd).toBeGreaterThan(USD.all);
    expect(spiked).toMatchObject({ asked: 1, reservedUsd: 0, end: { kind: 'no_conclusion' } });
    // The month is everybody's.
    const next = await spend(opened.store, await newRun(opened.store, 'b'), repriced(CHEAP, CHEAP));
    expect(next).toMatchObject({ asked: 0, spentUsd: 0, end: { stop: { reason: { code: 'month_budget' } } } });
  });

  it('gives back what a fall of the price has left over', async () => {
    await using opened = await openSqlite();
    const fallen = await spend(
      opened.store,
      await newRun(opened.store, 'a'),
      repriced({ ...CHEAP, completion: 200 }, CHEAP),
    );
    expect(fallen).toMatchObject({ asked: 2, reservedUsd: 0, end: { kind: 'concluded' } });
    expect(fallen.spentUsd).toBeLessThan(0.02);
  });

  it('is charged in full by an endpoint that bills more than was set aside, which is asked once', async () => {
    await using opened = await openSqlite();
    const honest = scriptedModel([SEARCH, CONCLUSION], { prices: CHEAP });
    const greedy = {
      ...honest,
      ask: async (...asked: Parameters<Model['ask']>) => ({
        ...(await honest.ask(...asked)),
        usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 3_000_000, estimated: false },
      }),
    };
    const billed = await spend(opened.store, await newRun(opened.store, 'a'), greedy);
    expect(billed).toMatchObject({ asked: 1, reservedUsd: 0, spentUsd: 3.000_01 });
  });

  it('is never set aside twice, nor freed by a kill, in whatever order runs ask, are killed and are billed', async () => {
    const act = fc.record({
      run: fc.nat({ max: 3 }),
      what: fc.constantFrom('ask', 'answer', 'kill'),
      amount: fc.integer({ min: 1, max: 40 }),
      share: fc.integer({ min: 0, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        await using opened = await openSqlite();
        const { store } = opened;
        const runs = [
          await newRun(store, 'a'),
          await newRun(store, 'b'),
          await newRun(store, 'c'),
          await newRun(store, 'd'),
        ];
        const limits = { run: 1_000, repository: 1_000, all: 100 };
        const open = new Map<number, number>();
        let spent = 0;
        const inUse = () => spent + [...open.values()].reduce((sum, amount) => sum + amount, 0);
        for (const { run: at, what, amount, share } of acts) {
          const run = runs[at];
          if (run === undefined) continue;
          const held = open.get(at);
          if (what === 'ask' && held === undefined) {
            const fits = inUse() + amount <= limits.all;
            expect(await store.reserveMoney(run, { amount, limits, now: NOW })).toBe(fits ? null : 'all');
            if (fits) open.set(at, amount);
          } else if (what === 'answer' && held !== undefined) {
            const cost = Math.floor((held * share) / 100);
            await store.settleMoney(run, { reserved: held, spent: cost, now: NOW });
            [spent] = [spent + cost, open.delete(at)];
          } else if (what === 'kill') {
            runs[at] = await started(store, run.id);
            // Its answer may have been billed, and comes too late to say for how much.
            if (held !== undefined) await store.settleMoney(run, { reserved: held, spent: 0, now: NOW });
            [spent] = [spent + (held ?? 0), open.delete(at)];
          }
          expect(inUse()).toBeLessThanOrEqual(limits.all);
        }
        const kept = await Promise.all(runs.map(({ id }) => store.readRunSpending(id)));
        const micros = kept.reduce((sum, one) => sum + one.spentUsd + one.reservedUsd, 0) * 1_000_000;
        expect(Math.round(micros)).toBe(inUse());
      }),
      { numRuns: 20 },
    );
  });
});
