// The store's contract: accepting reports, joining equal ones, idempotency, and investigations as callers see them.

import { describe, expect, it } from 'vitest';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  type Ground,
  ground,
  NOW,
  other,
  started,
} from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

export function acceptContract(engine: Engine): void {
  describe('an accepted report', () => {
    it('is stored together with its job', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const base = await ground(opened.store);
      const wanted = acceptance(base, { reference: 'r-1', now: at(3) });
      const { runId, joined, investigationId } = await accepted(opened.store, wanted);
      expect({ joined, investigationId }).toEqual({ joined: false, investigationId: wanted.investigationId });
      const of = { group: base.project.id, urgency: 'person' };
      expect(await opened.jobs()).toEqual([{ kind: 'run', subject: runId, runAt: at(3), ...of }]);
      expect(await opened.store.findInvestigation(investigationId)).toEqual({
        id: investigationId,
        runId,
        accountId: base.account.id,
        projectId: base.project.id,
        origin: 'api',
        reference: 'r-1',
        outcome: { state: 'queued' },
        progress: { step: 0, action: '' },
        createdAt: at(3),
      });
      expect(await opened.audit()).toContainEqual({ verb: 'report.accepted', subject: investigationId });
    });

    it('that cannot be stored leaves no job behind', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const wanted = acceptance(await ground(opened.store), { projectId: 'prj_unknown' });
      await expect(opened.store.accept(wanted)).rejects.toThrow();
      expect(await opened.jobs()).toEqual([]);
    });

    it('keeps any text as it is', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const base = await ground(opened.store);
      const text = `emoji 🪲, U+2028 \u2028, quotes '"\`, -- ; drop table, ${'x'.repeat(1_000_000)}`;
      const { runId } = await accepted(opened.store, acceptance(base, { text }));
      expect((await started(opened.store, runId)).text).toBe(text);
    });
  });

  describe('an equal report', () => {
    it('joins a queued and a running run, but not one that has ended', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const first = await accepted(store, acceptance(base));
      const second = await accepted(store, acceptance(base));
      const run = await started(store, first.runId);
      const third = await accepted(store, acceptance(base));
      expect([second, third].map(({ runId, joined }) => ({ runId, joined }))).toEqual([
        { runId: first.runId, joined: true },
        { runId: first.runId, joined: true },
      ]);
      const states = await store.listInvestigations({ limit: 10 });
      expect(states.map((one) => one.outcome.state)).toEqual(['running', 'running', 'running']);
      expect(await opened.jobs()).toHaveLength(1);
      await store.conclude(run, conclusion(), at(1));
      const fourth = await accepted(store, acceptance(base));
      expect(fourth.joined).toBe(false);
    });

    it.each<[string, (base: Ground) => Parameters<typeof acceptance>[1]]>([
      ['fingerprint', () => ({ fingerprint: 'other' })],
      ['revision', () => ({ revision: 'v2' })],
    ])('of another %s starts its own run', async (_, change) => {
      await using place = await engine.place();
      await using opened = await place.open();
      const base = await ground(opened.store);
      await accepted(opened.store, acceptance(base));
      expect((await accepted(opened.store, acceptance(base, change(base)))).joined).toBe(false);
    });

    it('of another account or project starts its own run', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const caller = await other(store);
      const two = { name: 'local/two', source: { kind: 'path', path: '/srv/two' } } as const;
      const [project] = await store.syncProjects([two], NOW);
      await accepted(store, acceptance(base));
      expect((await accepted(store, acceptance(base, { accountId: caller.id }))).joined).toBe(false);
      expect((await accepted(store, acceptance(base, { projectId: project!.id }))).joined).toBe(false);
    });

    it('that is fresh neither joins nor is joined', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const base = await ground(opened.store);
      const fresh = await accepted(opened.store, acceptance(base, { fresh: true }));
      const plain = await accepted(opened.store, acceptance(base));
      const again = await accepted(opened.store, acceptance(base, { fresh: true }));
      expect([fresh.joined, plain.joined, again.joined]).toEqual([false, false, false]);
      expect((await accepted(opened.store, acceptance(base))).runId).toBe(plain.runId);
    });

    it('sent 40 times at once by two processes is one run', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, i) => accepted((i % 2 ? one : two).store, acceptance(base))),
      );
      expect(new Set(all.map((answer) => answer.runId)).size).toBe(1);
      expect(all.filter((answer) => !answer.joined)).toHaveLength(1);
      expect(await one.jobs()).toHaveLength(1);
    });
  });

  describe('an idempotency key', () => {
    const idempotency = { key: 'k', bodyHash: 'h' };

    it('gives the same answer to the same body, and refuses another', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { investigationId } = await accepted(store, acceptance(base, { idempotency, fresh: true }));
      expect(await store.accept(acceptance(base, { idempotency, fresh: true }))).toEqual({
        kind: 'repeated',
        investigationId,
      });
      const other = acceptance(base, { idempotency: { key: 'k', bodyHash: 'other' } });
      expect(await store.accept(other)).toEqual({ kind: 'key_reused' });
      expect(await store.listInvestigations({ limit: 10 })).toHaveLength(1);
    });

    it('is one investigation even if sent many times at once', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).store.accept(acceptance(base, { idempotency }))),
      );
      expect(answers.filter((answer) => answer.kind === 'accepted')).toHaveLength(1);
      expect(answers.filter((answer) => answer.kind === 'repeated')).toHaveLength(19);
    });

    it("is the account's own, and counts for 24 hours even if it was not swept", async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const theirs = { ...base, account: await other(store) };
      for (const whose of [base, theirs]) await accepted(store, acceptance(whose, { idempotency }));
      const day = 24 * 60 * 60;
      expect((await store.accept(acceptance(base, { idempotency, now: at(day - 1) }))).kind).toBe('repeated');
      const renewed = await accepted(store, acceptance(base, { idempotency, now: at(day) }));
      const again = await store.accept(acceptance(base, { idempotency, now: at(day + 1) }));
      expect(again).toEqual({ kind: 'repeated', investigationId: renewed.investigationId });
    });
  });

  describe('investigations', () => {
    it('are listed newest first, filtered and paged', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) {
        const wanted = acceptance(base, { fingerprint: `f${i}`, reference: i % 2 ? 'odd' : '' });
        ids.unshift((await accepted(store, wanted)).investigationId);
      }
      const list = async (filter: Partial<Parameters<typeof store.listInvestigations>[0]>) =>
        (await store.listInvestigations({ limit: 10, ...filter })).map((one) => one.id);
      expect(await list({})).toEqual(ids);
      expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2));
      expect(await list({ limit: 2, after: ids[1]! })).toEqual(ids.slice(2, 4));
      expect(await list({ reference: 'odd' })).toEqual([ids[1], ids[3]]);
      expect(await list({ projectIds: [] })).toEqual([]);
      expect(await list({ projectIds: ['prj_other'] })).toEqual([]);
      expect(await list({ projectIds: [base.project.id, 'prj_other'] })).toEqual(ids);
      await store.cancel(ids[2]!, { code: 'cancelled', detail: 'no more' }, at(1));
      expect(await list({ state: 'cancelled' })).toEqual([ids[2]]);
      expect(await list({ state: 'queued', projectIds: [base.project.id] })).toHaveLength(4);
    });
  });
}
