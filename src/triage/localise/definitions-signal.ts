// Which files define the names that a report writes: the fewer do, the more it tells.
import type { Query, QueryName, QueryPart } from './query.ts';
import type { Table } from './table.ts';

/** A name that more files define than this, or than this part of all files, is a convention. */
const MOST_FILES = 30;
const MOST_PART = 0.05;
/** Where a name stands says how far the report is about it. */
const CODE_WEIGHTS: Readonly<Record<QueryPart, number>> = {
  title: 1.5,
  name: 1.5,
  prose: 1,
  code: 0.4,
  log: 0.4,
  test: 0,
};
const WORD_WEIGHTS: Readonly<Record<QueryPart, number>> = {
  title: 1.5,
  name: 1.5,
  prose: 0.7,
  code: 0.3,
  log: 0.3,
  test: 0,
};

export interface DefinitionScores {
  /** By names that are written as only code is. */
  readonly code: Float64Array;
  /** By plain words that happen to be names. */
  readonly words: Float64Array;
  /** The names that a file defines, by file, the most telling first. */
  readonly names: ReadonlyMap<number, readonly QueryName[]>;
}

export function definitionScores(table: Table, query: Query): DefinitionScores {
  const code = new Float64Array(table.paths.length);
  const words = new Float64Array(table.paths.length);
  const found = new Map<number, { name: QueryName; value: number }[]>();
  const most = Math.max(MOST_FILES, table.paths.length * MOST_PART);
  for (const [index, name] of query.names.entries()) {
    const files = table.definers[index] ?? [];
    const value = files.length > most ? 0 : weightOf(name) / Math.sqrt(Math.max(1, files.length));
    if (value === 0) continue;
    const scores = name.isCode ? code : words;
    for (const file of files) {
      scores[file] = (scores[file] ?? 0) + value;
      found.set(file, [...(found.get(file) ?? []), { name, value }]);
    }
  }
  return { code, words, names: new Map([...found].map(([file, names]) => [file, mostTelling(names)])) };
}

/** Names that only code has before plain words. */
function mostTelling(names: readonly { readonly name: QueryName; readonly value: number }[]): readonly QueryName[] {
  return names
    .toSorted((a, b) => Number(b.name.isCode) - Number(a.name.isCode) || b.value - a.value)
    .map(({ name }) => name);
}

function weightOf({ isCode, parts }: QueryName): number {
  const weights = isCode ? CODE_WEIGHTS : WORD_WEIGHTS;
  return [...parts].reduce((sum, part) => sum + weights[part], 0);
}
