// The store's contract: red checks open threads that nobody asked for, and their links follow what becomes of them.
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
  githubGround,
  inPullRequest,
  NOW,
  opening,
  pullRequest,
  record,
  recorded,
  seenAs,
  sighting,
  started,
  TRIAGER,
  trigger,
  WRITER,
  withCheckRun,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openNew } from './engine.ts';

const asked = { kind: 'pull_request', number: 5 } as const;

async function ground(opened: Opened) {
  const base = await githubGround(opened.store);
  for (const id of ['fal_1', 'fal_2']) await recorded(opened.store, base.project.id, [sighting('k')], id);
  return base;
}

/** Takes all jobs away; returns those that were there. */
async function taken(opened: Opened) {
  const jobs = butBackfills(await opened.jobs());
  for (const { kind, subject } of jobs) await opened.queue({}).cancel(kind, subject);
  return jobs.map(({ kind, subject }) => `${kind} ${subject}`).toSorted();
}

export function foundThreadsContract(engine: Engine): void {
  describe('a report that a person asks for on a pull request', () => {
    it('has the newest head of that looked at again, for what begins there unasked', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      for (const [i, number] of [5, 5, 6].entries()) {
        const head = { id: `hed_${i}`, projectId: base.project.id, sha: `${i}`, branch: '' };
        await store.ensureHead(head, { runAt: NOW, now: NOW });
        await store.saveHead(head.id, seenAs('red', { place: inPullRequest(number) }), NOW);
      }
      await taken(opened);
      const thread = opening('thr_9', { subject: asked, trigger: trigger({ by: TRIAGER }) });
      const { runId } = await accepted(store, acceptance(base, { thread, now: at(2) }));
      expect(await taken(opened)).toEqual(['head hed_1', 'publish thr_9', `run ${runId}`]);
    });
  });

  describe('a report of red checks', () => {
    it('makes the thread of its subject, and tells of its failure, in one write', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      const thread = found('fal_1', { fixRequest: WRITER });
      const { investigationId, runId } = await accepted(store, acceptance(base, { thread, now: at(2) }));
      expect(await store.findThread('thr_1')).toEqual({
        ...{ id: 'thr_1', projectId: base.project.id, subject: asked, investigationId },
        trigger: { ...thread.trigger, investigationId },
        ...{ fixRequest: { ...WRITER, at: at(2) }, record: EMPTY_RECORD, createdAt: at(2) },
      });
      expect(await store.findFailure('fal_1')).toMatchObject({ investigationId, threadId: 'thr_1' });
      expect(await store.findFailure('fal_2')).toMatchObject({ investigationId: null, threadId: null });
      const audit = await opened.audit();
      expect(audit).toContainEqual({ verb: 'thread.opened', subject: 'thr_1' });
      expect(audit).toContainEqual({ verb: 'fix.requested', subject: 'thr_1' });
      expect(await taken(opened)).toEqual(['publish thr_1', `run ${runId}`]);
    });

    it('takes over the thread that is there, and ends nothing in it', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      const person = opening('thr_1', { subject: asked, fixRequest: TRIAGER });
      const first = await accepted(store, acceptance(base, { thread: person }));
      await store.saveThreadRecord('thr_1', record({ replaced: [7] }), NOW);
      const thread = found('fal_1', { threadId: 'thr_2' });
      const second = await accepted(store, acceptance(base, { thread, fingerprint: 'second' }));
      expect(second.replacedRunId).toBeNull();
      expect(await store.findThread('thr_2')).toBeNull();
      expect(await store.findThread('thr_1')).toMatchObject({
        ...{ investigationId: second.investigationId, trigger: thread.trigger, record: { replaced: [7] } },
        fixRequest: { ...TRIAGER, at: NOW },
      });
      expect((await store.findFailure('fal_1'))?.threadId).toBe('thr_1');
      expect(await store.listOpenInvestigationsOfThread('thr_1')).toEqual([
        first.investigationId,
        second.investigationId,
      ]);
      const third = found('fal_2', { fixRequest: WRITER });
      await accepted(store, acceptance(base, { thread: third, fingerprint: 'third', now: at(5) }));
      expect((await store.findThread('thr_1'))?.fixRequest).toEqual({ ...WRITER, at: at(5) });
    });

    it('of a further cause leaves the investigation of the thread, unless that is gone', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      const follow = (failureId: string) => found(failureId, { isLead: false });
      const first = await accepted(store, acceptance(base, { thread: follow('fal_1'), fingerprint: 'a' }));
      expect((await store.findThread('thr_1'))?.investigationId).toBe(first.investigationId);
      const second = await accepted(store, acceptance(base, { thread: follow('fal_2'), fingerprint: 'b' }));
      expect((await store.findThread('thr_1'))?.investigationId).toBe(first.investigationId);
      expect((await store.findFailure('fal_2'))?.investigationId).toBe(second.investigationId);
      const [issueId = ''] = await store.conclude(await started(store, first.runId), conclusion(), NOW);
      await store.eraseIssue(issueId, NOW);
      const third = await accepted(store, acceptance(base, { thread: follow('fal_1'), fingerprint: 'c' }));
      expect((await store.findThread('thr_1'))?.investigationId).toBe(third.investigationId);
    });

    it('that is sent again changes nothing, and touches no failure of another project', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      const idempotency = { key: 'failure fal_1 1', bodyHash: 'h' };
      const { investigationId } = await accepted(store, acceptance(base, { thread: found('fal_1'), idempotency }));
      const again = await store.accept(acceptance(base, { thread: found('fal_1'), idempotency }));
      expect(again).toEqual({ kind: 'repeated', investigationId });
      expect((await store.findFailure('fal_1'))?.investigationId).toBe(investigationId);
      await store.syncProjects([{ name: 'local/app', source: { kind: 'path', path: '/srv/app' } }], NOW);
      const local = (await store.findProject('local/app'))!;
      const foreign = acceptance({ ...base, project: local }, { thread: found('fal_2', { threadId: 'thr_9' }) });
      await accepted(store, foreign);
      expect((await store.findFailure('fal_2'))?.investigationId).toBeNull();
    });

    it('gives its caller the verdict that is known without a model, and those who join it what the run says', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const base = await ground(opened);
      const { runId } = await accepted(store, acceptance(base, { thread: found('fal_1'), verdict: 'base_broken' }));
      expect(await accepted(store, acceptance(base))).toMatchObject({ runId, joined: true });
      const said = conclusion();
      const judged = { ...said, analysis: { ...said.analysis, verdict: 'code' } } as const;
      const ids = await store.conclude(await started(store, runId), judged, NOW);
      const verdicts = await Promise.all(ids.map(async (id) => (await store.findIssue(id))?.analysis.verdict));
      expect(verdicts).toEqual(['base_broken', 'code']);
    });
  });

  describe('a head whose findings name a thread', () => {
    /** Two heads: the first has begun what the second only names. */
    async function named(opened: Opened) {
      const { store } = opened;
      const base = await ground(opened);
      const { investigationId, runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      const link = finding('fal_1', { investigationId, threadId: 'thr_1', isOwnThread: true, notBegun: null });
      for (const id of ['hed_1', 'hed_2', 'hed_3']) {
        await store.ensureHead({ id, projectId: base.project.id, sha: id, branch: '' }, { runAt: NOW, now: NOW });
      }
      await taken(opened);
      return { store, base, investigationId, runId, link };
    }

    it('is found by it, and shows what becomes of its investigations', async () => {
      await using opened = await openNew(engine);
      const { store, runId, link } = await named(opened);
      await store.saveHead('hed_1', seenAs('red', { findings: [link, finding('fal_2')] }), NOW);
      await store.saveHead('hed_2', seenAs('green', { findings: [{ ...link, isOwnThread: false }] }), NOW);
      await store.saveHead('hed_3', seenAs('red', { findings: [finding('fal_2')] }), NOW);
      expect((await store.findHead('hed_1'))?.findings).toEqual([link, finding('fal_2')]);
      expect((await store.listHeadsOfThread('thr_1')).map((head) => head.id)).toEqual(['hed_2', 'hed_1']);
      expect((await store.listHeadsOfThread('thr_1'))[1]).toEqual(await store.findHead('hed_1'));
      expect(await store.listHeadsOfThread('thr_2')).toEqual([]);
      await taken(opened);
      const all = ['check-run hed_1', 'check-run hed_2', 'publish thr_1'];
      await store.schedulePublishOfRun(runId, NOW);
      expect(await taken(opened)).toEqual([...all]);
      const run = await started(store, runId);
      await store.schedulePublish('thr_1', NOW);
      expect(await taken(opened)).toEqual(['publish thr_1']);
      const [issueId = ''] = await store.conclude(run, conclusion(), NOW);
      expect(await taken(opened)).toEqual(all);
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId) }), NOW);
      expect(await taken(opened)).toEqual(all.slice(0, 2));
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId), posts: [NOW] }), NOW);
      expect(await taken(opened)).toEqual([]);
      const withheld = { investigationId: 'inv_1', reason: { code: 'archived' } as const, request: '' };
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId), withheld }), NOW);
      expect(await taken(opened)).toEqual(all.slice(0, 2));
      await store.eraseIssue(issueId, NOW);
      expect(await taken(opened)).toEqual(all);
    });

    it.each(['cancel', 'giveUp'] as const)('shows the end by %s', async (end) => {
      await using opened = await openNew(engine);
      const { store, runId, link, investigationId } = await named(opened);
      await store.saveHead('hed_1', seenAs('red', { findings: [link] }), NOW);
      await taken(opened);
      const reason = { code: 'cancelled', detail: '' } as const;
      if (end === 'cancel') await store.cancel(investigationId, reason, NOW);
      else await store.giveUp(runId, { ...reason, code: 'internal' }, NOW);
      expect(await taken(opened)).toEqual(['check-run hed_1', 'publish thr_1']);
    });

    it('has the threads published that it names, named before, or that its pull request has', async () => {
      await using opened = await openNew(engine);
      const { store, base, link } = await named(opened);
      const subject = { kind: 'failure', failureId: 'fal_2' } as const;
      const thread = found('fal_2', { threadId: 'thr_2', subject, trigger: trigger({ kind: 'checks' }) });
      await accepted(store, acceptance(base, { thread, fingerprint: 'second' }));
      await taken(opened);
      const elsewhere = finding('fal_2', { threadId: 'thr_2' });
      await store.saveHead('hed_1', seenAs('red', { findings: [elsewhere], place: null }), NOW);
      expect(await taken(opened)).toEqual(['check-run hed_1', 'publish thr_2']);
      await store.saveHead('hed_1', seenAs('red', { findings: [finding('fal_2')] }), NOW);
      expect(await taken(opened)).toEqual(['check-run hed_1', 'publish thr_1', 'publish thr_2']);
      await store.saveHead('hed_1', seenAs('superseded', { place: null }), NOW);
      expect(await taken(opened)).toEqual(['check-run hed_1', 'publish thr_1']);
      await store.saveHead('hed_2', seenAs('red', { findings: [link], place: null }), NOW);
      expect(await taken(opened)).toEqual(['check-run hed_2', 'publish thr_1']);
    });
  });
}

