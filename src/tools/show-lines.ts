// Lines of text as every result shows them, in whole lines up to a number of bytes.
import { shortened } from './tool-kit.ts';

/** A line longer than this is generated or data; nobody reads on. */
const MAX_LINE = 1_000;

/** Lines with their numbers, the first being `first`: `  12 | code`. */
export function numberedLines(lines: readonly string[], first: number): readonly string[] {
  const width = String(first + lines.length - 1).length;
  return lines.map((line, index) => `${String(first + index).padStart(width + 2)} | ${shortLine(line)}`);
}

function shortLine(line: string): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  return bare.length <= MAX_LINE ? bare : `${shortened(bare, MAX_LINE)} (${bare.length} characters in this line)`;
}

/** As many of the lines, from the first on, as fit into `bytes`; one at least. */
export function fitting(lines: readonly string[], bytes: number): readonly string[] {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return over === -1 ? lines : lines.slice(0, Math.max(1, over));
}
