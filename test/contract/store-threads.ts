// The store's contract: threads are opened, opened anew, and followed, together with the report that is accepted for them.
import { describe, expect, it } from 'vitest';
import { EMPTY_RECORD } from '../../src/core/thread.ts';
import {
  butBackfills,
  githubGround,
  opening,
  repository,
  TRIAGER,
  trigger,
  WRITER,
} from '../support/github-store-samples.ts';
import { acceptance, accepted, at, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const issue = { kind: 'issue', number: 12 } as const;

export function threadsContract(engine: Engine): void {
  describe('a report that opens a thread', () => {
    it('makes it, with the jobs to investigate and to publish', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const asked = trigger({ kind: 'comment', commentId: 77, guidance: 'look at the cart' });
      const thread = opening('thr_1', { trigger: asked, fixRequest: WRITER });
      const { investigationId, runId, replacedRunId } = await accepted(store, acceptance(base, { thread, now: at(2) }));
      expect(replacedRunId).toBeNull();
      const stored = await store.findThread('thr_1');
      expect(stored).toEqual({
        ...{ id: 'thr_1', projectId: base.project.id, subject: issue, investigationId, trigger: asked },
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await accepted(store, acceptance(base, { thread: opening('thr_1', { isSeen: true }) }));
      expect((await store.findThread('thr_1'))?.record).toEqual({ ...EMPTY_RECORD, seen: NOW });
      await store.saveThreadRecord('thr_1', { ...EMPTY_RECORD, seen: NOW, replaced: [7] }, at(1));
      const again = opening('thr_2', { trigger: trigger({ at: at(5) }), isSeen: true });
      await accepted(store, acceptance(base, { thread: again, fingerprint: 'second', now: at(5) }));
      expect((await store.findThread('thr_1'))?.record).toEqual({ ...EMPTY_RECORD, seen: at(5), replaced: [7] });
    });

    it('opens the one of its subject anew, whatever id it brought, and lets a request for a pull request stand only where this one brings it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const project = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      await accepted(store, acceptance({ ...base, project }, { thread: opening('thr_2') }));
      expect((await store.findThreadOfSubject(base.project.id, issue))?.id).toBe('thr_1');
      expect((await store.findThreadOfSubject(project.id, issue))?.id).toBe('thr_2');
    });

    it('and is repeated touches nothing', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const project = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      await accepted(store, acceptance({ ...base, project }, { thread: opening('thr_other') }));
      const wanted = acceptance(base, { thread: { kind: 'follows', threadId } });
      await expect(store.accept(wanted)).rejects.toMatchObject({ code: 'absent' });
      expect(await store.findInvestigation(wanted.investigationId)).toBeNull();
    });
  });
}
