// What every queue must keep, whatever its engine. Real time, since the clock of PostgreSQL cannot be moved.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ClaimedJob, JOB_KINDS, type NewJob } from '../../src/core/queue.ts';
import { patience, until } from '../support/patience.ts';
import { aborted, job, plenty, recorder, runLimits, waiting } from '../support/queue-samples.ts';
import { acceptance, accepted, ground, NOW } from '../support/store-samples.ts';
import type { Engine, Opened, Place } from './engine.ts';

const all = { run: plenty, webhook: plenty };
const ONE = runLimits(1, 1);
const FAST = { pollMs: 20, backoffMs: [30, 60] } as const;
const SLOW = { pollMs: 600_000 };
const boom = new Error('boom');

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const subjects = (handled: readonly ClaimedJob[]) => handled.map(({ subject }) => subject);
const numbered = (count: number, name: string, changes: Partial<NewJob> = {}) =>
  Array.from({ length: count }, (_, i) => job(`${name}${i}`, changes));

interface OpenPlace extends AsyncDisposable {
  readonly place: Place;
  readonly opened: Opened;
}

async function openPlace(engine: Engine): Promise<OpenPlace> {
  const place = await engine.place();
  const opened = await place.open();
  return {
    place,
    opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

export function queueContract(engine: Engine): void {
  describe(`a queue on ${engine.name}`, () => {
    describe('enqueuing', () => enqueuing(engine));
    describe('a worker', () => working(engine));
    describe('a job that fails', () => failing(engine));
    describe('a cancelled job', () => cancelling(engine));
    describe('stopping', () => stopping(engine));
    describe('jobs that lost their workers', () => losing(engine));
  });
}

function enqueuing(engine: Engine): void {
  it('leaves nothing where its transaction fails', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueueAndFail(job('never'));
    await at.opened.enqueue(job('a'));
    const { handled, handlers } = recorder();
    await using worker = at.opened.queue(FAST).work(handlers, all);
    await worker.waitUntilIdle(patience());
    expect(subjects(handled)).toEqual(['a']);
    expect(await at.opened.jobs()).toEqual([]);
  });

  it('again moves a waiting job to the earlier of its moments, and makes it as urgent as anybody wants it', async () => {
    await using at = await openPlace(engine);
    const [soon, late] = [inMs(300), inMs(600_000)];
    await at.opened.enqueue(job('a', { runAt: late, urgency: 'automatic' }));
    await at.opened.enqueue(job('a', { runAt: soon }), job('a', { runAt: late }), job('a', { kind: 'webhook' }));
    await at.opened.enqueue(job('a', { runAt: late, urgency: 'automatic' }));
    expect(await at.opened.jobs()).toEqual([job('a', { runAt: soon }), job('a', { kind: 'webhook' })]);
    const { handled, handlers } = recorder();
    await using _worker = at.opened.queue(FAST).work(handlers, all);
    await until(() => handled.length === 2);
  });

  it('again while the job runs lets it run once more afterwards, never at the same time', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    let running = 0;
    const { handled, handlers } = recorder(async () => {
      expect(running++).toBe(0);
      if (handled.length === 1) await at.opened.enqueue(job('a'));
      await sleep(20);
      running--;
    });
    await using worker = at.opened.queue(FAST).work(handlers, all);
    await until(() => handled.length === 2);
    await worker.waitUntilIdle(patience());
    expect(handled.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await at.opened.jobs()).toEqual([]);
  });

  it('is heard of at once, in this process and in another', async () => {
    await using at = await openPlace(engine);
    const { handled, handlers } = recorder();
    await using worker = at.opened.queue(SLOW).work(handlers, all);
    await worker.waitUntilIdle(patience());
    await at.opened.store.accept(acceptance(await ground(at.opened.store)));
    await until(() => handled.length === 1);
    if (!engine.isShared) return;
    await using other = await at.place.open();
    await other.enqueue(job('a'));
    await until(() => handled.length === 2);
  });
}

