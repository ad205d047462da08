// Tables of expressions, of which a text is asked only those that it has a word for: all words are looked for in one pass over it.

import { rarity } from './letter-rarity.ts';
import { neededWords } from './needed-words.ts';
import { emptyBits, hasBit, keyOf, setBit, sixBits } from './three-signs.ts';

interface Word {
  readonly word: string;
  readonly isFolded: boolean;
  /** Where in it the three characters begin that it is found by. */
  readonly at: number;
  /** Of its first and its last character. */
  readonly first: number;
  readonly last: number;
  /** Numbers of the expressions that it is a word of, of all tables. */
  readonly patterns: number[];
}

/** Longer texts are asked everything. */
const MOST = 4_096;
const BYTES = Buffer.allocUnsafe(MOST);

/** Looks for the words of all tables of one reader in one pass over a text, and remembers what it found for the next table that asks. */
export class PatternIndex {
  /** For each three characters one bit: whether a word is found by them. */
  readonly #known = emptyBits();
  /** By the number of their three characters. */
  readonly #words = new Map<number, Word[]>();
  /** A bit for each expression: whether the text has a word for it, or it needs none. 32 of them an element. */
  #asked: number[] = [];
  readonly #needless: number[] = [];
  #askedText: string | null = null;

  /** Adds expressions; where theirs begin in what `askedOf` gives. */
  add(patterns: readonly RegExp[]): number {
    const first = this.#needless.length;
    for (let at = 0; at < patterns.length; at += 32) this.#needless.push(0);
    patterns.forEach((pattern, index) => {
      this.#addPattern(pattern, first * 32 + index);
    });
    this.#askedText = null;
    return first;
  }

  /** Of all expressions, 32 an element: a bit where the expression may fit the text. Until the next text. */
  askedOf(text: string): readonly number[] {
    // The same line is held against several tables in turn.
    if (text !== this.#askedText) this.#look(text);
    return this.#asked;
  }

  #addPattern(pattern: RegExp, number: number): void {
    const words = neededWords(pattern);
    if (words.length === 0) ask(this.#needless, number);
    for (const word of words) this.#addWord(word, pattern.flags.includes('i'), number);
  }

  #addWord(written: string, isFolded: boolean, pattern: number): void {
    const word = isFolded ? written.toLowerCase() : written;
    const at = rarestIn(word);
    const key = keyOf(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2));
    setBit(this.#known, key);
    const all = this.#words.get(key) ?? [];
    const same = all.find((other) => other.word === word && other.isFolded === isFolded);
    const [first, last] = [sixBits(word.charCodeAt(0)), sixBits(word.charCodeAt(word.length - 1))];
    if (same) same.patterns.push(pattern);
    else all.push({ word, isFolded, at, first, last, patterns: [pattern] });
    this.#words.set(key, all);
  }

  #look(text: string): void {
    this.#askedText = text;
    this.#asked = text.length <= MOST ? this.#needless.slice() : this.#needless.map(() => -1);
    // Of a part of a longer string characters are slow to read one by one. Of others than those of Latin-1 the lower byte will do.
    const length = text.length <= MOST ? BYTES.write(text, 'latin1') : 0;
    for (let at = nextKnown(this.#known, 0, length); at < length; at = nextKnown(this.#known, at + 1, length)) {
      this.#note(text, at);
    }
  }

  #note(text: string, place: number): void {
    const key = keyOf(BYTES[place] ?? 0, BYTES[place + 1] ?? 0, BYTES[place + 2] ?? 0);
    for (const word of this.#words.get(key) ?? []) {
      if (!stands(word, text, place - word.at)) continue;
      for (const pattern of word.patterns) ask(this.#asked, pattern);
    }
  }
}

/** Expressions in order; none may keep a place between two texts. */
export class AskedPatterns {
  readonly #patterns: readonly RegExp[];
  readonly #index: PatternIndex;
  readonly #first: number;

  /** Tables of one index share one pass over a text. */
  constructor(patterns: readonly RegExp[], index = new PatternIndex()) {
    this.#patterns = patterns;
    this.#index = index;
    this.#first = index.add(patterns);
  }

  /** Index of the first that fits the text; -1: none. */
  first(text: string): number {
    for (let at = this.next(text, 0); at >= 0; at = this.next(text, at + 1)) {
      if (this.#patterns[at]?.test(text)) return at;
    }
    return -1;
  }

  /** Index of the first, from one on, that may fit; -1: none does. */
  next(text: string, from: number): number {
    const asked = this.#index.askedOf(text);
    for (let at = from; at < this.#patterns.length; at = (at | 31) + 1) {
      const bits = (asked[this.#first + (at >> 5)] ?? 0) & (-1 << (at & 31));
      if (bits !== 0) return (at & ~31) + 31 - Math.clz32(bits & -bits);
    }
    return -1;
  }
}

/** Where the next three characters begin that a word is found by; `length`: nowhere. By itself, with no call in it: this is most of the work. */
function nextKnown(known: Int32Array, from: number, length: number): number {
  let key = (sixBits(BYTES[from] ?? 0) << 6) | sixBits(BYTES[from + 1] ?? 0);
  for (let at = from + 2; at < length; at += 1) {
    key = ((key << 6) | sixBits(BYTES[at] ?? 0)) & 0x3ffff;
    if (hasBit(known, key)) return at - 2;
  }
  return length;
}

function ask(asked: number[], pattern: number): void {
  asked[pattern >> 5] = (asked[pattern >> 5] ?? 0) | (1 << (pattern & 31));
}

/** Where the three characters begin that are seldom seen elsewhere: in UTF-16 units, as a text is looked through. */
function rarestIn(word: string): number {
  const ranks = word.split('').map((sign) => rarity(sign.toLowerCase()));
  const sums = ranks.slice(2).map((rank, at) => rank + (ranks[at] ?? 0) + (ranks[at + 1] ?? 0));
  return sums.indexOf(Math.max(...sums));
}

/** Several words are found by the same three characters, so that most are not there. */
function stands({ word, isFolded, first, last }: Word, text: string, from: number): boolean {
  if (sixBits(BYTES[from] ?? 0) !== first || sixBits(BYTES[from + word.length - 1] ?? 0) !== last) return false;
  return isFolded ? text.slice(from, from + word.length).toLowerCase() === word : text.startsWith(word, from);
}
