// The store's contract: heads are noted once, hold what was found at them, and are found by what they are the head of.
import { describe, expect, it } from 'vitest';
import { EMPTY_EXCERPT, EMPTY_HEAD_RECORD } from '../../src/core/check/head.ts';
import type { Store } from '../../src/db/store.ts';
import {
  acceptance,
  accepted,
  at,
  butBackfills,
  conclusion,
  finding,
  githubGround,
  inPullRequest,
  NOW,
  ON_MAIN,
  recorded,
  repository,
  seenAs,
  sighting,
  started,
  withCheckRun,
} from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

const unasked = { urgency: 'automatic' };

const times = (seconds: number) => ({ runAt: at(seconds), now: NOW });

/** Notes a head of that commit. */
function noted(store: Store, projectId: string, name: string, branch = 'topic') {
  return store.ensureHead({ id: `hed_${name}`, projectId, sha: name, branch }, times(0));
}

export function headsContract(engine: Engine): void {
  describe('a head', () => {
    it('is made once for a commit of a project, with a job that is due at the earliest of the moments', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const wanted = { id: 'hed_1', projectId: project.id, sha: 'aaa', branch: '' };
      const head = await store.ensureHead(wanted, times(600));
      expect(head).toEqual({
        ...{ id: 'hed_1', projectId: project.id, sha: 'aaa', branch: '', state: 'waiting', place: null },
        ...{
          findings: [],
          leftOut: [],
          stillWaiting: [],
          endedAt: '',
          record: EMPTY_HEAD_RECORD,
          rerequestedAt: '',
          createdAt: NOW,
          changedAt: NOW,
        },
      });
      expect(await store.ensureHead({ ...wanted, id: 'hed_2' }, times(2))).toEqual(head);
      expect(await store.ensureHead({ ...wanted, id: 'hed_3' }, times(900))).toEqual(head);
      expect([await store.findHead('hed_2'), await store.findHead('hed_3')]).toEqual([null, null]);
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      expect((await store.ensureHead({ ...wanted, id: 'hed_4', projectId: other.id }, times(3))).id).toBe('hed_4');
      expect(butBackfills(await opened.jobs())).toEqual([
        { kind: 'head', subject: 'hed_1', group: project.id, runAt: at(2), ...unasked },
        { kind: 'head', subject: 'hed_4', group: other.id, runAt: at(3), ...unasked },
      ]);
    });

    it('is given a branch where none was known, and keeps the one that it has', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa', '');
      expect((await noted(store, project.id, 'aaa', 'topic')).branch).toBe('topic');
      expect((await noted(store, project.id, 'aaa', 'other')).branch).toBe('topic');
      expect((await store.findHeadOfCommit(project.id, 'aaa'))?.branch).toBe('topic');
      expect([await store.findHeadOfCommit(project.id, 'bbb'), await store.findHeadOfCommit('prj_x', 'aaa')]).toEqual([
        null,
        null,
      ]);
    });

    it('noted by two processes at once is one', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const { project } = await githubGround(one.store);
      const heads = await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const head = { id: `hed_${i}`, projectId: project.id, sha: 'aaa', branch: '' };
          return (i % 2 ? one : two).store.ensureHead(head, times(0));
        }),
      );
      expect(new Set(heads.map((head) => head.id)).size).toBe(1);
      expect(butBackfills(await one.jobs())).toHaveLength(1);
    });

    it('holds what was found at it, in order, and what is found later in its place', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa');
      await noted(store, project.id, 'bbb');
      const first = [finding('fal_2'), finding('fal_1', { verdict: 'flaky' }), finding('fal_3')];
      const leftOut = [{ name: 'lint', reason: 'left out by configuration' }];
      const stillWaiting = ['tide'];
      await store.saveHead('hed_aaa', seenAs('red', { findings: first, leftOut, stillWaiting, endedAt: at(4) }), at(5));
      const saved = {
        place: inPullRequest(5),
        findings: first,
        leftOut,
        stillWaiting,
        endedAt: at(4),
        changedAt: at(5),
      };
      expect(await store.findHead('hed_aaa')).toMatchObject({ ...saved, state: 'red', record: EMPTY_HEAD_RECORD });
      expect((await store.findHead('hed_bbb'))?.findings).toEqual([]);
      await store.saveHead('hed_aaa', seenAs('superseded', { place: null, findings: [finding('fal_3')] }), at(6));
      const after = { state: 'superseded', place: null, findings: [finding('fal_3')], leftOut: [], stillWaiting: [] };
      expect(await store.findHeadOfCommit(project.id, 'aaa')).toMatchObject(after);
      await store.saveHead('hed_unknown', seenAs('red'), at(7));
      expect(await store.findHead('hed_unknown')).toBeNull();
      expect((await opened.jobs()).map((job) => job.subject)).not.toContain('hed_unknown');
    });

    it('is counted where a job was run again since then', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const [index, name] of ['aaa', 'bbb', 'ccc'].entries()) {
        await noted(store, project.id, name);
        const rerun = index === 2 ? {} : { rerun: { runId: index, at: at(index) } };
        await store.saveHead(`hed_${name}`, seenAs('waiting', { findings: [finding('fal_1', rerun)] }), at(9));
      }
      expect(await store.countReruns(project.id, at(0))).toBe(2);
      expect(await store.countReruns(project.id, at(1))).toBe(1);
      expect(await store.countReruns('prj_other', at(0))).toBe(0);
    });

    it('is looked at and shown by two writers, who take nothing from each other', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa');
      await store.saveHead('hed_aaa', seenAs('red', { findings: [finding('fal_1')] }), at(1));
      await store.saveHeadRecord('hed_aaa', withCheckRun(), at(2));
      await store.saveHead('hed_aaa', seenAs('green'), at(3));
      await noted(store, project.id, 'aaa');
      expect(await store.findHead('hed_aaa')).toMatchObject({ state: 'green', findings: [], record: withCheckRun() });
      await store.saveHeadRecord('hed_aaa', { checkRun: null, held: 'words' }, at(4));
      const held = { state: 'green', record: { checkRun: null, held: 'words' }, changedAt: at(4) };
      expect(await store.findHead('hed_aaa')).toMatchObject(held);
      await store.saveHeadRecord('hed_unknown', withCheckRun(), at(5));
      expect(await store.findHead('hed_unknown')).toBeNull();
    });

    it('has its check run brought up to what was found', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa');
      await opened.queue({}).cancel('head', 'hed_aaa');
      await store.saveHead('hed_aaa', seenAs('red'), at(1));
      const wanted = { kind: 'check-run', subject: 'hed_aaa', group: 'hed_aaa', runAt: at(1), ...unasked };
      expect(butBackfills(await opened.jobs())).toEqual([wanted]);
    });

    it('has the excerpt of each failure that was last seen there', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const name of ['aaa', 'bbb']) await noted(store, project.id, name);
      const excerpt = { ...EMPTY_EXCERPT, lines: ['TypeError: x'], tests: ['cart > adds'] };
      const { sha = '' } = (await store.findHead('hed_bbb')) ?? {};
      await store.saveHead('hed_aaa', seenAs('red', { findings: [finding('fal_1')] }), at(1));
      await store.saveHead(
        'hed_bbb',
        seenAs('red', { findings: [finding('fal_1', { excerpt }), finding('fal_2')] }),
        at(2),
      );
      const failure = { id: 'fal_1', projectId: project.id, lastSeen: sighting('one', { sha }) };
      expect([...(await store.findLastFindings([failure]))]).toEqual([['fal_1', { excerpt }]]);
      expect((await store.findLastFindings([])).size).toBe(0);
      expect((await store.findLastFindings([{ ...failure, projectId: 'prj_other' }])).size).toBe(0);
    });

    it('of a pull request is the newest that was judged', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const name of ['aaa', 'bbb', 'ccc', 'ddd']) await noted(store, project.id, name);
      expect(await store.findHeadOfPullRequest(project.id, 5)).toBeNull();
      await store.saveHead('hed_aaa', seenAs('red', { findings: [finding('fal_1'), finding('fal_2')] }), at(1));
      await store.saveHead('hed_bbb', seenAs('green', { place: inPullRequest(6) }), at(2));
      await store.saveHead('hed_ccc', seenAs('superseded'), at(3));
      await store.saveHead('hed_ddd', seenAs('waiting'), at(4));
      expect(await store.findHeadOfPullRequest(project.id, 5)).toEqual(await store.findHead('hed_aaa'));
      await store.saveHead('hed_ddd', seenAs('green'), at(5));
      await store.saveHead('hed_aaa', seenAs('red'), at(6));
      expect((await store.findHeadOfPullRequest(project.id, 5))?.id).toBe('hed_ddd');
      expect(await store.findHeadOfPullRequest('prj_other', 5)).toBeNull();
    });
  });

  describe('a head that people name', () => {
    it('by its pull request is the newest, a superseded one only where there is no other', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const name of ['aaa', 'bbb', 'ccc']) await noted(store, project.id, name);
      const find = async (projectId = project.id) => (await store.findNamedHead(projectId, { pullRequest: 5 }))?.id;
      expect(await find()).toBeUndefined();
      await store.saveHead('hed_aaa', seenAs('superseded'), at(1));
      await store.saveHead('hed_bbb', seenAs('superseded'), at(2));
      expect(await find()).toBe('hed_bbb');
      await store.saveHead('hed_aaa', seenAs('waiting'), at(3));
      expect(await find()).toBe('hed_aaa');
      await store.saveHead('hed_ccc', seenAs('red'), at(4));
      expect(await find()).toBe('hed_ccc');
      expect(await find('prj_other')).toBeUndefined();
    });

    it('by its commit, or by the number of a run in whole, has all its findings', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa');
      const checksOf = (runId: number | null, url: string) => [{ name: 'test', runId, url, isRed: true }];
      const findings = [
        finding('fal_1', { checks: checksOf(990, 'https://github.test/octo/shop/actions/runs/1717/job/9900') }),
        finding('fal_2', { checks: checksOf(null, 'https://ci.test/builds/42') }),
      ];
      await store.saveHead('hed_aaa', seenAs('red', { findings }), at(1));
      const head = await store.findHead('hed_aaa');
      expect(head?.findings).toHaveLength(2);
      for (const run of ['990', '1717', '9900']) {
        expect(await store.findNamedHead(project.id, { run })).toEqual(head);
        expect(await store.findNamedHead('prj_other', { run })).toBeNull();
      }
      for (const run of ['99', '17', '42', '0']) expect(await store.findNamedHead(project.id, { run })).toBeNull();
      expect(await store.findNamedHead(project.id, { sha: head!.sha.slice(0, 7) })).toEqual(head);
      expect(await store.findNamedHead(project.id, { sha: '0000000' })).toBeNull();
    });
  });

  describe('a finding', () => {
    it('names no investigation and no thread that are not there', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [sighting('k')]);
      await noted(store, project.id, 'aaa');
      const gone = { investigationId: 'inv_gone', threadId: 'thr_gone', isOwnThread: true };
      await store.saveHead('hed_aaa', seenAs('red', { findings: [finding('fal_1', gone)] }), at(1));
      expect((await store.findHead('hed_aaa'))?.findings).toEqual([finding('fal_1')]);
      expect((await opened.jobs()).map((job) => job.subject)).not.toContain('thr_gone');
    });
  });
}

