// The store's contract: the totals that budgets are held against are the sum of all costs, whatever was written, cut, ended or erased.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { Run, Store } from '../../src/db/store.ts';
import { githubGround, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const MONTHS = [NOW, '2026-12-01T00:00:00.000Z'];
const limits = { run: 1e9, repository: 1e9, all: 1e9 };
const DAY = 24 * 60 * 60;
const RUNS = 4;

const act = fc.record({
  at: fc.nat({ max: RUNS - 1 }),
  what: fc.constantFrom('ask', 'ask', 'ask', 'answer', 'answer', 'kill', 'end', 'erase', 'forget'),
  month: fc.nat({ max: 1 }),
  amount: fc.integer({ min: 0, max: 1_000 }),
});

interface Act {
  /** Of which run. */
  readonly at: number;
  readonly what: string;
  readonly month: number;
  readonly amount: number;
}

/** Runs of two projects in turn. */
async function runsOf(store: Store): Promise<Run[]> {
  const shop = await githubGround(store);
  const two = await store.putRepository(500, repository(2, 'octo/two'), NOW);
  const grounds = [shop, { ...shop, project: two! }];
  const runs: Run[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const wanted = acceptance(grounds[number % 2]!, { fingerprint: `f${number}` });
    runs.push(await started(store, (await accepted(store, wanted)).runId));
  }
  return runs;
}

/** A run that has ended, or was taken over, is refused what it asks for, which is no fault here. */
async function perform(store: Store, runs: Run[], one: Act): Promise<void> {
  await carryOut(store, runs, one).catch((error: unknown) => {
    if (!(error instanceof CausewayError && error.code === 'lease_lost')) throw error;
  });
}

async function carryOut(store: Store, runs: Run[], { at: place, what, month, amount }: Act): Promise<void> {
  const run = runs[place]!;
  const now = MONTHS[month]!;
  if (what === 'ask') await store.reserveMoney(run, { amount, limits, now });
  if (what === 'answer') await store.settleMoney(run, { reserved: amount, spent: Math.floor(amount / 3), now });
  if (what === 'kill') runs[place] = (await store.startRun(run.id, now)) ?? run;
  if (what === 'end') await store.giveUp(run, { code: 'internal', detail: '' }, now);
  if (what === 'erase') for (const id of await store.conclude(run, conclusion(), now)) await store.eraseIssue(id, now);
  if (what === 'forget') {
    await store.hideRepository({ id: 2, installationId: 500 }, NOW);
    await store.sweep({ endedBefore: NOW, keysBefore: NOW, now: at(31 * DAY) });
  }
}

async function expectSums(opened: Opened): Promise<void> {
  const { kept, summed } = await opened.costTotals();
  expect(kept).toEqual(summed);
}

export function costTotalsContract(engine: Engine): void {
  describe('the total of a month', () => {
    it('is the sum of its costs, of each project and of all, in whatever order runs ask, end, and are erased', async () => {
      await using place = await engine.place();
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 30 }), async (acts) => {
          await using opened = await place.open();
          const runs = await runsOf(opened.store);
          for (const one of acts) await perform(opened.store, runs, one);
          await expectSums(opened);
        }),
        { numRuns: 12 },
      );
    });

    it('is right when several stores write at once', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const runs = await runsOf(one.store);
      const asked = Array.from({ length: 40 }, (_, number) => {
        const { store } = number % 2 === 0 ? one : two;
        return store.reserveMoney(runs[number % RUNS]!, { amount: 1 + number, limits, now: NOW });
      });
      expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
      await expectSums(one);
      expect((await one.costTotals()).kept.find(({ project_id: id }) => id === '')?.in_use).toBe(820);
    });

    it('of a project that is gone is gone with it, and the others stay', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [shop, two] = await runsOf(store);
      for (const run of [shop!, two!]) await store.reserveMoney(run, { amount: 30, limits, now: NOW });
      await perform(store, [], { at: 0, what: 'forget', month: 0, amount: 0 });
      const { kept } = await opened.costTotals();
      expect(kept.map(({ project_id: id, in_use: inUse }) => [id, inUse])).toEqual([
        ['', 30],
        [shop!.projectId, 30],
      ]);
    });
  });
}
