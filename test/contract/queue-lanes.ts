// The queue's contract: kinds that nobody works on stay where they are, and a group of one at a time keeps its order.
import { describe, expect, it } from 'vitest';
import type { JobHandler } from '../../src/core/queue.ts';
import { clock, job, patience, plenty, recorder, until } from '../support/queue-samples.ts';
import { at, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const inTurn = { concurrency: 10, perGroup: 1 };

const delivery = (subject: string, group = 'octo/shop', runAt = NOW) =>
  job(subject, { kind: 'delivery', group, runAt });

export function lanesContract(engine: Engine): void {
  describe('a kind', () => {
    it('without a handler or limits is left alone, and waited for by nobody, until a worker has both', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { handled, handlers } = recorder();
      const { run } = handlers;
      await opened.enqueue(delivery('d'), job('t', { kind: 'publish' }), job('r'));
      {
        await using worker = opened.queue({}).work({ run, publish: run }, { run: plenty, delivery: plenty });
        await worker.idle(patience());
        expect(handled.map((one) => one.subject)).toEqual(['r']);
      }
      await using nobody = opened.queue({}).work({}, {});
      await nobody.idle(patience());
      expect((await opened.jobs()).map((one) => one.subject)).toEqual(['d', 't']);
      await using worker = opened
        .queue({})
        .work({ publish: run, delivery: run }, { publish: plenty, delivery: plenty });
      await worker.idle(patience());
      expect(handled.map(({ kind, attempt }) => ({ kind, attempt })).slice(1)).toEqual([
        { kind: 'delivery', attempt: 1 },
        { kind: 'publish', attempt: 1 },
      ]);
    });
  });

  describe('every kind', () => {
    it('is worked on by the worker that has a handler and limits for it', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const kinds = [
        ...(['backfill', 'check-run', 'delivery', 'head', 'publish', 'run', 'urgent-delivery', 'webhook'] as const),
      ];
      await opened.enqueue(...kinds.map((kind) => job(`of ${kind}`, { kind })));
      const { handled, handlers } = recorder();
      const all = <T>(value: T) => Object.fromEntries(kinds.map((kind) => [kind, value]));
      await using worker = opened.queue({}).work(all(handlers.run), all(plenty));
      await worker.idle(patience());
      expect(handled.map(({ kind, subject }) => `${kind} ${subject}`).toSorted()).toEqual(
        kinds.map((kind) => `${kind} of ${kind}`),
      );
    });
  });

  describe('a kind whose slots are all taken', () => {
    it('holds up its own jobs, and none of another kind', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const inSlots = Array.from({ length: 9 }, (_, i) => delivery(`hangs ${i}`, `g${i}`, at(-60)));
      await opened.enqueue(...inSlots);
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(async ({ kind }) => {
        if (kind === 'delivery') await gate.promise;
      });
      const { run } = handlers;
      const limits = { concurrency: 8, perGroup: 1 };
      await using worker = opened
        .queue({})
        .work({ delivery: run, 'urgent-delivery': run }, { delivery: limits, 'urgent-delivery': limits });
      await until(() => handled.length === 8);
      await opened.enqueue(job('urgent', { kind: 'urgent-delivery', group: 'person 7' }));
      await until(async () => (await opened.jobs()).every(({ subject }) => subject !== 'urgent'));
      expect([handled.length, handled.at(-1)?.subject]).toEqual([9, 'urgent']);
      gate.resolve();
      await worker.idle(patience());
      expect(handled).toHaveLength(10);
    });
  });

  describe('jobs of one group, one at a time', () => {
    it('run in the order in which they came, also those of one moment, beside those of other groups', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const subjects = Array.from({ length: 20 }, (_, i) => `d${i}`);
      await opened.enqueue(...subjects.map((subject) => delivery(subject)), delivery('other', 'octo/two'));
      let running = 0;
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(async ({ subject }) => {
        if (subject === 'other') return gate.resolve();
        expect(++running).toBe(1);
        // Another group's job is not kept waiting by this one.
        await gate.promise;
        running--;
      });
      await using worker = opened.queue({}).work({ delivery: handlers.run }, { delivery: inTurn });
      await worker.idle(patience());
      expect(handled.map((one) => one.subject).filter((subject) => subject !== 'other')).toEqual(subjects);
    });

    it('are overtaken where they fail, and hold up those behind them neither then nor when they are dead', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      await opened.enqueue(delivery('bad', 'g', at(-3)), delivery('good', 'g', at(-2)));
      const { handled, deaths, handlers } = recorder(async ({ subject }) => {
        if (subject === 'bad') throw new Error('no');
      });
      const queue = opened.queue({ ...time, pollMs: 20 });
      await using worker = queue.work({ delivery: handlers.run }, { delivery: inTurn });
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['bad', 'good']);
      for (let i = 0; i < 2; i++) {
        time.forward(10);
        await worker.idle(patience());
      }
      expect(deaths).toHaveLength(1);
      await opened.enqueue(delivery('next', 'g'));
      await worker.idle(patience());
      expect(handled.map((one) => one.subject)).toEqual(['bad', 'good', 'bad', 'bad', 'next']);
      expect(await queue.depth()).toEqual({ waiting: 0, running: 0, dead: 1 });
    });
  });

  describe('a job that puts itself off', () => {
    it('runs at once when it is asked for again, and is not put off further by whoever asks for later', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      const thread = (runAt: string) => job('thr', { kind: 'publish', group: 'thr', runAt });
      await opened.enqueue(thread(NOW));
      const { handled, handlers } = recorder(async () => {
        if (handled.length > 1) return undefined;
        // Asked for twice while it runs: the earlier moment counts, and is earlier than its own.
        await opened.enqueue(thread(at(20)));
        await opened.enqueue(thread(at(40)));
        return { kind: 'later', runAt: at(60) };
      });
      const publish: JobHandler = handlers.run;
      await using worker = opened.queue({ ...time, pollMs: 20 }).work({ publish }, { publish: inTurn });
      await until(async () => (await opened.jobs())[0]?.runAt === at(20));
      await opened.enqueue(thread(at(50)));
      expect((await opened.jobs())[0]?.runAt).toBe(at(20));
      time.forward(20);
      await until(() => handled.length === 2);
      await worker.idle(patience());
      expect(await opened.jobs()).toEqual([]);
    });
  });
}
