// Figures of a run as a file, to compare the next one with; and both as tables.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../bench/figures.ts';
import { EvalFault, type PartResult, type Row } from './part.ts';

/** Rows of the last recorded run, by part. */
export type Recorded = Readonly<Record<string, readonly Row[]>>;

/** Throws EvalFault where the file is not one that `writeRecord` wrote. */
export function readRecord(file: string): Recorded {
  try {
    const { parts }: { parts: Recorded } = JSON.parse(readFileSync(file, 'utf8'));
    if (!Object.values(parts).every(Array.isArray)) throw new Error('it has no rows');
    return parts;
  } catch (cause) {
    throw new EvalFault(
      `${file} holds no figures of an earlier run (${cause instanceof Error ? cause.message : String(cause)}). Make it with --record FILE.`,
    );
  }
}

/** Adds the parts that were run to those that the file has. */
export function writeRecord(file: string, parts: Recorded): void {
  const before = existsSync(file) ? readRecord(file) : {};
  writeFileSync(file, `${JSON.stringify({ parts: { ...before, ...parts } }, null, 1)}\n`);
}

/** `before`: rows of the same part in an earlier run; each figure that has one there is followed by the difference to it. */
export function tableOf(rows: readonly Row[], before: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  return table(
    ['group', 'system', 'n', ...names],
    rows.map((row) => {
      const same = before.find(({ group, system }) => group === row.group && system === row.system);
      const n = same === undefined || same.n === row.n ? `${row.n}` : `${row.n} (was ${same.n})`;
      return [row.group, row.system, n, ...names.map((name) => cell(name, row.figures[name], same?.figures[name]))];
    }),
  );
}

function cell(name: string, value: number | undefined, before: number | undefined): string {
  if (value === undefined) return '';
  const digits = digitsOf(name);
  const shown = value.toFixed(digits);
  if (before === undefined) return shown;
  const change = Number(value.toFixed(digits)) - Number(before.toFixed(digits));
  return `${shown} (${change < 0 ? '' : '+'}${change.toFixed(digits)})`;
}

function digitsOf(name: string): number {
  if (/MRR|F1/.test(name)) return 3;
  return /\b(?:ms|MB)$/.test(name) ? 0 : 1;
}

export function notesOf({ notes }: PartResult): string {
  return notes.map((note) => `- ${note}\n`).join('');
}
