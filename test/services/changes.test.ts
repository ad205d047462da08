// The hub that wakes those who wait for a run.
import { expect, it } from 'vitest';
import { createChanges } from '../../src/services/follow.ts';

const never = new AbortController().signal;

it('wakes everyone who waits for the run, and nobody else', async () => {
  const changes = createChanges();
  const woken: string[] = [];
  const stop = new AbortController();
  const waits = ['a', 'a', 'b'].map((run) => changes.next(run, 60_000, stop.signal).then(() => woken.push(run)));
  changes.notify('a');
  await Promise.all(waits.slice(0, 2));
  expect(woken).toEqual(['a', 'a']);
  stop.abort();
  await Promise.all(waits);
});

it('ends a wait by time and by signal, and keeps nothing of it', async () => {
  const changes = createChanges();
  await changes.next('a', 1, never);
  await changes.next('a', 60_000, AbortSignal.abort());
  const stop = new AbortController();
  const wait = changes.next('a', 60_000, stop.signal);
  stop.abort();
  await wait;
  changes.notify('a');
});
