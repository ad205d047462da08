// The distinct words of one text after another, with how often each stands there: a text repeats most of its words, and each is taken apart once.
import { SLOT_FACTOR, type TermCounter } from './term-counter.ts';
import { HASH_PRIME, HASH_START } from './terms.ts';
import { WordHashes } from './word-hashes.ts';

/** Of words; doubled when that many are there. */
const ROOM = 4_096;
/** A power of two; slots are four for a word at most. */
const SLOT_BITS = 14;

/** Kept between texts: room of its own for each would take longer than the reading. */
export class WordTable {
  readonly #word = new WordHashes();
  readonly #marked = new Map<number, number>();
  /** Index + 1 of the word; 0: the slot is free. */
  #slots = new Uint32Array(2 ** SLOT_BITS);
  #places = new Uint32Array(ROOM);
  #hashes = new Uint32Array(ROOM);
  #starts = new Uint32Array(ROOM);
  #lengths = new Uint8Array(ROOM);
  #counts = new Uint32Array(ROOM);
  #marks = new Uint8Array(ROOM);
  #size = 0;
  #shift = 32 - SLOT_BITS;

  /** Words of the n-th list are marked with the n-th bit. */
  constructor(marked: readonly (readonly string[])[]) {
    for (const [bit, words] of marked.entries()) for (const word of words) this.#marked.set(wordHash(word), 1 << bit);
  }

  /** Counts a word of 2 to 64 units, and answers its marks. `hash`: its `wordHash`. */
  add(units: Uint16Array, from: number, to: number, hash: number): number {
    const last = this.#slots.length - 1;
    let slot = Math.imul(hash, SLOT_FACTOR) >>> this.#shift;
    for (let found = this.#slots[slot] as number; found !== 0; found = this.#slots[slot] as number) {
      if (this.#hashes[found - 1] === hash && this.#isSame(units, found - 1, from, to)) {
        this.#counts[found - 1] = (this.#counts[found - 1] as number) + 1;
        return this.#marks[found - 1] as number;
      }
      slot = (slot + 1) & last;
    }
    return this.#put({ from, to, hash, slot });
  }

  /** Hands the terms of all words to `counter`, and begins anew. Answers how many terms there were. */
  empty(units: Uint16Array, counter: TermCounter): number {
    const word = this.#word;
    let sum = 0;
    for (let index = 0; index < this.#size; index++) {
      const start = this.#starts[index] as number;
      const count = this.#counts[index] as number;
      word.read(units, start, start + (this.#lengths[index] as number));
      for (let term = 0; term < word.count; term++) counter.add(word.hashes[term] as number, count);
      sum += word.count * count;
      // Not the whole table: one large text would make each after it dear.
      this.#slots[this.#places[index] as number] = 0;
    }
    this.#size = 0;
    return sum;
  }

  #isSame(units: Uint16Array, index: number, from: number, to: number): boolean {
    if (this.#lengths[index] !== to - from) return false;
    const start = (this.#starts[index] as number) - from;
    for (let at = from; at < to; at++) if (units[start + at] !== units[at]) return false;
    return true;
  }

  #put(word: { readonly from: number; readonly to: number; readonly hash: number; readonly slot: number }): number {
    const { from, to, hash, slot } = word;
    const index = this.#size++;
    this.#slots[slot] = index + 1;
    this.#places[index] = slot;
    this.#hashes[index] = hash;
    this.#starts[index] = from;
    this.#lengths[index] = to - from;
    this.#counts[index] = 1;
    const marks = this.#marked.get(hash) ?? 0;
    this.#marks[index] = marks;
    if (this.#size === this.#hashes.length) this.#grow();
    return marks;
  }

  #grow(): void {
    this.#places = twice(this.#places);
    this.#hashes = twice(this.#hashes);
    this.#starts = twice(this.#starts);
    this.#lengths = twice(this.#lengths);
    this.#counts = twice(this.#counts);
    this.#marks = twice(this.#marks);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    this.#shift -= 1;
    const last = this.#slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = Math.imul(this.#hashes[index] as number, SLOT_FACTOR) >>> this.#shift;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
      this.#slots[slot] = index + 1;
      this.#places[index] = slot;
    }
  }
}

/** As it is computed while a word is looked for: not finished, but the same for the same units. */
function wordHash(word: string): number {
  let hash = HASH_START;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), HASH_PRIME);
  return hash >>> 0;
}

function twice<T extends Uint8Array | Uint32Array>(values: T): T {
  const larger = new (values.constructor as new (length: number) => T)(2 * values.length);
  larger.set(values);
  return larger;
}
