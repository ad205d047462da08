// The files that may hold the fault, with how often each term of the report is in them.
import type { CommitLexicon, TermMatches } from '../../core/source/index.ts';
import { classifyFile } from '../own-code.ts';
import { runInSlices, SLICE_PATHS } from '../slices.ts';
import { QUERY_PARTS, type Query, type QueryPart, type QueryTerm } from './query.ts';

/** Files, and for each term of the query how rare it is among them (0: no file holds it) and which of them hold it. */
interface TermTable {
  readonly paths: readonly string[];
  readonly terms: readonly TermColumn[];
}

export interface Table extends TermTable {
  readonly rowOf: ReadonlyMap<string, number>;
  readonly tests: TermTable;
  /** For each name of the query the files that define it. */
  readonly definers: readonly (readonly number[])[];
}

interface TermColumn {
  readonly rarity: number;
  /** Rows of the table, ascending, and for each BM25's saturation of how often it holds the term. */
  readonly files: Uint32Array;
  readonly saturations: Float32Array;
}

/** What a term counts by the part of the report that holds it. */
export type PartWeights = Readonly<Record<QueryPart, number>>;

/** Terms that are processed without a pause, about 10 ms in 40,000 files. */
const SLICE_TERMS = 20;

const K1 = 1.2;
const B = 0.6;

/**
 * Looks the whole query up. Tests are no candidates: what they repeat of the report says nothing about the fault; but
 * those that resemble it lead to what they test.
 */
export async function openTable(lexicon: CommitLexicon, query: Query, signal: AbortSignal): Promise<Table> {
  const [matches, names] = await Promise.all([
    lexicon.match(
      Uint32Array.from(query.terms, ({ hash }) => hash),
      signal,
    ),
    lexicon.matchNames(
      Uint32Array.from(query.names, ({ hash }) => hash),
      signal,
    ),
  ]);
  const paths: string[] = [];
  const tests: string[] = [];
  /** For each position of the lexicon its row among the files or among the tests; -1 in the other of the two. */
  const rowAt = new Int32Array(lexicon.files.length).fill(-1);
  const testAt = new Int32Array(lexicon.files.length).fill(-1);
  await runInSlices(rowAt.length, { size: SLICE_PATHS, signal }, (position) => {
    const path = lexicon.files[position]?.path ?? '';
    if (classifyFile(path) === 'test') testAt[position] = tests.push(path) - 1;
    else rowAt[position] = paths.push(path) - 1;
  });
  const readColumns = async (rows: Int32Array, count: number): Promise<readonly TermColumn[]> => {
    const lengths = toRelativeLengths(lexicon.lengths.filter((_, position) => (rows[position] ?? -1) >= 0));
    const terms: TermColumn[] = [];
    await runInSlices(matches.length, { size: SLICE_TERMS, signal }, (term) => {
      const { positions, counts } = matches[term] as TermMatches;
      const found = Array.from(positions.keys()).filter((index) => (rows[positions[index] ?? 0] ?? -1) >= 0);
      const files = Uint32Array.from(found, (index) => rows[positions[index] ?? 0] ?? 0);
      terms.push({
        rarity: computeRarity(files.length, count),
        files,
        saturations: Float32Array.from(found, (index, at) =>
          saturate(counts[index] ?? 0, lengths[files[at] ?? 0] ?? 1),
        ),
      });
    });
    return terms;
  };
  return {
    paths,
    rowOf: new Map(paths.map((path, row) => [path, row])),
    terms: await readColumns(rowAt, paths.length),
    tests: { paths: tests, terms: await readColumns(testAt, tests.length) },
    definers: names.map((found) => Array.from(found, (position) => rowAt[position] ?? -1).filter((row) => row >= 0)),
  };
}

/** As parts of the mean. */
export function toRelativeLengths(lengths: Uint32Array): Float64Array {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return Float64Array.from(lengths, (length) => length / Math.max(1, mean));
}

/** The inverse document frequency of BM25; 0 for what no file holds. */
export function computeRarity(having: number, all: number): number {
  return having === 0 ? 0 : Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** Of BM25: what the count of a term adds; `length`: of the text, as a part of the mean. */
export function saturate(count: number, length: number): number {
  return count === 0 ? 0 : (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
}

/**
 * What a term counts in the parts of the report that hold it; a repeated one counts more, but not as often as it is
 * repeated.
 */
export function weighTerm({ counts }: Pick<QueryTerm, 'counts'>, weights: PartWeights): number {
  return QUERY_PARTS.reduce((sum, part) => sum + weights[part] * Math.sqrt(counts[part]), 0);
}

/** BM25 of the words and names of the report, each part with its own weight: one value for each file of the table. */
export async function scoreWords(
  table: TermTable,
  query: Query,
  { weights, signal }: { readonly weights: PartWeights; readonly signal: AbortSignal },
): Promise<Float64Array> {
  const scores = new Float64Array(table.paths.length);
  await runInSlices(table.terms.length, { size: SLICE_TERMS, signal }, (index) => {
    const term = query.terms[index];
    const column = table.terms[index];
    if (term === undefined || column === undefined) return;
    const worth = weighTerm(term, weights) * column.rarity;
    for (const [at, file] of column.files.entries()) {
      scores[file] = (scores[file] ?? 0) + worth * (column.saturations[at] ?? 0);
    }
  });
  return scores;
}
