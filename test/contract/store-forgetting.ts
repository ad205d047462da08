// The store's contract: records past their time are swept, and what they belong to stays whole.
import { describe, expect, it } from 'vitest';
import { EMPTY_RECORD } from '../../src/core/thread/thread.ts';
import {
  acceptance,
  accepted,
  at,
  butBackfills,
  comment,
  conclusion,
  finding,
  found,
  type Ground,
  githubGround,
  inBranch,
  installation,
  NOW,
  ofActions,
  opening,
  pullRequest,
  record,
  recorded,
  repository,
  SHA,
  seenAs,
  sighting,
  started,
  trigger,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openNew } from './engine.ts';

const day = 24 * 60 * 60;

const held = { comment: 'what the report said', pullRequest: 'and its cure' };

/** A thread whose investigation is concluded, with what would be shown of it, and nothing left to publish. */
async function concluded(opened: Opened, base: Ground, threadId = 'thr_1', number = 12) {
  const { store } = opened;
  const asked = trigger({ guidance: 'my words' });
  const thread = opening(threadId, { subject: { kind: 'issue', number }, trigger: asked });
  const { runId, investigationId } = await accepted(store, acceptance(base, { thread, fresh: true }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
  const withheld = { investigationId, reason: { code: 'archived' } as const, request: '' };
  await store.saveThreadRecord(threadId, record({ comment: comment(investigationId), withheld, held }), NOW);
  for (const [kind, subject] of [
    ['publish', threadId],
    ['run', runId],
  ] as const)
    await opened.queue({}).cancel(kind, subject);
  return { issueId, investigationId, runId };
}

export function forgettingContract(engine: Engine): void {
  describe('a thread', () => {
    it('whose Issue is erased has no text left, publishes that, and still knows its comment', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueId, investigationId } = await concluded(opened, await githubGround(store));
      await store.eraseIssue(issueId, at(1));
      const thread = await store.findThread('thr_1');
      expect(thread?.record).toEqual({ ...EMPTY_RECORD, comment: comment(investigationId) });
      expect(thread?.trigger.guidance).toBe('');
      const publish = {
        kind: 'publish',
        subject: 'thr_1',
        group: 'thr_1',
        runAt: at(1),
        urgency: 'person',
      };
      expect(butBackfills(await opened.jobs())).toEqual([publish]);
    });

    it('of which an earlier Issue is erased keeps the words of the latest request, but not what would be shown', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await concluded(opened, base);
      const second = await concluded(opened, base);
      await store.eraseIssue(first.issueId, at(1));
      const thread = await store.findThread('thr_1');
      expect(thread).toMatchObject({ investigationId: second.investigationId, trigger: { guidance: 'my words' } });
      expect(thread?.record.held).toBeNull();
      expect(butBackfills(await opened.jobs()).map((job) => job.kind)).toEqual(['publish']);
    });

    it('whose investigations are past their retention is swept after them, but for one with an open pull request', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await concluded(opened, base, 'thr_gone', 1);
      const open = await concluded(opened, base, 'thr_open', 2);
      const merged = await concluded(opened, base, 'thr_merged', 3);
      await store.saveThreadRecord('thr_open', record({ pullRequest: pullRequest(open.issueId) }), NOW);
      const state = { state: 'merged', number: 32, branch: 'b' } as const;
      await store.saveThreadRecord('thr_merged', record({ pullRequest: pullRequest(merged.issueId, state) }), NOW);
      await store.schedulePublish('thr_gone', NOW);
      const young = opening('thr_young', { subject: { kind: 'issue', number: 4 } });
      await accepted(store, acceptance(base, { thread: young, now: at(100) }));
      expect(await store.sweep({ endedBefore: at(50), keysBefore: NOW, now: at(200) })).toBe(3);
      const left = await Promise.all(
        ['thr_gone', 'thr_merged', 'thr_open', 'thr_young'].map((id) => store.findThread(id)),
      );
      expect(left.map((thread) => thread?.id)).toEqual([undefined, undefined, 'thr_open', 'thr_young']);
      expect(left[2]?.trigger.guidance).toBe('');
      expect((await store.findThreadOfPullRequest(base.project.id, 31))?.id).toBe('thr_open');
      expect((await opened.jobs()).map((job) => job.subject)).not.toContain('thr_gone');
    });

    it('that changed lately waits for its job, though its Issue was erased', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueId } = await concluded(opened, await githubGround(store));
      await store.eraseIssue(issueId, at(100));
      await store.sweep({ endedBefore: at(100), keysBefore: NOW, now: at(200) });
      expect(await store.findThread('thr_1')).not.toBeNull();
      await store.sweep({ endedBefore: at(101), keysBefore: NOW, now: at(200) });
      expect(await store.findThread('thr_1')).toBeNull();
      expect(butBackfills(await opened.jobs())).toEqual([]);
    });
  });

  describe('what is past by a clock that may be wrong', () => {
    const DAY = 24 * 60 * 60;
    const limits = (seconds: number, hasJumped = false) => ({
      ...{ endedBefore: at(seconds - 90 * DAY), now: at(seconds), began: at(400 * DAY), hasJumped },
    });

    it('goes by a tenth an hour, also when something new is stored meanwhile, until nothing is left of it', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await opened.manyIssues(base.project.id, base.account.id, 30);
      const [day, hour] = [400 * DAY, 60 * 60];
      expect(await store.eraseSlowly(limits(day))).toBe(3);
      await accepted(store, acceptance(base, { now: at(day + 60) }));
      const after = { ...limits(day + 1_800), began: at(day + 600) };
      expect([await store.eraseSlowly(after), await store.isHeldBack(after)]).toEqual([0, true]);
      let erased = 3;
      for (let hours = 1; hours < 100; hours += 1) {
        const some = await store.eraseSlowly({ ...limits(day + hours * hour), began: at(day + 600) });
        if (some === null) break;
        expect(some).toBeLessThanOrEqual(3);
        erased += some;
      }
      expect(erased).toBe(30);
      // Nothing speaks against the clock any more.
      expect(await store.isHeldBack({ ...limits(day + 2 * DAY), began: at(day + DAY) })).toBe(false);
    });

    it('is held back where the audit log is all that there is', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { issueId } = await concluded(opened, base);
      await store.eraseIssue(issueId, at(60));
      expect(await opened.audit()).not.toEqual([]);
      expect(await store.isHeldBack(limits(400 * DAY))).toBe(true);
    });

    it('is not held back where something new is known, unless the clock jumped', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await opened.manyIssues(base.project.id, base.account.id, 10);
      await accepted(store, acceptance(base, { now: at(380 * DAY) }));
      expect(await store.eraseSlowly(limits(400 * DAY))).toBeNull();
      expect(await store.eraseSlowly(limits(400 * DAY, true))).toBe(1);
    });
  });

  describe('a project of GitHub that is hidden', () => {
    const sweep = (opened: Opened, now: string) => opened.store.sweep({ endedBefore: NOW, keysBefore: NOW, now });

    it('is erased after 30 days with all that is its own, whatever its state', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { issueId } = await concluded(opened, base);
      await opened.manyIssues(base.project.id, base.account.id, 450);
      const callbackUrl = 'https://hooks.example.org/in';
      const thread = opening('thr_2', { subject: { kind: 'issue', number: 13 } });
      const queued = await accepted(store, acceptance(base, { thread, callbackUrl }));
      await store.removeInstallation(500, at(0));
      await sweep(opened, at(30 * day));
      expect(await store.findIssue(issueId)).not.toBeNull();
      expect(await store.listHiddenProjects()).toEqual([base.project.id]);
      expect(await sweep(opened, at(30 * day + 1))).toBe(452);
      expect(await store.findIssue(issueId)).toBeNull();
      expect(await store.findInvestigation(queued.investigationId)).toBeNull();
      expect([await store.findThread('thr_1'), await store.findThread('thr_2')]).toEqual([null, null]);
      expect(await store.listHiddenProjects()).toEqual([]);
      expect(Object.values(await opened.recordCounts()).every((count) => count === 0)).toBe(true);
      expect(await sweep(opened, at(31 * day))).toBe(0);
    });

    it('is another one when its repository comes back after that, and the same one before', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await store.hideRepository({ id: 1, installationId: 500 }, NOW);
      await sweep(opened, at(30 * day));
      expect((await store.putRepository(500, repository(1, 'octo/shop'), at(30 * day)))?.id).toBe(project.id);
      await sweep(opened, at(60 * day));
      expect(await store.findProject('octo/shop')).not.toBeNull();
      await store.hideRepository({ id: 1, installationId: 500 }, at(61 * day));
      await sweep(opened, at(92 * day));
      expect((await store.putRepository(500, repository(1, 'octo/shop'), at(92 * day)))?.id).not.toBe(project.id);
    });

    it('was told of what it was told until it is erased, and no other project of the same', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await store.saveConfigNotice(project.id, 'digest', NOW);
      await store.saveConfigNotice(project.id, 'digest', at(1));
      const told = (id: string, digest = 'digest') => store.hasConfigNotice(id, digest);
      expect([await told(project.id), await told(project.id, 'another'), await told(other.id)]).toEqual([
        true,
        false,
        false,
      ]);
      await store.hideRepository({ id: 1, installationId: 500 }, NOW);
      expect(await told(project.id)).toBe(true);
      await sweep(opened, at(30 * day + 1));
      expect(await told(project.id)).toBe(false);
    });

    it('takes nothing of the others with it, nor a hidden folder of local mode', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { issueId } = await concluded(opened, base);
      const two = repository(2, 'octo/two');
      await store.syncInstallation(installation(), [repository(1, 'octo/shop'), two], NOW);
      await store.hideRepository({ id: 2, installationId: 500 }, NOW);
      const source = { kind: 'path', path: '/srv/app' } as const;
      const [local] = await store.syncProjects([{ name: 'local/app', source }], NOW);
      await store.syncProjects([], NOW);
      expect(await sweep(opened, at(40 * day))).toBe(0);
      expect(await store.findIssue(issueId)).not.toBeNull();
      expect(await store.findThread('thr_1')).not.toBeNull();
      expect(await store.syncProjects([{ name: 'local/app', source }], at(40 * day))).toEqual([local]);
    });
  });
}

