// What many answers of one model amount to: shares with Wilson intervals, means with bootstrap intervals, both of 95 %.
import type { Outcome } from '../core/outcome/index.ts';
import type { Score } from './score.ts';

/** What one model answered to one case. */
export interface CaseAnswer {
  readonly outcome: Outcome;
  readonly partial: boolean;
  readonly score: Score;
  /** Whether its change applies to the commit before the fix; null: it has none. */
  readonly applies: boolean | null;
  readonly turns: number;
  /** Prompt and completion. */
  readonly tokens: number;
  /** US dollars; at the nominal price where the model has none. */
  readonly costUsd: number;
  readonly seconds: number;
}

export interface Share {
  readonly count: number;
  readonly of: number;
  /** Bounds of the interval, from 0 to 1. */
  readonly low: number;
  readonly high: number;
}

/** All 0 where there are no values. */
export interface Mean {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Summary {
  readonly answers: number;
  readonly firstFile: Share;
  readonly inFive: Share;
  readonly file: Share;
  readonly function: Share;
  readonly line: Share;
  /** Of the answers that have a change. */
  readonly applies: Share;
  readonly covered: { readonly files: Mean; readonly functions: Mean; readonly lines: Mean };
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly turns: Mean;
  readonly tokens: Mean;
  readonly costUsd: Mean;
  readonly totalUsd: number;
  readonly seconds: Mean;
}

export function summarise(answers: readonly CaseAnswer[]): Summary {
  const count = (isRight: (answer: CaseAnswer) => boolean | null) => countShare(answers.map(isRight));
  const average = (value: (answer: CaseAnswer) => number | null) =>
    computeMean(answers.map(value).filter((each) => each !== null));
  const outcomes = Map.groupBy(answers, ({ outcome }) => outcome);
  return {
    answers: answers.length,
    firstFile: count(({ score }) => score.rank === 1),
    inFive: count(({ score }) => score.rank > 0 && score.rank <= 5),
    file: count(({ score }) => score.file),
    function: count(({ score }) => score.function),
    line: count(({ score }) => score.line),
    applies: count(({ applies }) => applies),
    covered: {
      files: average(({ score }) => score.covered?.files ?? null),
      functions: average(({ score }) => score.covered?.functions ?? null),
      lines: average(({ score }) => score.covered?.lines ?? null),
    },
    outcomes: Object.fromEntries([...outcomes].map(([outcome, own]) => [outcome, own.length])),
    turns: average(({ turns }) => turns),
    tokens: average(({ tokens }) => tokens),
    costUsd: average(({ costUsd }) => costUsd),
    totalUsd: answers.reduce((sum, { costUsd }) => sum + costUsd, 0),
    seconds: average(({ seconds }) => seconds),
  };
}

/** Of those that are not null. */
function countShare(values: readonly (boolean | null)[]): Share {
  const known = values.filter((value) => value !== null);
  const count = known.filter(Boolean).length;
  return { count, of: known.length, ...computeWilson(count, known.length) };
}

const Z = 1.959964;

/** The Wilson score interval of a share, at 95 %; 0 to 1 where there is nothing to count. */
export function computeWilson(count: number, of: number): { readonly low: number; readonly high: number } {
  if (of === 0) return { low: 0, high: 1 };
  const share = count / of;
  const z2 = (Z * Z) / of;
  const middle = share + z2 / 2;
  const spread = Z * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of));
  return { low: Math.max(0, (middle - spread) / (1 + z2)), high: Math.min(1, (middle + spread) / (1 + z2)) };
}

const RESAMPLES = 2_000;
const SEED = 20_261_123;

/** The mean and its percentile bootstrap interval, at 95 %; the same numbers give the same interval. */
export function computeMean(values: readonly number[]): Mean {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const random = createRandom(SEED);
  const draw = () => values[Math.floor(random() * values.length)] ?? 0;
  const means = Array.from({ length: RESAMPLES }, () => computeAverage(Array.from(values, draw)));
  means.sort((a, b) => a - b);
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return { mean: computeAverage(values), low: at(0.025), high: at(0.975) };
}

function computeAverage(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mulberry32: from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The value that so great a share of `values` does not exceed; NaN of none. */
export function findQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
