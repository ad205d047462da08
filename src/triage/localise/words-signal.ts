// The words of a report that say most about a file, as the report writes them.
import { splitName, stemWord } from '../identifiers.ts';
import type { Query, QueryTerm } from './query.ts';
import { type PartWeights, type Table, termWeight } from './table.ts';
import { termsOfWord } from './terms.ts';

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
  const gains: { readonly term: QueryTerm; readonly gain: number }[] = [];
  table.eachTerm(file, (index, saturated) => {
    const term = query.terms[index];
    if (term === undefined) return;
    gains.push({ term, gain: termWeight(term, weights) * (table.rarities[index] ?? 0) * saturated });
  });
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
