// A log of any length as one that can be read at once, in constant memory.
import { LogCondenser } from './condense-keep.ts';

/** So many bytes are read in some milliseconds. */
const SLICE = 64 * 1_024;

/** The log that comes in these chunks in at most `room` bytes; other work is let in between. Throws the signal's reason. */
export async function condenseLog(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  room: number,
  signal: AbortSignal,
): Promise<string> {
  const condenser = new LogCondenser(room);
  let since = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      condenser.push(slice);
      since += slice.length;
      if (since < SLICE) continue;
      since = 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
  return condenser.text();
}

/** The same of a text that is there already. */
export function condenseText(text: string, room: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return text;
  const condenser = new LogCondenser(room);
  condenser.push(bytes);
  return condenser.text();
}
