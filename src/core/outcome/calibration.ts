// Whether confidence can be relied on: how often answers of each confidence were right, and the threshold that follows. Pure.

import type { Verdict } from '../check/index.ts';
import { type ClaimedAnswer, type FollowedAnswer, judgeAnswer } from './outcome.ts';

/** From this confidence on, a fix for a failing default branch is opened without a request, until evidence moves it. */
const FIRST_THRESHOLD = 0.78;
export const LEAST_THRESHOLD = 0.7;
export const MOST_THRESHOLD = 0.95;

/** A threshold moves from one of these to the next. */
const THRESHOLDS = [LEAST_THRESHOLD, FIRST_THRESHOLD, 0.85, 0.9, MOST_THRESHOLD] as const;

/** An answer of which it is known whether it was right. */
export interface JudgedAnswer {
  readonly confidence: number;
  readonly isRight: boolean;
  /** Only these can be opened as a pull request. */
  readonly isFix: boolean;
}

/** How many of some answers were right, with the interval in which the true share lies with a probability of 95 %. */
export interface Reliability {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly right: number;
  /** Mean confidence; null: there are none, as for the next. */
  readonly confidence: number | null;
  readonly share: number | null;
  readonly low: number;
  readonly high: number;
}

export interface Calibration {
  /** Answers with a confidence, and how many of them nothing is known of. */
  readonly answers: number;
  readonly unknown: number;
  readonly right: number;
  readonly wrong: number;
  /** Mean squared distance of confidence from the truth: 0 is perfect, 0.25 what 50 % for all would get; null: no answers. */
  readonly brier: number | null;
  /** Ten bands of confidence, the lowest first. */
  readonly deciles: readonly Reliability[];
  readonly verdicts: readonly VerdictCount[];
}

interface VerdictCount {
  readonly verdict: Verdict;
  readonly confirmed: number;
  readonly refuted: number;
}

type ThresholdReason =
  /** `pull_request.threshold` in the configuration. */
  | { readonly code: 'configured' }
  /** The evidence moves it neither way. `count`: fixes of which it is known whether they were right. */
  | { readonly code: 'unmoved'; readonly count: number }
  /** Fixes of these confidences were right less often than the first threshold says, or more often. */
  | { readonly code: 'raised' | 'lowered'; readonly band: Reliability };

export interface Threshold {
  readonly value: number;
  readonly reason: ThresholdReason;
}

export function calibrate(followed: readonly FollowedAnswer[]): Calibration {
  const judged = toJudged(followed);
  const right = judged.filter(({ isRight }) => isRight).length;
  const answers = followed.filter(({ answer }) => getConfidence(answer) !== null).length;
  const errors = judged.map(({ confidence, isRight }) => (confidence - (isRight ? 1 : 0)) ** 2);
  return {
    answers,
    unknown: answers - judged.length,
    right,
    wrong: judged.length - right,
    brier: errors.length === 0 ? null : sum(errors) / errors.length,
    deciles: Array.from({ length: 10 }, (_, at) => measureBand(judged, at / 10, (at + 1) / 10)),
    verdicts: countVerdicts(followed),
  };
}

/** Those of which it is known whether they were right. */
export function toJudged(followed: readonly FollowedAnswer[]): readonly JudgedAnswer[] {
  return followed.flatMap((one) => {
    const confidence = getConfidence(one.answer);
    const judgement = judgeAnswer(one);
    if (confidence === null || judgement === null || one.answer.kind !== 'issue') return [];
    return [{ confidence, isRight: judgement === 'right', isFix: one.answer.outcome === 'code_fix' }];
  });
}

function getConfidence(answer: ClaimedAnswer): number | null {
  return answer.kind === 'issue' && answer.outcome !== 'facts_only' ? answer.confidence : null;
}

function countVerdicts(followed: readonly FollowedAnswer[]): readonly VerdictCount[] {
  const verdicts = ['code', 'base_broken', 'flaky', 'infrastructure'] as const;
  return verdicts.map((verdict) => {
    const of = followed
      .filter(({ answer }) => answer.kind === 'verdict' && answer.verdict === verdict)
      .map(judgeAnswer);
    const count = (wanted: string) => of.filter((judgement) => judgement === wanted).length;
    return { verdict, confirmed: count('right'), refuted: count('wrong') };
  });
}

