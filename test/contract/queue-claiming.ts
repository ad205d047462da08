// The queue's contract: which job is taken when, by how many at once.
import { describe, expect, it } from 'vitest';
import { clock, job, patience, plenty, recorder, runLimits, until } from '../support/queue-samples.ts';
import { acceptance, at, ground, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const all = { run: plenty, webhook: plenty };

export function claimingContract(engine: Engine): void {
  describe('a worker', () => {
    it('takes jobs in the order in which they are due, and each is gone when it is done', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(
        job('second', { runAt: at(-1) }),
        job('third'),
        job('first', { runAt: at(-2) }),
        job('last'),
      );
      const { handled, handlers } = recorder();
      const queue = opened.queue(time);
      await using worker = queue.work(handlers, runLimits(1, 1));
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['first', 'second', 'third', 'last']);
      expect(handled.map((one) => one.attempt)).toEqual([1, 1, 1, 1]);
      expect(await opened.jobs()).toEqual([]);
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0, dead: 0 });
    });

    it('leaves a job alone until it is due', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('later', { runAt: at(60) }));
      const { handled, handlers } = recorder();
      const queue = opened.queue({ ...time, pollMs: 20 });
      await using worker = queue.work(handlers, all);
      await worker.idle(patience());
      expect(handled).toEqual([]);
      expect(await queue.depth()).toMatchObject({ waiting: 1 });
      time.forward(60);
      await worker.idle(patience());
      expect(handled).toHaveLength(1);
    });

    it('hears of a report in its own process without waiting for the next poll', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { handled, handlers } = recorder();
      await using _worker = opened.queue({ now: () => new Date(NOW), pollMs: 600_000 }).work(handlers, all);
      await opened.store.accept(acceptance(await ground(opened.store)));
      await until(() => handled.length === 1);
    });

    it('finds a job of another process at the next poll', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await using other = await place.open();
      const { handled, handlers } = recorder();
      await using _worker = opened.queue({ pollMs: 50 }).work(handlers, all);
      await other.enqueue(job('a'));
      await until(() => handled.length === 1);
    });

    it('looks at once when it is woken', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await using other = await place.open();
      const { handled, handlers } = recorder();
      const queue = opened.queue({ pollMs: 600_000 });
      queue.wake();
      await using worker = queue.work(handlers, all);
      await worker.idle(patience());
      await other.enqueue(job('a'));
      queue.wake();
      await until(() => handled.length === 1);
    });

    it('keeps to the limit of a kind and of each group, and loses nobody', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const groups = ['a', 'b', 'c'];
      for (const group of groups) for (let i = 0; i < 6; i++) await opened.enqueue(job(`${group}${i}`, { group }));
      const running: string[] = [];
      const peaks = { total: 0, group: 0 };
      const full = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(async ({ subject }) => {
        running.push(subject);
        peaks.total = Math.max(peaks.total, running.length);
        peaks.group = Math.max(peaks.group, running.filter((one) => one[0] === subject[0]).length);
        await full.promise;
        running.splice(running.indexOf(subject), 1);
      });
      await using worker = opened.queue({ pollMs: 20 }).work(handlers, runLimits(5, 2));
      await until(() => running.length === 5);
      // Time for a sixth, if the limits let it through.
      await new Promise((resolve) => setTimeout(resolve, 100));
      full.resolve();
      await worker.idle(patience());
      expect(peaks).toEqual({ total: 5, group: 2 });
      expect(new Set(handled.map((one) => one.subject)).size).toBe(18);
    });

    it('gives webhooks their own limits', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('run'), job('other run'), job('evt', { kind: 'webhook' }));
      const started: string[] = [];
      const gate = Promise.withResolvers<void>();
      const { handlers } = recorder(async ({ subject }) => {
        started.push(subject);
        await gate.promise;
      });
      await using worker = opened.queue({}).work(handlers, runLimits(1, 1));
      await until(() => started.length === 2);
      expect(started).toEqual(['run', 'evt']);
      gate.resolve();
      await worker.idle(patience());
    });

    it('passes by 10,000 jobs of a group that is at its limit', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const hot = Array.from({ length: 10_000 }, (_, i) => job(`hot${i}`, { group: 'hot', runAt: at(-100) }));
      await opened.enqueue(...hot, job('cold', { group: 'cold' }));
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(() => gate.promise);
      await using _worker = opened.queue({}).work(handlers, runLimits(3, 1));
      const before = performance.now();
      await until(() => handled.length === 2);
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(handled.map((one) => one.subject)).toEqual(['hot0', 'cold']);
      gate.resolve();
    });

    it('shares the work of several workers without taking a job twice', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      await one.enqueue(...Array.from({ length: 100 }, (_, i) => job(`s${i}`)));
      const { handled, handlers } = recorder(() => new Promise((resolve) => setTimeout(resolve, 1)));
      await using worker = one.queue({ recovery: 'lease' }).work(handlers, all);
      await using other = two.queue({ recovery: 'lease' }).work(handlers, all);
      await Promise.all([worker.idle(patience()), other.idle(patience())]);
      expect(new Set(handled.map((job) => job.subject)).size).toBe(100);
      expect(handled).toHaveLength(100);
    });

    it('says how deep the queue is', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const queue = opened.queue({});
      await opened.enqueue(job('a'), job('b'), job('c', { kind: 'webhook' }));
      expect(await queue.depth()).toEqual({ waiting: 3, running: 0, dead: 0 });
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(() => gate.promise);
      await using _worker = queue.work(handlers, runLimits(1, 1));
      await until(() => handled.length === 2);
      expect(await queue.depth()).toEqual({ waiting: 1, running: 2, dead: 0 });
      gate.resolve();
    });
  });

  describe('enqueuing a job that is there already', () => {
    it('moves it to the earlier of its moments while it waits', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a', { runAt: at(30) }));
      await opened.enqueue(job('a', { runAt: at(60) }));
      expect(await opened.jobs()).toEqual([job('a', { runAt: at(30) })]);
      await opened.enqueue(job('a'));
      expect(await opened.jobs()).toEqual([job('a')]);
      await opened.enqueue(job('a', { kind: 'webhook' }));
      expect(await opened.jobs()).toHaveLength(2);
    });

    it('runs it again after, if it is running', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'));
      let running = 0;
      const { handled, handlers } = recorder(async () => {
        expect(running++).toBe(0);
        if (handled.length === 1) await opened.enqueue(job('a'));
        running--;
      });
      await using worker = opened.queue({}).work(handlers, all);
      await until(() => handled.length === 2);
      await worker.idle(patience());
      expect(handled.map((one) => one.attempt)).toEqual([1, 1]);
      expect(await opened.jobs()).toEqual([]);
    });
  });
}
