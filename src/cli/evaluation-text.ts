// `eval` in the terminal: its table, the cases whose report gives the fix away, and the lines of its progress.

import { toPrintableLine } from 'causeway-safe-markdown';
import { formatDollars } from '../core/issue/index.ts';
import {
  describeCases,
  describeLeak,
  describeScore,
  type Evaluation,
  type FigureRow,
  INTERVALS,
  LIMITS,
  listFigures,
  type MissingAnswer,
  nameModel,
  type StoredAnswer,
} from '../evaluation/index.ts';
import type { TextLayout } from './render.ts';
import { createStyle, padEnd, truncateColumns, wrap } from './terminal.ts';

const LABEL_COLUMNS = 28;
const CELL_COLUMNS = 24;
const MAX_COLUMNS = 100;

/** Ends with a line feed. Models that do not fit next to each other follow in further tables. */
export function renderEvaluation(evaluation: Evaluation, layout: TextLayout): string {
  const { cases, models, missing, spentUsd, budgetUsd } = evaluation;
  const columns = Math.min(layout.columns, MAX_COLUMNS);
  const paint = createStyle(layout.colour);
  const page = { columns, colour: layout.colour };
  const leaking = cases.filter(({ leaks }) => leaks.length > 0);
  const clean = cases.filter(({ leaks }) => leaks.length === 0);
  const spent = models.some((model) => model !== 'none')
    ? [`Spent ${formatDollars(spentUsd)} of ${formatDollars(budgetUsd)}.`]
    : [];
  const sections = [
    describeCases(evaluation).flatMap((line) => wrap(toPrintableLine(line), columns, '')),
    renderTables(models, listFigures(models, cases), page),
    ...(leaking.length === 0
      ? []
      : [
          [
            paint.bold(`The report gives the fix away in ${leaking.length} of them:`),
            ...leaking.map(({ name, leaks }) => `  ${toPrintableLine(name)}: ${leaks.map(describeLeak).join(', ')}`),
          ],
          [paint.bold('Without these:'), ...renderTables(models, listFigures(models, clean, false), page)],
        ]),
    ...(missing.length === 0 ? [] : [renderMissingAnswers(missing)]),
    [...spent, INTERVALS, LIMITS].flatMap((line) => wrap(line, columns, '')),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderTables(
  models: readonly string[],
  rows: readonly FigureRow[],
  { columns, colour }: TextLayout,
): string[] {
  const paint = createStyle(colour);
  const fitting = Math.max(1, Math.floor((columns - LABEL_COLUMNS) / CELL_COLUMNS));
  const tables: string[][] = [];
  for (let from = 0; from < models.length; from += fitting) {
    const some = models
      .slice(from, from + fitting)
      .map((model) => truncateColumns(toPrintableLine(nameModel(model)), CELL_COLUMNS - 2));
    tables.push([
      `${' '.repeat(LABEL_COLUMNS)}${some.map((model) => paint.bold(padEnd(model, CELL_COLUMNS))).join('')}`.trimEnd(),
      ...rows.flatMap(({ label, cells }) => renderFigureRow(label, cells.slice(from, from + fitting))),
    ]);
  }
  return tables.flatMap((table, at) => (at === 0 ? table : ['', ...table]));
}

/** Cells that are too long go on below. */
function renderFigureRow(label: string, cells: readonly string[]): string[] {
  const wrapped = cells.map((cell) => wrap(cell, CELL_COLUMNS - 2, ''));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => {
    const texts = wrapped.map((lines) => padEnd(lines[at] ?? '', CELL_COLUMNS));
    return `${padEnd(at === 0 ? label : '', LABEL_COLUMNS)}${texts.join('')}`.trimEnd();
  });
}

const REASONS: Readonly<Record<MissingAnswer['reason'], string>> = {
  budget: 'the budget is used up: give more with --budget',
  month: 'what was left of BUDGET_MONTH is used up',
  failed: 'the model failed',
  stopped: 'the model failed three times in a row',
};

function renderMissingAnswers(missing: readonly MissingAnswer[]): string[] {
  const groups = Map.groupBy(missing, ({ model, reason }) => `${nameModel(model)}: ${REASONS[reason]}`);
  return [
    'Some answers are missing; run the same command again to get them:',
    ...[...groups].map(([why, own]) => `  ${own.length} of ${toPrintableLine(why)}`),
  ];
}

export interface EvaluationProgress {
  readonly done: number;
  readonly all: number;
  readonly name: string;
  readonly model: string;
  readonly answer: StoredAnswer;
  readonly spentUsd: number;
  readonly budgetUsd: number;
  /** What the answers that are left may cost; null: not known yet. */
  readonly leftUsd: number | null;
}

/** ` 7/60  #123  gpt-5  right file first  $0.11  38 s · spent $1.20 of $5.00, about $2.90 to go`. */
export function formatProgress(progress: EvaluationProgress): string {
  const { done, all, name, model, answer, spentUsd, budgetUsd, leftUsd } = progress;
  const count = String(done).padStart(String(all).length);
  const isFree = model === 'none';
  const parts = [
    `${count}/${all}`,
    ...[toPrintableLine(name), toPrintableLine(nameModel(model)), describeScore(answer)],
    ...(isFree ? [] : [`${answer.turns} ${answer.turns === 1 ? 'turn' : 'turns'}`, formatDollars(answer.costUsd)]),
    `${answer.seconds.toFixed(1)} s`,
  ];
  const left = leftUsd === null ? '' : `, about ${formatDollars(leftUsd)} to go`;
  const money =
    spentUsd === 0 && leftUsd === null
      ? ''
      : ` · spent ${formatDollars(spentUsd)} of ${formatDollars(budgetUsd)}${left}`;
  return `${parts.join('  ')}${money}\n`;
}
