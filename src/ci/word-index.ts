// Words that are looked for all at once in one pass over a text, each by three of its characters.
import { rarityOfThree, threesOf } from './letter-rarity.ts';
import { emptyBits, hasBit, keyOf, setBit, sixBits } from './three-signs.ts';

interface Word {
  readonly word: string;
  readonly isFolded: boolean;
  /** Where in it the three characters begin that it is found by. */
  readonly at: number;
  /** Of its first and its last character. */
  readonly first: number;
  readonly last: number;
  /** Numbers of whatever it is a word of. */
  readonly owners: number[];
}

/**
 * Of a part of a longer string characters are slow to read one by one, so that a text comes as bytes too, one for each character. Of others
 * than those of Latin-1 the lower byte will do.
 */
export interface Looked {
  readonly text: string;
  readonly bytes: Uint8Array;
}

export class WordIndex {
  /** For each three characters one bit: whether a word is found by them. */
  readonly #known = emptyBits();
  /** By the number of their three characters. */
  readonly #words = new Map<number, Word[]>();

  /** A word of three characters or more; `isFolded`: in whatever case. */
  add(written: string, isFolded: boolean, owner: number): void {
    const word = isFolded ? written.toLowerCase() : written;
    const at = rarestIn(word);
    const key = keyOf(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2));
    setBit(this.#known, key);
    const all = this.#words.get(key) ?? [];
    const same = all.find((other) => other.word === word && other.isFolded === isFolded);
    const [first, last] = [sixBits(word.charCodeAt(0)), sixBits(word.charCodeAt(word.length - 1))];
    if (same) same.owners.push(owner);
    else all.push({ word, isFolded, at, first, last, owners: [owner] });
    this.#words.set(key, all);
  }

  /** Where the next place is, from one on, at which a word may be found; `length`: there is none. */
  next(bytes: Uint8Array, from: number, length: number): number {
    return nextKnown(this.#known, bytes, { from, length });
  }

  /** Tells what each word stands for that is found at a place. */
  at({ text, bytes }: Looked, place: number, tell: (owners: readonly number[]) => void): void {
    const key = keyOf(bytes[place] ?? 0, bytes[place + 1] ?? 0, bytes[place + 2] ?? 0);
    for (const word of this.#words.get(key) ?? []) {
      if (stands(word, { text, bytes }, place - word.at)) tell(word.owners);
    }
  }
}

/** By itself, with no call in it: this is most of the work. */
function nextKnown(
  known: Int32Array,
  bytes: Uint8Array,
  { from, length }: { readonly from: number; readonly length: number },
): number {
  let key = (sixBits(bytes[from] ?? 0) << 6) | sixBits(bytes[from + 1] ?? 0);
  for (let at = from + 2; at < length; at += 1) {
    key = ((key << 6) | sixBits(bytes[at] ?? 0)) & 0x3ffff;
    if (hasBit(known, key)) return at - 2;
  }
  return length;
}

/** Where the three characters begin that are seldom seen elsewhere: in UTF-16 units, as a text is looked through. */
function rarestIn(word: string): number {
  const ranks = threesOf(word).map(rarityOfThree);
  return ranks.indexOf(Math.max(...ranks));
}

/** Several words are found by the same three characters, so that most are not there. */
function stands({ word, isFolded, first, last }: Word, { text, bytes }: Looked, from: number): boolean {
  if (sixBits(bytes[from] ?? 0) !== first || sixBits(bytes[from + word.length - 1] ?? 0) !== last) return false;
  return isFolded ? text.slice(from, from + word.length).toLowerCase() === word : text.startsWith(word, from);
}
