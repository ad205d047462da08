// The table of docs/evaluation.md: a row for each comparison, replaced when it is measured again, with when and on what.

import type { Aim, Round, Row } from './comparison.ts';
import { median, spread } from './figures.ts';

/** When and on what a row was measured. */
export interface Circumstances {
  /** `2026-11-22`. */
  readonly day: string;
  /** The mean of the last minute, before and after. */
  readonly load: readonly [number, number];
}

const HEAD = '| what | against | ours | the other | ratio | aim | reached | rounds | load | day |';
const RULE = '|---|---|---|---|---|---|---|---|---|---|';
const BEGIN = '<!-- results: written by `npm run bench` -->';
const END = '<!-- end of results -->';

/** The whole table of these rows, for the terminal. */
export function tableOf(rows: readonly Row[], when: Circumstances): string {
  return [HEAD, RULE, ...rows.map((row) => lineOf(row, when))].join('\n');
}

/** One line in Markdown: medians with their spread, the median of the rounds' ratios, and whether that keeps to the aim. */
export function lineOf(row: Row, { day, load }: Circumstances): string {
  const { what, against, unit, rounds, aim } = row;
  const digits = digitsFor(rounds);
  const figures = (pick: (round: Round) => number) => `${spread(rounds.map(pick), digits)} ${unit}`;
  const cells = [
    ...[what, against, figures(({ ours }) => ours), figures(({ other }) => other), spread(ratiosOf(row), 2)],
    ...[inWords(aim, unit), isReached(row) ? 'yes' : '**no**', String(rounds.length)],
    ...[load.map((each) => each.toFixed(1)).join('–'), day],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** By the median: of the ratios, or of our own figures. */
export function isReached(row: Row): boolean {
  const { kind, limit } = row.aim;
  const isRatio = kind === 'ratio-at-most' || kind === 'ratio-at-least';
  const figure = median(isRatio ? ratiosOf(row) : row.rounds.map(({ ours }) => ours));
  return kind === 'ratio-at-most' || kind === 'at-most' ? figure <= limit : figure >= limit;
}

/**
 * The page with these rows: one of the same `what` is replaced where it stands, others come to the end.
 * Throws where the page has lost the marks between which the table stands.
 */
export function updatedPage(page: string, rows: readonly Row[], when: Circumstances): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/evaluation.md needs the lines "${BEGIN}" and "${END}".`);
  const kept = page
    .slice(from + BEGIN.length, to)
    .split('\n')
    .filter((line) => line.startsWith('| ') && line !== HEAD);
  const lines = new Map(kept.map((line) => [whatOf(line), line]));
  for (const row of rows) lines.set(row.what, lineOf(row, when));
  const table = [BEGIN, '', HEAD, RULE, ...lines.values(), '', ''].join('\n');
  return page.slice(0, from) + table + page.slice(to);
}

function whatOf(line: string): string {
  return line.split(' | ')[0]?.slice('| '.length) ?? '';
}

function ratiosOf({ rounds }: Row): readonly number[] {
  return rounds.map(({ ours, other }) => ours / other);
}

/** Three figures that count, whatever the unit. */
function digitsFor(rounds: readonly Round[]): number {
  const size = median(rounds.flatMap(({ ours, other }) => [ours, other]));
  if (size >= 100) return 0;
  return size >= 10 ? 1 : 2;
}

function inWords({ kind, limit }: Aim, unit: string): string {
  switch (kind) {
    case 'ratio-at-most':
      return `≤ ${limit} ×`;
    case 'ratio-at-least':
      return `≥ ${limit} ×`;
    case 'at-most':
      return `≤ ${limit} ${unit}`;
    case 'at-least':
      return `≥ ${limit} ${unit}`;
  }
}
