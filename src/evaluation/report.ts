// An evaluation as data, and its figures as text once for every surface: the terminal, the page, JSON.

import { describeOutcome, formatDollars } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import { type Case, describeUnfit, type Unfit } from './cases.ts';
import { type CaseAnswer, type Mean, type Share, type Summary, summarise } from './summary.ts';

export interface Evaluation {
  readonly version: string;
  readonly finishedAt: string;
  /** As a person knows it. */
  readonly repository: string;
  readonly texts: 'github' | 'file' | 'subjects';
  readonly models: readonly string[];
  readonly cases: readonly EvaluatedCase[];
  /** Fixes that are no cases, by reason. */
  readonly unfit: Readonly<Partial<Record<Unfit, number>>>;
  readonly budgetUsd: number;
  /** Of every question asked, those of runs that were killed included. */
  readonly spentUsd: number;
  /** Answers that are missing; the same command asks for them. */
  readonly missing: readonly MissingAnswer[];
}

export interface EvaluatedCase extends Omit<Case, 'report'> {
  /** By model. */
  readonly answers: Readonly<Record<string, StoredAnswer>>;
}

/** With what a person compares by hand. */
export interface StoredAnswer extends CaseAnswer {
  /** Best first, at most eight. */
  readonly files: readonly string[];
  readonly rootCause: string;
}

export interface MissingAnswer {
  readonly case: string;
  readonly model: string;
  readonly reason: 'budget' | 'month' | 'failed' | 'stopped';
  /** For the operator; "" where the reason says it all. */
  readonly detail: string;
}

/** What no figure here can say. */
export const LIMITS = `This cannot know whether a stated cause is right, nor whether a change passes the tests: read the
causes yourself. Near the project's own fix is not the same as right, and a fix elsewhere can be as good. A model may
remember the real fix, and an issue's text may have been edited after it.`.replaceAll('\n', ' ');

export const INTERVALS =
  'In brackets: 95 % intervals; Wilson for shares, bootstrap over the cases for means, with equal numbers giving equal intervals.';

const TEXTS: Readonly<Record<Evaluation['texts'], string>> = {
  github: 'reports from GitHub',
  file: 'reports from a file',
  subjects: "the fixes' own commit messages as reports, which give the fix away",
};

/** A script by its file's name alone. */
export function nameModel(model: string): string {
  return model.startsWith('scripted:') ? `scripted:${model.split(/[/\\]/).at(-1)}` : model;
}

/** Such as `20 cases of octo/shop: reports from GitHub, each at the commit before its fix.` */
export function describeCases({ cases, repository, texts, unfit }: Evaluation): readonly string[] {
  const count = `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`;
  const left = Object.entries(unfit).map(
    ([reason, number]) => `${number} ${number === 1 ? 'fix' : 'fixes'} ${describeUnfit(reason as Unfit)}`,
  );
  return [
    `${count} of ${repository}: ${TEXTS[texts]}, each at the commit before its fix.`,
    ...(left.length === 0 ? [] : [`Left out: ${left.join('; ')}.`]),
  ];
}

/** One row of the table: a figure of each model, in the order of the models. */
export interface FigureRow {
  readonly label: string;
  readonly cells: readonly string[];
}

export function summariseModels(
  models: readonly string[],
  cases: readonly EvaluatedCase[],
): readonly (readonly [string, Summary])[] {
  return models.map((model) => [model, summarise(cases.flatMap(({ answers }) => answers[model] ?? []))]);
}

/** Of these cases. `isWhole`: also what the answers cost and how they ended. */
export function listFigures(
  models: readonly string[],
  cases: readonly EvaluatedCase[],
  isWhole = true,
): readonly FigureRow[] {
  const summaries = summariseModels(models, cases).map(([, summary]) => summary);
  const toRow = (label: string, format: (summary: Summary) => string): FigureRow => ({
    label,
    cells: summaries.map((summary) => (summary.answers === 0 ? '–' : format(summary))),
  });
  const places = [
    { label: 'answers', cells: summaries.map(({ answers }) => String(answers)) },
    toRow('right file first', ({ firstFile }) => formatShare(firstFile)),
    toRow('right file in five', ({ inFive }) => formatShare(inFive)),
    toRow('place in a changed file', ({ file }) => formatShare(file)),
    toRow('place in a changed function', ({ function: inFunction }) => formatShare(inFunction)),
    toRow('place near a changed line', ({ line }) => formatShare(line)),
  ];
  if (!isWhole) return places;
  return [
    ...places,
    toRow('change applies', ({ applies }) => (applies.of === 0 ? 'no change' : `${applies.count} of ${applies.of}`)),
    toRow('fix covered: files', (summary) => formatCovered(summary, 'files')),
    toRow('fix covered: functions', (summary) => formatCovered(summary, 'functions')),
    toRow('fix covered: lines', (summary) => formatCovered(summary, 'lines')),
    toRow('outcome', ({ outcomes }) => formatOutcomes(outcomes)),
    toRow('turns', ({ turns }) => formatMean(turns, (value) => value.toFixed(1))),
    toRow('tokens', ({ tokens }) => formatMean(tokens, formatTokenCount)),
    toRow('cost', ({ costUsd }) => formatMean(costUsd, formatDollars)),
    toRow('cost of all', ({ totalUsd }) => formatDollars(totalUsd)),
    toRow('seconds', ({ seconds }) => formatMean(seconds, (value) => value.toFixed(value < 10 ? 1 : 0))),
  ];
}

function formatShare({ count, of, low, high }: Share): string {
  if (of === 0) return '–';
  const percent = (share: number) => Math.round(share * 100);
  return `${percent(count / of)} % (${percent(low)}–${percent(high)})`;
}

function formatMean({ mean, low, high }: Mean, format: (value: number) => string): string {
  return low === high ? format(mean) : `${format(mean)} (${format(low)}–${format(high)})`;
}

function formatCovered({ applies, covered }: Summary, what: keyof Summary['covered']): string {
  if (applies.of === 0) return '–';
  return formatMean(covered[what], (value) => `${Math.round(value * 100)} %`);
}

function formatOutcomes(outcomes: Readonly<Partial<Record<Outcome, number>>>): string {
  const sorted = Object.entries(outcomes).toSorted(([, a], [, b]) => b - a);
  return sorted.map(([outcome, count]) => `${count} ${describeOutcome(outcome as Outcome)}`).join(', ');
}

function formatTokenCount(value: number): string {
  return value < 1_000 ? value.toFixed(0) : `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)}k`;
}

/** Such as `right file 2nd, near the change`. */
export function describeScore({ score }: Pick<CaseAnswer, 'score'>): string {
  const { rank, line, function: inFunction } = score;
  if (rank === 0) return 'right file not named';
  const place = line ? 'near a changed line' : inFunction === true ? 'in a changed function' : '';
  return `right file ${rank === 1 ? 'first' : `at rank ${rank}`}${place === '' ? '' : `, ${place}`}`;
}
