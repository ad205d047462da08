// Three characters as one number of 18 bits, and a table of a bit for each such number: by it words are found in one pass over a text.

/** Of a byte, or of the lower one of a character: letters are alike in both cases, and apart from digits and signs. */
export function sixBits(code: number): number {
  return (code & 31) | ((code & 64) >> 1);
}

/** The number of three of them. */
export function keyOf(first: number, second: number, third: number): number {
  return (sixBits(first) << 12) | (sixBits(second) << 6) | sixBits(third);
}

/** One bit for each number, none set. */
export function emptyBits(): Int32Array {
  return new Int32Array((1 << 18) / 32);
}

export function hasBit(bits: Int32Array, at: number): boolean {
  return (((bits[at >> 5] ?? 0) >>> (at & 31)) & 1) === 1;
}

export function setBit(bits: Int32Array, at: number): void {
  bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
}