const { url } = withCheckRun().checkRun!;

/** A head that has begun an investigation, which another head only names. */
async function begun(opened: Opened) {
  const { store } = opened;
  const base = await githubGround(store);
  await recorded(store, base.project.id, [sighting('k')]);
  const { investigationId, runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
  const link = finding('fal_1', { investigationId, threadId: 'thr_1', isOwnThread: true });
  for (const id of ['hed_naming', 'hed_own']) {
    await store.ensureHead({ id, projectId: base.project.id, sha: id, branch: '' }, { runAt: NOW, now: NOW });
    const isOwnThread = id === 'hed_own';
    await store.saveHead(id, seenAs('red', { findings: [{ ...link, isOwnThread }] }), NOW);
  }
  const links = async (issueId: string) => (await store.findIssue(issueId))?.analysis.links;
  return { store, base, investigationId, runId, links };
}

export function checkLinksContract(engine: Engine): void {
  describe('the check run of a head', () => {
    it('that stands before the Issue is its link from the beginning', async () => {
      await using opened = await openNew(engine);
      const { store, base, runId, links } = await begun(opened);
      await store.saveHeadRecord('hed_naming', withCheckRun('https://github.test/other'), NOW);
      await store.saveHeadRecord('hed_own', withCheckRun(), NOW);
      expect(await accepted(store, acceptance(base))).toMatchObject({ runId, joined: true });
      const ids = await store.conclude(await started(store, runId), conclusion(), NOW);
      const none = { comment: null, checkRun: null, pullRequest: null };
      expect(await Promise.all(ids.map(links))).toEqual([{ ...none, checkRun: url }, none]);
    });

    it('that comes after the Issue becomes its link, and stays it when a comment is recorded', async () => {
      await using opened = await openNew(engine);
      const { store, runId, links, investigationId } = await begun(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      await store.saveHeadRecord('hed_naming', withCheckRun('https://github.test/other'), NOW);
      await store.saveHeadRecord('hed_own', { checkRun: null, held: 'words' }, NOW);
      expect((await links(issueId))?.checkRun).toBeNull();
      await store.saveHeadRecord('hed_own', withCheckRun(), NOW);
      expect((await links(issueId))?.checkRun).toBe(url);
      const posted = record({ comment: comment(investigationId) });
      await store.saveThreadRecord('thr_1', posted, at(1));
      await store.saveHeadRecord('hed_own', withCheckRun(), at(2));
      expect(await links(issueId)).toEqual({ comment: posted.comment?.url, checkRun: url, pullRequest: null });
      await store.saveThreadRecord('thr_1', record(), at(3));
      expect(await links(issueId)).toEqual({ comment: null, checkRun: url, pullRequest: null });
    });
  });

  describe('an erased Issue of red checks', () => {
    it('is named neither by its failure nor by any head, and can be begun anew', async () => {
      await using opened = await openNew(engine);
      const { store, base, runId, investigationId } = await begun(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      expect((await store.findHead('hed_own'))?.findings[0]?.investigationId).toBe(investigationId);
      await store.eraseIssue(issueId, NOW);
      expect(await store.findFailure('fal_1')).toMatchObject({
        investigationId: null,
        threadId: 'thr_1',
        state: 'open',
      });
      for (const id of ['hed_own', 'hed_naming']) {
        const kept = { failureId: 'fal_1', investigationId: null, threadId: 'thr_1' };
        expect((await store.findHead(id))?.findings).toMatchObject([kept]);
      }
      const again = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      expect((await store.findFailure('fal_1'))?.investigationId).toBe(again.investigationId);
    });
  });
}
