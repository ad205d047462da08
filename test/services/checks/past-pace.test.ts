// The past of many repositories is read at a pace that leaves an installation's calls to what happens now.
import { expect, it } from 'vitest';
import { createPastPace } from '../../../src/services/backfill.ts';

const HOUR = 3_600_000;

it('two repositories are read at once, and the third when calls have come back', () => {
  const pace = createPastPace();
  expect(pace.readyAt(1, 0)).toBe(0);
  pace.spent(1, 500, 0);
  expect(pace.readyAt(1, 0)).toBe(0);
  pace.spent(1, 500, 0);
  expect(pace.readyAt(1, 0)).toBe((50 * HOUR) / 1_000);
  expect(pace.readyAt(1, HOUR)).toBe(HOUR);
});

it('in a day no more than its share is spent, however often it is asked', () => {
  const pace = createPastPace();
  let spent = 0;
  for (let now = 0; now < 24 * HOUR; now += 60_000) {
    while (pace.readyAt(1, now) <= now) {
      pace.spent(1, 100, now);
      spent += 100;
    }
  }
  expect(spent).toBeLessThanOrEqual(25 * 1_000 + 100);
  expect(spent).toBeGreaterThan(22 * 1_000);
});

it('another installation has calls of its own', () => {
  const pace = createPastPace();
  pace.spent(1, 1_000, 0);
  expect(pace.readyAt(2, 0)).toBe(0);
});
