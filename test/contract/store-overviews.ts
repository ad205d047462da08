// The store's contract: issues by their headline, how much there is of projects, what threads have opened and held back.
import { describe, expect, it } from 'vitest';
import { ofActions, recorded, sighting } from '../support/check-store-samples.ts';
import { githubGround, opening, pullRequest, record, repository } from '../support/github-store-samples.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  type Ground,
  ground,
  NOW,
  SHA,
  started,
} from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
        store.listIssueLines({ projectId: base.project.id, limit: 1, ...(after !== undefined && { after }) });
      const [first] = await page();
      expect(first).toEqual({
        ...{ id: full.issueId, projectId: base.project.id, origin: 'check-run', reference: 'ticket 7' },
        ...{ problem: 'x'.repeat(299), rootCause: 'y'.repeat(300), outcome: 'code_fix', partial: true },
        ...{ verdict: 'flaky', confidence: 0.9, sameAs: null, hasChange: true, createdAt: at(9) },
        pullRequest: 'https://github.test/octo/shop/pull/31',
      });
      const [second] = await page(first?.id);
      const none = { partial: false, verdict: null, confidence: null, hasChange: false, pullRequest: null };
      expect(second).toMatchObject({ id: plain.issueId, problem: 'x is undefined', ...none });
      expect(await page(second?.id)).toEqual([]);
    });

    it('of callers who share a run are one each, the later ones naming the first', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base, { reference: 'a' }));
      await accepted(store, acceptance(base, { reference: 'b' }));
      const [first] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const lines = await store.listIssueLines({ projectId: base.project.id, limit: 10 });
      expect(lines.map(({ reference, sameAs }) => [reference, sameAs])).toEqual([
        ['b', first],
        ['a', null],
      ]);
    });
  });

  describe('the counts of projects', () => {
    it('are those of each, among more projects than one query takes, and none of one that has nothing', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const { issueId } = await concluded(opened, base, { changes: { thread: opening('thr_1') } });
      const held = { comment: 'what the report said', pullRequest: '' };
      await store.saveThreadRecord('thr_1', record({ held }), at(1));
      expect(await store.listHeldThreads(base.project.id, 10)).toHaveLength(1);
      await store.eraseIssue(issueId, at(2));
      expect(await store.listHeldThreads(base.project.id, 10)).toEqual([]);
    });
  });
}
