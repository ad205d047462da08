// Where lines of bytes begin and end: at a line feed, a carriage return, or both.

const LF = 0x0a;
const CR = 0x0d;

/** How many lines begin in these bytes; what follows the last line end counts where there is anything. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at = lineEnd(bytes, at)) count += 1;
  return count;
}

/** The place after the end of the line that `from` stands in: after a line feed, a carriage return, or both. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  if (bytes[at] === CR && bytes[at + 1] === LF) at += 1;
  return Math.min(at + 1, bytes.length);
}

/** The beginning of the line that ends before `to`. */
export function lineStart(bytes: Uint8Array, to: number): number {
  let at = to - 1;
  if (bytes[at] === LF && bytes[at - 1] === CR) at -= 1;
  while (at > 0 && bytes[at - 1] !== LF && bytes[at - 1] !== CR) at -= 1;
  return Math.max(0, at);
}
