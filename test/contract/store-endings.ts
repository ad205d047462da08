// The store's contract: how runs end for everyone who waits, and the webhooks that tell them.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, other, SHA, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const callbackUrl = 'https://hooks.example.org:8443/in?token=1';
const broken = { code: 'internal', detail: 'broken' } as const;

export function endingsContract(engine: Engine): void {
  describe('a conclusion', () => {
    it("becomes the caller's own Issue, a webhook and its job", async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const wanted = acceptance(base, { callbackUrl, reference: 'r', text: 'the report' });
      const { runId, investigationId } = await accepted(store, wanted);
      const ids = await store.conclude(await started(store, runId), conclusion(), at(9));
      const issue = await store.findIssue(ids[0]!);
      expect(issue).toMatchObject({
        id: ids[0],
        projectId: base.project.id,
        problem: 'x is undefined',
        createdAt: at(9),
        analysis: { investigationId, reference: 'r', origin: 'api', report: 'the report', sameAs: null, revision: SHA },
      });
      expect(await store.findChangeSet(ids[0]!)).toEqual({ base: SHA, files: [] });
      expect((await store.findInvestigation(investigationId))?.outcome).toEqual({
        state: 'concluded',
        issueId: ids[0],
      });
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      expect(webhook).toEqual({
        id: webhook?.id,
        type: 'issue.created',
        accountId: base.account.id,
        investigationId,
        url: callbackUrl,
        state: 'pending',
        attempts: 0,
        attemptsBefore: 0,
        lastError: '',
        createdAt: at(9),
      });
      expect(await store.readWebhookData(webhook!.id)).toEqual(issue);
      const job = (await opened.jobs()).find((one) => one.kind === 'webhook');
      expect(job).toMatchObject({ subject: webhook!.id, runAt: at(9) });
      expect(job?.group).toBe(base.account.id);
      expect(job?.group).toContain(base.account.id);
    });

    it('serves 200 joined callers, the oldest first, whose Issue the others name', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const callers: string[] = [];
      let runId = '';
      for (let i = 0; i < 200; i++) {
        const one = await accepted(store, acceptance(base, { reference: `r${i}`, text: `t${i}`, callbackUrl }));
        callers.push(one.investigationId);
        runId = one.runId;
      }
      const ids = await store.conclude(await started(store, runId), conclusion(), at(1));
      const issues = await Promise.all(ids.map((id) => store.findIssue(id)));
      expect(issues.map((issue) => issue?.analysis.investigationId)).toEqual(callers);
      expect(issues.map((issue) => issue?.analysis.report)).toEqual(callers.map((_, i) => `t${i}`));
      expect(issues.map((issue) => issue?.analysis.sameAs)).toEqual([null, ...Array<string>(199).fill(ids[0]!)]);
      expect(await store.listIssueIds(base.project.id)).toEqual(ids.toReversed());
      expect(await store.listWebhooks(base.account.id, 1000)).toHaveLength(200);
    });

    it('without a callback address writes no webhook', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base));
      await store.conclude(await started(store, runId), conclusion(), NOW);
      expect(await store.listWebhooks(base.account.id, 10)).toEqual([]);
      expect(await store.findIssue('iss_unknown')).toBeNull();
      expect(await store.findChangeSet('iss_unknown')).toBeNull();
      expect(await store.readWebhookData('evt_unknown')).toBeNull();
    });
  });

  describe('an equal run concluded before', () => {
    it('answers for the same commit within the time, and copies do not prolong it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const first = await accepted(store, acceptance(base));
      const [original] = await store.conclude(await started(store, first.runId), conclusion(), at(10));
      const next = async (now: string) => started(store, (await accepted(store, acceptance(base, { now }))).runId);

      const second = await next(at(20));
      expect(await store.concludeFromEqual(second, { sha: 'b'.repeat(40), since: at(0), model: null }, at(20))).toEqual(
        [],
      );
      expect(await store.concludeFromEqual(second, { sha: SHA, since: at(11), model: null }, at(20))).toEqual([]);
      const [copy] = await store.concludeFromEqual(second, { sha: SHA, since: at(10), model: null }, at(20));
      expect(await store.findIssue(copy!)).toMatchObject({
        problem: 'x is undefined',
        createdAt: at(20),
        analysis: { sameAs: original, investigationId: (await store.listInvestigations({ limit: 1 }))[0]?.id },
      });

      const third = await next(at(30));
      expect(await store.concludeFromEqual(third, { sha: SHA, since: at(11), model: null }, at(30))).toEqual([]);
      await store.eraseIssue(original!, at(31));
      const [secondCopy] = await store.concludeFromEqual(third, { sha: SHA, since: at(10), model: null }, at(32));
      expect((await store.findIssue(secondCopy!))?.analysis.sameAs).toBe(copy);
    });

    it('of another account, project, fingerprint or model, cut short, or without an Issue, answers nothing', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const caller = await other(store);
      for (const change of [{ accountId: caller.id }, { fingerprint: 'other' }]) {
        const one = await accepted(store, acceptance(base, change));
        await store.conclude(await started(store, one.runId), conclusion(), NOW);
      }
      for (const change of [{ model: 'other' }, { partial: true }]) {
        const one = await accepted(store, acceptance(base));
        const { analysis } = conclusion();
        await store.conclude(
          await started(store, one.runId),
          conclusion({ analysis: { ...analysis, ...change } }),
          NOW,
        );
      }
      const failed = await accepted(store, acceptance(base));
      await store.giveUp(await started(store, failed.runId), broken, NOW);
      const run = await started(store, (await accepted(store, acceptance(base))).runId);
      expect(await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, NOW)).toEqual([]);
    });
  });

  describe('giving up', () => {
    it('tells everyone attached, and later endings are refused', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const one = await accepted(store, acceptance(base, { callbackUrl, reference: 'r' }));
      const two = await accepted(store, acceptance(base, { callbackUrl }));
      const run = await started(store, one.runId);
      await store.giveUp(run, broken, at(1));
      for (const { investigationId } of [one, two]) {
        expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'gave_up', reason: broken });
      }
      const webhooks = await store.listWebhooks(base.account.id, 10);
      expect(webhooks.map((webhook) => webhook.type)).toEqual(['issue.failed', 'issue.failed']);
      expect(await store.readWebhookData(webhooks[1]!.id)).toEqual({
        investigationId: one.investigationId,
        projectId: base.project.id,
        reference: 'r',
        reason: broken,
      });
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await store.listIssueIds(base.project.id)).toEqual([]);
    });

    it('by id ends a run in any state once, and passes over one that has ended', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const one = await accepted(store, acceptance(base, { callbackUrl }));
      await store.giveUp(one.runId, broken, NOW);
      await store.giveUp(one.runId, broken, NOW);
      await store.giveUp('run_unknown', broken, NOW);
      expect(await store.listWebhooks(base.account.id, 10)).toHaveLength(1);
      const two = await accepted(store, acceptance(base));
      const run = await started(store, two.runId);
      await store.conclude(run, conclusion(), NOW);
      await store.giveUp(two.runId, broken, NOW);
      expect((await store.findInvestigation(two.investigationId))?.outcome.state).toBe('concluded');
    });
  });
}
