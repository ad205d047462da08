// The queue's contract: failed tries, death, and handlers that ask for another time.
import { describe, expect, it } from 'vitest';
import { clock, job, patience, plenty, recorder, until } from '../support/queue-samples.ts';
import { at } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const all = { run: plenty, webhook: plenty };
const boom = new Error('boom');

export function retryingContract(engine: Engine): void {
  describe('a job that fails', () => {
    it('is tried three times, 1 s and 5 s apart, and then dead', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      const { handled, deaths, handlers } = recorder(() => Promise.reject(boom));
      const queue = opened.queue({ ...time, pollMs: 10 });
      await using worker = queue.work(handlers, all);
      const tries = async () => {
        await worker.idle(patience());
        return handled.length;
      };
      expect(await tries()).toBe(1);
      time.forward(0.9);
      expect(await tries()).toBe(1);
      time.forward(0.1);
      expect(await tries()).toBe(2);
      time.forward(4.9);
      expect(await tries()).toBe(2);
      time.forward(0.1);
      expect(await tries()).toBe(3);
      expect(handled.map((one) => one.attempt)).toEqual([1, 2, 3]);
      expect(deaths).toEqual([{ job: handled[2], error: boom }]);
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0, dead: 1 });
      time.forward(3600);
      expect(await tries()).toBe(3);
    });

    it('before its first step, or with anything but an error, is no different', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      const { handled, handlers } = recorder(() => {
        throw 'not even an error';
      });
      await using worker = opened.queue({ ...time, pollMs: 10 }).work(handlers, all);
      await worker.idle(patience());
      time.forward(1);
      await worker.idle(patience());
      expect(handled.map((one) => one.attempt)).toEqual([1, 2]);
    });

    it('holds up nobody else', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('bad'), job('good'));
      const { handled, handlers } = recorder(async ({ subject }) => {
        if (subject === 'bad') throw boom;
      });
      await using worker = opened.queue(time).work(handlers, { run: { concurrency: 1, perGroup: 1 }, webhook: plenty });
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['bad', 'good']);
    });

    it('is buried again where its burial failed', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      let burials = 0;
      const { handled, handlers } = recorder(
        () => Promise.reject(boom),
        async () => {
          if (++burials === 1) throw new Error('no room');
        },
      );
      const queue = opened.queue({ ...time, pollMs: 10 });
      await using worker = queue.work(handlers, all);
      for (const seconds of [1, 5, 60]) {
        await worker.idle(patience());
        time.forward(seconds);
      }
      await until(() => burials === 2);
      await worker.idle(patience());
      expect(handled).toHaveLength(3);
      expect(await queue.depth()).toMatchObject({ dead: 1 });
    });

    it('and is dead lives again with three tries when it is enqueued again', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      let broken = true;
      const { handled, handlers } = recorder(async () => {
        if (broken) throw boom;
      });
      const queue = opened.queue({ ...time, pollMs: 10 });
      await using worker = queue.work(handlers, all);
      for (const seconds of [1, 5, 0]) {
        await worker.idle(patience());
        time.forward(seconds);
      }
      expect(await queue.depth()).toMatchObject({ dead: 1 });
      broken = false;
      await opened.enqueue(job('a', { runAt: time.now().toISOString() }));
      await worker.idle(patience());
      expect(handled.at(-1)?.attempt).toBe(1);
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0, dead: 0 });
    });
  });

  describe('dead jobs that are redriven', () => {
    it('are due again with all their tries, and those of another kind stay dead', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'), job('b', { group: 'other' }), job('evt', { kind: 'webhook' }));
      const bad = recorder(() => Promise.reject(boom));
      const queue = opened.queue({ ...time, pollMs: 10 });
      {
        await using worker = queue.work(bad.handlers, all);
        for (const seconds of [1, 5, 0]) {
          await worker.idle(patience());
          time.forward(seconds);
        }
      }
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0, dead: 3 });
      const good = recorder();
      const again = opened.queue({});
      expect(await again.redrive('run')).toBe(2);
      expect(await again.redrive('run')).toBe(0);
      await using worker = again.work(good.handlers, all);
      await worker.idle(patience());
      expect(good.handled.map(({ subject, attempt }) => `${subject} ${attempt}`).toSorted()).toEqual(['a 1', 'b 1']);
      expect(await again.depths(new Date().toISOString())).toEqual([
        { kind: 'webhook', waiting: 0, running: 0, dead: 1, oldestDue: null },
      ]);
    });
  });

  describe('a handler that asks for another time', () => {
    it('gets it, as often as it likes, without using up tries', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      const { handled, deaths, handlers } = recorder(async () => {
        if (handled.length === 6) return;
        return { kind: 'later', runAt: new Date(time.now().getTime() + 300_000).toISOString() };
      });
      const queue = opened.queue({ ...time, pollMs: 10 });
      await using worker = queue.work(handlers, all);
      for (let i = 1; i <= 5; i++) {
        await worker.idle(patience());
        expect(handled).toHaveLength(i);
        expect(await opened.jobs()).toEqual([job('a', { runAt: at(300 * i) })]);
        time.forward(300);
      }
      await worker.idle(patience());
      expect(handled.map((one) => one.attempt)).toEqual([1, 1, 1, 1, 1, 1]);
      expect(deaths).toEqual([]);
      expect(await opened.jobs()).toEqual([]);
    });
  });
}
