// Figures over ranks and times: shares within the first so many, mean reciprocal rank, median and 90th percentile.
import { findQuantile } from '../../src/evaluation/summary.ts';
import type { Row } from './part.ts';

export interface Scored {
  readonly language: string;
  readonly source: string;
  /** The same names for each; a mean over the cases is shown for each of them. Shares are 0 or 100. */
  readonly figures: Readonly<Record<string, number>>;
  readonly ms: number;
}

/** In per cent whether any gold was in the first 1, 5, 10, and the reciprocal rank. */
export function rankFigures(rank: number): Readonly<Record<string, number>> {
  const within = (limit: number): number => (rank > 0 && rank <= limit ? 100 : 0);
  return { 'top 1': within(1), 'top 5': within(5), 'top 10': within(10), MRR: rank > 0 ? 1 / rank : 0 };
}

/** A row for all cases, for each language and for each source (the last two only where there is more than one). */
export function rowsOf(system: string, cases: readonly Scored[]): readonly Row[] {
  if (cases.length === 0) return [];
  const languages = grouped(cases, 'language');
  const sources = grouped(cases, 'source');
  return [
    row('all', system, cases),
    ...(languages.length > 1 ? languages.map(([name, own]) => row(`language ${name}`, system, own)) : []),
    ...(sources.length > 1 ? sources.map(([name, own]) => row(`source ${name}`, system, own)) : []),
  ];
}

function grouped(
  cases: readonly Scored[],
  by: 'language' | 'source',
): readonly (readonly [string, readonly Scored[]])[] {
  return [...Map.groupBy(cases, (each) => each[by])].sort(([, a], [, b]) => b.length - a.length);
}

function row(group: string, system: string, cases: readonly Scored[]): Row {
  const names = Object.keys(cases[0]?.figures ?? {});
  const mean = (name: string): number =>
    cases.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0) / cases.length;
  const times = cases.map(({ ms }) => ms);
  return {
    group,
    system,
    n: cases.length,
    figures: {
      ...Object.fromEntries(names.map((name) => [name, mean(name)])),
      'median ms': findQuantile(times, 0.5),
      'p90 ms': findQuantile(times, 0.9),
    },
  };
}
