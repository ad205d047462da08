// The store's contract: whatever changes what a thread should show enqueues its job.
import { describe, expect, it } from 'vitest';
import { githubGround, installation, opening, repository, WRITER } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const reason = { code: 'internal', detail: '' } as const;

/** A thread with an investigation in flight, and nothing left to publish. */
async function openThread(opened: Opened) {
  const { store } = opened;
  const base = await githubGround(store);
  const { runId, investigationId } = await accepted(store, acceptance(base, { thread: opening('thr_1') }));
  await opened.queue({}).cancel('publish', 'thr_1');
  return { store, base, runId, investigationId };
}

async function publishing(opened: Opened): Promise<readonly string[]> {
  return (await opened.jobs())
    .filter((job) => job.kind === 'publish')
    .map(({ subject, group, runAt }) => `${subject} in ${group} at ${runAt}`);
}

export function publishingContract(engine: Engine): void {
  describe('the job that publishes a thread', () => {
    it.each<[string, (at: Awaited<ReturnType<typeof openThread>>) => Promise<unknown>]>([
      ['a conclusion', async ({ store, runId }) => store.conclude(await started(store, runId), conclusion(), at(3))],
      ['giving up', async ({ store, runId }) => store.giveUp(await started(store, runId), reason, at(3))],
      ['giving up a dead job', async ({ store, runId }) => store.giveUp(runId, reason, at(3))],
      ['a cancellation', async ({ store, investigationId }) => store.cancel(investigationId, reason, at(3))],
      ['a request for a pull request', async ({ store }) => store.requestFix('thr_1', { ...WRITER, at: at(3) }, at(3))],
      ['a nudge', async ({ store }) => store.schedulePublish('thr_1', at(3))],
      ['facts of its run', async ({ store, runId }) => store.schedulePublishOfRun(runId, at(3))],
      [
        'a further attempt',
        async ({ store, base }) =>
          accepted(
            store,
            acceptance(base, { thread: { kind: 'follows', threadId: 'thr_1' }, fingerprint: 'red', now: at(3) }),
          ),
      ],
    ])('is written with %s', async (_, happen) => {
      await using place = await engine.place();
      await using opened = await place.open();
      const ground = await openThread(opened);
      expect(await publishing(opened)).toEqual([]);
      await happen(ground);
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(3)}`]);
    });

    it('is written for everyone who waits for one run, when it is answered from an equal one too', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store, base, runId } = await openThread(opened);
      await store.conclude(await started(store, runId), conclusion(), NOW);
      for (const number of [21, 22]) {
        const thread = opening(`thr_${number}`, { subject: { kind: 'issue', number } });
        await accepted(store, acceptance(base, { thread }));
      }
      const away = opening('thr_23', { subject: { kind: 'issue', number: 23 } });
      const left = await accepted(store, acceptance(base, { thread: away }));
      await store.cancel(left.investigationId, reason, NOW);
      const next = await accepted(store, acceptance(base));
      for (const id of ['thr_1', 'thr_21', 'thr_22', 'thr_23']) await opened.queue({}).cancel('publish', id);
      await store.schedulePublishOfRun(next.runId, at(4));
      expect(await publishing(opened)).toEqual([`thr_21 in thr_21 at ${at(4)}`, `thr_22 in thr_22 at ${at(4)}`]);
      for (const id of ['thr_21', 'thr_22']) await opened.queue({}).cancel('publish', id);
      const run = await started(store, next.runId);
      expect(await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, at(5))).toHaveLength(3);
      expect(await publishing(opened)).toEqual([`thr_21 in thr_21 at ${at(5)}`, `thr_22 in thr_22 at ${at(5)}`]);
    });

    it('is one, at the earliest moment that was asked for', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = await openThread(opened);
      await store.schedulePublish('thr_1', at(60));
      await store.schedulePublish('thr_1', at(5));
      await store.schedulePublish('thr_1', at(300));
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(5)}`]);
    });

    it('is written when a repository that was gone is listed again, and not each time that it is listed', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = await openThread(opened);
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], at(1));
      expect(await publishing(opened)).toEqual([]);
      await store.removeInstallation(500, at(2));
      await store.syncInstallation(installation({ id: 501 }), [repository(1, 'octo/shop')], at(3));
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(3)}`]);
    });

    it('is written when a repository that was archived is open again, and not while it is archived', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = await openThread(opened);
      const archived = repository(1, 'octo/shop', { isArchived: true });
      await store.putRepository(500, archived, at(1));
      await store.putRepository(500, archived, at(2));
      await store.removeInstallation(500, at(3));
      await store.syncInstallation(installation({ id: 501 }), [archived], at(4));
      expect(await publishing(opened)).toEqual([]);
      await store.putRepository(501, repository(1, 'octo/shop'), at(5));
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(5)}`]);
    });

    it('is not written for what is gone, or belongs to no thread', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store, base } = await openThread(opened);
      await store.schedulePublish('thr_unknown', NOW);
      await store.requestFix('thr_unknown', { ...WRITER, at: NOW }, NOW);
      await store.schedulePublishOfRun('run_unknown', NOW);
      const { runId } = await accepted(store, acceptance(base, { fingerprint: 'other' }));
      await store.conclude(await started(store, runId), conclusion(), NOW);
      expect(await publishing(opened)).toEqual([]);
      expect((await opened.audit()).filter((entry) => entry.verb === 'fix.requested')).toEqual([]);
    });
  });
}
