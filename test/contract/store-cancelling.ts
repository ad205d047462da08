// The store's contract: one caller leaves, and what becomes of the run.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const callbackUrl = 'https://hooks.example.org/in';
const cancelled = { code: 'cancelled', detail: 'no more' } as const;

export function cancellingContract(engine: Engine): void {
  describe('cancelling', () => {
    it('ends one of two without touching the other', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const one = await accepted(store, acceptance(base, { callbackUrl }));
      const two = await accepted(store, acceptance(base));
      const { runId } = one;
      const run = await started(store, runId);
      expect(await store.cancel(one.investigationId, cancelled, at(1))).toEqual({
        kind: 'cancelled',
        runId,
        runEnded: false,
      });
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      expect(await store.readWebhookData(webhook!.id)).toMatchObject({ reason: cancelled });
      const ids = await store.conclude(run, conclusion(), at(2));
      expect(ids).toHaveLength(1);
      expect((await store.findIssue(ids[0]!))?.analysis).toMatchObject({
        investigationId: two.investigationId,
        sameAs: null,
      });
      expect((await store.findInvestigation(one.investigationId))?.outcome).toEqual({
        state: 'cancelled',
        reason: cancelled,
      });
    });

    it('that nobody wished for is giving up, and is no deed of a person', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { investigationId } = await accepted(store, acceptance(await ground(store), { callbackUrl }));
      const reason = { code: 'access_lost', detail: 'The App was uninstalled.' } as const;
      expect(await store.cancel(investigationId, reason, at(1))).toMatchObject({ kind: 'cancelled', runEnded: true });
      expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'gave_up', reason });
      expect((await opened.audit()).map(({ verb }) => verb)).not.toContain('investigation.cancelled');
    });

    it('the last one ends the run and removes its job, queued or running', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const queued = await accepted(store, acceptance(base));
      expect(await store.cancel(queued.investigationId, cancelled, NOW)).toMatchObject({ runEnded: true });
      expect(await opened.jobs()).toEqual([]);
      const running = await accepted(store, acceptance(base));
      const run = await started(store, running.runId);
      expect(await store.cancel(running.investigationId, cancelled, NOW)).toMatchObject({ runEnded: true });
      expect(await opened.jobs()).toEqual([]);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      expect((await accepted(store, acceptance(base))).joined).toBe(false);
    });

    it('says what has ended and what is absent', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const one = await accepted(store, acceptance(base));
      await store.cancel(one.investigationId, cancelled, NOW);
      expect(await store.cancel(one.investigationId, cancelled, NOW)).toEqual({ kind: 'ended' });
      expect(await store.cancel('inv_unknown', cancelled, NOW)).toEqual({ kind: 'absent' });
      const deeds = (await opened.audit()).filter((entry) => entry.verb === 'investigation.cancelled');
      expect(deeds).toEqual([{ verb: 'investigation.cancelled', subject: one.investigationId }]);
    });

    it('at the moment of the conclusion gives one ending, never both', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      for (let round = 0; round < 10; round++) {
        const { runId, investigationId } = await accepted(one.store, acceptance(base, { callbackUrl }));
        const run = await started(one.store, runId);
        const [cancel, conclude] = await Promise.allSettled([
          one.store.cancel(investigationId, cancelled, NOW),
          two.store.conclude(run, conclusion(), NOW),
        ]);
        const state = (await one.store.findInvestigation(investigationId))?.outcome.state;
        if (conclude.status === 'fulfilled') {
          expect(cancel).toMatchObject({ value: { kind: 'ended' } });
          expect(state).toBe('concluded');
        } else expect(state).toBe('cancelled');
        expect(await one.store.listWebhooks(base.account.id, 100)).toHaveLength(round + 1);
      }
    });
  });
}
