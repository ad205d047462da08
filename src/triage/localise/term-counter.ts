// Counts the hashes of one text after another in a table that is kept: a map for each text takes most of the time.

/** Slots at first, as a power of two; doubled when half of them are taken. */
const SLOT_BITS = 14;
const SLOTS = 2 ** SLOT_BITS;
/** Odd, and another in each process: nobody can write a file whose words all want the same slot. */
export const SLOT_FACTOR = (Math.random() * 2 ** 32) | 1;
const MOST_COUNT = 255;
const DIGIT_BITS = 8;
const DIGITS = 2 ** DIGIT_BITS;

/** Hashes in ascending order, each with its count, at most 255. */
interface Counted {
  readonly terms: Uint32Array;
  readonly counts: Uint8Array;
}

export class TermCounter {
  /** The hash and its count; 0: the slot is free. */
  #hashes = new Uint32Array(SLOTS);
  #counts = new Uint32Array(SLOTS);
  #taken = new Uint32Array(SLOTS / 2);
  #size = 0;
  /** The slot is what is left of a product without so many of its bits. */
  #shift = 32 - SLOT_BITS;

  /** Counts the hash so many times more. */
  add(hash: number, times: number): void {
    const last = this.#hashes.length - 1;
    let slot = Math.imul(hash, SLOT_FACTOR) >>> this.#shift;
    while (this.#counts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & last;
    if (this.#counts[slot] === 0) {
      this.#hashes[slot] = hash;
      this.#taken[this.#size++] = slot;
    }
    this.#counts[slot] = (this.#counts[slot] as number) + times;
    if (this.#size === this.#taken.length) this.#grow();
  }

  /** The hashes in ascending order, each with its count, at most 255; from here on none is counted. */
  take(): Counted {
    const hashes = new Uint32Array(this.#size);
    const counts = new Uint8Array(this.#size);
    for (let at = 0; at < hashes.length; at++) {
      const slot = this.#taken[at] as number;
      hashes[at] = this.#hashes[slot] as number;
      counts[at] = Math.min(MOST_COUNT, this.#counts[slot] as number);
      this.#counts[slot] = 0;
    }
    this.#size = 0;
    return ascending(hashes, counts);
  }

  #grow(): void {
    const [hashes, counts, taken] = [this.#hashes, this.#counts, this.#taken];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#counts = new Uint32Array(hashes.length * 2);
    this.#taken = new Uint32Array(hashes.length);
    this.#size = 0;
    this.#shift -= 1;
    for (const slot of taken) this.add(hashes[slot] as number, counts[slot] as number);
  }
}

/** By their digits, the last one first: half the time of a sort that compares, and the counts go along. */
function ascending(hashes: Uint32Array, counts: Uint8Array): Counted {
  let from: Counted = { terms: hashes, counts };
  let to: Counted = { terms: new Uint32Array(hashes.length), counts: new Uint8Array(hashes.length) };
  const places = new Uint32Array(DIGITS);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    places.fill(0);
    for (let at = 0; at < hashes.length; at++) {
      const digit = ((from.terms[at] as number) >>> shift) & (DIGITS - 1);
      places[digit] = (places[digit] as number) + 1;
    }
    let place = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const count = places[digit] as number;
      places[digit] = place;
      place += count;
    }
    for (let at = 0; at < hashes.length; at++) {
      const term = from.terms[at] as number;
      const digit = (term >>> shift) & (DIGITS - 1);
      const next = places[digit] as number;
      places[digit] = next + 1;
      to.terms[next] = term;
      to.counts[next] = from.counts[at] as number;
    }
    [from, to] = [to, from];
  }
  return from;
}
