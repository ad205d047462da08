// The store's contract: failures are recognised by their fingerprint, with sightings, statistics and the likeliest commit.
import { describe, expect, it } from 'vitest';
import type { LoneTest } from '../../src/core/check/bisect.ts';
import type { CommitRange, RankedCommit } from '../../src/core/check/failure.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  finding,
  found,
  githubGround,
  inBranch,
  NOW,
  ofActions,
  recorded,
  repository,
  SHA,
  seenAs,
  sighting,
  started,
} from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

export function failuresContract(engine: Engine): void {
  describe('a failure', () => {
    it('is made where its fingerprint is new in the project', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      expect((await store.recordSightings(elsewhere, [first])).standing).toBe('new');
    });

    it('links every red check once, also those that come twice at once from two processes', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const { project } = await githubGround(one.store);
      const keys = (i: number) => [sighting(`k${i % 5}`), sighting('shared'), sighting('shared')];
      const all = Array.from({ length: 20 }, (_, i) => {
        const named = { id: `fal_${i}`, projectId: project.id, fingerprint: 'same', headline: 'h' };
        return (i % 2 ? one : two).store.recordSightings(named, keys(i));
      });
      expect(new Set((await Promise.all(all)).map(({ failure }) => failure.id)).size).toBe(1);
      expect(await one.store.findFailureByFingerprint(project.id, 'same')).toMatchObject({
        hits: 6,
        state: 'open',
        opening: 1,
      });
    });

    it('is known when it is seen again, and new still to the one that it was new to', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('a'), sighting('b'), sighting('c')]);
      await recorded(store, project.id, [sighting('d')], 'fal_2');
      await store.markFlaky('fal_1', ['a', 'a', 'd', 'x']);
      expect(await store.findFailure('fal_1')).toMatchObject({ hits: 3, flakyHits: 1 });
      await Promise.all([store.markFlaky('fal_1', ['a', 'b']), store.markFlaky('fal_1', ['a', 'b'])]);
      expect((await store.findFailure('fal_1'))?.flakyHits).toBe(2);
      expect((await store.findFailure('fal_2'))?.flakyHits).toBe(0);
    });

    it('says of a first or last sighting that turned out to be chance that it was flaky', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('a'), sighting('b', { at: at(9) })]);
      await store.markFlaky('fal_1', ['b']);
      const [firstSeen, lastSeen] = [sighting('a'), sighting('b', { at: at(9), verdict: 'flaky' })];
      expect(await store.findFailure('fal_1')).toMatchObject({ firstSeen, lastSeen });
    });

    it('keeps its range of commits until it is opened anew', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
        await using opened = await openGithub(engine);
        const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const bot = await store.ensureAccount({ login: 'bot', githubId: 900, signingSecret: 'whsec_b', now: NOW });
      for (let i = 0; i < 3; i += 1) await accepted(store, acceptance({ ...base, account: bot }, { now: at(i) }));
      await accepted(store, acceptance(base, { now: at(2) }));
      const since = (seconds: number, project = base.project.id, githubId = 900) =>
        store.countInvestigationsSince(project, { githubId, since: at(seconds) });
      expect(await Promise.all([since(-1), since(0), since(2)])).toEqual([3, 2, 0]);
      expect(await Promise.all([since(-1, 'prj_other'), since(-1, base.project.id, 901)])).toEqual([0, 0]);
    });

    it('is listed with those last seen first, a page at a time', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const [i, seconds] of [3, 1, 2, 2, 5].entries()) {
        await recorded(store, project.id, [sighting(`k${i}`, { at: at(seconds), checkName: `c${i}` })], `fal_${i}`);
      }
      await store.closeFixedFailures(
        project.id,
        { sha: 'g', checks: [ofActions('c0')], at: at(9), contained: [{ from: SHA, to: 'g' }] },
        at(9),
      );
      const ids = async (filter: Parameters<typeof store.listFailures>[1]) =>
        (await store.listFailures([project.id], filter)).map((failure) => failure.id);
      expect(await ids({ limit: 9 })).toEqual(['fal_4', 'fal_0', 'fal_3', 'fal_2', 'fal_1']);
      expect(await ids({ limit: 2, after: 'fal_0' })).toEqual(['fal_3', 'fal_2']);
      expect(await ids({ limit: 2, after: 'fal_3' })).toEqual(['fal_2', 'fal_1']);
      expect(await ids({ limit: 2, after: 'fal_1' })).toEqual([]);
      expect(await ids({ limit: 9, state: 'closed' })).toEqual(['fal_0']);
      expect(await ids({ limit: 2, state: 'open', after: 'fal_4' })).toEqual(['fal_3', 'fal_2']);
      for (const n of [1, 3]) await store.markFlaky(`fal_${n}`, [`k${n}`]);
      await recorded(store, project.id, [sighting('k1b', { at: at(6) })], 'fal_1');
      await store.markFlaky('fal_1', ['k1b']);
      expect(await ids({ limit: 9, sort: 'flaky' })).toEqual(['fal_1', 'fal_3']);
      expect(await ids({ limit: 9, sort: 'flaky', after: 'fal_1' })).toEqual(['fal_3']);
      expect(await store.listFailures(['prj_other'], { limit: 9 })).toEqual([]);
    });
  });
}

