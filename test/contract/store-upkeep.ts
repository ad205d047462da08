// The store's contract: does it answer, and what is past its retention.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, started, token } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

export function upkeepContract(engine: Engine): void {
  describe('upkeep', () => {
    it('finds an open store well, again and again, and a closed one not', async () => {
      await using place = await engine.place();
      const opened = await place.open();
      await opened.store.checkWritable();
      await opened.store.checkWritable();
      await opened[Symbol.asyncDispose]();
      await expect(opened.store.checkWritable()).rejects.toThrow();
    });

    it('remembers everything after it was closed and opened again', async () => {
      await using place = await engine.place();
      let id = '';
      {
        await using opened = await place.open();
        id = (await accepted(opened.store, acceptance(await ground(opened.store)))).investigationId;
      }
      await using again = await place.open();
      expect((await again.store.findInvestigation(id))?.outcome.state).toBe('queued');
      expect(await again.jobs()).toHaveLength(1);
    });

    it('sweeps what ended before, in any number, and nothing that is younger or under way', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      await opened.manyIssues(base.project.id, base.account.id, 450);
      const young = await accepted(store, acceptance(base, { fingerprint: 'young' }));
      await store.conclude(await started(store, young.runId), conclusion(), at(100));
      const open = await accepted(store, acceptance(base, { fingerprint: 'open', callbackUrl: 'https://e.org' }));
      const limits = { endedBefore: at(50), keysBefore: NOW, now: at(200) };
      expect(await store.sweep(limits)).toBe(450);
      expect(await store.sweep(limits)).toBe(0);
      expect(await store.listIssueIds(base.project.id)).toHaveLength(1);
      expect(await store.findInvestigation(open.investigationId)).not.toBeNull();
      expect(await opened.recordCounts()).toMatchObject({ runs: 2, investigations: 2, issues: 1 });
    });

    it('sweeps entries of the audit log with their age, in any number', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      for (let number = 0; number < 210; number += 1) {
        await store.addToken(token(account.id, { id: `tok_${number}`, createdAt: at(number) }), `hash ${number}`);
      }
      await store.sweep({ endedBefore: at(205), keysBefore: NOW, now: at(300) });
      const left = await store.listAuditEntries({ accountId: account.id, projectIds: [], limit: 20 });
      expect(left.map((entry) => entry.at)).toEqual([209, 208, 207, 206, 205].map((second) => at(second)));
    });

    it('sweeps webhooks and idempotency keys with their age', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const idempotency = { key: 'k', bodyHash: 'h' };
      const callbackUrl = 'https://hooks.example.org/in';
      const { runId } = await accepted(store, acceptance(base, { idempotency, callbackUrl }));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      await store.recordAttempt(webhook!.id, { state: 'delivered', error: '', at: NOW, ms: 5 });
      await store.eraseIssue(issueId!, NOW);
      await store.sweep({ endedBefore: NOW, keysBefore: NOW, now: NOW });
      expect(await store.findWebhook(webhook!.id)).not.toBeNull();
      expect((await store.accept(acceptance(base, { idempotency }))).kind).toBe('repeated');
      await store.sweep({ endedBefore: at(1), keysBefore: at(1), now: at(1) });
      expect(await store.findWebhook(webhook!.id)).toBeNull();
      expect((await store.accept(acceptance(base, { idempotency }))).kind).toBe('accepted');
    });
  });
}
