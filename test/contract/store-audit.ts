// The store's contract: the audit log as people read it.
import { describe, expect, it } from 'vitest';
import { githubGround, opening, repository, TRIAGER, WRITER } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, other, started, token } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

export function auditContract(engine: Engine): void {
  describe('the audit log of an account', () => {
    it('tells what it did itself, there and on GitHub, and nothing of what others did elsewhere', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const stranger = await other(store);
      const own = token(base.account.id);
      await store.addToken(own, 'own');
      await store.addToken(token(stranger.id), 'foreign');
      await accepted(store, acceptance({ ...base, account: stranger }, { thread: opening('thr_1') }));
      await store.requestFix('thr_1', { ...WRITER, at: at(1) }, at(1));
      const entries = await store.listAuditEntries({ accountId: base.account.id, projectIds: [], limit: 10 });
      expect(
        entries.map(({ at: when, who, verb, subject, projectId }) => [when, who, verb, subject, projectId]),
      ).toEqual([
        [at(1), 'github 7', 'fix.requested', 'thr_1', base.project.id],
        [NOW, 'mona', 'token.created', own.id, null],
        [NOW, 'mona', 'account.made', base.account.id, null],
      ]);
    });

    it('tells what anybody did in its projects: who, and in which', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const stranger = await other(store);
      const theirs = { ...base, account: stranger };
      const elsewhere = {
        account: stranger,
        project: (await store.putRepository(500, repository(2, 'octo/two'), NOW))!,
      };
      await accepted(store, acceptance(elsewhere));
      const thread = opening('thr_1', { fixRequest: WRITER });
      const first = await accepted(store, acceptance(theirs, { thread }));
      const [issueId = ''] = await store.conclude(await started(store, first.runId), conclusion(), NOW);
      const second = await accepted(store, acceptance(theirs, { fingerprint: 'second' }));
      await store.cancel(second.investigationId, { code: 'cancelled', detail: '' }, at(2));
      const third = await accepted(store, acceptance(theirs, { fingerprint: 'third' }));
      const [apart = ''] = await store.conclude(await started(store, third.runId), conclusion(), NOW);
      await store.requestFixOfIssue(apart, { by: TRIAGER, threadId: 'thr_2', now: at(3) });
      await store.eraseIssue(issueId, at(4));
      const unknown = Array.from({ length: 700 }, (_, index) => `prj_unknown${index}`);
      const projectIds = [...unknown, base.project.id];
      const entries = await store.listAuditEntries({ accountId: 'acc_unknown', projectIds, limit: 20 });
      expect(entries.map(({ who, verb, subject }) => [who, verb, subject])).toEqual([
        ['other', 'issue.erased', issueId],
        ['github 8', 'fix.requested', 'thr_2'],
        ['github 8', 'thread.opened', 'thr_2'],
        ['other', 'report.accepted', third.investigationId],
        ['other', 'investigation.cancelled', second.investigationId],
        ['other', 'report.accepted', second.investigationId],
        ['other', 'report.accepted', first.investigationId],
        ['github 7', 'fix.requested', 'thr_1'],
        ['github 8', 'thread.opened', 'thr_1'],
      ]);
      expect(new Set(entries.map(({ projectId }) => projectId))).toEqual(new Set([base.project.id]));
    });

    it('names who pressed the button, where that was not whoever handed the report in', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const stranger = await other(store);
      const first = await accepted(store, acceptance(base, { fingerprint: 'first' }));
      const second = await accepted(store, acceptance(base, { fingerprint: 'second' }));
      const [issueId = ''] = await store.conclude(await started(store, second.runId), conclusion(), NOW);
      await store.cancel(first.investigationId, { code: 'cancelled', detail: '' }, at(1), stranger.id);
      await store.eraseIssue(issueId, at(2), stranger.id);
      const entries = await store.listAuditEntries({ accountId: stranger.id, projectIds: [], limit: 2 });
      expect(entries.map(({ who, verb, subject, projectId }) => [who, verb, subject, projectId])).toEqual([
        ['other', 'issue.erased', issueId, base.project.id],
        ['other', 'investigation.cancelled', first.investigationId, base.project.id],
      ]);
    });

    it('comes page by page, the newest first, each entry once though it is both its own and of its project', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const accept = (fingerprint: string) => accepted(store, acceptance(base, { fingerprint }));
      const [first, second] = [await accept('a'), await accept('b')];
      const page = (before?: number) => {
        const filter = { accountId: base.account.id, projectIds: [base.project.id], limit: 2 };
        return store.listAuditEntries({ ...filter, ...(before !== undefined && { before }) });
      };
      const newest = await page();
      expect(newest.map(({ subject }) => subject)).toEqual([second.investigationId, first.investigationId]);
      const older = await page(newest[1]?.number);
      expect(older.map(({ verb }) => verb)).toEqual(['account.made']);
      expect(await page(older[0]?.number)).toEqual([]);
    });
  });
}
