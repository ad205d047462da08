// The verdict on a red check holds whatever the evidence.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckEvidence } from '../../src/ci/judge.ts';
import { judgeCheck } from '../../src/ci/judge.ts';
import { type ReadCheck, readCheck } from '../../src/ci/read-check.ts';

import { describeReason } from '../../src/core/verdict.ts';
import { actionsLog, JEST, TSC } from './logs.ts';

function read(output: readonly string[]): ReadCheck {
  return readCheck({ name: 'test (20)', output: '', log: actionsLog('npm test', output), annotations: [] });
}

const DISK = read(['cc: No space left on device']);

describe('whatever the evidence', () => {
  const history = fc.option(
    fc.record({
      isOpenOnDefault: fc.boolean(),
      hits: fc.nat({ max: 9 }),
      flakyHits: fc.nat({ max: 9 }),
      pullRequests: fc.nat({ max: 3 }),
      branches: fc.nat({ max: 3 }),
    }),
  );
  const any: fc.Arbitrary<CheckEvidence> = fc.record({
    name: fc.constantFrom('test (20)', ''),
    conclusion: fc.constantFrom('failure', 'timed_out', 'error'),
    read: fc.constantFrom(read(JEST), read(TSC), DISK, read([])),
    passedHere: fc.boolean(),
    base: fc.record({
      name: fc.constantFrom('test (20)', ''),
      state: fc.constantFrom('green', 'red', 'unknown'),
      sameCause: fc.constantFrom(true, false, null),
    }),
    history,
    changed: fc.option(
      fc.record({ paths: fc.subarray(['src/coupons.js', 'src/cart.ts', 'a.md']), isCut: fc.boolean() }),
    ),
    isOnDefault: fc.boolean(),
  });

  it('there are reasons, and none is empty', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { reasons } = judgeCheck(given);
        expect(reasons.length).toBeGreaterThan(0);
        expect(reasons.every((reason) => describeReason(reason).trim() !== '')).toBe(true);
      }),
    );
  });

  it('the default branch is never excused by itself', () => {
    fc.assert(
      fc.property(any, (given) => {
        expect(judgeCheck({ ...given, isOnDefault: true }).verdict).not.toBe('base_broken');
      }),
    );
  });

  it('its order changes nothing', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { changed, read: found } = given;
        const turned: CheckEvidence = {
          ...given,
          read: { ...found, places: found.places.toReversed() },
          changed: changed && { ...changed, paths: changed.paths.toReversed() },
        };
        expect(judgeCheck(turned)).toEqual(judgeCheck(given));
      }),
    );
  });
});
