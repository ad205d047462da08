// How far the words and names of a report stand in a file: BM25, each part of the report with its own weight.
import { splitName, stemWord } from '../identifiers.ts';

import { inSlices } from './in-slices.ts';
import { QUERY_PARTS, type Query, type QueryPart, type QueryTerm } from './query.ts';
import { filesOfSlice, type Table } from './table.ts';
import { termsOfWord } from './terms.ts';

const K1 = 1.2;
const B = 0.6;

export type PartWeights = Readonly<Record<QueryPart, number>>;

export interface Weighing {
  readonly weights: PartWeights;
  readonly signal: AbortSignal;
}

/** One value for each file of the table. File by file, as the counts lie in memory, and in slices. */
export async function wordScores(table: Table, query: Query, { weights, signal }: Weighing): Promise<Float64Array> {
  const scores = new Float64Array(table.paths.length);
  const worths = query.terms
    .map((term, index) => ({ index, worth: termWeight(term, weights) * (table.rarities[index] ?? 0) }))
    .filter(({ worth }) => worth !== 0);
  const indexes = Uint16Array.from(worths, ({ index }) => index);
  const values = Float64Array.from(worths, ({ worth }) => worth);
  await inSlices(scores.length, { size: filesOfSlice(indexes.length), signal }, (file) => {
    let sum = 0;
    for (let at = 0; at < indexes.length; at++) {
      const count = table.count(indexes[at] ?? 0, file);
      if (count > 0) sum += (values[at] ?? 0) * saturation(count, table.lengths[file] ?? 1);
    }
    scores[file] = sum;
  });
  return scores;
}

/** What a term counts in the parts that it stands in; a repeated one counts more, but not as often as it stands there. */
export function termWeight({ counts }: Pick<QueryTerm, 'counts'>, weights: PartWeights): number {
  return QUERY_PARTS.reduce((sum, part) => sum + weights[part] * Math.sqrt(counts[part]), 0);
}

/** Of BM25: what the count of a term adds; `length`: of the text beside the mean. */
export function saturation(count: number, length: number): number {
  return count === 0 ? 0 : (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
}

/** A term as it stands in the report. */
export interface TellingWord {
  readonly hash: number;
  /** As it is compared. */
  readonly term: string;
  readonly word: string;
  /** Whether it is the whole of what the report writes there, rather than a part of a name. */
  readonly isWhole: boolean;
}

/**
 * The words that bring this file most, best first, as the report writes them; each once. A part of a name is no proof of the name, and a number
 * (of a line, a size, a date) says nothing to a reader.
 */
export function tellingWords(table: Table, query: Query, weights: PartWeights, file: number): readonly TellingWord[] {
  const gains = query.terms.map((term, index) => ({
    term,
    gain:
      termWeight(term, weights) *
      (table.rarities[index] ?? 0) *
      saturation(table.count(index, file), table.lengths[file] ?? 1),
  }));
  const best = gains.filter(({ gain, term }) => gain > 0 && !isNumber(term.term)).sort((a, b) => b.gain - a.gain);
  const words = best.map(({ term }) => asWritten(term));
  return [...new Map(words.toReversed().map((one) => [one.word.toLowerCase(), one])).values()].reverse();
}

export function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

/** Of a name that the report writes the part that is compared: a part of it is no proof of the whole. */
export function asWritten({ hash, term, word, whole }: QueryTerm): TellingWord {
  if (whole || termsOfWord(word).length === 1) return { hash, term, word, isWhole: true };
  return { hash, term, word: partOf(word, term), isWhole: false };
}

/** The part of a written word that has this stem; the stem itself where none has. */
export function partOf(written: string, stemmed: string): string {
  return splitName(written).find((part) => stemWord(part) === stemmed) ?? stemmed;
}
