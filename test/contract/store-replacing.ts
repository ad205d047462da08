// The store's contract: a thread has one investigation that a person asked for; a newer one takes its place.
import { describe, expect, it } from 'vitest';
import { butBackfills, githubGround, opening } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

export function replacingContract(engine: Engine): void {
  describe('a newer request in a thread', () => {
    it('cancels the one in flight, tells its caller, and names the run that nobody waits for any more', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const caller = await accepted(store, acceptance(base));
      expect(caller).toMatchObject({ runId: first.runId, joined: true });
      const second = await accepted(store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'second' }));
      expect(second.replacedRunId).toBeNull();
      expect((await store.findInvestigation(caller.investigationId))?.outcome.state).toBe('queued');
    });

    it('goes on with the run in flight where it is equal, which only changes hands', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const first = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
      const run = await started(store, first.runId);
      const second = await accepted(store, acceptance(base, { thread: opening('thr_1'), now: at(1) }));
      expect(second).toMatchObject({ runId: first.runId, joined: true, replacedRunId: null });
      expect((await store.findInvestigation(first.investigationId))?.outcome.state).toBe('cancelled');
      expect(await store.conclude(run, conclusion(), at(2))).toHaveLength(1);
      expect((await store.findInvestigation(second.investigationId))?.outcome.state).toBe('concluded');
    });

    it('leaves what has ended as it is', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
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
