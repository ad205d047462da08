// Long loops leave room for others, and end when nobody waits for them any more.
import { expect, it } from 'vitest';
import { eachInSlices } from '../../src/search/slices.ts';

const ITEMS = Array.from({ length: 1_003 }, (_, index) => `item ${index}`);

it('every item has its turn, once and in order, and between slices everybody else has theirs', async () => {
  const seen: string[] = [];
  const seenAtTurns: number[] = [];
  const timer = setInterval(() => {}, 1_000);
  const look = () => {
    seenAtTurns.push(seen.length);
    looking = setImmediate(look);
  };
  let looking = setImmediate(look);
  await eachInSlices(ITEMS, { size: 100, signal: new AbortController().signal }, (item, index) => {
    expect(item).toBe(`item ${index}`);
    seen.push(item);
  });
  clearImmediate(looking);
  clearInterval(timer);
  expect(seen).toEqual(ITEMS);
  expect(seenAtTurns).toEqual(expect.arrayContaining([100, 500, 1_000]));
});

it('after an abort no further slice begins', async () => {
  const abort = new AbortController();
  let seen = 0;
  const working = eachInSlices(ITEMS, { size: 10, signal: abort.signal }, () => {
    seen += 1;
    if (seen === 25) abort.abort(new Error('enough'));
  });
  await expect(working).rejects.toThrow('enough');
  expect(seen).toBe(30);
});
