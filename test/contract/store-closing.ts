// The store's contract: failures are closed by green branches, pull requests and time, and opened again.
import { describe, expect, it } from 'vitest';
import {
  acceptance,
  accepted,
  at,
  found,
  githubGround,
  inBranch,
  NOW,
  ofActions,
  recorded,
  recordedAgain,
  repository,
  SHA,
  sighting,
} from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

/** Of a commit that contains the red one. */
const green = (seconds: number, ...checkNames: readonly string[]) => ({
  ...{ sha: 'good', checks: checkNames.map(ofActions), at: at(seconds) },
  contained: [
    { from: SHA, to: 'good' },
    { from: SHA, to: 'before' },
  ],
});

export function closingContract(engine: Engine): void {
  describe('a green default branch', () => {
    it('closes what was last seen there before it, in the checks that are green, and tells of it', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('a', { at: at(1), checkName: 'x' })], 'fal_mended');
      await recorded(store, project.id, [sighting('a', { at: at(9), checkName: 'x' })], 'fal_later');
      await recorded(store, project.id, [sighting('a', { at: at(1), checkName: 'z' })], 'fal_other');
      await recorded(store, project.id, [inBranch('a', 5, { at: at(1), checkName: 'x' })], 'fal_branch');
      const both = [sighting('a', { checkName: 'x' }), sighting('b', { checkName: 'z' })];
      await recorded(store, project.id, both, 'fal_half');
      const closed = await store.closeFixedFailures(project.id, green(5, 'x', 'y'), at(6));
      expect(closed).toEqual([await store.findFailure('fal_mended')]);
      expect(closed[0]).toMatchObject({
        id: 'fal_mended',
        state: 'closed',
        closed: { sha: 'good', at: at(5), by: 'green' },
      });
      expect(
        (await store.listFailures([project.id], { state: 'open', limit: 9 })).map((one) => one.id).toSorted(),
      ).toEqual([...['fal_branch', 'fal_half', 'fal_later', 'fal_other']]);
      expect(await store.closeFixedFailures(project.id, green(5, 'x', 'y'), at(6))).toEqual([]);
      const rest = await store.closeFixedFailures(project.id, green(10, 'x', 'z'), at(10));
      expect(rest.map((one) => one.id)).toEqual(['fal_later', 'fal_other', 'fal_half']);
    });

    it('closes what had several checks that do not run at one commit, once each of them was green since', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const both = [sighting('a', { at: at(3), checkName: 'x' }), sighting('b', { at: at(3), checkName: 'z' })];
      await recorded(store, project.id, both);
      await store.recordPassingCheck(project.id, { check: ofActions('z'), sha: 'before', at: at(2) });
      expect(await store.closeFixedFailures(project.id, green(5, 'x'), at(5))).toEqual([]);
      await store.recordPassingCheck(project.id, { check: ofActions('z'), sha: 'before', at: at(4) });
      expect(await store.closeFixedFailures(project.id, green(5, 'x'), at(5))).toHaveLength(1);
    });

    it('closes nothing that it does not contain, however late it is, nor what was red at that very commit', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('a', { sha: 'newer' })], 'fal_newer');
      await recorded(store, project.id, [sighting('a'), sighting('b', { sha: 'newer' })], 'fal_both');
      await recorded(store, project.id, [sighting('a', { sha: 'good' })], 'fal_same');
      await recorded(store, project.id, [sighting('a', { sha: 'aside', checkName: 'never green' })], 'fal_other');
      const { contained: _, ...seen } = green(5, 'test');
      expect(await store.listPossibleFixes(project.id, seen)).toEqual([
        { from: 'newer', to: 'good' },
        { from: SHA, to: 'good' },
      ]);
      const closed = await store.closeFixedFailures(project.id, green(5, 'test'), at(5));
      expect(closed).toEqual([]);
      const contained = [...green(5).contained, { from: 'newer', to: 'good' }];
      expect(await store.closeFixedFailures(project.id, { ...green(5, 'test'), contained }, at(5))).toHaveLength(2);
      expect(await store.listPossibleFixes(project.id, seen)).toEqual([]);
    });

    it('asks nothing of checks of an earlier opening, nor of those of branches', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('a', { checkName: 'gone' })]);
      await store.closeFixedFailures(project.id, green(1, 'gone'), at(1));
      await recorded(store, project.id, [sighting('b', { at: at(2), checkName: 'x' })]);
      await recorded(store, project.id, [inBranch('c', 5, { at: at(2), checkName: 'y' })]);
      expect(await store.closeFixedFailures(project.id, green(3, 'x'), at(3))).toHaveLength(1);
    });

    it('is of interest while anything is open there', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const has = () => store.hasOpenOnDefault(project.id);
      await recorded(store, project.id, [inBranch('a', 5)]);
      expect(await has()).toBe(false);
      await recorded(store, project.id, [sighting('b')]);
      expect([await has(), await store.hasOpenOnDefault('prj_other')]).toEqual([true, false]);
      await store.closeFixedFailures(project.id, green(1, 'test'), at(1));
      expect(await has()).toBe(false);
      await recorded(store, project.id, [sighting('c', { at: at(2) })]);
      expect(await has()).toBe(true);
    });
  });

  describe('a pull request that is done', () => {
    it('closes what was seen in others as well once all of them are done since it was seen there', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const state = async () => (await store.findFailure('fal_1'))?.state;
      const isOpen = (number: number) => store.isOpenIn('fal_1', number);
      await recorded(store, project.id, [inBranch('a', 5), inBranch('b', 6)]);
      expect(await Promise.all([isOpen(5), isOpen(6), isOpen(7)])).toEqual([true, true, false]);
      await store.closeFailuresOfPullRequest(project.id, 5, at(1));
      expect([await state(), await isOpen(5), await isOpen(6)]).toEqual(['open', false, true]);
      await recorded(store, project.id, [inBranch('c', 5, { at: at(2) })]);
      await store.closeFailuresOfPullRequest(project.id, 6, at(3));
      expect([await state(), await isOpen(5)]).toEqual(['open', true]);
      await store.closeFailuresOfPullRequest(project.id, 5, at(4));
      expect([await state(), await isOpen(5)]).toEqual(['closed', false]);
      await recorded(store, project.id, [inBranch('d', 7, { at: at(5) })]);
      expect([await state(), await isOpen(5), await isOpen(7)]).toEqual(['open', false, true]);
    });

    it('closes what was only ever seen in it, which is new when it comes back', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await recorded(store, project.id, [inBranch('a', 5), inBranch('b', 5, { sha: 'last', at: at(1) })], 'fal_own');
      await recorded(store, project.id, [inBranch('a', 5), inBranch('b', 6), inBranch('c', 5)], 'fal_both');
      await recorded(store, project.id, [inBranch('a', 5), inBranch('b', null)], 'fal_push');
      await recorded(store, project.id, [sighting('a'), inBranch('b', 5)], 'fal_main');
      await recorded(store, other.id, [inBranch('a', 5)], 'fal_two');
      await store.closeFailuresOfPullRequest(project.id, 5, at(9));
      const states = async (...ids: readonly string[]) =>
        Promise.all(ids.map(async (id) => (await store.findFailure(id))?.state));
      expect(await states('fal_own', 'fal_both', 'fal_push', 'fal_main', 'fal_two')).toEqual([
        ...['closed', 'open', 'closed', 'open', 'open'],
      ]);
      expect((await store.findFailure('fal_own'))?.closed).toEqual({ sha: 'last', at: at(9), by: 'pull_request' });
      const back = await recorded(store, project.id, [inBranch('d', 5, { at: at(10) })], 'fal_own');
      expect(back).toMatchObject({ standing: 'new', failure: { state: 'open', opening: 2 } });
      await store.closeFailuresOfPullRequest(project.id, 5, at(11));
      expect(await states('fal_own')).toEqual(['closed']);
    });
  });

  describe('a green check of the default branch', () => {
    it('is remembered at the newest twenty commits, the newest first', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const note = (sha: string, seconds: number, checkName = 'test') =>
        store.recordPassingCheck(project.id, { check: ofActions(checkName), sha, at: at(seconds) });
      const last = (name = 'test') => store.listPassingChecks(project.id, ofActions(name));
      const shas = async () => (await last()).map(({ sha }) => sha);
      expect(await last()).toEqual([]);
      await Promise.all([note('b', 2), note('c', 3), note('a', 1), note('z', 8, 'lint')]);
      expect((await last())[0]).toEqual({ sha: 'c', at: at(3), runId: null });
      expect(await shas()).toEqual(['c', 'b', 'a']);
      await note('a', 4);
      await note('c', 1);
      expect(await shas()).toEqual(['a', 'c', 'b']);
      expect([await last('build'), await store.listPassingChecks('prj_other', ofActions('test'))]).toEqual([[], []]);
      for (let i = 0; i < 18; i += 1) await note(`x${i}`, 10 + i);
      await note('late', 2);
      const all = await shas();
      expect([all.length, all[0], all.slice(-2)]).toEqual([20, 'x17', ['a', 'c']]);
      expect(await opened.recordCounts()).toMatchObject({ passing_checks: 21 });
    });

    it('is remembered with its run, of one commit the later', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const test = ofActions('test');
      const runs = async () => (await store.listPassingChecks(project.id, test)).map(({ sha, runId }) => [sha, runId]);
      // Numbers of GitHub's are larger than 32 bits.
      const runId = 48_000_000_007;
      await store.recordPassingCheck(project.id, { check: test, sha: 'a', at: at(1), runId });
      await store.recordPassingCheck(project.id, { check: test, sha: 'b', at: at(2) });
      expect(await runs()).toEqual([
        ['b', null],
        ['a', runId],
      ]);
      await store.recordPassingCheck(project.id, { check: test, sha: 'b', at: at(3), runId: runId + 2 });
      await store.recordPassingCheck(project.id, { check: test, sha: 'a', at: at(0.5), runId: runId + 1 });
      expect(await runs()).toEqual([
        ['b', runId + 2],
        ['a', runId],
      ]);
    });

    it('compares by its moment, however that is written', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const bare = '2026-11-20T10:00:05Z';
      await store.recordPassingCheck(project.id, { check: ofActions('test'), sha: 'a', at: bare });
      await store.recordPassingCheck(project.id, { check: ofActions('test'), sha: 'a', at: at(5) });
      await store.recordPassingCheck(project.id, { check: ofActions('test'), sha: 'b', at: at(5.5) });
      expect(await store.listPassingChecks(project.id, ofActions('test'))).toEqual([
        { sha: 'b', at: at(5.5), runId: null },
        { sha: 'a', at: at(5), runId: null },
      ]);
      await recorded(store, project.id, [sighting('a', { at: bare })]);
      expect(await store.closeFixedFailures(project.id, green(5, 'test'), at(5))).toEqual([]);
      expect(await store.closeFixedFailures(project.id, green(5.5, 'test'), at(6))).toHaveLength(1);
    });
  });
}

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
      expect(again).toEqual({ failure, standing: 'new', opening: 1 });
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', null, { isTrusted: false }), inBranch('b', 6)]);
      await store.closeFailuresOfPullRequest(project.id, 6, at(5));
      const told = await recorded(store, project.id, [inBranch('a', 5)]);
      expect(told.failure).toMatchObject({ state: 'closed', pullRequests: [5, 6] });
      const habits = { isTrustedOnly: true, besides: BESIDES };
      expect(await store.readFailureStatistics('fal_1', habits)).toMatchObject({ pullRequests: 2 });
    });

    it('stays of the default branch where it is of that by now', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const { failure } = await recorded(store, project.id, [sighting('a')]);
      expect(await recordedAgain(store, project.id, [inBranch('a', 5)], { redNow: ['a'] })).toMatchObject({ failure });
      expect(await store.isOpenIn('fal_1', 5)).toBe(false);
    });
  });
}
