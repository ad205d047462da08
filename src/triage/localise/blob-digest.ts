// What is kept of a file to rank it: hashed terms with their counts, and the names that it defines.
import { definedIn, KEYWORDS, looksDefining, MAX_LINE, VARIABLES } from './defined-names.ts';
import { TermCounter } from './term-counter.ts';
import { HASH_PRIME, HASH_START, hashesOfWord, hashOfName, IS_WORD, MAX_WORD } from './terms.ts';
import { unitsOf } from './word-hashes.ts';
import { WordTable } from './word-table.ts';

/** Raised whenever `digestText` gives something else for the same text: kept digests of another version are void. */
export const DIGEST_VERSION = 3;

/** Characters that are read of a text: what comes after them is data, or generated. */
const MAX_TEXT = 600_000;
const LF = 10;
/** Of `KEYWORDS`, the first list of the table. */
const KEYWORD_MARK = 1;

export interface BlobDigest {
  /** Hashes of the terms, ascending. */
  readonly terms: Uint32Array;
  /** How often each stands there, in the order of `terms`, at most 255. */
  readonly counts: Uint8Array;
  /** Terms in all. */
  readonly length: number;
  /** Hashes of the whole names that it defines, ascending; of `wholeName`, without its stem. */
  readonly defines: Uint32Array;
}

/** Kept between texts: room of its own for each would take longer than the reading. */
const counter = new TermCounter();
const table = new WordTable([KEYWORDS, VARIABLES]);

/** `path` only says how the text is to be read: equal texts of equal extension have equal digests. */
export function digestText(_path: string, text: string): BlobDigest {
  const read = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  const units = unitsOf(read);
  const defines = new Set<number>();
  const names: string[] = [];
  const line = { end: 0, marks: 0 };
  for (let from = 0; from < units.length; from = line.end + 1) {
    readLine(units, from, line);
    const { end, marks } = line;
    const size = end - from;
    if (size <= 4 || size > MAX_LINE || (marks === 0 && !looksDefining(units, from, end))) continue;
    definedIn(read.slice(from, end), names, (marks & KEYWORD_MARK) !== 0);
  }
  for (const name of names) defines.add(hashOfName(name));
  const length = table.empty(units, counter);
  return { ...counter.take(), length, defines: Uint32Array.from(defines).sort() };
}

/** Terms of words with how often each word stands there. */
export function countTerms(words: ReadonlyMap<string, number>): Omit<BlobDigest, 'defines'> {
  let length = 0;
  for (const [each, count] of words) {
    for (const hash of hashesOfWord(each)) {
      counter.add(hash, count);
      length += count;
    }
  }
  return { ...counter.take(), length };
}

/** Counts the words of a line, and says where it ends and what marks its words have. */
function readLine(units: Uint16Array, from: number, line: { end: number; marks: number }): void {
  let marks = 0;
  let at = from;
  while (at < units.length && units[at] !== LF) {
    const start = at;
    let hash = HASH_START;
    while (at < units.length && IS_WORD[units[at] as number] === 1) {
      hash = Math.imul(hash ^ (units[at++] as number), HASH_PRIME);
    }
    if (at === start) at++;
    else if (at - start > 1 && at - start <= MAX_WORD) marks |= table.add(units, start, at, hash >>> 0);
  }
  line.end = at;
  line.marks = marks;
}
