// The store's contract: what people look at: Issues, threads, what was held back, costs, and the audit log.
import { describe, expect, it } from 'vitest';
import type { Reservation, Settlement } from '../../src/db/costs.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  found,
  type Ground,
  NOW,
  ofActions,
  opening,
  other,
  pullRequest,
  record,
  recorded,
  repository,
  SHA,
  sighting,
  started,
  TRIAGER,
  token,
  WRITER,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openLocal } from './engine.ts';

const NEXT_MONTH = '2026-12-01T00:00:00.000Z';

const plenty: Reservation['limits'] = { run: 1e12, repository: 1e12, all: 1e12 };

const tokens: Settlement['tokens'] & {} = { prompt: 1_000, cached: 400, cacheWrite: 300, completion: 50 };

const NO_LOOK = { lookUsd: 0, lookTurns: 0 };
const NO_TOKENS = { promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0 };
const NOTHING = { spentUsd: 0, turns: 0, ...NO_TOKENS, ...NO_LOOK };

async function runOf(opened: Opened, base: Ground, now = NOW) {
  const { runId } = await accepted(opened.store, acceptance(base, { fresh: true, now }));
  return started(opened.store, runId);
}

export function usageContract(engine: Engine): void {
  describe('what a run has cost', () => {
    it('is its money, spent and set aside, and the tokens of the calls that were answered', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const [run, other] = [await runOf(opened, base), await runOf(opened, base)];
      expect(await store.readRunSpending(run.id)).toEqual({ ...NOTHING, reservedUsd: 0 });
      const call = async (now: string, settlement: Partial<Settlement>) => {
        await store.reserveMoney(run, { amount: 900_000, limits: plenty, now });
        await store.settleMoney(run, { reserved: 900_000, spent: 250_000, now, ...settlement });
      };
      await call(NOW, { tokens });
      await call(NOW, {});
      await call(NEXT_MONTH, { tokens });
      await store.reserveMoney(run, { amount: 300_000, limits: plenty, now: NEXT_MONTH });
      await store.settleMoney(other, { reserved: 0, spent: 1, tokens, now: NOW });
      expect(await store.readRunSpending(run.id)).toEqual({
        ...{ spentUsd: 0.75, reservedUsd: 0.3, turns: 2 },
        ...{ promptTokens: 2_000, cachedTokens: 800, cacheWriteTokens: 600, completionTokens: 100, ...NO_LOOK },
      });
    });
  });

  describe('usage', () => {
    it('is one row for each project and month with either investigations or costs, the newest first', async () => {
      await using opened = await openLocal(engine);
      const { store, account } = opened;
      const source = (path: string) => ({ name: `local${path}`, source: { kind: 'path', path } as const });
      const [one, two, three] = (await store.syncProjects(['/a', '/b', '/c'].map(source), NOW)).map((project) => ({
        account,
        project,
      }));
      const done = await runOf(opened, one!);
      await store.settleMoney(done, { reserved: 0, spent: 2_000_000, tokens, now: NOW, isSecondLook: true });
      await store.conclude(done, conclusion(), NOW);
      const late = await runOf(opened, one!);
      await store.settleMoney(late, { reserved: 0, spent: 500_000, tokens, now: NEXT_MONTH });
      await accepted(store, acceptance(one!, { fresh: true, now: NEXT_MONTH }));
      const given = await runOf(opened, two!);
      await store.giveUp(given, { code: 'internal', detail: '' }, NOW);
      const gone = await accepted(store, acceptance(two!, { fresh: true, now: NOW }));
      await store.cancel(gone.investigationId, { code: 'cancelled', detail: '' }, NOW);
      await runOf(opened, two!, '2026-10-31T23:59:59.999Z');
      await runOf(opened, three!);
      const strangers = Array.from({ length: 700 }, (_, index) => `prj_unknown${index}`);
      const projectIds = [two!.project.id, ...strangers, one!.project.id];
      const none = { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 };
      const spent = { turns: 1, promptTokens: 1_000, cachedTokens: 400, cacheWriteTokens: 300, completionTokens: 50 };
      expect(await store.readUsage({ projectIds, sinceMonth: '2026-11' })).toEqual([
        {
          ...{ projectId: one!.project.id, month: '2026-12', investigations: { ...none, queued: 1 } },
          ...{ ...spent, ...NO_LOOK, spentUsd: 0.5 },
        },
        {
          ...{ projectId: two!.project.id, month: '2026-11', investigations: { ...none, gave_up: 1, cancelled: 1 } },
          ...NOTHING,
        },
        {
          ...{ projectId: one!.project.id, month: '2026-11', investigations: { ...none, concluded: 1, running: 1 } },
          ...{ ...spent, lookUsd: 2, lookTurns: 1, spentUsd: 2 },
        },
      ]);
      expect(await store.readUsage({ projectIds, sinceMonth: '2026-10' })).toHaveLength(4);
      expect(await store.readUsage({ projectIds: [], sinceMonth: '2026-11' })).toEqual([]);
    });

    it('is counted on the day that its run began, at the first of a later month, and on none where the run is gone', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { id: projectId } = base.project;
      const spend = async (began: string, spent: number, now = began) => {
        const run = await runOf(opened, base, began);
        await store.settleMoney(run, { reserved: 0, spent, tokens, now });
      };
      await spend('2026-11-03T08:00:00.000Z', 1_500_000);
      await spend('2026-11-03T23:59:59.999Z', 500_000);
      await spend('2026-11-30T23:00:00.000Z', 250_000, NEXT_MONTH);
      await spend('2026-11-30T23:00:00.000Z', 750_000);
      await spend('2026-12-02T00:00:00.000Z', 2_000_000);
      await store.addCommandCost({ id: 'run_replay', projectId }, { spent: 125_000, tokens, now: NEXT_MONTH });
      const strangers = Array.from({ length: 700 }, (_, index) => `prj_unknown${index}`);
      const projectIds = [...strangers, projectId];
      expect(await store.readDailyCosts({ projectIds, month: '2026-11' })).toEqual([
        { day: '2026-11-03', spentUsd: 2 },
        { day: '2026-11-30', spentUsd: 0.75 },
      ]);
      expect(await store.readDailyCosts({ projectIds, month: '2026-12' })).toEqual([
        { day: null, spentUsd: 0.125 },
        { day: '2026-12-01', spentUsd: 0.25 },
        { day: '2026-12-02', spentUsd: 2 },
      ]);
      expect(await store.readDailyCosts({ projectIds: [], month: '2026-11' })).toEqual([]);
      const [december] = await store.readUsage({ projectIds, sinceMonth: '2026-12' });
      expect(december?.spentUsd).toBe(2.375);
    });

    it('keeps what was spent when the Issue is erased', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const run = await runOf(opened, base);
      await store.settleMoney(run, { reserved: 0, spent: 2_000_000, tokens, now: NOW });
      const [issueId = ''] = await store.conclude(run, conclusion(), NOW);
      await store.eraseIssue(issueId, NOW);
      const [row] = await store.readUsage({ projectIds: [base.project.id], sinceMonth: '2026-11' });
      expect(row).toMatchObject({ spentUsd: 2, turns: 1, investigations: { concluded: 0 } });
    });
  });
}

