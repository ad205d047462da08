// The store's contract: a run is taken, takes steps, is taken over, and ends once for everyone who waits for it.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, other, SHA, started } from '../support/store-samples.ts';
import { type Engine, openLocal, openNew } from './engine.ts';

const step = (action: string) => ({ action, result: 'result', analysis: 'analysis' });

const reason = { code: 'internal', detail: 'broken' } as const;

export function runsContract(engine: Engine): void {
  describe('a run', () => {
    it('is taken with the text of its oldest caller left', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { text: 'first', revision: 'main' }));
      await accepted(store, acceptance(base, { text: 'second', revision: 'main' }));
      expect(await store.startRun(first.runId, at(5))).toEqual({
        id: first.runId,
        projectId: base.project.id,
        accountId: base.account.id,
        fingerprint: 'same',
        revision: 'main',
        fresh: false,
        isTrusted: true,
        settings: DEFAULT_SETTINGS,
        text: 'first',
        generation: 1,
        startedAt: at(5),
        acceptedAt: NOW,
        investigationId: first.investigationId,
      });
      await store.cancel(first.investigationId, { code: 'cancelled', detail: '' }, NOW);
      expect((await started(store, first.runId)).text).toBe('second');
    });

    it('numbers its steps and shows the last one as progress', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId, investigationId } = await accepted(store, acceptance(await ground(store)));
      const run = await started(store, runId);
      const one = await store.recordStep(run, step('one'), NOW);
      const two = await store.recordStep(run, step('two'), NOW);
      expect(one).toEqual({ number: 1, ...step('one') });
      expect(await store.listSteps(runId, 0)).toEqual([one, two]);
      expect(await store.listSteps(runId, 1)).toEqual([two]);
      expect((await store.findInvestigation(investigationId))?.progress).toEqual({ step: 2, action: 'two' });
    });

    it('knows when each part of it was recorded, and passes over a second look', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await started(store, (await accepted(store, acceptance(await ground(store)))).runId);
      expect(await store.readRunTimes(run.id)).toEqual({ steps: [], opening: null, lastEntryAt: null });
      await store.recordStep(run, step('a'), at(1));
      await store.appendTranscript(run, '{"kind":"facts"}', at(2));
      await store.recordStep(run, step('b'), at(3), () => '{"kind":"answer"}');
      await store.appendTranscript(run, '{"kind":"turn","conversation":"second_look"}', at(4));
      const times = { steps: [at(1), at(3)], opening: '{"kind":"facts"}', lastEntryAt: at(3) };
      expect(await store.readRunTimes(run.id)).toEqual(times);
    });

    it('that is taken again forgets its steps and refuses whoever held it before', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId, investigationId } = await accepted(store, acceptance(await ground(store)));
      const old = await started(store, runId);
      await store.recordStep(old, step('old'), NOW);
      const now = await started(store, runId);
      expect(now.generation).toBeGreaterThan(old.generation);
      expect(await store.listSteps(runId, 0)).toEqual([]);
      const lost = { code: 'lease_lost' };
      await expect(store.recordStep(old, step('late'), NOW)).rejects.toMatchObject(lost);
      await expect(store.conclude(old, conclusion(), NOW)).rejects.toMatchObject(lost);
      await expect(store.giveUp(old, reason, NOW)).rejects.toMatchObject(lost);
      expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'running' });
      expect((await store.recordStep(now, step('new'), NOW)).number).toBe(1);
      expect(await store.conclude(now, conclusion(), NOW)).toHaveLength(1);
    });

    it('that has ended or is gone cannot be taken or written', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId } = await accepted(store, acceptance(await ground(store)));
      const run = await started(store, runId);
      const [issueId] = await store.conclude(run, conclusion(), NOW);
      expect(await store.startRun(runId, NOW)).toBeNull();
      const lost = { code: 'lease_lost' };
      await expect(store.recordStep(run, step('late'), NOW)).rejects.toMatchObject(lost);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject(lost);
      await store.eraseIssue(issueId!, NOW);
      await expect(store.recordStep(run, step('later'), NOW)).rejects.toMatchObject(lost);
      expect(await store.startRun(runId, NOW)).toBeNull();
      expect(await store.startRun('run_unknown', NOW)).toBeNull();
    });

    it('concluded by two workers at once is concluded once', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      const { runId } = await accepted(one.store, acceptance(base));
      const run = await started(one.store, runId);
      const ends = await Promise.allSettled(
        [one, two, one, two].map((at) => at.store.conclude(run, conclusion(), NOW)),
      );
      expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(1);
      expect(await one.store.listIssueIds(base.project.id)).toHaveLength(1);
    });

    it('takes each caller from the request to the answer, whatever was waited for in between', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const secondsOf = async (ids: readonly string[]) =>
        await Promise.all(ids.map(async (id) => (await store.findIssue(id))?.analysis.usage.seconds));
      const { runId } = await accepted(store, acceptance(base));
      // It waits for its turn, a worker dies over it, and an equal report joins it meanwhile.
      await store.startRun(runId, at(240));
      await accepted(store, acceptance(base, { now: at(250) }));
      const again = await store.startRun(runId, at(290));
      expect(await secondsOf(await store.conclude(again!, conclusion(), at(300)))).toEqual([300, 50]);
      const later = await accepted(store, acceptance(base, { now: at(400) }));
      const run = await store.startRun(later.runId, at(401));
      const reused = await store.concludeFromEqual(run!, { sha: SHA, since: NOW, model: null }, at(402));
      expect(await secondsOf(reused)).toEqual([2]);
    });

    it('answered from an equal one has its steps too, and keeps them when that one is erased', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const first = await started(store, (await accepted(store, acceptance(base))).runId);
      for (const action of ['look', 'compare', 'edit']) {
        await store.recordStep(first, { action, result: 'found', analysis: 'so' }, NOW);
      }
      const recorded = (await store.listSteps(first.id, 0)).slice(0, 2);
      // What the conclusion leaves out is shown nowhere.
      const [original] = await store.conclude(first, { ...conclusion(), investigationSteps: recorded }, NOW);
      expect(await store.listSteps(first.id, 0)).toEqual(recorded);
      const next = await accepted(store, acceptance(base));
      const second = await started(store, next.runId);
      await store.recordStep(second, { action: 'begin', result: '', analysis: '' }, at(1));
      await store.concludeFromEqual(second, { sha: SHA, since: NOW, model: null }, at(1));
      await store.eraseIssue(original!, at(2));
      expect(await store.listSteps(second.id, 0)).toEqual(recorded);
      expect((await store.findInvestigation(next.investigationId))?.progress).toEqual({ step: 2, action: 'compare' });
    });
  });
}

