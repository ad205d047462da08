// Tables of expressions, of which a text is asked only those that it has a word for: all words are looked for in one pass over it.

import { neededWords } from './needed-words.ts';
import { WordIndex } from './word-index.ts';

/** Longer texts are asked everything. */
const MOST = 4_096;
const BYTES = Buffer.allocUnsafe(MOST);

/** Looks for the words of all tables of one reader in one pass over a text, and remembers what it found for the next table that asks. */
export class PatternIndex {
  readonly #words = new WordIndex();
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
    for (const word of words) this.#words.add(word, pattern.flags.includes('i'), number);
  }

  #look(text: string): void {
    this.#askedText = text;
    this.#asked = text.length <= MOST ? this.#needless.slice() : this.#needless.map(() => -1);
    const length = text.length <= MOST ? BYTES.write(text, 'latin1') : 0;
    const looked = { text, bytes: BYTES };
    for (let at = this.#words.next(BYTES, 0, length); at < length; at = this.#words.next(BYTES, at + 1, length)) {
      this.#words.at(looked, at, this.#note);
    }
  }

  readonly #note = (patterns: readonly number[]): void => {
    for (const pattern of patterns) ask(this.#asked, pattern);
  };
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

function ask(asked: number[], pattern: number): void {
  asked[pattern >> 5] = (asked[pattern >> 5] ?? 0) | (1 << (pattern & 31));
}
