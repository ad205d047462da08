// The queue's contract: jobs that are cancelled, or lost to another worker.
import { describe, expect, it } from 'vitest';
import { clock, job, patience, plenty, recorder, until, waiting } from '../support/queue-samples.ts';
import { acceptance, accepted, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const all = { run: plenty, webhook: plenty };

export function interruptingContract(engine: Engine): void {
  describe('a cancelled job', () => {
    it('aborts its handler and is gone, without a failure or a second try', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'), job('b'));
      const { handled, reasons, deaths, handlers } = waiting();
      const queue = opened.queue({});
      await using _worker = queue.work(handlers, all);
      await until(() => handled.length === 2);
      await queue.cancel('run', 'a');
      await until(() => reasons.length === 1);
      expect(reasons[0]).toMatchObject({ code: 'cancelled' });
      expect((await opened.jobs()).map((one) => one.subject)).toEqual(['b']);
      expect(deaths).toEqual([]);
    });

    it('that waits is never run', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'), job('b'));
      const queue = opened.queue({});
      await queue.cancel('run', 'a');
      await queue.cancel('run', 'unknown');
      const { handled, handlers } = recorder();
      await using worker = queue.work(handlers, all);
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['b']);
    });

    it('by the verb of its store is aborted at once', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { handled, reasons, handlers } = waiting();
      await using _worker = opened.queue({ now: () => new Date(NOW), pollMs: 600_000 }).work(handlers, all);
      const { investigationId } = await accepted(store, acceptance(await ground(store)));
      await until(() => handled.length === 1);
      await store.cancel(investigationId, { code: 'cancelled', detail: '' }, NOW);
      await until(() => reasons.length === 1);
      expect(reasons[0]).toMatchObject({ code: 'cancelled' });
    });

    it('is aborted while its webhook is being delivered, if the Issue is erased', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base, { callbackUrl: 'https://hooks.example.org/in' }));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const queue = opened.queue({ now: () => new Date(NOW), pollMs: 600_000 });
      await queue.cancel('run', runId);
      const { handled, reasons, handlers } = waiting();
      await using worker = queue.work(handlers, all);
      await until(() => handled.length === 1);
      await store.eraseIssue(issueId!, NOW);
      await until(() => reasons.length === 1);
      await worker.idle(patience());
      expect(await opened.jobs()).toEqual([]);
    });
  });

  describe('a lease', () => {
    it('that ran out gives the job to another worker, and the first one is told', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const slow = clock();
      const fast = clock();
      await one.enqueue(job('a'));
      const first = waiting();
      const second = recorder();
      await using _stuck = one
        .queue({ ...slow, recovery: 'lease', leaseMs: 3_000, pollMs: 10 })
        .work(first.handlers, all);
      await until(() => first.handled.length === 1);
      // The second worker's clock says that the first one has been silent for an hour.
      fast.forward(3600);
      await using worker = two.queue({ ...fast, recovery: 'lease', pollMs: 10 }).work(second.handlers, all);
      await until(() => second.handled.length === 1);
      // Whoever is told early may take it up once more, and lose it again.
      expect(second.handled[0]?.attempt).toBe(first.handled.length + 1);
      await until(() => first.reasons.length === first.handled.length);
      await worker.idle(patience());
      expect(await one.jobs()).toEqual([]);
    });

    it('is kept alive for as long as the handler works', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      await one.enqueue(job('a'));
      const gate = Promise.withResolvers<void>();
      const first = recorder(() => gate.promise);
      const second = recorder();
      const timing = { recovery: 'lease', leaseMs: 2_000, pollMs: 20 } as const;
      await using _one = one.queue(timing).work(first.handlers, all);
      await until(() => first.handled.length === 1);
      await using _two = two.queue(timing).work(second.handlers, all);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(second.handled).toEqual([]);
      gate.resolve();
    });

    it('does not run out because the clock of its own worker jumped', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(() => gate.promise);
      await using worker = opened.queue({ ...time, recovery: 'lease', pollMs: 5 }).work(handlers, all);
      await until(() => handled.length === 1);
      time.forward(86_400);
      await opened.enqueue(job('b'));
      await until(() => handled.length === 2);
      gate.resolve();
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['a', 'b']);
    });

    it('lost by a handler that fails is no reason to bury a job that another has', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(job('a'));
      const { handled, deaths, handlers } = recorder(async () => {
        if (handled.length < 3) throw new Error('boom');
        await opened.queue({}).cancel('run', 'a');
        throw new Error('refused by the fence');
      });
      await using worker = opened.queue({ ...time, pollMs: 10 }).work(handlers, all);
      for (const seconds of [1, 5, 0]) {
        await worker.idle(patience());
        time.forward(seconds);
      }
      expect(handled).toHaveLength(3);
      expect(deaths).toEqual([]);
    });
  });
}
