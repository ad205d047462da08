// The store's contract: a report opens or follows a thread, which keeps what stands on GitHub and who asked for a pull request.
import { describe, expect, it } from 'vitest';
import { EMPTY_RECORD } from '../../src/core/thread/thread.ts';
import {
  acceptance,
  accepted,
  at,
  butBackfills,
  comment,
  conclusion,
  githubGround,
  NOW,
  opening,
  pullRequest,
  record,
  repository,
  started,
  TRIAGER,
  trigger,
  WRITER,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openNew } from './engine.ts';

const issue = { kind: 'issue', number: 12 } as const;

export function threadsContract(engine: Engine): void {
  describe('a report that opens a thread', () => {
    it('makes it, with the jobs to investigate and to publish', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const asked = trigger({ kind: 'comment', commentId: 77, guidance: 'look at the cart' });
      const thread = opening('thr_1', { trigger: asked, fixRequest: WRITER });
      const { investigationId, runId, replacedRunId } = await accepted(store, acceptance(base, { thread, now: at(2) }));
      expect(replacedRunId).toBeNull();
      const stored = await store.findThread('thr_1');
      expect(stored).toEqual({
        ...{ id: 'thr_1', projectId: base.project.id, subject: issue, investigationId },
        trigger: { ...asked, investigationId },
        ...{ fixRequest: { ...WRITER, at: at(2) }, record: EMPTY_RECORD, createdAt: at(2) },
      });
      expect(await store.findThreadOfSubject(base.project.id, issue)).toEqual(stored);
      expect(await store.findThreadOfSubject(base.project.id, { kind: 'pull_request', number: 12 })).toBeNull();
      expect(await store.findThreadOfSubject('prj_other', issue)).toBeNull();
      expect(await store.findThread('thr_2')).toBeNull();
      const asks = { urgency: 'person' };
      expect(butBackfills(await opened.jobs())).toEqual([
        { kind: 'run', subject: runId, group: base.project.id, runAt: at(2), ...asks },
        { kind: 'publish', subject: 'thr_1', group: 'thr_1', runAt: at(2), ...asks },
      ]);
      expect(await opened.audit()).toEqual(
        expect.arrayContaining([
          { verb: 'thread.opened', subject: 'thr_1' },
          { verb: 'fix.requested', subject: 'thr_1' },
        ]),
      );
    });

    it('notes that its trigger was answered, and keeps what else stands on GitHub', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await accepted(store, acceptance(base, { thread: opening('thr_1', { isSeen: true }) }));
      expect((await store.findThread('thr_1'))?.record).toEqual({ ...EMPTY_RECORD, seen: NOW });
      await store.saveThreadRecord('thr_1', { ...EMPTY_RECORD, seen: NOW, replaced: [7] }, at(1));
      const again = opening('thr_2', { trigger: trigger({ at: at(5) }), isSeen: true });
      await accepted(store, acceptance(base, { thread: again, fingerprint: 'second', now: at(5) }));
      expect((await store.findThread('thr_1'))?.record).toEqual({ ...EMPTY_RECORD, seen: at(5), replaced: [7] });
    });

    it('opens the one of its subject anew, whatever id it brought, and lets a request for a pull request stand only where this one brings it', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await accepted(store, acceptance(base, { thread: opening('thr_1', { fixRequest: WRITER }) }));
      const again = opening('thr_2', { trigger: trigger({ guidance: 'again', at: at(5) }) });
      const second = await accepted(store, acceptance(base, { thread: again, fingerprint: 'second', now: at(5) }));
      expect(await store.findThread('thr_2')).toBeNull();
      expect(await store.findThread('thr_1')).toMatchObject({
        ...{ investigationId: second.investigationId, fixRequest: null, createdAt: NOW },
        trigger: { guidance: 'again', at: at(5) },
      });
      await accepted(store, acceptance(base, { thread: opening('thr_3', { fixRequest: TRIAGER }), fresh: true }));
      expect((await store.findThread('thr_1'))?.fixRequest).toEqual({ ...TRIAGER, at: NOW });
      const audit = await opened.audit();
      expect(audit.filter((entry) => entry.verb === 'thread.opened')).toHaveLength(3);
      expect(audit.filter((entry) => entry.verb === 'fix.requested')).toHaveLength(2);
    });

    it('is apart from that of the same number in another project', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const project = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      await accepted(store, acceptance({ ...base, project }, { thread: opening('thr_2') }));
      expect((await store.findThreadOfSubject(base.project.id, issue))?.id).toBe('thr_1');
      expect((await store.findThreadOfSubject(project.id, issue))?.id).toBe('thr_2');
    });

    it('and is repeated touches nothing', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const idempotency = { key: 'label 1', bodyHash: 'h' };
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1'), idempotency }));
      const later = opening('thr_1', { trigger: trigger({ at: at(9) }), fixRequest: WRITER });
      const [thread, jobs] = [await store.findThread('thr_1'), await opened.jobs()];
      expect(await store.accept(acceptance(base, { thread: later, idempotency, now: at(9) }))).toEqual({
        kind: 'repeated',
        investigationId: first.investigationId,
      });
      expect(await store.findThread('thr_1')).toEqual(thread);
      expect(await opened.jobs()).toEqual(jobs);
    });

    it('that cannot be stored leaves no thread behind, and cancels nothing', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const unknown = { accountId: 'acc_unknown', fingerprint: 'second' };
      await expect(store.accept(acceptance(base, { ...unknown, thread: opening('thr_1') }))).rejects.toThrow();
      expect((await store.findThread('thr_1'))?.investigationId).toBe(first.investigationId);
      expect((await store.findInvestigation(first.investigationId))?.outcome.state).toBe('queued');
      const elsewhere = opening('thr_2', { subject: { kind: 'issue', number: 13 } });
      await expect(store.accept(acceptance(base, { ...unknown, thread: elsewhere }))).rejects.toThrow();
      expect(await store.findThread('thr_2')).toBeNull();
    });
  });

  describe('a report that follows a thread', () => {
    it('belongs to it, and leaves as it is what a person asked for', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const before = await store.findThread('thr_1');
      const thread = { kind: 'follows', threadId: 'thr_1' } as const;
      const follower = await accepted(store, acceptance(base, { thread, fingerprint: 'red', now: at(5) }));
      expect(follower.replacedRunId).toBeNull();
      expect(await store.findThread('thr_1')).toEqual(before);
      expect((await store.findInvestigation(first.investigationId))?.outcome.state).toBe('queued');
      expect((await store.findInvestigation(follower.investigationId))?.outcome.state).toBe('queued');
      // It belongs to the thread: a person who asks anew ends it as well.
      await accepted(store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'third' }));
      expect((await store.findInvestigation(follower.investigationId))?.outcome.state).toBe('cancelled');
    });

    it.each([
      ['that is gone', 'thr_gone'],
      ['of another project', 'thr_other'],
    ])('%s is refused', async (_, threadId) => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const project = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await accepted(store, acceptance({ ...base, project }, { thread: opening('thr_other') }));
      const wanted = acceptance(base, { thread: { kind: 'follows', threadId } });
      await expect(store.accept(wanted)).rejects.toMatchObject({ code: 'absent' });
      expect(await store.findInvestigation(wanted.investigationId)).toBeNull();
    });
  });
}

