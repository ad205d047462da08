// The store's contract: deliveries, and the jobs that other writes leave, each with its urgency.
import { describe, expect, it } from 'vitest';
import type { NewJob } from '../../src/core/queue.ts';
import type { Backfill } from '../../src/db/backfills.ts';
import type { Store } from '../../src/db/store.ts';
import {
  acceptance,
  accepted,
  at,
  butBackfills,
  conclusion,
  delivery,
  emptyForecast,
  finding,
  found,
  type Ground,
  githubGround,
  ground,
  inPullRequest,
  installation,
  NOW,
  opening,
  recorded,
  repository,
  SHA,
  seenAs,
  sighting,
  started,
  trigger,
  WRITER,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openLocal, openNew } from './engine.ts';

const times = { now: NOW, meaningSince: at(-3600) };

export function deliveriesContract(engine: Engine): void {
  describe('a delivery', () => {
    it('is stored together with its job, in the group that it named, and handed out as it came', async () => {
      await using opened = await openNew(engine);
      const body = `{"text":"emoji 🪲, U+2028 \u2028, quotes '\\"\`"}`;
      expect(await opened.store.acceptDelivery(delivery('a', { body }), times)).toBe('stored');
      expect(await opened.store.findDelivery('a')).toEqual({ id: 'a', event: 'issues', body, receivedAt: NOW });
      const ofPerson = { urgency: 'person' };
      expect(await opened.jobs()).toEqual([
        { kind: 'delivery', subject: 'a', group: 'octo/shop', runAt: NOW, ...ofPerson },
      ]);
      expect(await opened.store.findDelivery('unknown')).toBeNull();
    });

    it('that is urgent has a job of another kind, also where it comes again', async () => {
      await using opened = await openNew(engine);
      const urgent = delivery('a', { isUrgent: true });
      await opened.store.acceptDelivery(urgent, times);
      await opened.store.endDelivery('a', 'failed', 'x');
      await opened.queue({}).cancel('urgent-delivery', 'a');
      await opened.store.acceptDelivery(urgent, times);
      expect(await opened.jobs()).toMatchObject([{ kind: 'urgent-delivery', subject: 'a' }]);
    });

    it('of 25 MiB is kept whole', async () => {
      await using opened = await openNew(engine);
      const body = 'é'.repeat((25 * 1024 * 1024) / 2);
      await opened.store.acceptDelivery(delivery('large', { body }), times);
      expect((await opened.store.findDelivery('large'))?.body === body).toBe(true);
    });

    it('sent 100 times at once by two processes is one', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => (i % 2 ? one : two).store.acceptDelivery(delivery('a'), times)),
      );
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
      expect(await one.jobs()).toHaveLength(1);
    });

    it('that means what another meant is a repeated one, under whatever id and event, until that is long ago', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      await store.acceptDelivery(delivery('a', { meaning: 'm' }), times);
      const replayed = (id: string) => delivery(id, { meaning: 'm', event: 'issue_comment' });
      expect(await store.acceptDelivery(replayed('b'), { now: at(60), meaningSince: NOW })).toBe('repeated');
      expect(await store.findDelivery('b')).toBeNull();
      expect(await store.acceptDelivery(replayed('c'), { now: at(60), meaningSince: at(1) })).toBe('stored');
    });

    it('that failed comes again under its id alone: with the body of then, as one that was never handled', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      await store.acceptDelivery(delivery('a', { meaning: 'm' }), times);
      await store.endDelivery('a', 'failed', 'GitHub was away');
      const later = { now: at(60), meaningSince: at(-3600) };
      expect(await store.acceptDelivery(delivery('b', { meaning: 'm' }), later)).toBe('repeated');
      expect((await store.findSeenDeliveries(['a'])).size).toBe(0);
      expect(await store.acceptDelivery(delivery('a', { meaning: 'm', body: '{"again":1}' }), later)).toBe('stored');
      expect(await store.findDelivery('a')).toMatchObject({ body: '{"again":1}', receivedAt: at(60) });
      expect(await opened.deliveryEnds()).toEqual([{ id: 'a', state: 'waiting', detail: '' }]);
      expect(await opened.jobs()).toMatchObject([{ kind: 'delivery', subject: 'a' }]);
      expect(await store.acceptDelivery(delivery('a', { meaning: 'm' }), later)).toBe('repeated');
    });

    it('that was handled, well or not, is handed out no more; one that was handled well is not taken again', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      for (const id of ['done', 'failed', 'waiting']) await store.acceptDelivery(delivery(id), times);
      await store.endDelivery('done', 'done', '');
      await store.endDelivery('failed', 'failed', 'GitHub refused it');
      expect(await store.findDelivery('done')).toBeNull();
      expect(await store.findDelivery('failed')).toBeNull();
      expect(await store.findDelivery('waiting')).not.toBeNull();
      expect(await store.acceptDelivery(delivery('done'), { now: at(9999), meaningSince: at(9999) })).toBe('repeated');
      const seen = await store.findSeenDeliveries(['failed', 'done', 'waiting', 'never']);
      expect([...seen].toSorted()).toEqual(['done', 'waiting']);
      expect(await store.findSeenDeliveries([])).toEqual(new Set());
    });

    it('ends once: a later end changes nothing, and an unknown one has none', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      await store.acceptDelivery(delivery('a'), times);
      await store.endDelivery('a', 'done', '');
      await store.endDelivery('a', 'failed', 'too late');
      await store.endDelivery('unknown', 'failed', 'nothing');
      expect(await opened.deliveryEnds()).toEqual([{ id: 'a', state: 'done', detail: '' }]);
    });

    it('is forgotten 30 days after it came, unless it still waits', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      for (const id of ['done', 'waiting']) await store.acceptDelivery(delivery(id), times);
      await store.endDelivery('done', 'done', '');
      const day = 24 * 60 * 60;
      const sweep = (now: string) => store.sweep({ endedBefore: NOW, keysBefore: NOW, now });
      await sweep(at(30 * day));
      expect((await store.findSeenDeliveries(['done'])).size).toBe(1);
      await sweep(at(30 * day + 1));
      expect(await store.findSeenDeliveries(['done', 'waiting'])).toEqual(new Set(['waiting']));
    });
  });
}

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
    .map(({ subject, group, runAt }) => `${subject} in ${group} at ${runAt}`)
    .toSorted();
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
      await using opened = await openNew(engine);
      const ground = await openThread(opened);
      expect(await publishing(opened)).toEqual([]);
      await happen(ground);
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(3)}`]);
    });

    it('is written for everyone who waits for one run, when it is answered from an equal one too', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
      const { store } = await openThread(opened);
      await store.schedulePublish('thr_1', at(60));
      await store.schedulePublish('thr_1', at(5));
      await store.schedulePublish('thr_1', at(300));
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(5)}`]);
    });

    it('is written when a repository that was gone is listed again, and not each time that it is listed', async () => {
      await using opened = await openNew(engine);
      const { store } = await openThread(opened);
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], at(1));
      expect(await publishing(opened)).toEqual([]);
      await store.removeInstallation(500, at(2));
      await store.syncInstallation(installation({ id: 501 }), [repository(1, 'octo/shop')], at(3));
      expect(await publishing(opened)).toEqual([`thr_1 in thr_1 at ${at(3)}`]);
    });

    it('is written when a repository that was archived is open again, and not while it is archived', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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

const limits = { run: 1e9, repository: 1e9, all: 1e9 };

/** A run that cost so many millionths; undefined: no model took part. */
async function spent(store: Store, base: Ground, amount: number | undefined) {
  const { runId } = await accepted(store, acceptance(base, { fresh: true }));
  const run = await started(store, runId);
  if (amount !== undefined) {
    await store.reserveMoney(run, { amount: 5, limits, now: NOW });
    await store.settleMoney(run, { reserved: 5, spent: amount, now: NOW });
    await store.settleMoney(run, { reserved: 0, spent: 1_000_000, now: '2026-12-01T00:00:00.000Z' });
  }
  await store.conclude(run, conclusion(), NOW);
}

export function backfillsContract(engine: Engine): void {
  describe('a project that is new on GitHub', () => {
    it('has its last 14 days to be read, once, with those of its installation in turn', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], NOW);
      const two = (await store.putRepository(500, repository(2, 'octo/two'), at(1)))!;
      const shop = (await store.findProjectOfRepository(1))!;
      const since = '2026-11-06T10:00:00.000Z';
      const begun = { state: 'waiting', since, forecast: null };
      expect(await store.findBackfill(shop.id)).toEqual({ projectId: shop.id, ...begun });
      const unasked = { group: 'installation 500', urgency: 'automatic' };
      const jobs = [
        { kind: 'backfill', subject: shop.id, runAt: NOW, ...unasked },
        { kind: 'backfill', subject: two.id, runAt: at(1), ...unasked },
      ];
      expect(await opened.jobs()).toEqual(jobs);
      for (const { subject } of jobs) await opened.queue({}).cancel('backfill', subject);
      await store.hideRepository({ id: 2, installationId: 500 }, at(2));
      await store.syncInstallation(installation(), [repository(1, 'octo/store'), repository(2, 'octo/two')], at(3));
      expect(await opened.jobs()).toEqual([]);
      expect((await store.findBackfill(shop.id))?.since).toBe(since);
    });

    it('remembers whether it was read, and what came of it', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      const forecast = emptyForecast({ investigations: 7, usd: 1.25 });
      const read: Backfill = { projectId: project.id, state: 'done', since: NOW, forecast };
      await store.saveBackfill({ ...read, state: 'waiting', forecast: null }, NOW);
      await store.saveBackfill(read, at(1));
      expect(await store.findBackfill(project.id)).toEqual(read);
      const local = (await ground(store)).project;
      expect(await store.findBackfill(local.id)).toBeNull();
    });
  });

  describe('the mean cost of an investigation', () => {
    it('is that of the ones that ended and a model took part in', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      expect(await store.readMeanCost()).toBeNull();
      await spent(store, base, undefined);
      expect(await store.readMeanCost()).toBeNull();
      await spent(store, base, 500_000);
      await spent(store, base, 0);
      const { runId } = await accepted(store, acceptance(base, { fresh: true }));
      await store.reserveMoney(await started(store, runId), { amount: 9_000_000, limits, now: NOW });
      expect(await store.readMeanCost()).toBe(1.25);
    });

    it('is that of the last hundred', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      await spent(store, base, 900_000_000);
      for (let i = 0; i < 100; i++) await spent(store, base, 1_000_000);
      expect(await store.readMeanCost()).toBe(2);
    });
  });
}

/** Kind and urgency of each job, but for backfills and looks at answers. */
async function waiting(opened: Opened): Promise<readonly string[]> {
  const jobs = butBackfills(await opened.jobs());
  return jobs.map(({ kind, urgency }: NewJob) => `${kind} ${urgency}`).toSorted();
}

export function urgencyContract(engine: Engine): void {
  describe('who waits for a job', () => {
    it('a person for what was asked for by REST, nobody for what red checks begin', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      await recorded(store, base.project.id, [sighting('k')], 'fal_1');
      await accepted(store, acceptance(base, { thread: found('fal_1') }));
      await store.schedulePublish('thr_1', at(1));
      expect(await waiting(opened)).toEqual(['publish automatic', 'run automatic']);
      await store.requestFix('thr_1', { ...WRITER, at: at(2) }, at(2));
      expect(await waiting(opened)).toEqual(['publish person', 'run automatic']);
    });

    it('a person for a delivery or nobody, as its event has it, also where it comes again', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      expect(await waiting(opened)).toEqual(['run person']);
      await started(store, runId);
      await opened.queue({}).cancel('run', runId);
      expect((await accepted(store, acceptance(base))).joined).toBe(true);
      expect(await waiting(opened)).toEqual([]);
    });
  });
}
