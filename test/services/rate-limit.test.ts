// The sliding minute, as a pure function and as the limiter keeps it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallTimes, createRateLimiter, takeFromQuota } from '../../src/services/rate-limit.ts';

describe('takeFromQuota', () => {
  it('never lets more than the quota through in any minute', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 200 }), fc.integer({ min: 1, max: 10 }), (gaps, quota) => {
        let times: CallTimes = [];
        let now = 1_000_000;
        const passed: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const state = takeFromQuota(times, quota, now);
          times = state.times;
          if (state.allowed) passed.push(now);
          expect(state.remaining).toBeGreaterThanOrEqual(0);
          expect(state.resetSeconds).toBeGreaterThanOrEqual(1);
          expect(state.resetSeconds).toBeLessThanOrEqual(60);
        }
        for (const start of passed) {
          expect(passed.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(quota);
        }
      }),
    );
  });

  it('lets a call through after the wait that it asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30_000), { minLength: 3, maxLength: 3 }), (gaps) => {
        let times: CallTimes = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          times = takeFromQuota(times, 3, now).times;
        }
        const state = takeFromQuota(times, 3, now);
        if (!state.allowed) expect(takeFromQuota(times, 3, now + state.resetSeconds * 1_000).allowed).toBe(true);
      }),
    );
  });

  it('locks no one out when the clock is set back', () => {
    const { times } = takeFromQuota([], 1, 5_000_000);
    expect(takeFromQuota(times, 1, 1_000_000).allowed).toBe(true);
  });
});

describe('createRateLimiter', () => {
  it('says nothing and stops nothing where it is off', () => {
    const verdict = createRateLimiter('off').take('acc_1', 'creation', new Date(0));
    expect(verdict).toEqual({ allowed: true, retryAfter: 0, headers: {} });
  });
});