/** A thread with an investigation in flight, and nothing left to publish. */
async function openThread(opened: Opened) {
  const { store } = opened;
  const base = await githubGround(store);
  const { runId, investigationId } = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
  await opened.queue({}).cancel('publish', 'thr_1');
  return { store, base, runId, investigationId };
}

export function threadRecordsContract(engine: Engine): void {
  describe('what stands on GitHub', () => {
    it('keeps why a command was not carried out, whatever the publisher records meanwhile, and has it published', async () => {
      await using opened = await openNew(engine);
      const { store, investigationId } = await openThread(opened);
      const reply = { why: { code: 'nothing_to_stop' }, at: NOW } as const;
      await store.saveCommandReply('thr_1', reply, at(1));
      const saved = record({ comment: comment(investigationId) });
      await store.saveThreadRecord('thr_1', saved, at(2));
      expect((await store.findThread('thr_1'))?.record).toEqual({ ...saved, reply });
      expect(butBackfills(await opened.jobs()).map(({ kind, subject }) => [kind, subject])).toContainEqual([
        'publish',
        'thr_1',
      ]);
      await store.saveCommandReply('thr_unknown', reply, at(3));
    });

    it('is kept as it was recorded, and finds its thread by branch and by pull request, within the project', async () => {
      await using opened = await openNew(engine);
      const { store, base, runId, investigationId } = await openThread(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const saved = record({
        ...{ seen: NOW, comment: comment(investigationId), replaced: [4], pullRequest: pullRequest(issueId) },
        ...{ posts: [NOW], held: { comment: 'text', pullRequest: '' } },
      });
      await store.saveThreadRecord('thr_1', saved, at(4));
      const thread = await store.findThread('thr_1');
      expect(thread?.record).toEqual(saved);
      const { project } = base;
      expect(await store.findThreadOfBranch(project.id, 'causeway/issue-12-abc')).toEqual(thread);
      expect(await store.findThreadOfPullRequest(project.id, 31)).toEqual(thread);
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      expect(await store.findThreadOfBranch(other.id, 'causeway/issue-12-abc')).toBeNull();
      expect(await store.findThreadOfPullRequest(other.id, 31)).toBeNull();
      expect(await store.findThreadOfBranch(project.id, 'causeway/other')).toBeNull();
      await store.saveThreadRecord('thr_1', record(), at(5));
      expect(await store.findThreadOfPullRequest(project.id, 31)).toBeNull();
      await store.saveThreadRecord('thr_unknown', saved, at(6));
      expect(await store.findThread('thr_unknown')).toBeNull();
    });

    it('stays recorded when a person asks anew', async () => {
      await using opened = await openNew(engine);
      const { store, base, investigationId } = await openThread(opened);
      const saved = record({ comment: comment(investigationId), pullRequest: pullRequest('iss_1') });
      await store.saveThreadRecord('thr_1', saved, at(1));
      await accepted(store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'second' }));
      expect((await store.findThread('thr_1'))?.record).toEqual(saved);
      expect((await store.findThreadOfPullRequest(base.project.id, 31))?.id).toBe('thr_1');
    });

    it('is what the links of its Issues say: the comment of the one that it tells of, each pull request of its own', async () => {
      await using opened = await openNew(engine);
      const { store, base, runId, investigationId } = await openThread(opened);
      const [first = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const stranger = await accepted(store, acceptance(base, { fingerprint: 'stranger' }));
      const [strange = ''] = await store.conclude(await started(store, stranger.runId), conclusion(), NOW);
      const links = async (id: string) => (await store.findIssue(id))?.analysis.links;
      const none = { comment: null, checkRun: null, pullRequest: null };
      expect(await links(first)).toEqual(none);
      const posted = record({
        comment: comment(investigationId),
        pullRequest: pullRequest(first, { state: 'closed' }),
      });
      await store.saveThreadRecord('thr_1', posted, at(1));
      const pullRequestUrl = 'https://github.test/octo/shop/pull/31';
      expect(await links(first)).toEqual({ ...none, comment: posted.comment?.url, pullRequest: pullRequestUrl });
      const again = await accepted(store, acceptance(base, { thread: opening('thr_1'), fresh: true }));
      const [second = ''] = await store.conclude(await started(store, again.runId), conclusion(), at(2));
      const next = comment(again.investigationId, 901);
      const nextPullRequest = pullRequest(second, { number: 32, url: 'https://github.test/octo/shop/pull/32' });
      await store.saveThreadRecord('thr_1', record({ comment: next, pullRequest: nextPullRequest }), at(3));
      expect(await links(first)).toEqual({ ...none, pullRequest: pullRequestUrl });
      expect(await links(second)).toEqual({ ...none, comment: next.url, pullRequest: nextPullRequest.url });
      const foreign = record({ comment: comment(stranger.investigationId), pullRequest: pullRequest(strange) });
      await store.saveThreadRecord('thr_1', foreign, at(4));
      expect(await links(strange)).toEqual(none);
    });
  });

  describe('a request for a pull request', () => {
    it('stands with the person who asked last, and in the audit log', async () => {
      await using opened = await openNew(engine);
      const { store } = await openThread(opened);
      expect((await store.findThread('thr_1'))?.fixRequest).toBeNull();
      await store.requestFix('thr_1', { ...WRITER, at: at(1) }, at(1));
      await store.requestFix('thr_1', { ...TRIAGER, at: at(2) }, at(2));
      expect((await store.findThread('thr_1'))?.fixRequest).toEqual({ ...TRIAGER, at: at(2) });
      expect((await opened.audit()).filter((entry) => entry.verb === 'fix.requested')).toHaveLength(2);
    });

    it('for an Issue is that of its thread', async () => {
      await using opened = await openNew(engine);
      const { store, runId } = await openThread(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const asked = await store.requestFixOfIssue(issueId, { by: WRITER, threadId: 'thr_new', now: at(1) });
      expect(asked).toEqual({ kind: 'requested', thread: await store.findThread('thr_1') });
      expect(await store.findThread('thr_1')).toMatchObject({
        fixRequest: { ...WRITER, at: at(1) },
        subject: { kind: 'issue', number: 12 },
      });
      expect(await store.findThread('thr_new')).toBeNull();
    });

    it('for an Issue that a newer analysis has replaced changes nothing, and says which is the newer one', async () => {
      await using opened = await openNew(engine);
      const { store, base, runId } = await openThread(opened);
      const [old = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const again = acceptance(base, { thread: opening('thr_1'), fresh: true, now: at(1) });
      const next = await accepted(store, again);
      const ask = () => store.requestFixOfIssue(old, { by: WRITER, threadId: 'thr_new', now: at(3) });
      const { investigationId } = next;
      expect(await ask()).toEqual({ kind: 'superseded', investigationId, issueId: null, merged: null });
      const [newer = ''] = await store.conclude(await started(store, next.runId), conclusion(), at(2));
      expect(await ask()).toEqual({ kind: 'superseded', investigationId, issueId: newer, merged: null });
      expect((await store.findThread('thr_1'))?.fixRequest).toBeNull();
      expect(await store.findThread('thr_new')).toBeNull();
    });

    it('for an Issue whose pull request was withheld is not asked anew for ten minutes', async () => {
      await using opened = await openNew(engine);
      const { store, runId, investigationId } = await openThread(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const ask = (now: string) => store.requestFixOfIssue(issueId, { by: WRITER, threadId: 'thr_new', now });
      await ask(at(1));
      const withheld = { investigationId, reason: { code: 'archived' } as const, request: '' };
      await store.saveThreadRecord('thr_1', record({ withheld }), at(2));
      expect(await ask(at(600))).toEqual({ kind: 'withheld', reason: withheld.reason });
      expect((await store.findThread('thr_1'))?.fixRequest?.at).toBe(at(1));
      expect(await ask(at(601))).toMatchObject({ kind: 'requested', thread: { fixRequest: { at: at(601) } } });
      await store.saveThreadRecord(
        'thr_1',
        record({ withheld: { ...withheld, investigationId: 'inv_other' } }),
        at(602),
      );
      expect(await ask(at(603))).toMatchObject({ kind: 'requested' });
    });

    it('for an Issue of the API makes a thread for it, once, whose pull request is its link', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { runId, investigationId } = await accepted(store, acceptance(base));
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const ask = (threadId: string, now: string) => store.requestFixOfIssue(issueId, { by: WRITER, threadId, now });
      const first = await ask('thr_1', at(1));
      const made = first?.kind === 'requested' ? first.thread : null;
      expect(made).toMatchObject({
        ...{ id: 'thr_1', projectId: base.project.id, subject: { kind: 'report', issueId }, investigationId },
        ...{ fixRequest: { ...WRITER, at: at(1) }, trigger: { kind: 'api', by: WRITER, commentId: null, at: at(1) } },
      });
      expect((await opened.jobs()).map((job) => job.kind)).toContain('publish');
      expect(await ask('thr_2', at(2))).toEqual({
        kind: 'requested',
        thread: { ...made, fixRequest: { ...WRITER, at: at(2) } },
      });
      expect((await store.findThreadOfSubject(base.project.id, { kind: 'report', issueId }))?.id).toBe('thr_1');
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId) }), at(3));
      expect((await store.findIssue(issueId))?.analysis.links.pullRequest).toBe(
        'https://github.test/octo/shop/pull/31',
      );
      expect(await opened.audit()).toContainEqual({ verb: 'thread.opened', subject: 'thr_1' });
    });

    it('for an Issue that there is not makes nothing', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      await githubGround(store);
      const request = { by: WRITER, threadId: 'thr_1', now: NOW };
      expect(await store.requestFixOfIssue('iss_unknown', request)).toBeNull();
      expect(await store.findThread('thr_1')).toBeNull();
      expect(butBackfills(await opened.jobs())).toEqual([]);
    });
  });
}
