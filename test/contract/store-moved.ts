// The store's contract: red checks that are told again, of a pull request that was opened since, or again after it was done.
import { describe, expect, it } from 'vitest';
import { found, inBranch, ofActions, recorded, recordedAgain, sighting } from '../support/check-store-samples.ts';
import { githubGround } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, SHA } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const BESIDES = { sha: 'other', pullRequest: null, branch: 'other' };

export function movedContract(engine: Engine): void {
  /** A failure of pull request 5, looked into. */
  async function lookedInto() {
    const place = await engine.place();
    const opened = await place.open();
    const { store } = opened;
    const base = await githubGround(store);
    const { id } = base.project;
    const end = async () => {
      await opened[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    };
    await recorded(store, id, [inBranch('a', 5)]);
    const { investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
    const failure = (await store.findFailure('fal_1'))!;
    expect(failure).toMatchObject({ state: 'open', investigationId, threadId: 'thr_1' });
    return { store, id, failure, [Symbol.asyncDispose]: end };
  }

  describe('a red check of a pull request that is open again', () => {
    it('is not over, and its failure open as it was before, until that is done again', async () => {
      await using given = await lookedInto();
      const { store, id, failure } = given;
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      expect(await store.findFailure('fal_1')).toMatchObject({ state: 'closed', closed: { by: 'pull_request' } });
      const again = await recordedAgain(store, id, [inBranch('a', 5)], { redNow: ['a'] });
      expect(again).toEqual({ failure, standing: 'new' });
      expect(await store.isOpenIn('fal_1', 5)).toBe(true);
      await store.closeFailuresOfPullRequest(id, 5, at(6));
      expect(await store.findFailure('fal_1')).toMatchObject({ state: 'closed', closed: { at: at(6) } });
      expect(await store.isOpenIn('fal_1', 5)).toBe(false);
    });

    it('stays over where it has passed since, or only the past is told', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      for (const redNow of [[], ['b']]) {
        const again = await recordedAgain(store, id, [inBranch('a', 5)], { redNow });
        expect(again.failure).toMatchObject({ state: 'closed', closed: { at: at(5) } });
      }
    });

    it('stays over where it has passed since, though another keeps the failure open', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await recorded(store, id, [inBranch('b', 6)]);
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      await recordedAgain(store, id, [inBranch('a', 5)], {});
      expect(await store.isOpenIn('fal_1', 5)).toBe(false);
    });

    it('counts beside another that keeps it open, and keeps it open after that', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await recorded(store, id, [inBranch('b', 6)]);
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      await recordedAgain(store, id, [inBranch('a', 5)], { redNow: ['a'] });
      await store.closeFailuresOfPullRequest(id, 6, at(6));
      expect(await store.findFailure('fal_1')).toMatchObject({ state: 'open', opening: 1, hits: 2 });
      expect(await store.isOpenIn('fal_1', 5)).toBe(true);
    });

    it('opens nothing that was opened since, or that a green default branch or time has closed', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      await recorded(store, id, [inBranch('b', 6, { at: at(6) })]);
      await store.closeFailuresOfPullRequest(id, 6, at(7));
      const later = await recordedAgain(store, id, [inBranch('a', 5)], { redNow: ['a'] });
      expect(later.failure).toMatchObject({ state: 'closed', opening: 2, closed: { at: at(7) } });
      await recorded(store, id, [sighting('m'), inBranch('c', 7)], 'fal_main');
      await store.closeFailuresOfPullRequest(id, 7, at(8));
      const green = { sha: 'good', checks: [ofActions('test')], at: at(9), contained: [{ from: SHA, to: 'good' }] };
      expect(await store.closeFixedFailures(id, green, at(9))).toHaveLength(1);
      const mended = await recordedAgain(store, id, [inBranch('c', 7)], { id: 'fal_main', redNow: ['c'] });
      expect(mended.failure).toMatchObject({ state: 'closed', closed: { by: 'green' } });
    });

    it('is of the pull request that was opened for the same commit in its place', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      const again = await recordedAgain(store, id, [inBranch('a', 8)], { redNow: ['a'] });
      expect(again.failure).toMatchObject({ state: 'open', opening: 1, pullRequests: [8, 5], hits: 1 });
      expect([await store.isOpenIn('fal_1', 5), await store.isOpenIn('fal_1', 8)]).toEqual([false, true]);
    });

    it('is counted once beside one that became red since, and told the same', async () => {
      await using given = await lookedInto();
      const { store, id } = given;
      await recorded(store, id, [inBranch('c', 6)]);
      for (const number of [5, 6]) await store.closeFailuresOfPullRequest(id, number, at(5));
      const both = [inBranch('c', 6), inBranch('b', 6, { at: at(9) })];
      const { failure, standing } = await recordedAgain(store, id, both, { redNow: ['c', 'b'] });
      expect([failure.state, failure.opening, failure.hits, standing]).toEqual(['open', 1, 3, 'known']);
    });
  });

  describe('a red check of a branch', () => {
    it('is of the pull request that was opened from it, with its trust', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const before = await recorded(store, project.id, [inBranch('a', null, { isTrusted: false })]);
      const trusted = () => store.readFailureStatistics('fal_1', { isTrustedOnly: true, besides: BESIDES });
      expect(await trusted()).toMatchObject({ heads: 0 });
      const after = await recordedAgain(store, project.id, [inBranch('a', 5)], { redNow: ['a'] });
      expect(after.failure).toMatchObject({ state: 'open', opening: 1, hits: 1, pullRequests: [5] });
      expect(after.failure.firstSeen).toEqual({ ...before.failure.firstSeen, pullRequest: 5, isTrusted: true });
      expect(after.failure.lastSeen).toEqual(after.failure.firstSeen);
      expect(await trusted()).toMatchObject({ heads: 1, pullRequests: 1, branches: 0 });
      expect(await store.isOpenIn('fal_1', 5)).toBe(true);
      await store.closeFailuresOfPullRequest(project.id, 5, at(5));
      expect(await store.findFailure('fal_1')).toMatchObject({ state: 'closed' });
    });

    it('takes it as well where it has passed since, and opens nothing then', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [inBranch('a', null, { isTrusted: false }), inBranch('b', 6)]);
      await store.closeFailuresOfPullRequest(project.id, 6, at(5));
      const told = await recorded(store, project.id, [inBranch('a', 5)]);
      expect(told.failure).toMatchObject({ state: 'closed', pullRequests: [5, 6] });
      const habits = { isTrustedOnly: true, besides: BESIDES };
      expect(await store.readFailureStatistics('fal_1', habits)).toMatchObject({ pullRequests: 2 });
    });

    it('stays of the default branch where it is of that by now', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const { failure } = await recorded(store, project.id, [sighting('a')]);
      expect(await recordedAgain(store, project.id, [inBranch('a', 5)], { redNow: ['a'] })).toMatchObject({ failure });
      expect(await store.isOpenIn('fal_1', 5)).toBe(false);
    });
  });
}
