// The store's contract: how often a failure was seen where, by whom it counts, and what becomes of it as its commit moves.
import { describe, expect, it } from 'vitest';
import { found, inBranch, ofActions, recorded, sighting } from '../support/check-store-samples.ts';
import { githubGround } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, NOW, SHA } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const BESIDES = { sha: 'own', pullRequest: 5, branch: 'topic-5' };

export function habitsContract(engine: Engine): void {
  describe('the habits of a failure', () => {
    it('count each commit once, without the one that is asked for', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [
        ...['1', '2', '3'].map((key) => inBranch(key, 6, { sha: 'six', branch: 'topic-6' })),
        inBranch('4', 5, { sha: 'before', branch: 'topic-5', at: at(7) }),
        inBranch('5', null, { sha: 'pushed', branch: 'aside' }),
        inBranch('6', 7, { sha: 'own', branch: 'own', at: at(9) }),
        sighting('7', { sha: 'main' }),
      ]);
      await store.markFlaky('fal_1', ['1', '2', '6'], NOW);
      const all = { isTrustedOnly: false, besides: BESIDES };
      const none = { heads: 0, flakyHeads: 0, flakyOnDefault: 0, pullRequests: 0, branches: 0, lastOnDefaultAt: '' };
      expect(await store.readFailureStatistics('fal_1', all)).toEqual({
        ...{ ...none, heads: 4, flakyHeads: 1, pullRequests: 1, branches: 2, lastOnDefaultAt: NOW },
      });
      await store.markFlaky('fal_1', ['7'], NOW);
      expect(await store.readFailureStatistics('fal_1', all)).toMatchObject({ flakyHeads: 2, flakyOnDefault: 1 });
      expect(await store.readFailureStatistics('fal_2', all)).toEqual(none);
    });

    it('leave out, where that is asked for, what nobody with write stands behind', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const outside = { isTrusted: false, at: at(9) };
      await recorded(store, project.id, [
        inBranch('1', 6, { sha: 'a', ...outside }),
        inBranch('2', 7, { sha: 'b', ...outside }),
        inBranch('3', 8, { sha: 'c' }),
      ]);
      await store.markFlaky('fal_1', ['1', '2'], NOW);
      const habits = (isTrustedOnly: boolean) =>
        store.readFailureStatistics('fal_1', { isTrustedOnly, besides: BESIDES });
      expect(await habits(true)).toMatchObject({ heads: 1, flakyHeads: 0, pullRequests: 1 });
      expect(await habits(false)).toMatchObject({ heads: 3, flakyHeads: 2, pullRequests: 3 });
    });
  });

  describe('a failure that is seen on the default branch', () => {
    it('has its headline from there, however it was called elsewhere before or after', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const record = async (headline: string, seen: Parameters<typeof recorded>[2]) => {
        const named = { id: 'fal_1', projectId: project.id, fingerprint: 'print', headline };
        return (await store.recordSightings(named, seen, NOW)).failure.headline;
      };
      expect(await record('of a fork', [inBranch('a', 5)])).toBe('of a fork');
      expect(await record('of another', [inBranch('b', 6)])).toBe('of a fork');
      expect(await record('of main', [sighting('c')])).toBe('of main');
      expect(await record('of a fork', [inBranch('d', 5)])).toBe('of main');
      expect(await record('later', [sighting('e')])).toBe('of main');
      const green = { sha: 'later', checks: [ofActions('test')], at: at(5), contained: [{ from: SHA, to: 'later' }] };
      await store.closeFixedFailures(project.id, green, at(5));
      expect(await record('of a fork', [inBranch('f', 5, { at: at(6) })])).toBe('of main');
      expect(await record('anew', [sighting('g', { at: at(7) })])).toBe('anew');
    });

    it('at a commit that was of a pull request is open there, with what was begun for it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const { id } = base.project;
      await recorded(store, id, [inBranch('a', 5, { isTrusted: false })]);
      const { investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      await store.closeFailuresOfPullRequest(id, 5, at(5));
      expect(await store.findFailure('fal_1')).toMatchObject({ state: 'closed' });
      const { failure } = await recorded(store, id, [sighting('a')]);
      expect(failure).toMatchObject({ state: 'open', opening: 1, isOnDefault: true, hits: 1, closed: null });
      expect(failure.investigationId).toBe(investigationId);
      const trusted = { isTrustedOnly: true, besides: BESIDES };
      expect(await store.readFailureStatistics('fal_1', trusted)).toMatchObject({ heads: 1, pullRequests: 0 });
      await store.closeFailuresOfPullRequest(id, 5, at(8));
      expect(await store.findFailure('fal_1')).toEqual(failure);
      const green = { sha: 'later', checks: [ofActions('test')], at: at(9), contained: [{ from: SHA, to: 'later' }] };
      expect(await store.closeFixedFailures(id, green, at(9))).toHaveLength(1);
      expect((await recorded(store, id, [sighting('a')])).failure.state).toBe('closed');
    });
  });

  describe('what is green', () => {
    it('is that check of that App, and closes nothing that is red at the same commit', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [sighting('a')]);
      const green = { sha: 'later', at: at(5), contained: [{ from: SHA, to: 'later' }] };
      const closed = async (app: string, red: readonly string[] = []) =>
        (await store.closeFixedFailures(project.id, { ...green, checks: [{ app, name: 'test' }], red }, at(5))).length;
      expect(await closed('another-ci')).toBe(0);
      expect(await closed('')).toBe(0);
      await store.recordPassingCheck(project.id, { check: { app: '', name: 'test' }, sha: 'later', at: at(4) });
      expect(await closed('another-ci')).toBe(0);
      expect(await closed('github-actions', ['fal_1'])).toBe(0);
      expect(await closed('github-actions', ['fal_2'])).toBe(1);
      expect(await store.listPassingChecks(project.id, ofActions('test'))).toEqual([]);
    });

    it('in a pull request leaves open what became red there after that', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await recorded(store, project.id, [inBranch('a', 5), inBranch('b', 5, { at: at(8) })], 'fal_later');
      await recorded(store, project.id, [inBranch('a', 5)], 'fal_back');
      await store.closeFailuresOfPullRequest(project.id, 5, '2026-11-20T10:00:05Z');
      expect(await store.findFailure('fal_later')).toMatchObject({ state: 'open' });
      expect(await store.findFailure('fal_back')).toMatchObject({ state: 'closed', closed: { at: at(5) } });
      const { failure } = await recorded(store, project.id, [inBranch('b', 5, { at: at(8) })], 'fal_back');
      expect(failure).toMatchObject({ state: 'open', opening: 2 });
    });
  });
}
