// Jobs that were there when their process ended three times or more: one at a time in each process, the least tried first.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { job, patience, plenty, recorder, until } from '../support/queue-samples.ts';
import type { Engine, Place } from './engine.ts';

const all = { run: plenty, webhook: plenty };
const QUICK = { pollMs: 5, suspectMs: 10 };
const YOUNG = { pollMs: 5, suspectMs: 60_000 };

/** A place with these jobs, each with so many ends of its process behind it. */
async function placeWith(engine: Engine, ends: Readonly<Record<string, number>>): Promise<Place> {
  const place = await engine.place();
  await using opened = await place.open();
  await opened.enqueue(...Object.keys(ends).map((subject) => job(subject)));
  for (const [subject, count] of Object.entries(ends)) await opened.endedIn(subject, count);
  return place;
}

export function suspectsContract(engine: Engine): void {
  describe('jobs that were there when their process ended three times', () => {
    it('run one after the other, the least tried first, while all others run at once', async () => {
      await using place = await placeWith(engine, { five: 5, three: 3, four: 4, one: 1, two: 2 });
      await using opened = await place.open();
      let now = 0;
      let most = 0;
      const suspects = new Set(['three', 'four', 'five']);
      const { handled, handlers } = recorder(async ({ subject }) => {
        if (!suspects.has(subject)) return;
        now += 1;
        most = Math.max(most, now);
        await sleep(20);
        now -= 1;
      });
      await using worker = opened.queue(QUICK).work(handlers, all);
      await worker.idle(patience());
      expect(most).toBe(1);
      const subjects = handled.map(({ subject }) => subject);
      expect(subjects.filter((subject) => suspects.has(subject))).toEqual(['three', 'four', 'five']);
      const said = handled.map(({ subject, attempt }) => `${subject} ${attempt}`);
      expect(said.toSorted()).toEqual(['five 6', 'four 5', 'one 2', 'three 4', 'two 3']);
    });

    it('that fail, and are to be tried again, let the next one go meanwhile', async () => {
      await using place = await placeWith(engine, { bad: 3, good: 4 });
      await using opened = await place.open();
      const { handled, handlers } = recorder(async ({ subject }) => {
        if (subject === 'bad') throw new Error('no');
      });
      await using worker = opened.queue(QUICK).work(handlers, all);
      await worker.idle(patience());
      expect(handled.map(({ subject }) => subject)).toEqual(['bad', 'good']);
    });

    it('wait until their process has lived for a while, so that kills in quick succession do not use up their tries', async () => {
      await using place = await placeWith(engine, { often: 4, never: 0 });
      for (let life = 0; life < 3; life++) {
        await using opened = await place.open();
        const { handled, handlers } = recorder();
        await using _worker = opened.queue(YOUNG).work(handlers, all);
        if (life === 0) await until(() => handled.length > 0);
        // Time for the other, if it were let through.
        await sleep(150);
        expect(handled.map(({ subject }) => subject)).toEqual(life === 0 ? ['never'] : []);
      }
      await using opened = await place.open();
      const { handled, handlers } = recorder();
      await using worker = opened.queue({ ...YOUNG, suspectMs: 50 }).work(handlers, all);
      await worker.idle(patience());
      expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual(['often 5']);
    });

    it('are not those that failed, or were given back by a worker that stopped', async () => {
      await using place = await placeWith(engine, { bad: 2 });
      await using opened = await place.open();
      const bad = recorder(() => Promise.reject(new Error('no')));
      {
        await using worker = opened.queue(YOUNG).work(bad.handlers, all);
        await worker.idle(patience());
      }
      // Two ends and one failure: at once, in a process however young.
      const { handled, handlers } = recorder();
      const now = () => new Date(Date.now() + 60_000);
      await using worker = opened.queue({ ...YOUNG, now }).work(handlers, all);
      await worker.idle(patience());
      expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual(['bad 4']);
    });
  });
}