export function redHeadsContract(engine: Engine): void {
  describe('a red head', () => {
    const branch = (name: string) => ({ branch: name, pullRequests: [] });
    const number = (...pullRequests: readonly number[]) => ({ branch: '', pullRequests });

    it('is remembered by its branch and by its pull request, within its project', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa', '');
      const has = (of: Parameters<Store['hasRedHead']>[1], id = project.id) => store.hasRedHead(id, of);
      expect(await has(number(5))).toBe(false);
      await store.saveHead('hed_aaa', seenAs('red'), at(1));
      expect([await has(number(4, 5)), await has(number(4)), await has(branch(''))]).toEqual([true, false, false]);
      await noted(store, project.id, 'bbb', 'topic');
      await store.saveHead('hed_bbb', seenAs('red', { place: ON_MAIN }), at(1));
      expect([await has(branch('topic')), await has(branch('main')), await has(number(5))]).toEqual([
        true,
        false,
        true,
      ]);
      expect(await has({ branch: 'topic', pullRequests: [5] }, 'prj_other')).toBe(false);
    });

    it('is remembered while it waits again or another has taken its place, until it or a later one is green', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const has = () => store.hasRedHead(project.id, number(5));
      for (const name of ['old', 'aaa', 'bbb', 'ccc']) await noted(store, project.id, name);
      await store.saveHead('hed_aaa', seenAs('red'), at(1));
      await store.saveHead('hed_aaa', seenAs('waiting'), at(2));
      expect(await has()).toBe(true);
      await store.saveHead('hed_aaa', seenAs('superseded', { place: null }), at(3));
      expect(await has()).toBe(true);
      await store.saveHead('hed_old', seenAs('green'), at(4));
      await store.saveHead('hed_bbb', seenAs('green', { place: inPullRequest(6) }), at(5));
      expect(await has()).toBe(true);
      await store.saveHead('hed_ccc', seenAs('green'), at(6));
      expect(await has()).toBe(false);
      await store.saveHead('hed_aaa', seenAs('superseded', { place: null }), at(7));
      expect(await has()).toBe(false);
      await store.saveHead('hed_ccc', seenAs('red'), at(8));
      expect(await has()).toBe(true);
      await store.saveHead('hed_ccc', seenAs('ignored'), at(9));
      expect(await has()).toBe(false);
    });

    it('without a pull request is forgotten once its branch is green', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const name of ['aaa', 'bbb', 'ccc']) await noted(store, project.id, name, name === 'bbb' ? 'b' : 'main');
      for (const id of ['hed_aaa', 'hed_bbb']) await store.saveHead(id, seenAs('red', { place: ON_MAIN }), at(1));
      await store.saveHead('hed_ccc', seenAs('green', { place: ON_MAIN }), at(2));
      expect([
        await store.hasRedHead(project.id, branch('main')),
        await store.hasRedHead(project.id, branch('b')),
      ]).toEqual([...[false, true]]);
    });
  });
}

