// The store's contract: what is remembered of checks is kept as long as everything else, and goes with its project.
import { describe, expect, it } from 'vitest';
import { finding, found, inBranch, ofActions, recorded, seenAs, sighting } from '../support/check-store-samples.ts';
import { githubGround, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const day = 24 * 60 * 60;

function sweep({ store }: Opened, endedBefore: string, now = endedBefore) {
  return store.sweep({ endedBefore, keysBefore: NOW, now });
}

async function noted({ store }: Opened, projectId: string, id: string) {
  await store.ensureHead({ id, projectId, sha: id, branch: '' }, { runAt: NOW, now: NOW });
}

export function forgettingChecksContract(engine: Engine): void {
  describe('a head that did not change for so long', () => {
    it('is swept with its jobs, and leaves the others and the ledger', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('k', { at: at(100) })]);
      for (const id of ['hed_old', 'hed_young', 'hed_never']) await noted(opened, project.id, id);
      await store.saveHead('hed_old', seenAs('red', { findings: [finding('fal_1')] }), at(10));
      await store.saveHead('hed_young', seenAs('red', { findings: [finding('fal_1')] }), at(20));
      await sweep(opened, at(20));
      expect(await store.findHead('hed_young')).toMatchObject({ id: 'hed_young', findings: [finding('fal_1')] });
      expect([await store.findHead('hed_old'), await store.findHead('hed_never')]).toEqual([null, null]);
      const subjects = new Set((await opened.jobs()).map((job) => job.subject));
      expect(subjects).toEqual(new Set([project.id, 'hed_young']));
      expect(await opened.recordCounts()).toMatchObject({ heads: 1, findings: 1, failures: 1, sightings: 1 });
    });

    it('is swept with any number of others', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { project } = await githubGround(opened.store);
      for (let i = 0; i < 201; i++) await noted(opened, project.id, `hed_${i}`);
      expect(await sweep(opened, at(1))).toBe(0);
      expect(await opened.recordCounts()).toMatchObject({ heads: 0, jobs: 1 });
    });
  });

  describe('a failure', () => {
    it('that was not seen for so long is swept, open or closed, with its headline', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('k', { at: at(1) })], 'fal_open');
      await recorded(store, project.id, [sighting('k', { at: at(1), checkName: 'x' })], 'fal_closed');
      await store.closeFixedFailures(
        project.id,
        { sha: SHA, checks: [ofActions('x')], at: at(2), contained: [] },
        at(2),
      );
      await recorded(store, project.id, [sighting('k', { at: at(1) }), sighting('l', { at: at(5) })], 'fal_seen');
      await sweep(opened, at(5));
      expect((await store.listFailures(project.id, { limit: 9 })).map((one) => one.id)).toEqual(['fal_seen']);
      expect(await store.findFailure('fal_seen')).toMatchObject({ hits: 2, firstSeen: { key: 'k' } });
      expect(await opened.recordCounts()).toMatchObject({ failures: 1, sightings: 1 });
    });

    it('that nobody has seen for 30 days is open no more, and new when it is back', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('k', { sha: 'last', at: at(1) })], 'fal_gone');
      await recorded(store, project.id, [sighting('k', { at: at(9) })], 'fal_seen');
      const now = at(30 * day + 5);
      await sweep(opened, NOW, now);
      expect(await store.findFailure('fal_gone')).toMatchObject({
        state: 'closed',
        closed: { sha: 'last', at: now, by: 'unseen' },
      });
      expect(await store.findFailure('fal_seen')).toMatchObject({ state: 'open', closed: null });
      const back = await recorded(store, project.id, [sighting('l', { at: at(30 * day + 6) })], 'fal_gone');
      expect(back).toMatchObject({ standing: 'new', failure: { state: 'open', opening: 2 } });
    });

    it('that goes on names neither an investigation nor a thread that was swept', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await recorded(store, base.project.id, [inBranch('k', 5, { at: at(100) })]);
      const { runId, investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      await store.conclude(await started(store, runId), conclusion(), NOW);
      await noted(opened, base.project.id, 'hed_1');
      const link = finding('fal_1', { investigationId, threadId: 'thr_1', isOwnThread: true });
      await store.saveHead('hed_1', seenAs('red', { findings: [link] }), at(100));
      expect(await sweep(opened, at(50))).toBe(1);
      expect(await store.findThread('thr_1')).toBeNull();
      expect(await store.findFailure('fal_1')).toMatchObject({ investigationId: null, threadId: null });
      const none = { investigationId: null, threadId: null, isOwnThread: false };
      expect((await store.findHead('hed_1'))?.findings).toEqual([{ ...link, ...none }]);
    });

    it('has greens beside it that go as well', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await store.recordPassingCheck(project.id, { check: ofActions('old'), sha: 'a', at: at(1) });
      await store.recordPassingCheck(project.id, { check: ofActions('young'), sha: 'a', at: at(5) });
      await sweep(opened, at(5));
      expect(await opened.recordCounts()).toMatchObject({ passing_checks: 1 });
      expect(await store.listPassingChecks(project.id, ofActions('young'))).toHaveLength(1);
    });
  });

  describe('a project of GitHub that is hidden', () => {
    it('is erased after 30 days with its heads, failures and backfill, and their jobs; another one stays', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await recorded(store, base.project.id, [sighting('k', { at: at(40 * day) })]);
      await store.recordPassingCheck(base.project.id, { check: ofActions('x'), sha: 'a', at: at(40 * day) });
      const { investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      const link = finding('fal_1', { investigationId, threadId: 'thr_1' });
      for (let i = 0; i < 201; i++) await noted(opened, base.project.id, `hed_${i}`);
      await store.saveHead('hed_0', seenAs('red', { findings: [link] }), NOW);
      await noted(opened, other.id, 'hed_two');
      await store.hideRepository({ id: 1, installationId: 500 }, NOW);
      await sweep(opened, NOW, at(30 * day));
      expect(await store.findHead('hed_0')).not.toBeNull();
      expect(await sweep(opened, NOW, at(30 * day + 1))).toBe(1);
      const left = { heads: 1, findings: 0, failures: 0, sightings: 0, passing_checks: 0, backfills: 1, threads: 0 };
      expect(await opened.recordCounts()).toMatchObject(left);
      expect((await opened.jobs()).map(({ kind, subject }) => ({ kind, subject }))).toEqual([
        { kind: 'backfill', subject: other.id },
        { kind: 'head', subject: 'hed_two' },
      ]);
    });
  });
}