function working(engine: Engine): void {
  it('takes people’s jobs before automatic ones, each in the order of their moments, and leaves none behind', async () => {
    await using at = await openPlace(engine);
    const automatic = (subject: string, group: string) => job(subject, { group, urgency: 'automatic' });
    for (const one of [automatic('a1', 'g'), automatic('a2', 'h'), job('p1'), job('p2', { group: 'i' })]) {
      await at.opened.enqueue(one);
    }
    const { handled, handlers } = recorder();
    const queue = at.opened.queue(FAST);
    await using worker = queue.work(handlers, ONE);
    await worker.waitUntilIdle(patience());
    expect(subjects(handled)).toEqual(['p1', 'p2', 'a1', 'a2']);
    expect(handled.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    expect(await queue.countJobs()).toEqual({ waiting: 0, running: 0, dead: 0 });
  });

  it('leaves a job until it is due', async () => {
    await using at = await openPlace(engine);
    const runAt = inMs(700);
    await at.opened.enqueue(job('later', { runAt }));
    let begun = 0;
    const { handlers } = recorder(async () => {
      begun = Date.now();
    });
    await using worker = at.opened.queue(FAST).work(handlers, all);
    // It does not wait for what is not due.
    await worker.waitUntilIdle(patience());
    await until(() => begun > 0);
    expect(begun).toBeGreaterThanOrEqual(Date.parse(runAt));
  });

  it('gives a handler the moment that it asks for, as often as it likes, without using up tries', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    const { handled, deaths, handlers } = recorder(async () =>
      handled.length === 5 ? undefined : { kind: 'later', runAt: inMs(20) },
    );
    await using _worker = at.opened.queue(FAST).work(handlers, all);
    await until(async () => (await at.opened.jobs()).length === 0);
    expect(handled.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    expect(deaths).toEqual([]);
  });

  it('keeps to the limit of a kind and of each group, and loses nothing', async () => {
    await using at = await openPlace(engine);
    for (const group of ['a', 'b', 'c']) await at.opened.enqueue(...numbered(5, group, { group }));
    const running: string[] = [];
    const peaks = { total: 0, group: 0 };
    const { handled, handlers } = recorder(async ({ subject }) => {
      running.push(subject);
      peaks.total = Math.max(peaks.total, running.length);
      peaks.group = Math.max(peaks.group, running.filter((one) => one[0] === subject[0]).length);
      // However late the others of its group are claimed.
      await until(() => peaks.group >= 2);
      await sleep(handled.length < 10 ? 50 : 5);
      running.splice(running.indexOf(subject), 1);
    });
    await using worker = at.opened.queue(FAST).work(handlers, runLimits(5, 2));
    await worker.waitUntilIdle(patience());
    expect(peaks.group).toBe(2);
    expect(peaks.total).toBeLessThanOrEqual(5);
    expect(handled).toHaveLength(15);
    expect(new Set(subjects(handled)).size).toBe(15);
  });

  it('passes by 2,000 jobs of a group that is at its limit', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(...numbered(2_000, 'hot', { group: 'hot' }));
    await at.opened.enqueue(job('cold', { group: 'cold' }));
    const gate = Promise.withResolvers<void>();
    const { handled, handlers } = recorder(() => gate.promise);
    await using _worker = at.opened.queue(FAST).work(handlers, runLimits(3, 1));
    await until(() => handled.length === 2);
    expect(subjects(handled).toSorted()[0]).toBe('cold');
    gate.resolve();
  });

  it('works on the kinds that it has a handler and limits for, each in slots of its own', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(...JOB_KINDS.map((kind) => job(`of ${kind}`, { kind })));
    const gate = Promise.withResolvers<void>();
    const { handled, handlers } = recorder(() => gate.promise);
    const kinds = JOB_KINDS.filter((kind) => kind !== 'delivery');
    const each = <T>(value: T) => Object.fromEntries(kinds.map((kind) => [kind, value]));
    await using worker = at.opened
      .queue(FAST)
      .work({ ...each(handlers.run), delivery: handlers.run }, each({ concurrency: 1, perGroup: 1 }));
    await until(() => handled.length === kinds.length);
    gate.resolve();
    await worker.waitUntilIdle(patience());
    expect(handled.map(({ kind, subject }) => `${kind} ${subject}`).toSorted()).toEqual(
      kinds.map((kind) => `${kind} of ${kind}`).toSorted(),
    );
    expect(await at.opened.jobs()).toEqual([job('of delivery', { kind: 'delivery' })]);
  });

  it.skipIf(!engine.isShared)('shares the work with others without taking a job twice', async () => {
    await using at = await openPlace(engine);
    await using other = await at.place.open();
    await at.opened.enqueue(...numbered(100, 's'));
    const { handled, handlers } = recorder(() => sleep(1));
    await using worker = at.opened.queue(FAST).work(handlers, all);
    await using second = other.queue(FAST).work(handlers, all);
    await Promise.all([worker.waitUntilIdle(patience()), second.waitUntilIdle(patience())]);
    expect(new Set(subjects(handled)).size).toBe(100);
    expect(handled).toHaveLength(100);
  });

  it('says how deep the queue is', async () => {
    await using at = await openPlace(engine);
    const queue = at.opened.queue(FAST);
    const due = inMs(-1_000);
    await at.opened.enqueue(job('a', { runAt: due }), job('b', { runAt: due }), job('c', { kind: 'webhook' }));
    expect(await queue.countJobs()).toEqual({ waiting: 3, running: 0, dead: 0 });
    const gate = Promise.withResolvers<void>();
    const { handled, handlers } = recorder(() => gate.promise);
    await using _worker = queue.work(handlers, ONE);
    await until(() => handled.length === 2);
    expect(await queue.countJobs()).toEqual({ waiting: 1, running: 2, dead: 0 });
    expect(await queue.countJobsByKind(new Date().toISOString())).toContainEqual(
      expect.objectContaining({ kind: 'run', waiting: 1, oldestDue: due }),
    );
    gate.resolve();
  });
}

