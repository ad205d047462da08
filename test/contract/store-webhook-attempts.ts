// The store's contract: what came of each attempt at a webhook, and sending it again.
import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../src/db/webhooks.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, other, started } from '../support/store-samples.ts';
import { type Engine, type Opened, openLocal, openNew } from './engine.ts';

const callbackUrl = 'https://hooks.example.org:8443/in';

function result(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return { state: 'pending', error: 'status_500: broken', at: at(10), ms: 120, ...changes };
}

const delivered = result({ state: 'delivered', error: '', ms: 40 });

/** A concluded report whose caller waits for its webhook. */
async function announced(opened: Opened) {
  const { store } = opened;
  const base = await ground(store);
  const { runId } = await accepted(store, acceptance(base, { callbackUrl }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
  const [webhook] = await store.listWebhooks(base.account.id, 1);
  return { store, base, issueId, id: webhook!.id };
}

const webhookJobs = async (opened: Opened) => (await opened.jobs()).filter((job) => job.kind === 'webhook');

export function webhookAttemptsContract(engine: Engine): void {
  describe('the webhooks of an account', () => {
    it('are listed a page at a time, and by how they stand', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      for (const fingerprint of ['one', 'two', 'three', 'four']) {
        const { runId } = await accepted(store, acceptance(base, { callbackUrl, fingerprint }));
        await store.conclude(await started(store, runId), conclusion(), NOW);
      }
      const account = base.account.id;
      const ids = async (...asked: Parameters<typeof store.listWebhooks>) =>
        (await store.listWebhooks(...asked)).map(({ id }) => id);
      const [four = '', three = '', two = '', one = ''] = await ids(account, 10);
      for (const id of [one, three, four]) await store.recordAttempt(id, result({ state: 'dead' }));
      expect(await ids(account, 2, { before: four })).toEqual([three, two]);
      expect(await ids(account, 10, { state: 'dead' })).toEqual([four, three, one]);
      expect(await ids(account, 1, { before: three, state: 'dead' })).toEqual([one]);
      expect(await ids(account, 10, { before: one })).toEqual([]);
      expect(await ids(account, 10, { before: 'evt_unknown' })).toEqual([]);
      expect(await ids('acc_other', 10, { before: four })).toEqual([]);
    });
  });

  describe('the attempts at a webhook', () => {
    it('are counted and listed, the newest first, with what came of each', async () => {
      await using opened = await openNew(engine);
      const { store, id } = await announced(opened);
      const before = await store.findWebhook(id);
      await store.recordAttempt(id, result());
      await store.recordAttempt(id, { ...delivered, at: at(20) });
      expect(await store.findWebhook(id)).toEqual({ ...before, attempts: 2, state: 'delivered' });
      expect(await store.listAttempts(id)).toEqual([
        { number: 2, at: at(20), ok: true, error: '', ms: 40 },
        { number: 1, at: at(10), ok: false, error: 'status_500: broken', ms: 120 },
      ]);
      await store.recordAttempt('evt_unknown', result());
      expect(await store.findWebhook('evt_unknown')).toBeNull();
      expect(await store.listAttempts('evt_unknown')).toEqual([]);
    });

    it('are the last hundred of however many', async () => {
      await using opened = await openNew(engine);
      const { store, id } = await announced(opened);
      for (let number = 1; number <= 102; number++) await store.recordAttempt(id, result({ ms: number }));
      const kept = await store.listAttempts(id);
      expect([kept.length, kept.at(0)?.number, kept.at(-1)?.number]).toEqual([100, 102, 3]);
      expect(kept.every(({ number, ms }) => number === ms)).toBe(true);
      expect((await store.findWebhook(id))?.attempts).toBe(102);
    });

    it('go with the investigation, though it stays known that the webhook was delivered', async () => {
      await using opened = await openNew(engine);
      const { store, base, id, issueId } = await announced(opened);
      const second = await accepted(store, acceptance(base, { callbackUrl, fingerprint: 'second' }));
      await store.conclude(await started(store, second.runId), conclusion(), NOW);
      const [kept] = await store.listWebhooks(base.account.id, 1);
      for (const each of [id, kept!.id]) await store.recordAttempt(each, delivered);
      await store.eraseIssue(issueId, at(30));
      expect(await store.findWebhook(id)).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(await store.listAttempts(id)).toEqual([]);
      expect(await store.listAttempts(kept!.id)).toHaveLength(1);
      await store.sweep({ endedBefore: at(31), keysBefore: NOW, now: at(31) });
      expect(await opened.recordCounts()).toMatchObject({ webhooks: 0, webhook_attempts: 0 });
    });
  });

  describe('a webhook that is sent again', () => {
    it.each(['delivered', 'dead', 'stopped'] as const)(
      'after it was %s has the whole schedule before it',
      async (state) => {
        await using opened = await openNew(engine);
        const { store, base, id } = await announced(opened);
        const [first] = await webhookJobs(opened);
        await store.recordAttempt(id, result());
        await store.recordAttempt(id, result({ state }));
        await opened.queue({}).cancel('webhook', id);
        expect(await store.resendWebhook(id, base.account.id, at(50))).toBe(true);
        expect(await store.findWebhook(id)).toMatchObject({ state: 'pending', attempts: 2, attemptsBefore: 2 });
        expect(await webhookJobs(opened)).toEqual([{ ...first, runAt: at(50) }]);
        await store.recordAttempt(id, delivered);
        expect(await store.findWebhook(id)).toMatchObject({ state: 'delivered', attempts: 3, attemptsBefore: 2 });
        expect((await store.listAttempts(id)).map(({ number }) => number)).toEqual([3, 2, 1]);
        const [entry] = await store.listAuditEntries({ accountId: base.account.id, projectIds: [], limit: 1 });
        expect(entry).toMatchObject({ verb: 'webhook.resent', subject: id, projectId: base.project.id, at: at(50) });
      },
    );

    it('is sent once where two ask at the same moment, and while it is under way nobody may', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await using second = await place.open();
      const { store, base, id } = await announced(opened);
      expect(await store.resendWebhook(id, base.account.id, at(1))).toBe(false);
      await store.recordAttempt(id, result());
      expect(await store.resendWebhook(id, base.account.id, at(1))).toBe(false);
      await store.recordAttempt(id, delivered);
      const answers = await Promise.all([
        store.resendWebhook(id, base.account.id, at(2)),
        second.store.resendWebhook(id, base.account.id, at(2)),
      ]);
      expect(answers.toSorted()).toEqual([false, true]);
      expect((await opened.audit()).filter(({ verb }) => verb === 'webhook.resent')).toHaveLength(1);
    });

    it("is the account's own, and tells of something that is still there", async () => {
      await using opened = await openNew(engine);
      const { store, base, id, issueId } = await announced(opened);
      await store.recordAttempt(id, delivered);
      await opened.queue({}).cancel('webhook', id);
      expect(await store.resendWebhook(id, (await other(store)).id, at(1))).toBe(false);
      expect(await store.resendWebhook('evt_unknown', base.account.id, at(1))).toBe(false);
      await store.eraseIssue(issueId, at(2));
      expect(await store.resendWebhook(id, base.account.id, at(3))).toBe(false);
      expect((await store.findWebhook(id))?.state).toBe('delivered');
      expect(await webhookJobs(opened)).toEqual([]);
    });
  });
}
