// The store's contract: taking a run, its steps, and the fence between generations.

import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const step = (action: string) => ({ action, result: 'result', analysis: 'analysis' });
const reason = { code: 'internal', detail: 'broken' } as const;

export function runsContract(engine: Engine): void {
  describe('a run', () => {
    it('is taken with the text of its oldest caller left', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const first = await accepted(store, acceptance(base, { text: 'first', revision: 'main' }));
      await accepted(store, acceptance(base, { text: 'second', revision: 'main' }));
      expect(await store.startRun(first.runId, at(5))).toEqual({
        id: first.runId,
        projectId: base.project.id,
        accountId: base.account.id,
        fingerprint: 'same',
        revision: 'main',
        fresh: false,
        isTrusted: true,
        settings: DEFAULT_SETTINGS,
        text: 'first',
        generation: 1,
        startedAt: at(5),
        acceptedAt: NOW,
        investigationId: first.investigationId,
      });
      await store.cancel(first.investigationId, { code: 'cancelled', detail: '' }, NOW);
      expect((await started(store, first.runId)).text).toBe('second');
    });

    it('numbers its steps and shows the last one as progress', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { runId, investigationId } = await accepted(store, acceptance(await ground(store)));
      const run = await started(store, runId);
      const one = await store.recordStep(run, step('one'), NOW);
      const two = await store.recordStep(run, step('two'), NOW);
      expect(one).toEqual({ number: 1, ...step('one') });
      expect(await store.listSteps(runId, 0)).toEqual([one, two]);
      expect(await store.listSteps(runId, 1)).toEqual([two]);
      expect((await store.findInvestigation(investigationId))?.progress).toEqual({ step: 2, action: 'two' });
    });

    it('that is taken again forgets its steps and refuses whoever held it before', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { runId, investigationId } = await accepted(store, acceptance(await ground(store)));
      const old = await started(store, runId);
      await store.recordStep(old, step('old'), NOW);
      const now = await started(store, runId);
      expect(now.generation).toBeGreaterThan(old.generation);
      expect(await store.listSteps(runId, 0)).toEqual([]);
      const lost = { code: 'lease_lost' };
      await expect(store.recordStep(old, step('late'), NOW)).rejects.toMatchObject(lost);
      await expect(store.conclude(old, conclusion(), NOW)).rejects.toMatchObject(lost);
      await expect(store.giveUp(old, reason, NOW)).rejects.toMatchObject(lost);
      expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'running' });
      expect((await store.recordStep(now, step('new'), NOW)).number).toBe(1);
      expect(await store.conclude(now, conclusion(), NOW)).toHaveLength(1);
    });

    it('that has ended or is gone cannot be taken or written', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { runId } = await accepted(store, acceptance(await ground(store)));
      const run = await started(store, runId);
      const [issueId] = await store.conclude(run, conclusion(), NOW);
      expect(await store.startRun(runId, NOW)).toBeNull();
      const lost = { code: 'lease_lost' };
      await expect(store.recordStep(run, step('late'), NOW)).rejects.toMatchObject(lost);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject(lost);
      await store.eraseIssue(issueId!, NOW);
      await expect(store.recordStep(run, step('later'), NOW)).rejects.toMatchObject(lost);
      expect(await store.startRun(runId, NOW)).toBeNull();
      expect(await store.startRun('run_unknown', NOW)).toBeNull();
    });

    it('concluded by two workers at once is concluded once', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      const { runId } = await accepted(one.store, acceptance(base));
      const run = await started(one.store, runId);
      const ends = await Promise.allSettled(
        [one, two, one, two].map((at) => at.store.conclude(run, conclusion(), NOW)),
      );
      expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(1);
      expect(await one.store.listIssueIds(base.project.id)).toHaveLength(1);
    });

    it('answered from an equal one has its steps too, and keeps them when that one is erased', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const first = await started(store, (await accepted(store, acceptance(base))).runId);
      for (const action of ['look', 'compare']) {
        await store.recordStep(first, { action, result: 'found', analysis: 'so' }, NOW);
      }
      const [original] = await store.conclude(first, conclusion(), NOW);
      const recorded = await store.listSteps(first.id, 0);
      const next = await accepted(store, acceptance(base));
      const second = await started(store, next.runId);
      await store.recordStep(second, { action: 'begin', result: '', analysis: '' }, at(1));
      await store.concludeFromEqual(second, { sha: SHA, since: NOW, model: null }, at(1));
      await store.eraseIssue(original!, at(2));
      expect(await store.listSteps(second.id, 0)).toEqual(recorded);
      expect((await store.findInvestigation(next.investigationId))?.progress).toEqual({ step: 2, action: 'compare' });
    });
  });
}