function failing(engine: Engine): void {
  it('is tried three times with a pause, then dead; it holds up no other, and lives again where it is enqueued again', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('bad'), job('good'));
    let isBroken = true;
    const { handled, deaths, handlers } = recorder(async ({ subject }) => {
      if (subject === 'bad' && isBroken) throw handled.length === 1 ? 'not even an error' : boom;
    });
    const queue = at.opened.queue(FAST);
    await using worker = queue.work(handlers, ONE);
    await until(() => deaths.length === 1);
    await worker.waitUntilIdle(patience());
    const bad = handled.filter(({ subject }) => subject === 'bad');
    expect(bad.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(deaths).toEqual([{ job: bad[2], error: boom }]);
    expect(subjects(handled).indexOf('good')).toBeLessThan(handled.length - 1);
    expect(await queue.countJobs()).toEqual({ waiting: 0, running: 0, dead: 1 });
    isBroken = false;
    await at.opened.enqueue(job('bad'));
    await until(async () => (await at.opened.jobs()).length === 0);
    expect(handled.at(-1)?.attempt).toBe(1);
  });

  it('and is dead is redriven with all its tries; those of another kind stay dead', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a', { urgency: 'automatic' }), job('b'), job('evt', { kind: 'webhook' }));
    const bad = recorder(() => Promise.reject(boom));
    {
      await using _worker = at.opened.queue(FAST).work(bad.handlers, all);
      await until(async () => (await at.opened.queue(FAST).countJobs()).dead === 3);
    }
    const good = recorder();
    const again = at.opened.queue(FAST);
    expect([await again.requeueDead('run'), await again.requeueDead('run')]).toEqual([2, 0]);
    expect((await at.opened.jobs())[0]).toMatchObject({ subject: 'a', urgency: 'automatic' });
    await using worker = again.work(good.handlers, all);
    await worker.waitUntilIdle(patience());
    expect(good.handled.map(({ subject, attempt }) => `${subject} ${attempt}`).toSorted()).toEqual(['a 1', 'b 1']);
    expect(await again.countJobsByKind(new Date().toISOString())).toEqual([
      { kind: 'webhook', waiting: 0, running: 0, dead: 1, oldestDue: null },
    ]);
  });
}

function cancelling(engine: Engine): void {
  it('aborts its handler at once and is gone, without a failure or a second try', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'), job('b'));
    const { handled, reasons, deaths, handlers } = waiting();
    const queue = at.opened.queue(SLOW);
    await using _worker = queue.work(handlers, all);
    await until(() => handled.length === 2);
    await queue.cancel('run', 'a');
    await until(() => reasons.length === 1);
    expect(reasons[0]).toMatchObject({ code: 'cancelled' });
    expect((await at.opened.jobs()).map(({ subject }) => subject)).toEqual(['b']);
    expect(deaths).toEqual([]);
  });

  it('that waits never runs', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'), job('b'));
    const queue = at.opened.queue(FAST);
    await queue.cancel('run', 'a');
    await queue.cancel('run', 'unknown');
    const { handled, handlers } = recorder();
    await using worker = queue.work(handlers, all);
    await worker.waitUntilIdle(patience());
    expect(subjects(handled)).toEqual(['b']);
  });

  it('by a verb of the store is aborted at once', async () => {
    await using at = await openPlace(engine);
    const { store } = at.opened;
    const { handled, reasons, handlers } = waiting();
    await using _worker = at.opened.queue(SLOW).work(handlers, all);
    const { investigationId } = await accepted(store, acceptance(await ground(store)));
    await until(() => handled.length === 1);
    await store.cancel(investigationId, { code: 'cancelled', detail: '' }, NOW);
    await until(() => reasons.length === 1);
    expect(reasons[0]).toMatchObject({ code: 'cancelled' });
  });

  it('whose handler fails afterwards is not recorded as dead', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    const { handled, deaths, handlers } = recorder(async () => {
      if (handled.length === 3) await at.opened.queue({}).cancel('run', 'a');
      throw new Error('refused by the fence');
    });
    await using worker = at.opened.queue(FAST).work(handlers, all);
    await until(() => handled.length === 3);
    await worker.waitUntilIdle(patience());
    expect([deaths, await at.opened.jobs()]).toEqual([[], []]);
  });
}

