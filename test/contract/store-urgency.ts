// The store's contract: which jobs somebody waits for, and whose turn they take.
import { describe, expect, it } from 'vitest';
import type { NewJob } from '../../src/core/queue.ts';
import { finding, found, inPullRequest, recorded, seenAs, sighting } from '../support/check-store-samples.ts';
import { delivery, githubGround, opening, trigger, WRITER } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

/** Kind and urgency of each job, but for backfills. */
async function waiting(opened: Opened): Promise<readonly string[]> {
  const jobs = (await opened.jobs()).filter((job) => job.kind !== 'backfill');
  return jobs.map(({ kind, urgency }: NewJob) => `${kind} ${urgency}`).toSorted();
}

export function urgencyContract(engine: Engine): void {
  describe('who waits for a job', () => {
    it('a person for what was asked for by REST, nobody for what red checks begin', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await accepted(store, acceptance(base, { fingerprint: 'rest' }));
      expect(await waiting(opened)).toEqual(['run person']);
      await recorded(store, base.project.id, [sighting('k')], 'fal_1');
      await accepted(store, acceptance(base, { fingerprint: 'red', origin: 'check-run', thread: found('fal_1') }));
      expect(await waiting(opened)).toEqual(['publish automatic', 'run automatic', 'run person']);
      const follows = { kind: 'follows', threadId: 'thr_1' } as const;
      await accepted(store, acceptance(base, { fingerprint: 'attempt', thread: follows }));
      expect(await waiting(opened)).toEqual(['publish automatic', 'run automatic', 'run automatic', 'run person']);
    });

    it('a person for a run that was begun unasked, once somebody hands in the same', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await recorded(store, base.project.id, [sighting('k')], 'fal_1');
      const { runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      expect(await waiting(opened)).toEqual(['publish automatic', 'run automatic']);
      const joined = await accepted(store, acceptance(base, { thread: opening('thr_9'), now: at(5) }));
      expect([joined.runId, joined.joined]).toEqual([runId, true]);
      expect(await waiting(opened)).toEqual(['publish automatic', 'publish person', 'run person']);
      // It keeps the moment since which it is due.
      expect((await opened.jobs()).find((job) => job.kind === 'run')?.runAt).toBe(NOW);
      await accepted(store, acceptance(base, { thread: found('fal_1'), now: at(6) }));
      expect(await waiting(opened)).toContain('run person');
    });

    it('a person for the thread and the head of a pull request whose red checks were looked at unasked, once somebody asks there', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await recorded(store, base.project.id, [sighting('k')], 'fal_1');
      await accepted(store, acceptance(base, { thread: found('fal_1') }));
      const head = { id: 'hed_1', projectId: base.project.id, sha: '1', branch: '' };
      await store.ensureHead(head, { runAt: NOW, now: NOW });
      const findings = [finding('fal_1', { threadId: 'thr_1' })];
      await store.saveHead('hed_1', seenAs('red', { place: inPullRequest(5), findings }), NOW);
      expect(await waiting(opened)).toEqual([
        ...['check-run automatic', 'head automatic', 'publish automatic', 'run automatic'],
      ]);
      const thread = opening('thr_2', {
        subject: { kind: 'pull_request', number: 5 },
        trigger: trigger({ kind: 'comment', commentId: 4 }),
      });
      await accepted(store, acceptance(base, { thread, fingerprint: 'words', now: at(2) }));
      // The run that nobody asked for has made room for the one that somebody did.
      expect(await waiting(opened)).toEqual(['check-run person', 'head person', 'publish person', 'run person']);
    });

    it('a person for the thread of red checks where somebody presses Open fix', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      await recorded(store, base.project.id, [sighting('k')], 'fal_1');
      await accepted(store, acceptance(base, { thread: found('fal_1') }));
      await store.schedulePublish('thr_1', at(1));
      expect(await waiting(opened)).toEqual(['publish automatic', 'run automatic']);
      await store.requestFix('thr_1', { ...WRITER, at: at(2) }, at(2));
      expect(await waiting(opened)).toEqual(['publish person', 'run automatic']);
    });

    it('a person for a delivery or nobody, as its event has it, also where it comes again', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const accept = (id: string, changes: Parameters<typeof delivery>[1]) =>
        store.acceptDelivery(delivery(id, changes), { now: NOW, meaningSince: NOW });
      await accept('comment', {});
      await accept('checks', { urgency: 'automatic' });
      expect(await waiting(opened)).toEqual(['delivery automatic', 'delivery person']);
      await store.endDelivery('checks', 'failed', 'GitHub was away');
      await opened.queue({}).cancel('delivery', 'checks');
      expect(await waiting(opened)).toEqual(['delivery person']);
      await accept('checks', { urgency: 'automatic' });
      expect(await waiting(opened)).toEqual(['delivery automatic', 'delivery person']);
    });

    it('a run under way is not begun again where a report joins it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base));
      expect(await waiting(opened)).toEqual(['run person']);
      await started(store, runId);
      await opened.queue({}).cancel('run', runId);
      expect((await accepted(store, acceptance(base))).joined).toBe(true);
      expect(await waiting(opened)).toEqual([]);
    });
  });
}
