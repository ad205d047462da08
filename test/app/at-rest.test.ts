// Rest is when the event loop has next to nothing to do.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { untilAtRest } from '../../src/app/at-rest.ts';

it('is waited for while there is work, and found afterwards', async () => {
  let [isBusy, isFound] = [true, false];
  const work = (async () => {
    while (isBusy) {
      for (const end = performance.now() + 5; performance.now() < end; );
      await wait(1);
    }
  })();
  const rest = untilAtRest(new AbortController().signal).then(() => {
    isFound = true;
  });
  await wait(1_500);
  expect(isFound).toBe(false);
  isBusy = false;
  await work;
  // The wait itself keeps nothing alive.
  const alive = setInterval(() => undefined, 1_000);
  await rest;
  clearInterval(alive);
});

it('is not waited for once the signal aborts', async () => {
  const stop = new AbortController();
  const rest = untilAtRest(stop.signal);
  stop.abort();
  await rest;
});
