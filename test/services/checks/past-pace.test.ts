// The past of many repositories is read at a pace that leaves an installation's calls to what happens now.
import { expect, it } from 'vitest';
import { createCallAllowance } from '../../../src/services/backfill.ts';

const HOUR = 3_600_000;

it('two repositories are read at once, and the third when calls have come back', () => {
  const pace = createCallAllowance();
  expect(pace.findReady(1, 0)).toBe(0);
  pace.spend(1, 500, 0);
  expect(pace.findReady(1, 0)).toBe(0);
  pace.spend(1, 500, 0);
  expect(pace.findReady(1, 0)).toBe((50 * HOUR) / 1_000);
  expect(pace.findReady(1, HOUR)).toBe(HOUR);
});

it('in a day no more than its share is spent, however often it is asked', () => {
  const pace = createCallAllowance();
  let spent = 0;
  for (let now = 0; now < 24 * HOUR; now += 60_000) {
    while (pace.findReady(1, now) <= now) {
      pace.spend(1, 100, now);
      spent += 100;
    }
  }
  expect(spent).toBeLessThanOrEqual(25 * 1_000 + 100);
  expect(spent).toBeGreaterThan(22 * 1_000);
});

it('another installation has calls of its own', () => {
  const pace = createCallAllowance();
  pace.spend(1, 1_000, 0);
  expect(pace.findReady(2, 0)).toBe(0);
});
