// The queue's contract: a worker that stops hands back what it cannot finish.
import { describe, expect, it } from 'vitest';
import { aborted, job, patience, plenty, recorder, until, waiting } from '../support/queue-samples.ts';
import { NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const all = { run: plenty, webhook: plenty };

export function stoppingContract(engine: Engine): void {
  describe('stopping', () => {
    it('aborts handlers and hands their jobs back, without counting a try', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'));
      for (let round = 0; round < 5; round++) {
        const { handled, reasons, deaths, handlers } = waiting();
        const worker = opened.queue({}).work(handlers, all);
        await until(() => handled.length === 1);
        await worker[Symbol.asyncDispose]();
        expect(handled[0]?.attempt).toBe(1);
        expect(reasons).toHaveLength(1);
        expect(deaths).toEqual([]);
      }
      expect(await opened.queue({}).depth()).toEqual({ waiting: 1, running: 0, dead: 0 });
    });

    it('keeps what a handler still finishes', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'), job('b', { runAt: NOW }));
      const { handled, handlers } = recorder(async (_, signal) => {
        await aborted(signal).catch(() => {});
      });
      const worker = opened.queue({}).work(handlers, { run: { concurrency: 1, perGroup: 1 }, webhook: plenty });
      await until(() => handled.length === 1);
      await worker[Symbol.asyncDispose]();
      expect((await opened.jobs()).map((one) => one.subject)).toEqual(['b']);
    });

    it('does not wait for a handler that does not listen, whose late end is refused', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'));
      const gate = Promise.withResolvers<void>();
      const deaf = recorder(() => gate.promise);
      const worker = opened.queue({ stopMs: 50 }).work(deaf.handlers, all);
      await until(() => deaf.handled.length === 1);
      await worker[Symbol.asyncDispose]();
      expect(await opened.queue({}).depth()).toMatchObject({ waiting: 1, running: 0 });
      gate.resolve();
      const next = recorder();
      await using second = opened.queue({}).work(next.handlers, all);
      await second.idle(patience());
      expect(next.handled.map((one) => one.attempt)).toEqual([1]);
    });

    it('ends the wait for idleness with its signal', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(job('a'));
      const { handlers } = waiting();
      await using worker = opened.queue({}).work(handlers, all);
      await expect(worker.idle(AbortSignal.timeout(50))).rejects.toThrow();
    });
  });
}
