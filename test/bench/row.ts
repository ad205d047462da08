// A row of the table of speeds: something that people feel, measured several times next to something familiar in the same run.
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { median, spread, table } from './figures.ts';

export interface Row {
  /** What people wait for or pay for, with its size: `first look at 3,000 files`. */
  readonly what: string;
  readonly unit: 'ms' | 'MB';
  /** One figure a round. */
  readonly ours: readonly number[];
  /** At most this much, in the row's unit. */
  readonly aim: number;
  /** Something familiar, measured right before or after in the same round; absent where nothing does the same. */
  readonly other?: { readonly what: string; readonly figures: readonly number[] };
}

export interface Measurement {
  /** As in `npm run bench -- NAME`. */
  readonly name: string;
  readonly about: string;
  /** Throws if the service gives a wrong answer: a fast wrong answer is no figure. */
  measure(rounds: number): AsyncIterable<Row>;
}

export function isReached({ ours, aim }: Row): boolean {
  return median(ours) <= aim;
}

const PAGE = path.resolve(import.meta.dirname, '../../docs/evaluation.md');
const HEAD = ['what', 'measured', 'aim', 'reached', 'for comparison', 'ratio', 'rounds', 'load', 'day'];

/** A Markdown table: medians with the least and the most. */
export function formatRows(rows: readonly Row[]): string {
  return table(HEAD, rows.map(toCells));
}

/** Replaces the rows of the same `what` in docs/evaluation.md, and adds new ones at the end. */
export async function keepRows(rows: readonly Row[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [, before = '', kept = '', after = ''] =
    /^([\s\S]*<!-- speed -->\n)([\s\S]*?)(<!-- end of speed -->[\s\S]*)$/.exec(page) ?? [];
  if (before === '') throw new Error(`${PAGE} has no place for the table: <!-- speed --> and <!-- end of speed -->`);
  const cells = new Map(readTable(kept).map((row) => [row[0] ?? '', row]));
  for (const row of rows) cells.set(row.what, toCells(row));
  await writeFile(PAGE, `${before}\n${table(HEAD, [...cells.values()])}\n\n${after}`);
}

function readTable(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

function toCells(row: Row): string[] {
  const { what, unit, ours, aim, other } = row;
  const digits = unit === 'ms' && median(ours) < 10 ? 1 : 0;
  const ratios = other?.figures.map((figure, round) => (ours[round] ?? Number.NaN) / figure);
  return [
    what,
    `${spread(ours, digits)} ${unit}`,
    `${aim.toLocaleString('en')} ${unit}`,
    isReached(row) ? 'yes' : '**no**',
    other === undefined ? '–' : `${other.what}: ${spread(other.figures, digits)} ${unit}`,
    ratios === undefined ? '–' : spread(ratios, 2),
    String(ours.length),
    (loadavg()[0] ?? 0).toFixed(1),
    new Date().toISOString().slice(0, 10),
  ];
}
