// The store's contract: reports are accepted with their job, joined, answered again by key, replaced in their thread and cancelled.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import {
  acceptance,
  accepted,
  at,
  butBackfills,
  conclusion,
  type Ground,
  githubGround,
  ground,
  NOW,
  opening,
  other,
  SHA,
  started,
} from '../support/store-samples.ts';
import { type Engine, openGithub, openLocal, openNew } from './engine.ts';

export function acceptContract(engine: Engine): void {
  describe('an accepted report', () => {
    it('is stored together with its job', async () => {
      await using opened = await openLocal(engine);
      const { base } = opened;
      const wanted = acceptance(base, { reference: 'r-1', now: at(3) });
      const { runId, joined, investigationId } = await accepted(opened.store, wanted);
      expect({ joined, investigationId }).toEqual({ joined: false, investigationId: wanted.investigationId });
      const of = { group: base.project.id, urgency: 'person' };
      expect(await opened.jobs()).toEqual([{ kind: 'run', subject: runId, runAt: at(3), ...of }]);
      expect(await opened.store.findInvestigation(investigationId)).toEqual({
        id: investigationId,
        runId,
        isTrusted: true,
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
      await using opened = await openNew(engine);
      const wanted = acceptance(await ground(opened.store), { projectId: 'prj_unknown' });
      await expect(opened.store.accept(wanted)).rejects.toThrow();
      expect(await opened.jobs()).toEqual([]);
    });

    it('keeps any text as it is', async () => {
      await using opened = await openLocal(engine);
      const { base } = opened;
      const text = `emoji 🪲, U+2028 \u2028, quotes '"\`, -- ; drop table, ${'x'.repeat(1_000_000)}`;
      const { runId } = await accepted(opened.store, acceptance(base, { text }));
      expect((await started(opened.store, runId)).text).toBe(text);
    });
  });

  describe('an equal report', () => {
    it('joins a queued and a running run, but not one that has ended', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { base } = opened;
      await accepted(opened.store, acceptance(base));
      expect((await accepted(opened.store, acceptance(base, change(base)))).joined).toBe(false);
    });

    it('of another account or project starts its own run', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const caller = await other(store);
      const two = { name: 'local/two', source: { kind: 'path', path: '/srv/two' } } as const;
      const [project] = await store.syncProjects([two], NOW);
      await accepted(store, acceptance(base));
      expect((await accepted(store, acceptance(base, { accountId: caller.id }))).joined).toBe(false);
      expect((await accepted(store, acceptance(base, { projectId: project!.id }))).joined).toBe(false);
    });

    it('that is fresh neither joins nor is joined', async () => {
      await using opened = await openLocal(engine);
      const { base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
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

const settings = { ...DEFAULT_SETTINGS, useModel: false, language: 'de', paths: { allow: [], block: ['a/**'] } };

export function standingContract(engine: Engine): void {
  describe('the standing of a report', () => {
    it('is that of its run: the settings field by field, and whether it is trusted', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base, { settings, isTrusted: false }));
      expect(await store.startRun(runId, NOW)).toMatchObject({ settings, isTrusted: false });
      const plain = await accepted(store, acceptance(base));
      expect(await store.startRun(plain.runId, NOW)).toMatchObject({ settings: DEFAULT_SETTINGS, isTrusted: true });
    });

    it('keeps it from joining, and from the answer of, another that is equal in all but that', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const trusted = await accepted(store, acceptance(base));
      expect((await accepted(store, acceptance(base, { isTrusted: false }))).joined).toBe(false);
      expect((await accepted(store, acceptance(base, { settings }))).joined).toBe(false);
      // The fields in another order are the same settings.
      const { paths, ...rest } = settings;
      expect((await accepted(store, acceptance(base, { settings: { paths, ...rest } }))).joined).toBe(true);
      await store.conclude(await started(store, trusted.runId), conclusion(), NOW);
      const answered = async (changes: Parameters<typeof acceptance>[1]) => {
        const { runId } = await accepted(store, acceptance(base, changes));
        const run = await started(store, runId);
        return (await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, NOW)).length > 0;
      };
      expect(await answered({ fresh: true, isTrusted: false })).toBe(false);
      expect(await answered({ fresh: true, settings })).toBe(false);
      expect(await answered({ fresh: true })).toBe(true);
    });
  });
}

const callbackUrl = 'https://hooks.example.org/in';

const cancelled = { code: 'cancelled', detail: 'no more' } as const;

export function cancellingContract(engine: Engine): void {
  describe('cancelling', () => {
    it('ends one of two without touching the other', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const one = await accepted(store, acceptance(base, { callbackUrl }));
      const two = await accepted(store, acceptance(base));
      const { runId } = one;
      const run = await started(store, runId);
      expect(await store.cancel(one.investigationId, cancelled, at(1))).toEqual({
        kind: 'cancelled',
        runId,
        runEnded: false,
      });
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      expect(await store.readWebhookContent(webhook!.id)).toMatchObject({ data: { reason: cancelled } });
      const ids = await store.conclude(run, conclusion(), at(2));
      expect(ids).toHaveLength(1);
      expect((await store.findIssue(ids[0]!))?.analysis).toMatchObject({
        investigationId: two.investigationId,
        sameAs: null,
      });
      expect((await store.findInvestigation(one.investigationId))?.outcome).toEqual({
        state: 'cancelled',
        reason: cancelled,
      });
    });

    it('that nobody wished for is giving up, and is no deed of a person', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { investigationId } = await accepted(store, acceptance(await ground(store), { callbackUrl }));
      const reason = { code: 'access_lost', detail: 'The App was uninstalled.' } as const;
      expect(await store.cancel(investigationId, reason, at(1))).toMatchObject({ kind: 'cancelled', runEnded: true });
      expect((await store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'gave_up', reason });
      expect((await opened.audit()).map(({ verb }) => verb)).not.toContain('investigation.cancelled');
    });

    it('the last one ends the run and removes its job, queued or running', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const queued = await accepted(store, acceptance(base));
      expect(await store.cancel(queued.investigationId, cancelled, NOW)).toMatchObject({ runEnded: true });
      expect(await opened.jobs()).toEqual([]);
      const running = await accepted(store, acceptance(base));
      const run = await started(store, running.runId);
      expect(await store.cancel(running.investigationId, cancelled, NOW)).toMatchObject({ runEnded: true });
      expect(await opened.jobs()).toEqual([]);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      expect((await accepted(store, acceptance(base))).joined).toBe(false);
    });

    it('says what has ended and what is absent', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const one = await accepted(store, acceptance(base));
      await store.cancel(one.investigationId, cancelled, NOW);
      expect(await store.cancel(one.investigationId, cancelled, NOW)).toEqual({ kind: 'ended' });
      expect(await store.cancel('inv_unknown', cancelled, NOW)).toEqual({ kind: 'absent' });
      const deeds = (await opened.audit()).filter((entry) => entry.verb === 'investigation.cancelled');
      expect(deeds).toEqual([{ verb: 'investigation.cancelled', subject: one.investigationId }]);
    });

    it('at the moment of the conclusion gives one ending, never both', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await ground(one.store);
      for (let round = 0; round < 10; round++) {
        const { runId, investigationId } = await accepted(one.store, acceptance(base, { callbackUrl }));
        const run = await started(one.store, runId);
        const [cancel, conclude] = await Promise.allSettled([
          one.store.cancel(investigationId, cancelled, NOW),
          two.store.conclude(run, conclusion(), NOW),
        ]);
        const state = (await one.store.findInvestigation(investigationId))?.outcome.state;
        if (conclude.status === 'fulfilled') {
          expect(cancel).toMatchObject({ value: { kind: 'ended' } });
          expect(state).toBe('concluded');
        } else expect(state).toBe('cancelled');
        expect(await one.store.listWebhooks(base.account.id, 100)).toHaveLength(round + 1);
      }
    });
  });
}