const LONE_TEST: LoneTest = {
  ...{ runner: 'vitest', name: '', path: 'test/cart.test.ts', folder: '', added: 'none', installer: 'npm' },
  ...{ installedAt: [], builds: [], environment: [], options: [] },
};

const RANGE: CommitRange = {
  ...{ from: 'x', to: SHA, total: 2 },
  commits: [
    { sha: SHA, author: 'mona', subject: 'Say more' },
    { sha: 'b'.repeat(40), author: 'wren', subject: 'Break it' },
  ],
};

const LIKELIEST: RankedCommit = { sha: 'b'.repeat(40), ties: [{ code: 'named', path: 'src/cart.ts' }] };
const RANKING = { ranks: [LIKELIEST, { sha: SHA, ties: [] }], likeliest: LIKELIEST };

async function lookedInto(engine: Engine) {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await opening.use(await engine.place()).open());
  const base = await githubGround(store);
  await recorded(store, base.project.id, [sighting('a')]);
  await recorded(store, base.project.id, [sighting('b')], 'fal_2');
  for (const id of ['fal_1', 'fal_2']) await store.saveRange(id, RANGE);
  const { runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
  const besides = found('fal_2', { threadId: 'thr_2', subject: { kind: 'failure', failureId: 'fal_2' } });
  const other = await accepted(store, acceptance(base, { thread: besides, fingerprint: 'other' }));
  if (other.runId === runId) throw new Error('the two share a run');
  const run = await started(store, runId);
  const rangeOf = async (id: string) => (await store.findFailure(id))?.range;
  const opened = opening.move();
  return { store, projectId: base.project.id, run, rangeOf, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function likeliestContract(engine: Engine): void {
  describe('the likeliest commit', () => {
    it('stands in the range of the failure that the run looks into, and in no other', async () => {
      await using at = await lookedInto(engine);
      for (const _ of ['once', 'again']) await at.store.saveRanking(at.run, RANKING);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, ...RANKING });
      expect(await at.rangeOf('fal_2')).toEqual(RANGE);
      await recorded(at.store, at.projectId, [sighting('c')]);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, ...RANKING });
    });

    it('is refused from a run that was taken over', async () => {
      await using at = await lookedInto(engine);
      await started(at.store, at.run.id);
      await expect(at.store.saveRanking(at.run, RANKING)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await at.rangeOf('fal_1')).toEqual(RANGE);
    });

    it('is left out where the range does not list all of its commits, which are ordered all the same', async () => {
      await using at = await lookedInto(engine);
      await at.store.saveRange('fal_1', { ...RANGE, total: 3 });
      await at.store.saveRanking(at.run, RANKING);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, total: 3, ranks: RANKING.ranks });
    });

    it('and the order are added to the range that was examined, and to no later one; what is known stays', async () => {
      await using at = await lookedInto(engine);
      const test = { ...LONE_TEST, name: 'adds' };
      const { from, to } = RANGE;
      expect(await at.store.examineRange('fal_1', { from: 'w', to, ...RANKING, test })).toBeNull();
      expect(await at.rangeOf('fal_1')).toEqual(RANGE);
      const examined = { ...RANGE, ...RANKING, test };
      expect(await at.store.examineRange('fal_1', { from, to, ...RANKING, test })).toEqual(examined);
      const later = { ranks: [], test: { ...test, name: 'other' } };
      expect(await at.store.examineRange('fal_1', { from, to, ...later })).toEqual(examined);
      await at.store.saveRanking(at.run, { ranks: RANKING.ranks.toReversed(), likeliest: null });
      expect(await at.rangeOf('fal_1')).toEqual({ ...examined, ranks: RANKING.ranks.toReversed() });
      expect(await at.store.examineRange('fal_none', { from, to, ...later })).toBeNull();
    });

    it('is looked for in the range of the failure that the run looks into, where that has one', async () => {
      await using at = await lookedInto(engine);
      await at.store.saveRange('fal_2', { ...RANGE, from: 'y' });
      expect(await at.store.findRangeOfRun(at.run.id)).toEqual(RANGE);
      expect(await at.store.findRangeOfRun('run_none')).toBeNull();
    });

    it('is left out where the range has no such commit, or is gone', async () => {
      await using opened = await lookedInto(engine);
      const { store, projectId, run, rangeOf } = opened;
      const unknown = { ...LIKELIEST, sha: 'c'.repeat(40) };
      await store.saveRanking(run, { ranks: [unknown], likeliest: unknown });
      expect(await rangeOf('fal_1')).toEqual(RANGE);
      const green = { sha: 'g', checks: [ofActions('test')], at: at(5), contained: [{ from: SHA, to: 'g' }] };
      await store.closeFixedFailures(projectId, green, at(5));
      await recorded(store, projectId, [sighting('c', { at: at(6) })]);
      await store.saveRanking(run, RANKING);
      expect(await rangeOf('fal_1')).toBeNull();
    });
  });
}

