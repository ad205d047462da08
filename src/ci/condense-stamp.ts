// Where a line of Actions begins behind the moment that stands before each.

export const SPACE = 0x20;
/** `2024-05-01T10:00:00.1234567Z `. */
const STAMP_BYTES = 29;
const [DASH, COLON, DOT] = [0x2d, 0x3a, 0x2e];

/** The place behind the stamp that begins at `from`, or `from` where there is none. No word stands in a stamp. */
export function stampEnd(bytes: Uint8Array, from: number): number {
  return bytes[from + 10] === 0x54 && bytes[from + 27] === 0x5a && isStamp(bytes, from) ? from + STAMP_BYTES : from;
}

/** Its signs, and so many of its digits that no word fits between. Asked of every line: no closure, no loop. */
function isStamp(bytes: Uint8Array, from: number): boolean {
  const hasSigns =
    bytes[from + 4] === DASH &&
    bytes[from + 7] === DASH &&
    bytes[from + 13] === COLON &&
    bytes[from + 16] === COLON &&
    bytes[from + 19] === DOT &&
    bytes[from + 28] === SPACE;
  return hasSigns && isDigitAt(bytes, from) && isDigitAt(bytes, from + 20) && isDigitAt(bytes, from + 23);
}

function isDigitAt(bytes: Uint8Array, at: number): boolean {
  return isDigit(bytes[at] ?? 0);
}

/** Of ASCII. */
export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
