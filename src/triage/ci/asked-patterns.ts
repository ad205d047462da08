// Tables of expressions, of which a text is asked only those that it has a word for: all words are looked for in one pass over it.

import { rarity } from './letter-rarity.ts';
import { neededWords } from './needed-words.ts';

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

/** For each three characters one bit: whether a word is found by them. */
const KNOWN = new Int32Array((1 << 18) / 32);
/** By the number of their three characters. */
const WORDS = new Map<number, Word[]>();
/** A bit for each expression: whether the text has a word for it, or it needs none. 32 of them an element. */
let asked: number[] = [];
const needless: number[] = [];
let askedText: string | null = null;
/** Longer texts are asked everything. */
const MOST = 4_096;
const BYTES = Buffer.allocUnsafe(MOST);

/** Expressions in order; none may keep a place between two texts. */
export class AskedPatterns {
  readonly #patterns: readonly RegExp[];
  readonly #first = needless.length;

  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
    for (let at = 0; at < patterns.length; at += 32) needless.push(0);
    patterns.forEach((pattern, index) => {
      addPattern(pattern, this.#first * 32 + index);
    });
    askedText = null;
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
    // The same line is held against several tables in turn.
    if (text !== askedText) look(text);
    for (let at = from; at < this.#patterns.length; at = (at | 31) + 1) {
      const bits = (asked[this.#first + (at >> 5)] ?? 0) & (-1 << (at & 31));
      if (bits !== 0) return (at & ~31) + 31 - Math.clz32(bits & -bits);
    }
    return -1;
  }
}

function addPattern(pattern: RegExp, number: number): void {
  const words = neededWords(pattern);
  if (words.length === 0) needless[number >> 5] = (needless[number >> 5] ?? 0) | (1 << (number & 31));
  for (const word of words) addWord(word, pattern.flags.includes('i'), number);
}

function addWord(written: string, isFolded: boolean, pattern: number): void {
  const word = isFolded ? written.toLowerCase() : written;
  const at = rarestIn(word);
  const key = keyAt(word, at);
  KNOWN[key >> 5] = (KNOWN[key >> 5] ?? 0) | (1 << (key & 31));
  const all = WORDS.get(key) ?? [];
  const same = all.find((other) => other.word === word && other.isFolded === isFolded);
  if (same) same.patterns.push(pattern);
  else
    all.push({
      word,
      isFolded,
      at,
      first: sixBits(word.charCodeAt(0)),
      last: sixBits(word.charCodeAt(word.length - 1)),
      patterns: [pattern],
    });
  WORDS.set(key, all);
}

function rarestIn(word: string): number {
  const ranks = [...word.toLowerCase()].map(rarity);
  const sums = ranks.slice(2).map((rank, at) => rank + (ranks[at] ?? 0) + (ranks[at + 1] ?? 0));
  return sums.indexOf(Math.max(...sums));
}

function keyAt(word: string, at: number): number {
  return (
    (sixBits(word.charCodeAt(at)) << 12) | (sixBits(word.charCodeAt(at + 1)) << 6) | sixBits(word.charCodeAt(at + 2))
  );
}

/** Letters are alike in both cases, and apart from digits and signs. */
function sixBits(code: number): number {
  return (code & 31) | ((code & 64) >> 1);
}

function look(text: string): void {
  askedText = text;
  asked = text.length <= MOST ? needless.slice() : needless.map(() => -1);
  // Of a part of a longer string characters are slow to read one by one. Of others than those of Latin-1 the lower byte will do.
  const length = text.length <= MOST ? BYTES.write(text, 'latin1') : 0;
  let key = 0;
  for (let at = 0; at < length; at += 1) {
    key = ((key << 6) | sixBits(BYTES[at] ?? 0)) & 0x3ffff;
    if ((((KNOWN[key >> 5] ?? 0) >>> (key & 31)) & 1) === 1) note(text, at - 2, key);
  }
}

function note(text: string, place: number, key: number): void {
  for (const word of WORDS.get(key) ?? []) {
    if (!stands(word, text, place - word.at)) continue;
    for (const pattern of word.patterns) asked[pattern >> 5] = (asked[pattern >> 5] ?? 0) | (1 << (pattern & 31));
  }
}

/** Several words are found by the same three characters, so that most are not there. */
function stands({ word, isFolded, first, last }: Word, text: string, from: number): boolean {
  if (sixBits(BYTES[from] ?? 0) !== first || sixBits(BYTES[from + word.length - 1] ?? 0) !== last) return false;
  return isFolded ? text.slice(from, from + word.length).toLowerCase() === word : text.startsWith(word, from);
}
