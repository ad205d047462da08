// Words of a report that stand side by side in it: messages and calls that a program has in the same order.
import { eachWord, hashTerm } from '../localise/terms.ts';

export interface Phrases {
  /** Pairs of neighbouring words of the line that the report has too, repeats included. */
  pairsIn(line: string): readonly number[];
}

/** The words beyond these repeat the others: a long log. */
const MAX_WORDS = 20_000;

export function phrasesOf(report: string): Phrases {
  const numbers = new Map<string, number>();
  const pairs = new Set<number>();
  let before = 0;
  let read = 0;
  eachWord(report, (word) => {
    if (read++ > MAX_WORDS) return;
    const key = word.toLowerCase();
    const own = numbers.get(key) ?? hashTerm(key);
    numbers.set(key, own);
    if (before !== 0) pairs.add(pairOf(before, own));
    before = own;
  });
  return {
    pairsIn(line) {
      const found: number[] = [];
      let last = 0;
      eachWord(line, (word) => {
        const own = numbers.get(word.toLowerCase()) ?? 0;
        if (last !== 0 && own !== 0 && pairs.has(pairOf(last, own))) found.push(pairOf(last, own));
        last = own;
      });
      return found;
    },
  };
}

function pairOf(first: number, second: number): number {
  return (Math.imul(first, 31) ^ Math.imul(second, 0x9e3779b1)) >>> 0;
}
