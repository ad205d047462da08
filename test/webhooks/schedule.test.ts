// When a failed delivery is tried again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttempt } from '../../src/webhooks/schedule.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600;

/** Seconds until the next attempt, without jitter; null: dead. */
function wait(attempts: number, retryAfter = '', random = 0.5): number | null {
  const next = nextAttempt({ attempts, retryAfter, now: NOW, random: () => random });
  return next.kind === 'dead' ? null : (Date.parse(next.runAt) - NOW.getTime()) / 1_000;
}

describe('the schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then gives up', () => {
    const waits = Array.from({ length: 10 }, (_, index) => wait(index + 1));
    expect(waits).toEqual([5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR), null]);
    expect(wait(11)).toBeNull();
  });

  it('spreads each wait by a tenth', () => {
    expect([wait(2, '', 0), wait(2, '', 0.999_999)]).toEqual([270, 330]);
  });

  it.each([
    ['3', 5],
    ['60', 60],
    ['31536000', 24 * HOUR],
    ['99999999999999999999999999', 24 * HOUR],
    [' 120 ', 120],
    ['Fri, 20 Nov 2026 12:10:00 GMT', 600],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 5],
    ['Sat, 20 Nov 2027 12:00:00 GMT', 24 * HOUR],
    ['', 5],
    ['soon', 5],
    ['-60', 5],
    ['6e1', 5],
    ['60.5', 5],
    ['0x60', 5],
    ['2026-11-20T13:00:00Z', 5],
    ['Fri, 99 Nov 2026 99:99:99 GMT', 5],
    ['1; banana 2027', 5],
  ])('is lengthened by Retry-After where that makes sense, to at most 24 h: %j', (retryAfter, seconds) => {
    expect(wait(1, retryAfter)).toBe(seconds);
  });

  it('always gives a later moment, or dead, whatever a receiver says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.string(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, retryAfter, random) => {
          const seconds = wait(attempts, retryAfter, random) ?? 0;
          expect(seconds).toBeGreaterThan(0);
          expect(seconds).toBeLessThanOrEqual(26.4 * HOUR);
        },
      ),
    );
  });
});