const BESIDES = { sha: 'own', pullRequest: 5, branch: 'topic-5' };

export function habitsContract(engine: Engine): void {
  describe('red checks a day', () => {
    it('are counted in UTC since a day, by project and by failure, without days that had none', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      const on = (key: string, day: string, time = '10:00:00') => sighting(key, { at: `${day}T${time}Z` });
      const late = on('late', '2026-11-19', '23:59:59');
      await recorded(store, project.id, [on('before', '2026-11-18', '23:59:59'), on('early', '2026-11-19'), late]);
      await recorded(store, project.id, [on('same', '2026-11-19'), on('next', '2026-11-20', '00:00:00')], 'fal_2');
      await recorded(store, other.id, [on('elsewhere', '2026-11-20')], 'fal_3');
      const strangers = Array.from({ length: 700 }, (_, at) => `prj_unknown${at}`);
      const both = [project.id, ...strangers, other.id];
      const ofProjects = await store.readDailySightings({ projectIds: both, since: '2026-11-19' });
      expect(ofProjects).toHaveLength(3);
      expect(ofProjects).toEqual(
        expect.arrayContaining([
          { id: project.id, day: '2026-11-19', count: 3 },
          { id: project.id, day: '2026-11-20', count: 1 },
          { id: other.id, day: '2026-11-20', count: 1 },
        ]),
      );
      const failureIds = ['fal_1', 'fal_2', 'fal_9'];
      const ofFailures = await store.readDailySightings({ failureIds, since: '2026-11-19' });
      expect(ofFailures).toHaveLength(3);
      expect(ofFailures).toEqual(
        expect.arrayContaining([
          { id: 'fal_1', day: '2026-11-19', count: 2 },
          { id: 'fal_2', day: '2026-11-19', count: 1 },
          { id: 'fal_2', day: '2026-11-20', count: 1 },
        ]),
      );
      expect(await store.readDailySightings({ projectIds: [], since: '2026-11-19' })).toEqual([]);
      expect(await store.readDailySightings({ failureIds: [], since: '2026-11-19' })).toEqual([]);
    });
  });

  describe('the habits of a failure', () => {
    it('count each commit once, without the one that is asked for', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [
        ...['1', '2', '3'].map((key) => inBranch(key, 6, { sha: 'six', branch: 'topic-6' })),
        inBranch('4', 5, { sha: 'before', branch: 'topic-5', at: at(7) }),
        inBranch('5', null, { sha: 'pushed', branch: 'aside' }),
        inBranch('6', 7, { sha: 'own', branch: 'own', at: at(9) }),
        sighting('7', { sha: 'main' }),
      ]);
      await store.markFlaky('fal_1', ['1', '2', '6']);
      const all = { isTrustedOnly: false, besides: BESIDES };
      const none = { heads: 0, flakyHeads: 0, flakyOnDefault: 0, pullRequests: 0, branches: 0, lastOnDefaultAt: '' };
      expect(await store.readFailureStatistics('fal_1', all)).toEqual({
        ...{ ...none, heads: 4, flakyHeads: 1, pullRequests: 1, branches: 2, lastOnDefaultAt: NOW },
      });
      await store.markFlaky('fal_1', ['7']);
      expect(await store.readFailureStatistics('fal_1', all)).toMatchObject({ flakyHeads: 2, flakyOnDefault: 1 });
      expect(await store.readFailureStatistics('fal_2', all)).toEqual(none);
    });

    it('of a test are those of all failures that it was in, at the commits where it was', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const tests = ['say "50 %" \\d', 'say_"50 %" \\d'] as const;
      for (const [sha, failureId, named] of [
        ['a', 'fal_1', 0] as const,
        ['b', 'fal_2', 0] as const,
        ['c', 'fal_2', 1] as const,
      ]) {
        await recorded(store, project.id, [inBranch(sha, 6, { sha })], failureId);
        await store.ensureHead({ id: `hed_${sha}`, projectId: project.id, sha, branch: '' }, { runAt: NOW, now: NOW });
        const findings = [finding(failureId, { excerpt: { ...EMPTY_EXCERPT, tests: [tests[named]] } })];
        await store.saveHead(`hed_${sha}`, seenAs('red', { findings }), NOW);
      }
      await store.markFlaky('fal_1', ['a']);
      const { failureIds, shas } = await store.findFailuresOfTest(project.id, tests[0]);
      expect([failureIds.toSorted(), shas.toSorted()]).toEqual([
        ['fal_1', 'fal_2'],
        ['a', 'b'],
      ]);
      const filter = { isTrustedOnly: true, shas, besides: BESIDES };
      expect(await store.readFailureStatistics(failureIds, filter)).toMatchObject({ heads: 2, flakyHeads: 1 });
      const none = { failureIds: [], shas: [] };
      expect(await store.findFailuresOfTest(project.id, 'say')).toEqual(none);
    });

    it('leave out, where that is asked for, what nobody with write stands behind', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const outside = { isTrusted: false, at: at(9) };
      await recorded(store, project.id, [
        inBranch('1', 6, { sha: 'a', ...outside }),
        inBranch('2', 7, { sha: 'b', ...outside }),
        inBranch('3', 8, { sha: 'c' }),
      ]);
      await store.markFlaky('fal_1', ['1', '2']);
      const habits = (isTrustedOnly: boolean) =>
        store.readFailureStatistics('fal_1', { isTrustedOnly, besides: BESIDES });
      expect(await habits(true)).toMatchObject({ heads: 1, flakyHeads: 0, pullRequests: 1 });
      expect(await habits(false)).toMatchObject({ heads: 3, flakyHeads: 2, pullRequests: 3 });
    });
  });

  describe('a failure that is seen on the default branch', () => {
    it('has its headline from there, however it was called elsewhere before or after', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const record = async (headline: string, seen: Parameters<typeof recorded>[2]) => {
        const named = { id: 'fal_1', projectId: project.id, fingerprint: 'print', headline };
        return (await store.recordSightings(named, seen)).failure.headline;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