const callbackUrl = 'https://hooks.example.org:8443/in?token=1';

const broken = { code: 'internal', detail: 'broken' } as const;

export function endingsContract(engine: Engine): void {
  describe('a conclusion', () => {
    it("becomes the caller's own Issue, a webhook and its job", async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
        ...{ subscriptionId: null, projectId: null, isExample: false },
        url: callbackUrl,
        state: 'pending',
        attempts: 0,
        attemptsBefore: 0,
        lastError: '',
        createdAt: at(9),
      });
      expect((await store.readWebhookContent(webhook!.id))?.data).toEqual(issue);
      const job = (await opened.jobs()).find((one) => one.kind === 'webhook');
      expect(job).toMatchObject({ subject: webhook!.id, runAt: at(9) });
      expect(job?.group).toBe(base.account.id);
      expect(job?.group).toContain(base.account.id);
    });

    it('serves 200 joined callers, the oldest first, whose Issue the others name', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      await store.conclude(await started(store, runId), conclusion(), NOW);
      expect(await store.listWebhooks(base.account.id, 10)).toEqual([]);
      expect(await store.findIssue('iss_unknown')).toBeNull();
      expect(await store.findChangeSet('iss_unknown')).toBeNull();
      expect(await store.readWebhookContent('evt_unknown')).toBeNull();
    });
  });

  describe('an equal run concluded before', () => {
    it('answers for the same commit within the time, and copies do not prolong it', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const one = await accepted(store, acceptance(base, { callbackUrl, reference: 'r' }));
      const two = await accepted(store, acceptance(base, { callbackUrl }));
      const run = await started(store, one.runId);
      await store.giveUp(run, broken, at(1));
      for (const { investigationId } of [one, two]) {
        expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'gave_up', reason: broken });
      }
      const webhooks = await store.listWebhooks(base.account.id, 10);
      expect(webhooks.map((webhook) => webhook.type)).toEqual(['issue.failed', 'issue.failed']);
      expect((await store.readWebhookContent(webhooks[1]!.id))?.data).toEqual({
        investigationId: one.investigationId,
        projectId: base.project.id,
        reference: 'r',
        reason: broken,
      });
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await store.listIssueIds(base.project.id)).toEqual([]);
    });

    it('by id ends a run in any state once, and passes over one that has ended', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