/** More than one query takes. */
const STRANGERS: readonly string[] = Array.from({ length: 700 }, (_, index) => `prj_unknown${index}`);

type Changes = Parameters<typeof acceptance>[1];

async function concluded(
  opened: Opened,
  base: Ground,
  of: { changes?: Changes; found?: Parameters<typeof conclusion>[0]; now?: string } = {},
) {
  const { store } = opened;
  const { changes = {}, found = {}, now = NOW } = of;
  const { runId, investigationId } = await accepted(store, acceptance(base, { fresh: true, ...changes }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(found), now);
  return { issueId, investigationId };
}

/** A second project of GitHub beside the first. */
async function besides(opened: Opened, base: Ground, id: number): Promise<Ground> {
  const project = (await opened.store.putRepository(500, repository(id, `octo/r${id}`), NOW))!;
  return { ...base, project };
}

async function threadIn(opened: Opened, base: Ground, id: string, number: number): Promise<void> {
  const thread = opening(id, { subject: { kind: 'issue', number } });
  await accepted(opened.store, acceptance(base, { thread, fresh: true }));
}

export function overviewsContract(engine: Engine): void {
  describe('issues by their headline', () => {
    it('say what there is to scan, the newest first, page by page, of one project', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await concluded(opened, await besides(opened, base, 2));
      const plain = await concluded(opened, base);
      const changeSet = { base: SHA, files: [{ kind: 'deleted', path: 'a.ts', before: 'x\n' }] } as const;
      const analysis = { ...conclusion().analysis, outcome: 'code_fix', partial: true, confidence: 0.9 } as const;
      const full = await concluded(opened, base, {
        changes: { reference: 'ticket 7', origin: 'check-run', verdict: 'flaky', thread: opening('thr_1') },
        found: { problem: `${'x'.repeat(299)}😀 and more`, rootCause: 'y'.repeat(400), changeSet, analysis },
        now: at(9),
      });
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(full.issueId) }), at(10));
      const page = (after?: string) =>
        store.listIssueLines({ projectIds: [base.project.id], limit: 1, ...(after !== undefined && { after }) });
      const [first] = await page();
      expect(first).toEqual({
        ...{ id: full.issueId, projectId: base.project.id, origin: 'check-run', reference: 'ticket 7' },
        ...{ problem: 'x'.repeat(299), rootCause: 'y'.repeat(300), outcome: 'code_fix', partial: true },
        ...{ verdict: 'flaky', confidence: 0.9, sameAs: null, hasChange: true, createdAt: at(9), context: [] },
        question: '',
        pullRequest: 'https://github.test/octo/shop/pull/31',
      });
      const [second] = await page(first?.id);
      const none = { partial: false, verdict: null, confidence: null, hasChange: false, pullRequest: null };
      expect(second).toMatchObject({ id: plain.issueId, problem: 'x is undefined', ...none });
      expect(await page(second?.id)).toEqual([]);
    });

    it('of callers who share a run are one each, the later ones naming the first', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base, { reference: 'a' }));
      await accepted(store, acceptance(base, { reference: 'b' }));
      const [first] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const lines = await store.listIssueLines({ projectIds: [base.project.id], limit: 10 });
      expect(lines.map(({ reference, sameAs }) => [reference, sameAs])).toEqual([
        ['b', first],
        ['a', null],
      ]);
    });
  });

  describe('what reports begin with', () => {
    it('is their first characters, with the first error of a failure; none of an erased text', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const long = await accepted(store, acceptance(base, { text: `The shop\n${'x'.repeat(9_000)}` }));
      await recorded(store, base.project.id, [sighting('a')]);
      const red = await accepted(store, acceptance(base, { text: 'The check is red', thread: found('fal_1') }));
      const gone = await accepted(store, acceptance(base, { fingerprint: 'third', text: 'Nobody reads this' }));
      await store.cancel(gone.investigationId, { code: 'cancelled', detail: '' }, NOW);
      const ids = [long, red, gone].map(({ investigationId }) => investigationId);
      expect(await store.readReportBeginnings([...ids, ...STRANGERS])).toEqual(
        new Map([
          [long.investigationId, { text: `The shop\n${'x'.repeat(3_991)}`, headline: '' }],
          [red.investigationId, { text: 'The check is red', headline: 'TypeError of fal_1' }],
        ]),
      );
      expect(await store.readReportBeginnings([])).toEqual(new Map());
    });
  });

  describe('the counts of projects', () => {
    it('are those of each, among more projects than one query takes, and none of one that has nothing', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const [busy, empty] = [await besides(opened, base, 2), await besides(opened, base, 3)];
      await concluded(opened, base, { now: at(5) });
      await concluded(opened, base, { now: at(9) });
      const queued = await accepted(store, acceptance(busy));
      const running = await accepted(store, acceptance(busy, { fingerprint: 'other' }));
      await started(store, running.runId);
      const cancelled = await accepted(store, acceptance(busy, { fingerprint: 'third' }));
      await store.cancel(cancelled.investigationId, { code: 'cancelled', detail: '' }, NOW);
      await recorded(store, busy.project.id, [sighting('a')]);
      await recorded(store, empty.project.id, [sighting('a')], 'fal_over');
      const green = { sha: 'good', at: at(5), checks: [ofActions('test')], contained: [{ from: SHA, to: 'good' }] };
      expect(await store.closeFixedFailures(empty.project.id, green, at(6))).toHaveLength(1);
      expect(queued.runId).not.toBe(running.runId);
      const counts = await store.countByProject([base.project.id, ...STRANGERS, empty.project.id, busy.project.id]);
      expect(new Map(counts)).toEqual(
        new Map([
          [base.project.id, { issues: 2, underWay: 0, openFailures: 0, lastIssueAt: at(9) }],
          [busy.project.id, { issues: 0, underWay: 2, openFailures: 1, lastIssueAt: '' }],
        ]),
      );
      expect([...(await store.countByProject([]))]).toEqual([]);
    });
  });

  describe('what threads show', () => {
    it('of pull requests is the newest of all projects asked for, with what became of each', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const [two, foreign] = [await besides(opened, base, 2), await besides(opened, base, 3)];
      await threadIn(opened, two, 'thr_new', 2);
      await threadIn(opened, base, 'thr_old', 1);
      await threadIn(opened, base, 'thr_none', 3);
      await threadIn(opened, foreign, 'thr_foreign', 4);
      const merged = pullRequest('iss_1', { state: 'merged' });
      await store.saveThreadRecord('thr_new', record({ pullRequest: pullRequest('iss_2') }), at(8));
      await store.saveThreadRecord('thr_old', record({ pullRequest: merged }), at(7));
      await store.saveThreadRecord('thr_none', record(), at(20));
      await store.saveThreadRecord('thr_foreign', record({ pullRequest: pullRequest('iss_3') }), at(9));
      const ids = [base.project.id, ...STRANGERS, two.project.id];
      const newest = { threadId: 'thr_new', projectId: two.project.id, pullRequest: pullRequest('iss_2') };
      expect(await store.listOpenedPullRequests(ids, 10)).toEqual([
        { ...newest, changedAt: at(8) },
        { threadId: 'thr_old', projectId: base.project.id, pullRequest: merged, changedAt: at(7) },
      ]);
      expect(await store.listOpenedPullRequests(ids, 1)).toEqual([{ ...newest, changedAt: at(8) }]);
      expect(await store.listOpenedPullRequests([], 10)).toEqual([]);
    });

    it('of what was held back is the last changed first, until nothing is held any more', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      for (const [index, id] of ['thr_1', 'thr_2', 'thr_3'].entries()) await threadIn(opened, base, id, index);
      await threadIn(opened, await besides(opened, base, 2), 'thr_foreign', 9);
      const held = record({ held: { comment: 'what would stand there', pullRequest: '' } });
      for (const [id, when] of [
        ['thr_2', 5],
        ['thr_1', 6],
        ['thr_foreign', 7],
      ] as const) {
        await store.saveThreadRecord(id, held, at(when));
      }
      const shown = async (limit = 10) => (await store.listHeldThreads(base.project.id, limit)).map(({ id }) => id);
      expect(await shown()).toEqual(['thr_1', 'thr_2']);
      expect(await shown(1)).toEqual(['thr_1']);
      expect((await store.listHeldThreads(base.project.id, 1))[0]).toEqual(await store.findThread('thr_1'));
      await store.saveThreadRecord('thr_1', record(), at(8));
      expect(await shown()).toEqual(['thr_2']);
    });

    it('of what was held back is nothing once its Issue is erased', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const { issueId } = await concluded(opened, base, { changes: { thread: opening('thr_1') } });
      const held = { comment: 'what the report said', pullRequest: '' };
      await store.saveThreadRecord('thr_1', record({ held }), at(1));
      expect(await store.listHeldThreads(base.project.id, 10)).toHaveLength(1);
      await store.eraseIssue(issueId, at(2));
      expect(await store.listHeldThreads(base.project.id, 10)).toEqual([]);
    });
  });
}

export function auditContract(engine: Engine): void {
  describe('the audit log of an account', () => {
    it('tells what it did itself, there and on GitHub, and nothing of what others did elsewhere', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
        [at(1), 'mona', 'fix.requested', 'thr_1', base.project.id],
        [NOW, 'mona', 'token.created', own.id, null],
        [NOW, 'mona', 'account.made', base.account.id, null],
      ]);
    });

    it('tells what anybody did in its projects: who, and in which', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
        ['tria', 'fix.requested', 'thr_2'],
        ['tria', 'thread.opened', 'thr_2'],
        ['other', 'report.accepted', third.investigationId],
        ['other', 'investigation.cancelled', second.investigationId],
        ['other', 'report.accepted', second.investigationId],
        ['other', 'report.accepted', first.investigationId],
        ['mona', 'fix.requested', 'thr_1'],
        ['tria', 'thread.opened', 'thr_1'],
      ]);
      expect(new Set(entries.map(({ projectId }) => projectId))).toEqual(new Set([base.project.id]));
    });

    it('names who pressed the button, where that was not whoever handed the report in', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