/** `to` is excluded, unless it is 1. */
function measureBand(judged: readonly JudgedAnswer[], from: number, to: number): Reliability {
  const isIn = ({ confidence }: JudgedAnswer) => confidence >= from && (confidence < to || to === 1);
  const band = judged.filter(isIn);
  const count = band.length;
  const right = band.filter(({ isRight }) => isRight).length;
  if (count === 0) return { from, to, count, right, confidence: null, share: null, low: 0, high: 1 };
  const confidence = sum(band.map((one) => one.confidence)) / count;
  return { from, to, count, right, confidence, share: right / count, ...computeInterval(right, count) };
}

/** Of 95 %. */
const DEVIATIONS = 1.96;

/** Wilson's: also right for few answers, and for shares near 0 and 1. */
function computeInterval(right: number, count: number): { readonly low: number; readonly high: number } {
  const share = right / count;
  const square = DEVIATIONS ** 2;
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const width =
    (DEVIATIONS / (1 + square / count)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count ** 2));
  return { low: Math.max(0, middle - width), high: Math.min(1, middle + width) };
}

/**
 * Half of 5 % for either direction: a history of answers that are as reliable as they say moves the threshold at some
 * time with at most this probability each.
 */
const FALSE_MOVE = 0.025;

/**
 * Rises from 0.78 past each band of confidence of which the evidence shows that fewer than 78 % of its fixes are right,
 * and falls to 0.7 where it shows that of the fixes from 0.7 to 0.78 more are. It is computed again after every answer,
 * so the evidence is a test that may be looked at any number of times.
 */
export function decideThreshold(judged: readonly JudgedAnswer[], configured: number | null): Threshold {
  if (configured !== null) return { value: configured, reason: { code: 'configured' } };
  const fixes = judged.filter(({ isFix }) => isFix);
  let threshold: Threshold = { value: FIRST_THRESHOLD, reason: { code: 'unmoved', count: fixes.length } };
  for (const [at, from] of THRESHOLDS.entries()) {
    const to = THRESHOLDS[at + 1];
    if (from < FIRST_THRESHOLD || to === undefined) continue;
    const band = measureBand(fixes, from, to);
    if (!isShown(band, 'below')) break;
    threshold = { value: to, reason: { code: 'raised', band } };
  }
  if (threshold.reason.code === 'raised') return threshold;
  const band = measureBand(fixes, LEAST_THRESHOLD, FIRST_THRESHOLD);
  return isShown(band, 'above') ? { value: LEAST_THRESHOLD, reason: { code: 'lowered', band } } : threshold;
}

/** Points at which the alternatives are weighed. */
const GRID = 200;

/**
 * Whether the share of right answers is shown to be below or above the first threshold: the likelihood of what was
 * seen, averaged over all such shares, is 1 / FALSE_MOVE times that at the threshold. By Ville's inequality this
 * happens by chance at no time of a whole history with more than FALSE_MOVE.
 */
function isShown({ right, count }: Reliability, side: 'below' | 'above'): boolean {
  const wrong = count - right;
  const [from, to] = side === 'below' ? [0, FIRST_THRESHOLD] : [FIRST_THRESHOLD, 1];
  const ratios = Array.from({ length: GRID }, (_, at) => {
    const share = from + ((at + 0.5) / GRID) * (to - from);
    return Math.exp(right * Math.log(share / FIRST_THRESHOLD) + wrong * Math.log((1 - share) / (1 - FIRST_THRESHOLD)));
  });
  return sum(ratios) / GRID >= 1 / FALSE_MOVE;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Why it is what it is, for the brackets behind it: `default`, or what moved it. May contain backticks. */
export function describeThreshold({ reason }: Threshold): string {
  switch (reason.code) {
    case 'configured':
      return 'set by `pull_request.threshold`';
    case 'unmoved':
      return 'default';
    case 'raised':
    case 'lowered': {
      const { from, to, right, count } = reason.band;
      const range = `${toPercent(from)} to ${toPercent(to)} % confidence`;
      return `${reason.code} from ${toPercent(FIRST_THRESHOLD)} %: of ${count} fixes with ${range}, ${right} ${right === 1 ? 'was' : 'were'} right`;
    }
  }
}

function toPercent(share: number): number {
  return Math.round(share * 100);
}
