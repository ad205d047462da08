// The store's contract: transcripts that a killed run goes on with, and money that never exceeds its limits.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, SHA, started } from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openLocal, openNew } from './engine.ts';

const step = (action: string) => ({ action, result: 'result', analysis: 'analysis' });
const plenty = { run: 1_000, repository: 1_000, all: 1_000 };
const NEXT_MONTH = '2026-12-01T00:00:00.000Z';

export function agentContract(engine: Engine): void {
  describe('a transcript', () => {
    it('is read in the order in which it was written, and keeps the steps when the run is taken again', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId } = await accepted(store, acceptance(await ground(store)));
      const first = await started(store, runId);
      expect(await store.readTranscript(runId)).toEqual([]);
      await store.recordStep(first, step('one'), NOW);
      await store.appendTranscript(first, '{"turn":1}', NOW);
      await store.appendTranscript(first, '{"turn":2}', NOW);
      const second = await started(store, runId);
      expect(await store.readTranscript(runId)).toEqual(['{"turn":1}', '{"turn":2}']);
      expect((await store.recordStep(second, step('two'), NOW)).number).toBe(2);
      await expect(store.appendTranscript(first, '{}', NOW)).rejects.toMatchObject({ code: 'lease_lost' });
    });

    it('keeps what a provider wants back beside its turn, in no readable form, and forgets it with the run', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId } = await accepted(store, acceptance(await ground(store)));
      const run = await started(store, runId);
      const opaque = JSON.stringify({ message: { signature: 'canary+/=="\\u0000' }, calls: [] });
      await store.appendTranscript(run, '{"turn":1}', NOW);
      await store.appendTranscript(run, '{"turn":2}', NOW, opaque);
      await started(store, runId);
      expect(await store.readTranscript(runId)).toEqual(['{"turn":1}', '{"turn":2}']);
      expect(await store.readOpaqueParts(runId)).toEqual([null, opaque]);
      expect(await opened.tablesHolding('canary')).toEqual([]);
      await store.conclude(await started(store, runId), conclusion(), NOW);
      expect(await store.readTranscript(runId)).toEqual(['{"turn":1}', '{"turn":2}']);
      expect(await store.readOpaqueParts(runId)).toEqual([null, null]);
    });

    it('is written with a step in one, and numbers go on where they stood', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { runId } = await accepted(store, acceptance(await ground(store)));
      const first = await started(store, runId);
      await store.recordStep(first, step('one'), NOW);
      await store.recordStep(first, step('two'), NOW, (number) => `{"step":${number}}`);
      const second = await started(store, runId);
      expect(await store.readTranscript(runId)).toEqual(['{"step":2}']);
      await expect(store.recordStep(first, step('three'), NOW, () => '{}')).rejects.toMatchObject({
        code: 'lease_lost',
      });
      expect(await store.readTranscript(runId)).toHaveLength(1);
      expect((await store.recordStep(second, step('three'), NOW)).number).toBe(3);
    });

    it('does not outlive a run that ends without an Issue: it holds the report', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const reason = { code: 'cancelled', detail: 'no more' } as const;
      const [one, two] = [await accepted(store, acceptance(base)), await accepted(store, acceptance(base))];
      const run = await started(store, one.runId);
      await store.appendTranscript(run, '{"turn":1}', NOW);
      await store.cancel(one.investigationId, reason, NOW);
      expect(await store.readTranscript(run.id)).toHaveLength(1);
      await store.cancel(two.investigationId, reason, NOW);
      expect(await store.readTranscript(run.id)).toEqual([]);
      const other = await started(store, (await accepted(store, acceptance(base))).runId);
      await store.appendTranscript(other, '{"turn":1}', NOW);
      await store.giveUp(other, reason, NOW);
      expect(await store.readTranscript(other.id)).toEqual([]);
    });

    it('is kept with a run that concludes; one that takes over an equal answer has none', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const first = await started(store, (await accepted(store, acceptance(base))).runId);
      await store.recordStep(first, step('one'), NOW, () => '{"step":1}');
      expect(await store.conclude(first, conclusion(), NOW)).toHaveLength(1);
      expect(await store.readTranscript(first.id)).toEqual(['{"step":1}']);
      expect(await store.listSteps(first.id, 0)).toHaveLength(1);
      const second = await started(store, (await accepted(store, acceptance(base))).runId);
      await store.appendTranscript(second, '{"facts":1}', NOW);
      const equal = { since: NOW, model: null };
      expect(await store.concludeFromEqual(second, { ...equal, sha: 'b'.repeat(40) }, NOW)).toEqual([]);
      expect(await store.readTranscript(second.id)).toHaveLength(1);
      expect(await store.concludeFromEqual(second, { ...equal, sha: SHA }, NOW)).toHaveLength(1);
      expect(await store.readTranscript(second.id)).toEqual([]);
      expect(await store.readTranscript(first.id)).toHaveLength(1);
    });

    const ERASED = {
      'its Issue': async ({ store }: Opened, issueId: string) => void (await store.eraseIssue(issueId, at(1))),
      'its project': async ({ store }: Opened) => void (await store.eraseProject('octo/shop', at(1))),
      'the person who asked': async ({ store }: Opened) => void (await store.eraseAccount('mona', at(1))),
      'what is past its retention': async ({ store }: Opened) =>
        void (await store.sweep({ endedBefore: at(1), keysBefore: NOW, now: at(2) })),
    };

    it.for(Object.keys(ERASED) as (keyof typeof ERASED)[])('is erased with %s', async (what) => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      const run = await started(store, runId);
      await store.appendTranscript(run, '{"turn":"canary"}', NOW);
      const [issueId = ''] = await store.conclude(run, conclusion(), NOW);
      expect(await opened.tablesHolding('canary')).toEqual(['transcript_entries']);
      await ERASED[what](opened, issueId);
      expect(await opened.tablesHolding('canary')).toEqual([]);
    });

    it('of a person who is erased while the run goes on is not kept', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      const run = await started(store, runId);
      await store.appendTranscript(run, '{"turn":"canary"}', NOW);
      await store.eraseAccount('mona', at(1));
      expect(await store.readTranscript(runId)).toHaveLength(1);
      await store.conclude(run, conclusion(), at(2));
      expect(await opened.tablesHolding('canary')).toEqual([]);
    });
  });

  describe('money', () => {
    async function runOn(
      opened: Awaited<ReturnType<Awaited<ReturnType<Engine['place']>>['open']>>,
      fingerprint: string,
    ) {
      const { runId } = await accepted(opened.store, acceptance(await ground(opened.store), { fingerprint }));
      return started(opened.store, runId);
    }

    it('is set aside up to the limit of the run, reserved and spent together, and freed by settling for less', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await runOn(opened, 'a');
      const reserve = (amount: number) =>
        store.reserveMoney(run, { amount, limits: { ...plenty, run: 100 }, now: NOW });
      expect(await reserve(60)).toBeNull();
      expect(await reserve(41)).toBe('run');
      await store.settleMoney(run, { reserved: 60, spent: 10, now: NOW });
      expect(await reserve(90)).toBeNull();
      expect(await reserve(1)).toBe('run');
    });

    it('of a replay counts in the month of its project and of everything, and no run is needed', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await runOn(opened, 'a');
      await store.reserveMoney(run, { amount: 20, limits: plenty, now: NOW });
      const replay = { id: 'rpl_1', projectId: run.projectId };
      const tokens = { prompt: 5, completion: 1, cached: 0 };
      const used = expect.closeTo(0.00009, 9);
      await store.addCommandCost(replay, { spent: 70, tokens, now: NOW });
      expect(await store.readMonthCosts(run.projectId, NOW)).toEqual({ repository: used, all: used });
      expect(await store.readMonthCosts('prj_other', NOW)).toEqual({ repository: 0, all: used });
      expect(await store.readMonthCosts(run.projectId, NEXT_MONTH)).toEqual({ repository: 0, all: 0 });
      expect(await store.reserveMoney(run, { amount: 11, limits: { ...plenty, repository: 100 }, now: NOW })).toBe(
        'repository',
      );
    });

    it('of all runs of a project, and of everything, is limited by the month', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const [one, two] = [await runOn(opened, 'a'), await runOn(opened, 'b')];
      const repository = { ...plenty, repository: 100 };
      expect(await store.reserveMoney(one, { amount: 70, limits: repository, now: NOW })).toBeNull();
      expect(await store.reserveMoney(two, { amount: 31, limits: repository, now: NOW })).toBe('repository');
      expect(await store.reserveMoney(two, { amount: 31, limits: { ...plenty, all: 100 }, now: NOW })).toBe('all');
      expect(await store.reserveMoney(two, { amount: 31, limits: repository, now: NEXT_MONTH })).toBeNull();
    });

    it('is settled in the month in which it was set aside', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await runOn(opened, 'a');
      const all = { ...plenty, all: 100 };
      await store.reserveMoney(run, { amount: 80, limits: all, now: NOW });
      await store.settleMoney(run, { reserved: 80, spent: 80, now: NEXT_MONTH });
      expect(await store.reserveMoney(run, { amount: 30, limits: all, now: NOW })).toBe('all');
      expect(await store.reserveMoney(run, { amount: 30, limits: all, now: NEXT_MONTH })).toBeNull();
    });

    it('that a killed run had set aside counts as spent', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await runOn(opened, 'a');
      const limits = { ...plenty, run: 100 };
      await store.reserveMoney(run, { amount: 60, limits, now: NOW });
      const again = await started(store, run.id);
      await store.reserveMoney(again, { amount: 40, limits, now: NOW });
      await store.settleMoney(again, { reserved: 40, spent: 0, now: NOW });
      expect(await store.reserveMoney(again, { amount: 41, limits, now: NOW })).toBe('run');
      await expect(store.reserveMoney(run, { amount: 1, limits, now: NOW })).rejects.toMatchObject({
        code: 'lease_lost',
      });
    });

    it('that a run set aside which was taken over is not settled again, nor what the next one has set aside', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const run = await runOn(opened, 'a');
      const limits = { ...plenty, run: 200 };
      await store.reserveMoney(run, { amount: 100, limits, now: NOW });
      const next = await started(store, run.id);
      expect(await store.reserveMoney(next, { amount: 100, limits, now: NOW })).toBeNull();
      await store.settleMoney(run, { reserved: 100, spent: 100, now: NOW });
      await store.settleMoney(next, { reserved: 100, spent: 40, now: NOW });
      // 140 are in use.
      expect(await store.reserveMoney(next, { amount: 61, limits, now: NOW })).toBe('run');
      expect(await store.reserveMoney(next, { amount: 60, limits, now: NOW })).toBeNull();
    });

    it('is settled too when the run has ended meanwhile, or is erased', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const [ended, erased] = [await runOn(opened, 'a'), await runOn(opened, 'b')];
      const all = { ...plenty, all: 100 };
      for (const run of [ended, erased]) await store.reserveMoney(run, { amount: 50, limits: all, now: NOW });
      await store.giveUp(ended, { code: 'internal', detail: 'broken' }, NOW);
      const [issueId] = await store.conclude(erased, conclusion(), NOW);
      await store.eraseIssue(issueId!, NOW);
      for (const run of [ended, erased]) await store.settleMoney(run, { reserved: 50, spent: 10, now: NOW });
      const other = await started(store, (await accepted(store, acceptance(base, { fingerprint: 'c' }))).runId);
      expect(await store.reserveMoney(other, { amount: 81, limits: all, now: NOW })).toBe('all');
      expect(await store.reserveMoney(other, { amount: 80, limits: all, now: NOW })).toBeNull();
    });
  });
}
