// The ledger that a run is given, over a real store: what a call cost and took is what is remembered of the run.
import { expect, it } from 'vitest';
import { createRunLedger } from '../../src/services/run-records.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { acceptance, accepted, ground, NOW, started } from '../support/store-samples.ts';

it('the ledger of a run keeps money and tokens of each call that was answered', async () => {
  await using opened = await openSqlite();
  const { store } = opened;
  const { runId } = await accepted(store, acceptance(await ground(store)));
  const usd = { run: 1, repository: 1, all: 1 };
  const ledger = createRunLedger({ store, now: () => new Date(NOW) }, await started(store, runId), usd);
  expect(await ledger.reserve(0.5)).toBe('ok');
  const usage = { promptTokens: 1_000, cachedTokens: 400, cacheWriteTokens: 0, completionTokens: 50, estimated: false };
  await ledger.settle(0.5, 0.25, usage);
  expect(await ledger.reserve(0.5)).toBe('ok');
  await ledger.settle(0.5, 0.125);
  expect(await ledger.reserve(0.7)).toEqual({ refused: { code: 'run_budget', unit: 'usd', limit: 1, phase: 'over' } });
  expect(await store.readRunSpending(runId)).toEqual({
    ...{ spentUsd: 0.375, reservedUsd: 0, turns: 1 },
    ...{ promptTokens: 1_000, cachedTokens: 400, cacheWriteTokens: 0, completionTokens: 50 },
  });
});
