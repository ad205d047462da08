// Calibration against made histories whose truth is known.
import { describe, expect, it } from 'vitest';
import { calibrate, decideThreshold, type JudgedAnswer } from '../../src/core/outcome/calibration.ts';
import type { FollowedAnswer } from '../../src/core/outcome/outcome.ts';

/** Numbers from 0 to 1 (mulberry32), the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Answers of confidences from 0.5 to 1, right as often as `truth` says. */
function makeHistory(seed: number, count: number, truth: (confidence: number) => number): readonly JudgedAnswer[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const confidence = 0.5 + random() / 2;
    return { confidence, isRight: random() < truth(confidence), isFix: true };
  });
}

function follow({ confidence, isRight }: JudgedAnswer, at: number): FollowedAnswer {
  const place = { url: 'https://github.com/octo/shop/pull/1', at: '2026-11-20T00:00:00.000Z' };
  return {
    id: `out_${at}`,
    projectId: 'prj_1',
    answeredAt: '2026-11-19T00:00:00.000Z',
    answer: { kind: 'issue', issueId: `iss_${at}`, outcome: 'code_fix', confidence },
    fate: isRight ? { kind: 'merged', commit: 'abc', ...place } : { kind: 'closed', ...place },
    votes: [],
    override: null,
    readsReactions: true,
    lookedAt: '',
  };
}

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed + 1);
const asStated = (confidence: number) => confidence;

describe('an estimate from a history of known reliability', () => {
  it('comes closer to the truth with more answers, and its intervals hold it', () => {
    const truth = (confidence: number) => confidence - 0.2;
    const errors = [100, 1_000, 10_000].map((count) => {
      const { deciles } = calibrate(makeHistory(7, count, truth).map(follow));
      const known = deciles.filter(({ share }) => share !== null);
      return Math.max(...known.map(({ share, confidence }) => Math.abs((share ?? 0) - truth(confidence ?? 0))));
    });
    expect(errors[1]).toBeLessThan(errors[0] ?? 0);
    expect(errors[2]).toBeLessThan(0.03);
    const bands = SEEDS.flatMap((seed) => calibrate(makeHistory(seed, 1_000, truth).map(follow)).deciles.slice(5));
    const held = bands.filter(({ low, high, confidence }) => {
      const is = truth(confidence ?? 0);
      return low <= is && is <= high;
    });
    expect(held.length / bands.length).toBeGreaterThan(0.93);
  });

  it('has the Brier score that such a history has', () => {
    const { brier } = calibrate(makeHistory(3, 20_000, asStated).map(follow));
    // The mean of c (1 - c) from 0.5 to 1.
    expect(brier).toBeCloseTo(1 / 6, 2);
    expect(calibrate([])).toMatchObject({ answers: 0, brier: null, right: 0 });
  });

  it('says how little a small number says', () => {
    const { deciles } = calibrate(makeHistory(1, 1, () => 1).map(follow));
    const [band] = deciles.filter(({ count }) => count === 1);
    expect(band).toMatchObject({ share: 1, high: 1 });
    expect(band?.low).toBeLessThan(0.25);
  });
});

describe('the threshold', () => {
  it.each([
    ['raised where they are worse than they say', (confidence: number) => confidence - 0.25, [0.85, 0.9, 0.95]],
    ['raised a little', (confidence: number) => (confidence < 0.85 ? 0.5 : confidence), [0.85]],
    ['lowered where the answers below it are better than they say', () => 0.92, [0.7]],
  ])('is %s', (_name, truth, expected) => {
    const values = SEEDS.map((seed) => decideThreshold(makeHistory(seed, 1_000, truth), null).value);
    const moved = values.filter((value) => expected.includes(value));
    expect(moved.length / values.length).toBeGreaterThan(0.95);
  });

  it.each([
    ['as reliable as they say', asStated],
    ['as reliable as the threshold wants just above it, which is the hardest case', (c: number) => Math.max(c, 0.78)],
    ['as reliable as the threshold wants just below it', (c: number) => (c < 0.78 ? 0.78 : c)],
  ])(
    'is moved by chance in at most 5 of 100 histories, whenever it is looked at, where answers are %s',
    (_name, truth) => {
      const moved = SEEDS.filter((seed) => {
        const history = makeHistory(seed, 1_000, truth);
        return history.some(
          (_answer, at) => at % 25 === 24 && decideThreshold(history.slice(0, at + 1), null).value !== 0.78,
        );
      });
      expect(moved.length / SEEDS.length).toBeLessThanOrEqual(0.05);
    },
  );

  it('never leaves 0.7 to 0.95, says why, and counts nothing but fixes', () => {
    const wrong = makeHistory(5, 3_000, () => 0);
    expect(decideThreshold(wrong, null)).toMatchObject({
      value: 0.95,
      reason: { code: 'raised', band: { from: 0.9 } },
    });
    expect(
      decideThreshold(
        makeHistory(5, 3_000, () => 1),
        null,
      ),
    ).toMatchObject({
      value: 0.7,
      reason: { code: 'lowered', band: { from: 0.7, to: 0.78 } },
    });
    const advice = wrong.map((one) => ({ ...one, isFix: false }));
    expect(decideThreshold(advice, null)).toEqual({ value: 0.78, reason: { code: 'unmoved', count: 0 } });
    expect(decideThreshold(wrong, 0.8)).toEqual({ value: 0.8, reason: { code: 'configured' } });
  });
});
