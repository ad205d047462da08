// The queue's contract: people before what nobody asked for, and organisations by turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ClaimedJob, NewJob } from '../../src/core/queue.ts';
import { clock, job, patience, recorder, runLimits, until } from '../support/queue-samples.ts';
import { at } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const MINUTE = 60;
const ONE = runLimits(1, 1);

const automatic = (subject: string, changes: Partial<NewJob> = {}) =>
  job(subject, { urgency: 'automatic', ...changes });

/** Jobs of one organisation, each of another repository. */
const flood = (organisation: string, count: number, changes: Partial<NewJob> = {}) =>
  Array.from({ length: count }, (_, i) =>
    job(`${organisation}${i}`, { organisation, group: `${organisation} ${i}`, runAt: at(i - 2_000), ...changes }),
  );

const subjects = (handled: readonly ClaimedJob[]) => handled.map(({ subject }) => subject);

/** Everything that is due, in the order in which it is begun, one at a time. */
async function worked(opened: Opened, now?: () => Date): Promise<readonly string[]> {
  const { handled, handlers } = recorder();
  await using worker = opened.queue(now ? { now } : {}).work(handlers, ONE);
  await worker.idle(patience());
  return subjects(handled);
}

export function orderContract(engine: Engine): void {
  describe('people and what nobody asked for', () => {
    it('a job of a person goes before automatic ones that have been due for longer, of its group and of others', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { now } = clock();
      await opened.enqueue(
        automatic('a1', { runAt: at(-300) }),
        automatic('a2', { runAt: at(-200), group: 'h' }),
        job('p1', { runAt: at(-20) }),
        job('p2', { runAt: at(-10), group: 'i', organisation: 'octo' }),
        job('later', { runAt: at(10) }),
      );
      expect(await worked(opened, now)).toEqual(['p1', 'p2', 'a1', 'a2']);
    });

    it('whoever asks for a job makes it a person’s, and nobody makes it less', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { now } = clock();
      await opened.enqueue(automatic('a', { runAt: at(-3) }), automatic('b', { runAt: at(-2) }));
      await opened.enqueue(job('b', { runAt: at(-1) }));
      await opened.enqueue(automatic('b', { runAt: at(-2) }));
      // Asked for twice in one transaction.
      await opened.enqueue(job('c', { runAt: at(-1) }), automatic('c', { runAt: at(-1) }));
      expect((await opened.jobs()).map(({ subject, urgency }) => [subject, urgency])).toEqual([
        ['a', 'automatic'],
        ['b', 'person'],
        ['c', 'person'],
      ]);
      expect((await opened.jobs())[1]).toMatchObject({ runAt: at(-2) });
      expect(await worked(opened, now)).toEqual(['b', 'c', 'a']);
    });

    it('one that a person asks for while it runs comes again as a person’s', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { now } = clock();
      await opened.enqueue(automatic('a', { runAt: at(-9) }), automatic('b', { runAt: at(-8) }));
      const { handled, handlers } = recorder(async () => {
        if (handled.length === 1) await opened.enqueue(job('a'));
      });
      await using worker = opened.queue({ now }).work(handlers, ONE);
      await worker.idle(patience());
      expect(subjects(handled)).toEqual(['a', 'a', 'b']);
    });

    it('an urgency lives through a failed try and a way back from the dead', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      const place2 = { organisation: 'octo', group: 'octo 1' };
      await opened.enqueue(automatic('bad', { ...place2, runAt: at(-9) }));
      const failing = recorder(() => Promise.reject(new Error('no')));
      const queue = opened.queue({ ...time, pollMs: 20 });
      {
        await using worker = queue.work(failing.handlers, ONE);
        for (let i = 0; i < 3; i++) {
          await worker.idle(patience());
          time.forward(10);
        }
      }
      expect(failing.deaths).toHaveLength(1);
      await queue.redrive('run');
      expect(await opened.jobs()).toMatchObject([{ subject: 'bad', urgency: 'automatic', organisation: 'octo' }]);
    });

    it('an automatic job is begun under a flood of people’s: one in ten minutes, the one due longest', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const time = clock();
      const people = Array.from({ length: 30 }, (_, i) => job(`p${i}`));
      await opened.enqueue(
        ...people,
        automatic('a1', { runAt: at(-9 * MINUTE) }),
        automatic('a2', { runAt: at(-8 * MINUTE) }),
      );
      // Each takes a minute.
      const { handled, handlers } = recorder(async () => time.forward(MINUTE));
      await using worker = opened.queue({ now: time.now, pollMs: 20 }).work(handlers, ONE);
      await worker.idle(patience());
      const begun = subjects(handled);
      expect(begun.indexOf('a1')).toBe(1);
      expect(begun.indexOf('a2')).toBeGreaterThanOrEqual(11);
      expect(begun.indexOf('a2')).toBeLessThanOrEqual(13);
      expect(begun).toHaveLength(32);
    });
  });

  describe('organisations', () => {
    it.each(['person', 'automatic'] as const)(
      'the first %s job of one waits for the next free slot, not for the 1,000 of another',
      async (urgency) => {
        await using place = await engine.place();
        await using opened = await place.open();
        const gates: PromiseWithResolvers<void>[] = [];
        const { handled, handlers } = recorder(() => {
          const gate = Promise.withResolvers<void>();
          gates.push(gate);
          return gate.promise;
        });
        await opened.enqueue(...flood('big', 1_000, { urgency }));
        await using _worker = opened.queue({ pollMs: 20 }).work(handlers, runLimits(4, 1));
        await until(() => handled.length === 4);
        await opened.enqueue(...flood('small', 2, { urgency, runAt: at(0) }));
        gates[0]?.resolve();
        await until(() => handled.length === 5);
        expect(handled[4]?.subject).toBe('small0');
        gates[1]?.resolve();
        await until(() => handled.length === 6);
        // Two slots are less than its share of four.
        expect(handled[5]?.subject).toBe('small1');
        for (const gate of gates) gate.resolve();
      },
    );

    it('that has all other slots of a process leaves the last one to another that is known', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(({ subject }) => (subject === 'b0' ? Promise.resolve() : gate.promise));
      await using worker = opened.queue({ pollMs: 20 }).work(handlers, runLimits(4, 1));
      await opened.enqueue(...flood('b', 1));
      await worker.idle(patience());
      await opened.enqueue(...flood('a', 9));
      await until(() => handled.length === 4);
      // It has looked again several times.
      await sleep(100);
      expect(subjects(handled)).toEqual(['b0', 'a0', 'a1', 'a2']);
      await opened.enqueue(job('b1', { organisation: 'b' }));
      await until(() => handled.length === 5);
      expect(handled[4]?.subject).toBe('b1');
      gate.resolve();
      await worker.idle(patience());
      expect(handled).toHaveLength(11);
    });

    it.each([
      ['one that alone is known', '', 'a'],
      ['what belongs to none', 'a', ''],
    ])('leave no slot free to nobody: %s has all of them', async (_, known, busy) => {
      await using place = await engine.place();
      await using opened = await place.open();
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(({ kind }) => (kind === 'webhook' ? Promise.resolve() : gate.promise));
      await using worker = opened.queue({ pollMs: 20 }).work(handlers, runLimits(3, 1));
      await opened.enqueue(job('first', { kind: 'webhook', organisation: known }));
      await worker.idle(patience());
      await opened.enqueue(...flood(busy, 5));
      await until(() => handled.length === 4);
      expect(subjects(handled)).toEqual(['first', `${busy}0`, `${busy}1`, `${busy}2`]);
      gate.resolve();
      await worker.idle(patience());
    });

    it('take turns where there is one slot, however many jobs each has', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const many = flood('a', 6, { urgency: 'automatic' });
      await opened.enqueue(...many, ...flood('b', 2, { runAt: at(-5), urgency: 'automatic' }));
      await opened.enqueue(automatic('c0', { organisation: 'c', group: 'c', runAt: at(-4) }));
      // Due for so long that one of them is overdue, which changes nothing among themselves.
      expect(await worked(opened)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4', 'a5']);
    });

    it('that sends one job after the other is not new each time', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      await opened.enqueue(...flood('a', 3), ...flood('b', 1));
      let sent = 1;
      const { handled, handlers } = recorder(async ({ subject }) => {
        if (!subject.startsWith('b') || sent === 3) return;
        await opened.enqueue(job(`b${sent}`, { organisation: 'b', group: 'b', runAt: at(-sent++) }));
      });
      await using worker = opened.queue({ pollMs: 20 }).work(handlers, ONE);
      await worker.idle(patience());
      expect(subjects(handled)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    });

    it('a person’s job goes before the automatic ones of every organisation', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { now } = clock();
      const others = ['a', 'b', 'c'].map((name) =>
        automatic(name, { organisation: name, group: name, runAt: at(-100) }),
      );
      const people = [job('p1', { organisation: 'd' }), job('p2', { organisation: 'd' })];
      await opened.enqueue(...others, ...people);
      expect((await worked(opened, now)).slice(0, 2)).toEqual(['p1', 'p2']);
    });

    it('are passed by where all their groups are at their limit', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const gate = Promise.withResolvers<void>();
      const { handled, handlers } = recorder(() => gate.promise);
      const { now } = clock();
      const full = { organisation: 'a', group: 'a', runAt: at(-9) };
      await opened.enqueue(job('a1', full), job('a2', full), automatic('b1', { organisation: 'b', group: 'b' }));
      await using worker = opened.queue({ now, pollMs: 20 }).work(handlers, runLimits(3, 1));
      await until(() => handled.length === 2);
      expect(subjects(handled)).toEqual(['a1', 'b1']);
      gate.resolve();
      await worker.idle(patience());
      expect(handled).toHaveLength(3);
    });
  });
}
