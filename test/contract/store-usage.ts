// The store's contract: what runs have cost in money and tokens, and what was asked and spent by the month.
import { describe, expect, it } from 'vitest';
import type { Reservation, Settlement } from '../../src/db/costs.ts';
import { acceptance, accepted, conclusion, type Ground, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const NEXT_MONTH = '2026-12-01T00:00:00.000Z';
const plenty: Reservation['limits'] = { run: 1e12, repository: 1e12, all: 1e12 };
const tokens: Settlement['tokens'] & {} = { prompt: 1_000, cached: 400, cacheWrite: 300, completion: 50 };
const NOTHING = { spentUsd: 0, turns: 0, promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0 };

async function runOf(opened: Opened, base: Ground, now = NOW) {
  const { runId } = await accepted(opened.store, acceptance(base, { fresh: true, now }));
  return started(opened.store, runId);
}

export function usageContract(engine: Engine): void {
  describe('what a run has cost', () => {
    it('is its money, spent and set aside, and the tokens of the calls that were answered', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const [run, other] = [await runOf(opened, base), await runOf(opened, base)];
      expect(await store.readRunSpending(run.id)).toEqual({ ...NOTHING, reservedUsd: 0 });
      const call = async (now: string, settlement: Partial<Settlement>) => {
        await store.reserveMoney(run, { amount: 900_000, limits: plenty, now });
        await store.settleMoney(run, { reserved: 900_000, spent: 250_000, now, ...settlement });
      };
      await call(NOW, { tokens });
      await call(NOW, {});
      await call(NEXT_MONTH, { tokens });
      await store.reserveMoney(run, { amount: 300_000, limits: plenty, now: NEXT_MONTH });
      await store.settleMoney(other, { reserved: 0, spent: 1, tokens, now: NOW });
      expect(await store.readRunSpending(run.id)).toEqual({
        ...{ spentUsd: 0.75, reservedUsd: 0.3, turns: 2 },
        ...{ promptTokens: 2_000, cachedTokens: 800, cacheWriteTokens: 600, completionTokens: 100 },
      });
    });
  });

  describe('usage', () => {
    it('is one row for each project and month with either investigations or costs, the newest first', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const source = (path: string) => ({ name: `local${path}`, source: { kind: 'path', path } as const });
      const [one, two, three] = (await store.syncProjects(['/a', '/b', '/c'].map(source), NOW)).map((project) => ({
        account,
        project,
      }));
      const done = await runOf(opened, one!);
      await store.settleMoney(done, { reserved: 0, spent: 2_000_000, tokens, now: NOW });
      await store.conclude(done, conclusion(), NOW);
      const late = await runOf(opened, one!);
      await store.settleMoney(late, { reserved: 0, spent: 500_000, tokens, now: NEXT_MONTH });
      await accepted(store, acceptance(one!, { fresh: true, now: NEXT_MONTH }));
      const given = await runOf(opened, two!);
      await store.giveUp(given, { code: 'internal', detail: '' }, NOW);
      const gone = await accepted(store, acceptance(two!, { fresh: true, now: NOW }));
      await store.cancel(gone.investigationId, { code: 'cancelled', detail: '' }, NOW);
      await runOf(opened, two!, '2026-10-31T23:59:59.999Z');
      await runOf(opened, three!);
      const strangers = Array.from({ length: 700 }, (_, index) => `prj_unknown${index}`);
      const projectIds = [two!.project.id, ...strangers, one!.project.id];
      const none = { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 };
      const spent = { turns: 1, promptTokens: 1_000, cachedTokens: 400, cacheWriteTokens: 300, completionTokens: 50 };
      expect(await store.readUsage({ projectIds, sinceMonth: '2026-11' })).toEqual([
        {
          ...{ projectId: one!.project.id, month: '2026-12', investigations: { ...none, queued: 1 } },
          ...{ ...spent, spentUsd: 0.5 },
        },
        {
          ...{ projectId: two!.project.id, month: '2026-11', investigations: { ...none, gave_up: 1, cancelled: 1 } },
          ...NOTHING,
        },
        {
          ...{ projectId: one!.project.id, month: '2026-11', investigations: { ...none, concluded: 1, running: 1 } },
          ...{ ...spent, spentUsd: 2 },
        },
      ]);
      expect(await store.readUsage({ projectIds, sinceMonth: '2026-10' })).toHaveLength(4);
      expect(await store.readUsage({ projectIds: [], sinceMonth: '2026-11' })).toEqual([]);
    });

    it('keeps what was spent when the Issue is erased', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const run = await runOf(opened, base);
      await store.settleMoney(run, { reserved: 0, spent: 2_000_000, tokens, now: NOW });
      const [issueId = ''] = await store.conclude(run, conclusion(), NOW);
      await store.eraseIssue(issueId, NOW);
      const [row] = await store.readUsage({ projectIds: [base.project.id], sinceMonth: '2026-11' });
      expect(row).toMatchObject({ spentUsd: 2, turns: 1, investigations: { concluded: 0 } });
    });
  });
}
