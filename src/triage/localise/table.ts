// The files that may hold the fault, with how often each term of the report is in them.
import type { CommitLexicon, TermMatches } from '../../core/lexicon.ts';
import { classifyFile } from '../own-code.ts';
import { QUERY_PARTS, type Query, type QueryPart, type QueryTerm } from './query.ts';

export interface Table {
  readonly paths: readonly string[];
  readonly rowOf: ReadonlyMap<string, number>;
  /** For each term of the query: how rare it is here (0: no file holds it). */
  readonly rarities: Float64Array;
  /** Calls `each` with every term of the query that the file holds, and BM25's saturation of how often. */
  eachTerm(file: number, each: (term: number, saturation: number) => void): void;
  /** For each name of the query the files that define it. */
  readonly definers: readonly (readonly number[])[];
}

/** What a term counts by the part of the report that holds it. */
export type PartWeights = Readonly<Record<QueryPart, number>>;

export interface Weighing {
  readonly weights: PartWeights;
  readonly signal: AbortSignal;
}

/** Paths that are taken apart without a pause, about 10 ms. */
export const SLICE_PATHS = 4_000;

/** Terms whose matches are sorted in without a pause, about 10 ms in 40,000 files. */
const SLICE_TERMS = 20;

const K1 = 1.2;

const B = 0.6;

/** Looks the whole query up. Tests are no candidates: what they repeat of the report says nothing about the fault. */
export async function openTable(lexicon: CommitLexicon, query: Query, signal: AbortSignal): Promise<Table> {
  const [terms, names] = await Promise.all([
    lexicon.match(
      Uint32Array.from(query.terms, ({ hash }) => hash),
      signal,
    ),
    lexicon.matchNames(
      Uint32Array.from(query.names, ({ hash }) => hash),
      signal,
    ),
  ]);
  const { paths, fileAt } = await chooseCandidates(lexicon, signal);
  const lengths = relativeLengths(lexicon.lengths.filter((_, position) => (fileAt[position] ?? -1) >= 0));
  const { having, eachTerm } = await sortByFile(terms, { fileAt, lengths, signal });
  return {
    paths,
    rowOf: new Map(paths.map((path, file) => [path, file])),
    rarities: Float64Array.from(having, (files) => rarity(files, paths.length)),
    eachTerm,
    definers: names.map((found) => Array.from(found, (position) => fileAt[position] ?? -1).filter((file) => file >= 0)),
  };
}

/** `fileAt`: for each position of the lexicon that of the file among the candidates; -1 for a test. */
async function chooseCandidates({ files }: CommitLexicon, signal: AbortSignal) {
  const paths: string[] = [];
  const fileAt = new Int32Array(files.length);
  await inSlices(files.length, { size: SLICE_PATHS, signal }, (position) => {
    const path = files[position]?.path ?? '';
    fileAt[position] = classifyFile(path) === 'test' ? -1 : paths.push(path) - 1;
  });
  return { paths, fileAt };
}

/** The matches of each term as the terms of each file: a few flat arrays, since there may be millions. */
async function sortByFile(
  matches: readonly TermMatches[],
  {
    fileAt,
    lengths,
    signal,
  }: { readonly fileAt: Int32Array; readonly lengths: Float64Array; readonly signal: AbortSignal },
) {
  const ends = new Uint32Array(lengths.length + 1);
  const having = new Uint32Array(matches.length);
  await inSlices(matches.length, { size: SLICE_TERMS, signal }, (term) => {
    for (const position of matches[term]?.positions ?? []) {
      const file = fileAt[position] ?? -1;
      if (file < 0) continue;
      ends[file] = (ends[file] ?? 0) + 1;
      having[term] = (having[term] ?? 0) + 1;
    }
  });
  let sum = 0;
  for (const [file, count] of ends.entries()) {
    ends[file] = sum;
    sum += count;
  }
  const terms = new Uint16Array(sum);
  const saturations = new Float32Array(sum);
  await inSlices(matches.length, { size: SLICE_TERMS, signal }, (term) => {
    const { positions, counts } = matches[term] as TermMatches;
    for (let index = 0; index < positions.length; index++) {
      const file = fileAt[positions[index] ?? 0] ?? -1;
      if (file < 0) continue;
      const at = ends[file] ?? 0;
      terms[at] = term;
      saturations[at] = saturation(counts[index] ?? 0, lengths[file] ?? 1);
      ends[file] = at + 1;
    }
  });
  const eachTerm: Table['eachTerm'] = (file, each) => {
    const from = file === 0 ? 0 : (ends[file - 1] ?? 0);
    for (let at = from; at < (ends[file] ?? 0); at++) each(terms[at] ?? 0, saturations[at] ?? 0);
  };
  return { having, eachTerm };
}

/** As parts of the mean. */
export function relativeLengths(lengths: Uint32Array): Float64Array {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return Float64Array.from(lengths, (length) => length / Math.max(1, mean));
}

/** The inverse document frequency of BM25; 0 for what no file holds. */
export function rarity(having: number, all: number): number {
  return having === 0 ? 0 : Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** Of BM25: what the count of a term adds; `length`: of the text, as a part of the mean. */
export function saturation(count: number, length: number): number {
  return count === 0 ? 0 : (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
}

/** What a term counts in the parts of the report that hold it; a repeated one counts more, but not as often as it is repeated. */
export function termWeight({ counts }: Pick<QueryTerm, 'counts'>, weights: PartWeights): number {
  return QUERY_PARTS.reduce((sum, part) => sum + weights[part] * Math.sqrt(counts[part]), 0);
}

/** BM25 of the words and names of the report, each part with its own weight: one value for each file of the table. */
export async function wordScores(table: Table, query: Query, { weights, signal }: Weighing): Promise<Float64Array> {
  const scores = new Float64Array(table.paths.length);
  const worths = Float64Array.from(
    query.terms,
    (term, index) => termWeight(term, weights) * (table.rarities[index] ?? 0),
  );
  await inSlices(scores.length, { size: SLICE_PATHS, signal }, (file) => {
    let sum = 0;
    table.eachTerm(file, (term, saturated) => {
      sum += (worths[term] ?? 0) * saturated;
    });
    scores[file] = sum;
  });
  return scores;
}

interface Slices {
  /** Items that are worked through without a pause. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Calls `each` with 0, 1, … up to `count` - 1. Throws the signal's reason when aborted. */
export async function inSlices(count: number, { size, signal }: Slices, each: (index: number) => void): Promise<void> {
  for (let from = 0; from < count; from += size) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const to = Math.min(count, from + size);
    for (let index = from; index < to; index++) each(index);
  }
}
