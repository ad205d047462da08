// The store's contract: erasing an Issue with all that stands behind it, and nothing of anybody else.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const callbackUrl = 'https://hooks.example.org/in';
const step = { action: 'look', result: 'found', analysis: 'so' };

/** Two joined callers whose run was concluded. */
async function concluded(opened: Opened, callers: number) {
  const { store } = opened;
  const base = await ground(store);
  const answers = [];
  for (let i = 0; i < callers; i++) answers.push(await accepted(store, acceptance(base, { callbackUrl })));
  const runId = answers[0]!.runId;
  const run = await started(store, runId);
  await store.recordStep(run, step, NOW);
  const issueIds = await store.conclude(run, conclusion(), NOW);
  const webhooks = (await store.listWebhooks(base.account.id, 100)).toReversed();
  return { base, runId, issueIds, webhooks, investigationIds: answers.map((answer) => answer.investigationId) };
}

export function erasingContract(engine: Engine): void {
  describe('an erased Issue', () => {
    it('leaves nothing behind where nobody else is attached', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { base, issueIds, webhooks, investigationIds, runId } = await concluded(opened, 1);
      await opened.queue({}).cancel('run', runId);
      expect(await store.eraseIssue(issueIds[0]!, at(1))).toBe(true);
      expect(await store.findIssue(issueIds[0]!)).toBeNull();
      expect(await store.findInvestigation(investigationIds[0]!)).toBeNull();
      expect(await store.findWebhook(webhooks[0]!.id)).toBeNull();
      expect(await store.listSteps(runId, 0)).toEqual([]);
      expect(await store.listIssueIds(base.project.id)).toEqual([]);
      expect(Object.values(await opened.recordCounts()).every((count) => count === 0)).toBe(true);
      expect(await opened.audit()).toContainEqual({ verb: 'issue.erased', subject: issueIds[0] });
      expect(await store.eraseIssue(issueIds[0]!, at(2))).toBe(false);
      expect((await opened.audit()).filter((entry) => entry.verb === 'issue.erased')).toHaveLength(1);
    });

    it('touches nothing of the others who joined, but whom they name', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { issueIds, webhooks, investigationIds, runId } = await concluded(opened, 3);
      const others = await Promise.all([store.findIssue(issueIds[1]!), store.findIssue(issueIds[2]!)]);
      await store.eraseIssue(issueIds[0]!, at(1));
      const left = await Promise.all([store.findIssue(issueIds[1]!), store.findIssue(issueIds[2]!)]);
      expect(left[0]).toEqual({ ...others[0], analysis: { ...others[0]!.analysis, sameAs: null } });
      expect(left[1]).toEqual({ ...others[1], analysis: { ...others[1]!.analysis, sameAs: issueIds[1] } });
      expect(await store.listSteps(runId, 0)).toHaveLength(1);
      expect(await store.findInvestigation(investigationIds[1]!)).not.toBeNull();
      expect(await store.findWebhook(webhooks[0]!.id)).toBeNull();
      expect(await store.readWebhookData(webhooks[1]!.id)).toEqual(left[0]);
      const subjects = (await opened.jobs()).filter((job) => job.kind === 'webhook').map((job) => job.subject);
      expect(subjects).toEqual([webhooks[1]!.id, webhooks[2]!.id]);
      await store.eraseIssue(issueIds[1]!, at(2));
      await store.eraseIssue(issueIds[2]!, at(3));
      expect(await opened.recordCounts()).toMatchObject({ runs: 0, steps: 0, investigations: 0, issues: 0, jobs: 0 });
    });

    it('hands its place to the oldest of those who were answered from it, of later runs too, and so does a swept one', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { base, issueIds } = await concluded(opened, 3);
      const run = await started(store, (await accepted(store, acceptance(base))).runId);
      const [copy] = await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, at(60));
      const named = async (...ids: readonly (string | undefined)[]) =>
        Promise.all(ids.map(async (id) => (await store.findIssue(id ?? ''))?.analysis.sameAs));
      expect(await named(...issueIds, copy)).toEqual([null, issueIds[0], issueIds[0], issueIds[0]]);
      await store.eraseIssue(issueIds[2]!, at(61));
      expect(await named(...issueIds, copy)).toEqual([null, issueIds[0], undefined, issueIds[0]]);
      await store.eraseIssue(issueIds[0]!, at(61));
      expect(await named(...issueIds, copy)).toEqual([undefined, null, undefined, issueIds[1]]);
      expect(await store.sweep({ endedBefore: at(30), keysBefore: NOW, now: at(62) })).toBe(1);
      expect(await named(copy)).toEqual([null]);
    });

    it('keeps the record of a delivered webhook, which says nothing any more', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { issueIds, webhooks } = await concluded(opened, 1);
      await store.recordAttempt(webhooks[0]!.id, { state: 'delivered', error: '', at: NOW, ms: 5 });
      await store.eraseIssue(issueIds[0]!, at(1));
      expect((await store.findWebhook(webhooks[0]!.id))?.state).toBe('delivered');
      expect(await store.readWebhookData(webhooks[0]!.id)).toBeNull();
    });

    it('is not made again by its idempotency key', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const idempotency = { key: 'k', bodyHash: 'h' };
      const { runId, investigationId } = await accepted(store, acceptance(base, { idempotency }));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      await store.eraseIssue(issueId!, NOW);
      expect(await store.accept(acceptance(base, { idempotency }))).toEqual({ kind: 'repeated', investigationId });
    });

    it('is not brought back by the late worker of a run that everybody left', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const first = await accepted(store, acceptance(base));
      const run = await started(store, first.runId);
      await store.cancel(first.investigationId, { code: 'cancelled', detail: '' }, NOW);
      const second = await accepted(store, acceptance(base));
      expect(second.joined).toBe(false);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      const [issueId] = await store.conclude(await started(store, second.runId), conclusion(), NOW);
      expect(await store.listIssueIds(base.project.id)).toEqual([issueId]);
    });
  });
}