export function replacingContract(engine: Engine): void {
  describe('a newer request in a thread', () => {
    it('cancels the one in flight, tells its caller, and names the run that nobody waits for any more', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const callbackUrl = 'https://hooks.example.org/in';
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1'), callbackUrl }));
      const run = await started(store, first.runId);
      const wanted = acceptance(base, { thread: opening('thr_1'), fingerprint: 'second', now: at(5) });
      const second = await accepted(store, wanted);
      expect(second).toMatchObject({ joined: false, replacedRunId: first.runId });
      expect((await store.findInvestigation(first.investigationId))?.outcome).toMatchObject({
        state: 'cancelled',
        reason: { code: 'cancelled', detail: expect.stringContaining('newer request') },
      });
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      expect(webhook).toMatchObject({ type: 'issue.failed', investigationId: first.investigationId });
      expect((await opened.jobs()).filter((job) => job.kind === 'run').map((job) => job.subject)).toEqual([
        second.runId,
      ]);
      await expect(store.conclude(run, conclusion(), at(6))).rejects.toMatchObject({ code: 'lease_lost' });
      expect((await store.findInvestigation(second.investigationId))?.outcome.state).toBe('queued');
    });

    it('ends no run that somebody else waits for', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const caller = await accepted(store, acceptance(base));
      expect(caller).toMatchObject({ runId: first.runId, joined: true });
      const second = await accepted(store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'second' }));
      expect(second.replacedRunId).toBeNull();
      expect((await store.findInvestigation(caller.investigationId))?.outcome.state).toBe('queued');
    });

    it('goes on with the run in flight where it is equal, which only changes hands', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const run = await started(store, first.runId);
      const second = await accepted(store, acceptance(base, { thread: opening('thr_1'), now: at(1) }));
      expect(second).toMatchObject({ runId: first.runId, joined: true, replacedRunId: null });
      expect((await store.findInvestigation(first.investigationId))?.outcome.state).toBe('cancelled');
      expect(await store.conclude(run, conclusion(), at(2))).toHaveLength(1);
      expect((await store.findInvestigation(second.investigationId))?.outcome.state).toBe('concluded');
    });

    it('leaves what has ended as it is', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      await store.conclude(await started(store, first.runId), conclusion(), NOW);
      const second = await accepted(store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'second' }));
      expect(second.replacedRunId).toBeNull();
      expect((await store.findInvestigation(first.investigationId))?.outcome.state).toBe('concluded');
    });

    it('sent 20 times at once by two processes leaves one thread with one investigation in flight', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const base = await githubGround(one.store);
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? one : two).store.accept(acceptance(base, { thread: opening(`thr_${i}`), fingerprint: `f${i}` })),
        ),
      );
      const thread = await one.store.findThreadOfSubject(base.project.id, { kind: 'issue', number: 12 });
      expect(await one.store.listOpenInvestigations(base.project.id)).toEqual([thread?.investigationId]);
      expect(
        butBackfills(await one.jobs())
          .map((job) => job.kind)
          .toSorted(),
      ).toEqual(['publish', 'run']);
    });
  });
}
