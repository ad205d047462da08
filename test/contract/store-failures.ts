// The store's contract: the ledger counts each red check once, and knows a failure again wherever it is seen.
import { describe, expect, it } from 'vitest';
import { found, inBranch, ofActions, recorded, sighting } from '../support/check-store-samples.ts';
import { githubGround, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

export function failuresContract(engine: Engine): void {
  describe('a failure', () => {
    it('is made where its fingerprint is new in the project', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const first = sighting('k1', { at: at(5) });
      const { failure, standing } = await recorded(store, project.id, [first]);
      expect(standing).toBe('new');
      expect(failure).toEqual({
        ...{ id: 'fal_1', projectId: project.id, fingerprint: 'print of fal_1', headline: 'TypeError of fal_1' },
        ...{ state: 'open', opening: 1, isOnDefault: true, hits: 1, flakyHits: 0, firstSeen: first, lastSeen: first },
        ...{ checkNames: ['test'], branches: ['main'], pullRequests: [], investigationId: null, threadId: null },
        ...{ closed: null, range: null },
      });
      expect(await store.findFailure('fal_1')).toEqual(failure);
      expect(await store.findFailureByFingerprint(project.id, 'print of fal_1')).toEqual(failure);
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      const absent = [store.findFailure('fal_2'), store.findFailureByFingerprint(other.id, 'print of fal_1')];
      expect(await Promise.all(absent)).toEqual([null, null]);
      const elsewhere = { id: 'fal_2', projectId: other.id, fingerprint: 'print of fal_1', headline: 'x' };
      expect((await store.recordSightings(elsewhere, [first], NOW)).standing).toBe('new');
    });

    it('links every red check once, also those that come twice at once from two processes', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const { project } = await githubGround(one.store);
      const keys = (i: number) => [sighting(`k${i % 5}`), sighting('shared'), sighting('shared')];
      const all = Array.from({ length: 20 }, (_, i) => {
        const named = { id: `fal_${i}`, projectId: project.id, fingerprint: 'same', headline: 'h' };
        return (i % 2 ? one : two).store.recordSightings(named, keys(i), NOW);
      });
      expect(new Set((await Promise.all(all)).map(({ failure }) => failure.id)).size).toBe(1);
      expect(await one.store.findFailureByFingerprint(project.id, 'same')).toMatchObject({
        hits: 6,
        state: 'open',
        opening: 1,
      });
    });

    it('is known when it is seen again, and new still to the one that it was new to', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const standing = async (...sightings: Parameters<typeof recorded>[2]) =>
        (await recorded(store, project.id, sightings)).standing;
      expect(await standing(sighting('a1'))).toBe('new');
      expect(await standing(sighting('b1', { at: at(9) }))).toBe('known');
      expect(await standing(sighting('a2'), sighting('a1'))).toBe('new');
      expect(await standing(sighting('a2'))).toBe('new');
      expect(await standing(sighting('b1', { at: at(9) }))).toBe('known');
      expect((await store.findFailure('fal_1'))?.hits).toBe(3);
    });

    it('tells first and last sighting by their moments, and the newest twenty names of each kind', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const late = Array.from({ length: 25 }, (_, i) =>
        inBranch(`k${i}`, i, { at: at(100 + i), checkName: `check ${i}`, branch: `b${i % 3}` }),
      );
      await recorded(store, project.id, late.toReversed());
      const early = inBranch('early', 99, { at: NOW, checkName: 'old', branch: '' });
      const { failure } = await recorded(store, project.id, [early]);
      expect(failure).toMatchObject({ hits: 26, firstSeen: early, lastSeen: late[24], isOnDefault: false });
      const newest = Array.from({ length: 20 }, (_, i) => 24 - i);
      expect(failure.pullRequests).toEqual(newest);
      expect(failure.checkNames).toEqual(newest.map((i) => `check ${i}`));
      expect(failure.branches).toEqual(['b0', 'b2', 'b1']);
      const again = inBranch('again', 24 - 19, { at: at(900), checkName: 'check 24', branch: 'b1' });
      const after = (await recorded(store, project.id, [again])).failure;
      expect(after.pullRequests.slice(0, 3)).toEqual([5, 24, 23]);
      expect(after.checkNames).toEqual(failure.checkNames);
      expect(after.branches).toEqual(['b1', 'b0', 'b2']);
    });

    it('counts what was chance once for each key, and only what was recorded', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('a'), sighting('b'), sighting('c')]);
      await recorded(store, project.id, [sighting('d')], 'fal_2');
      await store.markFlaky('fal_1', ['a', 'a', 'd', 'x'], NOW);
      expect(await store.findFailure('fal_1')).toMatchObject({ hits: 3, flakyHits: 1 });
      await Promise.all([store.markFlaky('fal_1', ['a', 'b'], NOW), store.markFlaky('fal_1', ['a', 'b'], NOW)]);
      expect((await store.findFailure('fal_1'))?.flakyHits).toBe(2);
      expect((await store.findFailure('fal_2'))?.flakyHits).toBe(0);
    });

    it('keeps its range of commits until it is opened anew', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('a')]);
      const range = { from: 'x', to: SHA, total: 1, commits: [{ sha: SHA, author: 'mona', subject: 'break it' }] };
      await store.saveRange('fal_1', range);
      expect((await recorded(store, project.id, [sighting('b')])).failure.range).toEqual(range);
      await store.closeFixedFailures(
        project.id,
        { sha: 'g', checks: [ofActions('test')], at: at(5), contained: [{ from: SHA, to: 'g' }] },
        at(5),
      );
      expect((await store.findFailure('fal_1'))?.range).toEqual(range);
      expect((await recorded(store, project.id, [sighting('c', { at: at(6) })])).failure.range).toBeNull();
    });

    it('that was closed is opened anew by what is seen later, with nothing that was begun for it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const { id } = base.project;
      await recorded(store, id, [sighting('a')]);
      const { investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      await store.closeFixedFailures(
        id,
        { sha: 'good', checks: [ofActions('test')], at: at(50), contained: [{ from: SHA, to: 'good' }] },
        at(51),
      );
      const begun = { investigationId, threadId: 'thr_1' };
      const closed = { state: 'closed', closed: { sha: 'good', at: at(50) }, opening: 1, ...begun };
      expect(await store.findFailure('fal_1')).toMatchObject(closed);
      const before = await recorded(store, id, [sighting('late', { at: at(49) })]);
      expect(before.failure).toMatchObject({ ...closed, hits: 2 });
      const back = await recorded(store, id, [inBranch('b', 7, { at: at(51) })]);
      expect(back.standing).toBe('regression');
      const opening = { state: 'open', opening: 2, hits: 3, isOnDefault: false, investigationId: null, threadId: null };
      expect(back.failure).toMatchObject({ ...opening, closed: closed.closed });
      expect((await recorded(store, id, [inBranch('b', 7, { at: at(51) })])).standing).toBe('regression');
      expect((await recorded(store, id, [sighting('a')])).standing).toBe('new');
      expect((await recorded(store, id, [sighting('later', { at: at(49) })])).failure.isOnDefault).toBe(false);
      const onMain = await recorded(store, id, [sighting('c', { at: at(52) })]);
      expect(onMain).toMatchObject({ standing: 'known', failure: { isOnDefault: true, opening: 2 } });
    });

    it('that is back within a day in the pull request that it was looked into for keeps that, where it brought something', async () => {
      const back = async (hours: number, number: number, end: 'running' | 'concluded' | 'gave_up') => {
        await using place = await engine.place();
        await using opened = await place.open();
        const { store } = opened;
        const base = await githubGround(store);
        const { id } = base.project;
        await recorded(store, id, [inBranch('a', 5)]);
        const { runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
        const run = await started(store, runId);
        if (end === 'concluded') await store.conclude(run, conclusion(), at(1));
        if (end === 'gave_up') await store.giveUp(runId, { code: 'internal', detail: 'x' }, at(1));
        await store.closeFailuresOfPullRequest(id, 5, at(10));
        return (await recorded(store, id, [inBranch('b', number, { at: at(10 + hours * 3600) })])).failure;
      };
      const kept = { opening: 2, investigationId: expect.any(String), threadId: 'thr_1' };
      expect(await back(24, 5, 'concluded')).toMatchObject(kept);
      expect(await back(1, 5, 'running')).toMatchObject(kept);
      const forgotten = { opening: 2, investigationId: null, threadId: null };
      expect(await back(25, 5, 'concluded')).toMatchObject(forgotten);
      expect(await back(1, 6, 'concluded')).toMatchObject(forgotten);
      expect(await back(1, 5, 'gave_up')).toMatchObject(forgotten);
    });

    it('was looked into so often by one account since then', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const bot = await store.ensureAccount({ login: 'bot', githubId: 900, signingSecret: 'whsec_b', now: NOW });
      for (let i = 0; i < 3; i += 1) await accepted(store, acceptance({ ...base, account: bot }, { now: at(i) }));
      await accepted(store, acceptance(base, { now: at(2) }));
      const since = (seconds: number, project = base.project.id, githubId = 900) =>
        store.countInvestigationsSince(project, { githubId, since: at(seconds) });
      expect(await Promise.all([since(-1), since(0), since(2)])).toEqual([3, 2, 0]);
      expect(await Promise.all([since(-1, 'prj_other'), since(-1, base.project.id, 901)])).toEqual([0, 0]);
    });

    it('is listed with those last seen first, a page at a time', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      for (const [i, seconds] of [3, 1, 2, 2, 5].entries()) {
        await recorded(store, project.id, [sighting(`k${i}`, { at: at(seconds), checkName: `c${i}` })], `fal_${i}`);
      }
      await store.closeFixedFailures(
        project.id,
        { sha: 'g', checks: [ofActions('c0')], at: at(9), contained: [{ from: SHA, to: 'g' }] },
        at(9),
      );
      const ids = async (filter: Parameters<typeof store.listFailures>[1]) =>
        (await store.listFailures(project.id, filter)).map((failure) => failure.id);
      expect(await ids({ limit: 9 })).toEqual(['fal_4', 'fal_0', 'fal_3', 'fal_2', 'fal_1']);
      expect(await ids({ limit: 2, after: 'fal_0' })).toEqual(['fal_3', 'fal_2']);
      expect(await ids({ limit: 2, after: 'fal_3' })).toEqual(['fal_2', 'fal_1']);
      expect(await ids({ limit: 2, after: 'fal_1' })).toEqual([]);
      expect(await ids({ limit: 9, state: 'closed' })).toEqual(['fal_0']);
      expect(await ids({ limit: 2, state: 'open', after: 'fal_4' })).toEqual(['fal_3', 'fal_2']);
      expect(await store.listFailures('prj_other', { limit: 9 })).toEqual([]);
    });
  });
}