const HELD = { checkRun: null, held: 'what would stand there' } as const;

export function heldHeadsContract(engine: Engine): void {
  describe('heads with a check run that is held back', () => {
    it('are those of the project, the newest first, as many as were asked for', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      for (const name of ['aaa', 'bbb', 'ccc', 'ddd']) await noted(store, project.id, name);
      await noted(store, other.id, 'eee');
      const found = [finding('fal_1'), finding('fal_2', { verdict: 'flaky' })];
      await store.saveHead('hed_aaa', seenAs('red', { findings: found }), at(1));
      await store.saveHeadRecord('hed_ccc', HELD, at(2));
      await store.saveHeadRecord('hed_aaa', HELD, at(3));
      await store.saveHeadRecord('hed_ddd', withCheckRun(), at(4));
      await store.saveHeadRecord('hed_eee', HELD, at(5));
      const held = await store.listHeldHeads(project.id, 10);
      expect(held).toEqual([await store.findHead('hed_ccc'), await store.findHead('hed_aaa')]);
      expect(held[1]?.findings).toEqual(found);
      expect((await store.listHeldHeads(project.id, 1)).map(({ id }) => id)).toEqual(['hed_ccc']);
      expect(await store.listHeldHeads('prj_unknown', 10)).toEqual([]);
    });

    it('are held back until they are shown, whatever is found meanwhile', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await noted(store, project.id, 'aaa');
      await store.saveHeadRecord('hed_aaa', HELD, at(1));
      await store.saveHead('hed_aaa', seenAs('green'), at(2));
      await noted(store, project.id, 'aaa');
      expect(await store.listHeldHeads(project.id, 10)).toHaveLength(1);
      await store.saveHeadRecord('hed_aaa', withCheckRun(), at(3));
      expect(await store.listHeldHeads(project.id, 10)).toEqual([]);
    });

    it('forget what they would show of an investigation that is erased', async () => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      const ground = { account, project };
      for (const name of ['aaa', 'bbb']) await noted(store, project.id, name);
      const own = await accepted(store, acceptance(ground));
      const run = await started(store, own.runId);
      const [issueId = ''] = await store.conclude(run, conclusion(), at(1));
      const found = finding('fal_1', { investigationId: own.investigationId });
      await store.saveHead('hed_aaa', seenAs('red', { findings: [found] }), at(2));
      for (const id of ['hed_aaa', 'hed_bbb']) await store.saveHeadRecord(id, HELD, at(3));
      expect(await store.eraseIssue(issueId, at(4))).toBe(true);
      expect((await store.listHeldHeads(project.id, 10)).map(({ id }) => id)).toEqual(['hed_bbb']);
      expect((await store.findHead('hed_aaa'))?.record.held).toBeNull();
    });
  });
}