function stopping(engine: Engine): void {
  it('aborts handlers and hands their jobs back, without counting a try', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    for (let round = 0; round < 4; round++) {
      const { handled, reasons, deaths, handlers } = waiting();
      const worker = at.opened.queue(FAST).work(handlers, all);
      await until(() => handled.length === 1);
      await worker[Symbol.asyncDispose]();
      expect(handled[0]?.attempt).toBe(1);
      expect([reasons.length, deaths]).toEqual([1, []]);
    }
    expect(await at.opened.queue({}).countJobs()).toEqual({ waiting: 1, running: 0, dead: 0 });
  });

  it('keeps what a handler still finishes', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    await at.opened.enqueue(job('b', { urgency: 'automatic' }));
    const { handled, handlers } = recorder(async (_, signal) => {
      await aborted(signal).catch(() => {});
    });
    const worker = at.opened.queue(FAST).work(handlers, ONE);
    await until(() => handled.length === 1);
    await worker[Symbol.asyncDispose]();
    expect((await at.opened.jobs()).map(({ subject }) => subject)).toEqual(['b']);
  });

  it('does not wait for a handler that does not listen, whose late end is refused', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    const gate = Promise.withResolvers<void>();
    const deaf = recorder(() => gate.promise);
    const worker = at.opened.queue({ ...FAST, stopMs: 50 }).work(deaf.handlers, all);
    await until(() => deaf.handled.length === 1);
    await worker[Symbol.asyncDispose]();
    expect(await at.opened.queue({}).countJobs()).toMatchObject({ waiting: 1, running: 0 });
    gate.resolve();
    const next = recorder();
    await using second = at.opened.queue(FAST).work(next.handlers, all);
    await until(() => next.handled.length === 1);
    await second.waitUntilIdle(patience());
    expect(next.handled.map(({ attempt }) => attempt)).toEqual([1]);
  });

  it('ends the wait for idleness with its signal', async () => {
    await using at = await openPlace(engine);
    await at.opened.enqueue(job('a'));
    await using worker = at.opened.queue(FAST).work(waiting().handlers, all);
    await expect(worker.waitUntilIdle(AbortSignal.timeout(50))).rejects.toThrow();
  });
}

/** A place with these jobs, each of which has lost so many workers. */
async function placeWith(engine: Engine, lost: Readonly<Record<string, number>>): Promise<OpenPlace> {
  const at = await openPlace(engine);
  await at.opened.enqueue(...Object.keys(lost).map((subject) => job(subject)));
  for (const [subject, count] of Object.entries(lost)) await at.opened.endedIn(subject, count);
  return at;
}

function losing(engine: Engine): void {
  it('three times or more run one after the other, while all others run at once', async () => {
    await using at = await placeWith(engine, { five: 5, three: 3, four: 4, one: 1, two: 2 });
    let now = 0;
    let most = 0;
    const poison = new Set(['three', 'four', 'five']);
    const { handled, handlers } = recorder(async ({ subject }) => {
      if (!poison.has(subject)) return;
      most = Math.max(most, ++now);
      await sleep(20);
      now -= 1;
    });
    await using worker = at.opened.queue({ ...FAST, suspectMs: 10 }).work(handlers, all);
    await until(() => handled.length === 5);
    await worker.waitUntilIdle(patience());
    expect(most).toBe(1);
    expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`).toSorted()).toEqual([
      'five 6',
      'four 5',
      'one 2',
      'three 4',
      'two 3',
    ]);
  });

  it('wait until their process has lived for a while, so that kills in quick succession do not use up their tries', async () => {
    await using at = await placeWith(engine, { often: 4, never: 0 });
    const young = recorder();
    {
      await using _worker = at.opened.queue({ ...FAST, suspectMs: 60_000 }).work(young.handlers, all);
      // At their moment all that is due has been looked at again: the slowest looks are half a second apart.
      await at.opened.enqueue(job('later', { runAt: inMs(600) }));
      await until(() => young.handled.length > 1);
    }
    expect(subjects(young.handled)).toEqual(['never', 'later']);
    const { handled, handlers } = recorder();
    await using _worker = at.opened.queue({ ...FAST, suspectMs: 50 }).work(handlers, all);
    await until(() => handled.length === 1);
    expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual(['often 5']);
  });

  it('more than twelve times are dead, and their failure is recorded', async () => {
    await using at = await placeWith(engine, { poison: 12 });
    const { handled, deaths, handlers } = recorder();
    const queue = at.opened.queue({ ...FAST, suspectMs: 0 });
    await using _worker = queue.work(handlers, all);
    await until(async () => (await queue.countJobs()).dead === 1);
    expect(handled).toEqual([]);
    expect(deaths).toMatchObject([{ job: { subject: 'poison' }, error: { code: 'internal' } }]);
  });
}