function sweep({ store }: Opened, endedBefore: string, now = endedBefore) {
  return store.sweep({ endedBefore, keysBefore: NOW, now });
}

async function noted({ store }: Opened, projectId: string, id: string) {
  await store.ensureHead({ id, projectId, sha: id, branch: '' }, { runAt: NOW, now: NOW });
}

export function forgettingChecksContract(engine: Engine): void {
  describe('a head that did not change for so long', () => {
    it('is swept with its jobs, and leaves the others and the ledger', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('k', { at: at(100) })]);
      for (const id of ['hed_old', 'hed_young', 'hed_never']) await noted(opened, project.id, id);
      await store.saveHead('hed_old', seenAs('red', { findings: [finding('fal_1')] }), at(10));
      await store.saveHead('hed_young', seenAs('red', { findings: [finding('fal_1')] }), at(20));
      await sweep(opened, at(20));
      expect(await store.findHead('hed_young')).toMatchObject({ id: 'hed_young', findings: [finding('fal_1')] });
      expect([await store.findHead('hed_old'), await store.findHead('hed_never')]).toEqual([null, null]);
      const subjects = new Set(butBackfills(await opened.jobs()).map((job) => job.subject));
      expect(subjects).toEqual(new Set(['hed_young']));
      expect(await opened.recordCounts()).toMatchObject({ heads: 1, findings: 1, failures: 1, sightings: 1 });
    });

    it('is swept with any number of others', async () => {
      await using opened = await openGithub(engine);
      const { project } = opened;
      for (let i = 0; i < 201; i++) await noted(opened, project.id, `hed_${i}`);
      expect(await sweep(opened, at(1))).toBe(0);
      expect(await opened.recordCounts()).toMatchObject({ heads: 0, jobs: 1 });
    });
  });

  describe('a failure', () => {
    it('that was not seen for so long is swept, open or closed, with its headline', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('k', { at: at(1) })], 'fal_open');
      await recorded(store, project.id, [sighting('k', { at: at(1), checkName: 'x' })], 'fal_closed');
      await store.closeFixedFailures(
        project.id,
        { sha: SHA, checks: [ofActions('x')], at: at(2), contained: [] },
        at(2),
      );
      await recorded(store, project.id, [sighting('k', { at: at(1) }), sighting('l', { at: at(5) })], 'fal_seen');
      await sweep(opened, at(5));
      expect((await store.listFailures([project.id], { limit: 9 })).map((one) => one.id)).toEqual(['fal_seen']);
      expect(await store.findFailure('fal_seen')).toMatchObject({ hits: 2, firstSeen: { key: 'k' } });
      expect(await opened.recordCounts()).toMatchObject({ failures: 1, sightings: 1 });
    });

    it('that nobody has seen for 30 days is open no more, and new when it is back', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await store.recordPassingCheck(project.id, { check: ofActions('old'), sha: 'a', at: at(1) });
      await store.recordPassingCheck(project.id, { check: ofActions('young'), sha: 'a', at: at(5) });
      await sweep(opened, at(5));
      expect(await opened.recordCounts()).toMatchObject({ passing_checks: 1 });
      expect(await store.listPassingChecks(project.id, ofActions('young'))).toHaveLength(1);
    });
  });

  describe('a project of GitHub that is hidden', () => {
    it('is erased after 30 days with its heads, failures and backfill, and their jobs; another one stays', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
