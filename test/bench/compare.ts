// Runs comparisons one after the other, prints their table, and keeps it in docs/evaluation.md.
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Comparison, Row } from './comparison.ts';
import { say } from './figures.ts';
import { isReached, tableOf, updatedPage } from './performance-page.ts';

export const COMPARE_OPTIONS = `  --rounds 5           how often each is measured
  --keep               writes the rows to docs/evaluation.md (always when all are measured)
`;

const PAGE = path.resolve(import.meta.dirname, '../../docs/evaluation.md');

/** Exit code 1 where an aim is missed would make a busy machine a fault: it is told, and that is all. */
export async function compare(comparisons: readonly Comparison[], args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '5' }, keep: { type: 'boolean', default: comparisons.length > 1 } },
  });
  let missed = 0;
  for (const comparison of comparisons) {
    const rows = await measured(comparison, { rounds: Number(values.rounds), isKept: values.keep });
    missed += rows.filter((row) => !isReached(row)).length;
  }
  say(`\n${missed === 0 ? 'Every aim is reached.' : `${missed} aims are missed.`}`);
}

/** Kept after each comparison: what comes later may fail. */
async function measured(
  comparison: Comparison,
  { rounds, isKept }: { readonly rounds: number; readonly isKept: boolean },
): Promise<readonly Row[]> {
  say(`\n## ${comparison.name}: ${comparison.about}\n`);
  const before = loadOfLastMinute();
  const rows: Row[] = [];
  for await (const row of comparison.measure({ rounds, say })) rows.push(row);
  const when = { day: new Date().toISOString().slice(0, 10), load: [before, loadOfLastMinute()] } as const;
  say(`\n${tableOf(rows, when)}`);
  if (isKept) await writeFile(PAGE, updatedPage(await readFile(PAGE, 'utf8'), rows, when));
  return rows;
}

function loadOfLastMinute(): number {
  return loadavg()[0] ?? Number.NaN;
}
