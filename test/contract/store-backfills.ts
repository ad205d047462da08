// The store's contract: the past of a project is read once, and what an investigation costs is known from those that were.
import { describe, expect, it } from 'vitest';
import type { Backfill } from '../../src/db/backfills.ts';
import type { Store } from '../../src/db/store.ts';

import { githubGround, installation, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, type Ground, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const limits = { run: 1e9, repository: 1e9, all: 1e9 };

/** A run that cost so many millionths; undefined: no model took part. */
async function spent(store: Store, base: Ground, amount: number | undefined) {
  const { runId } = await accepted(store, acceptance(base, { fresh: true }));
  const run = await started(store, runId);
  if (amount !== undefined) {
    await store.reserveMoney(run, { amount: 5, limits, now: NOW });
    await store.settleMoney(run, { reserved: 5, spent: amount, now: NOW });
    await store.settleMoney(run, { reserved: 0, spent: 1_000_000, now: '2026-12-01T00:00:00.000Z' });
  }
  await store.conclude(run, conclusion(), NOW);
}

export function backfillsContract(engine: Engine): void {
  describe('a project that is new on GitHub', () => {
    it('has its last 14 days to be read, once, with those of its installation in turn', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], NOW);
      const two = (await store.putRepository(500, repository(2, 'octo/two'), at(1)))!;
      const shop = (await store.findProjectOfRepository(1))!;
      const since = '2026-11-06T10:00:00.000Z';
      const begun = { state: 'waiting', cursor: '', calls: 0, checks: 0, since, forecast: null };
      expect(await store.findBackfill(shop.id)).toEqual({ projectId: shop.id, ...begun });
      const unasked = { group: 'installation 500', urgency: 'automatic' };
      const jobs = [
        { kind: 'backfill', subject: shop.id, runAt: NOW, ...unasked },
        { kind: 'backfill', subject: two.id, runAt: at(1), ...unasked },
      ];
      expect(await opened.jobs()).toEqual(jobs);
      for (const { subject } of jobs) await opened.queue({}).cancel('backfill', subject);
      await store.hideRepository({ id: 2, installationId: 500 }, at(2));
      await store.syncInstallation(installation(), [repository(1, 'octo/store'), repository(2, 'octo/two')], at(3));
      expect(await opened.jobs()).toEqual([]);
      expect((await store.findBackfill(shop.id))?.since).toBe(since);
    });

    it('remembers how far it was read, and what came of it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const forecast = { redChecks: 40, investigations: 7, usd: 1.25 };
      const read: Backfill = {
        ...{ projectId: project.id, state: 'done', cursor: 'page 7', calls: 31, checks: 12, since: NOW, forecast },
      };
      await store.saveBackfill({ ...read, state: 'waiting', forecast: null }, NOW);
      await store.saveBackfill(read, at(1));
      expect(await store.findBackfill(project.id)).toEqual(read);
      const local = (await ground(store)).project;
      expect(await store.findBackfill(local.id)).toBeNull();
    });
  });

  describe('the mean cost of an investigation', () => {
    it('is that of the ones that ended and a model took part in', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      expect(await store.readMeanCost()).toBeNull();
      await spent(store, base, undefined);
      expect(await store.readMeanCost()).toBeNull();
      await spent(store, base, 500_000);
      await spent(store, base, 0);
      const { runId } = await accepted(store, acceptance(base, { fresh: true }));
      await store.reserveMoney(await started(store, runId), { amount: 9_000_000, limits, now: NOW });
      expect(await store.readMeanCost()).toBe(1.25);
    });

    it('is that of the last hundred', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      await spent(store, base, 900_000_000);
      for (let i = 0; i < 100; i++) await spent(store, base, 1_000_000);
      expect(await store.readMeanCost()).toBe(2);
    });
  });
}
