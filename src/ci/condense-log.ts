// A log of any length as one that can be read at once, in constant memory.
import { LogCondenser } from './condense-keep.ts';

/** So many bytes are read in some milliseconds. */
const SLICE = 64 * 1_024;

/**
 * The log that comes in these chunks in at most `room` bytes; other work is let in between. Most have room, so nothing is looked for
 * before there is none. Throws the signal's reason.
 */
export async function condenseLog(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  room: number,
  signal: AbortSignal,
): Promise<string> {
  let whole = Buffer.allocUnsafe(room);
  let length = 0;
  let condenser: LogCondenser | null = null;
  for await (const slice of slicesOf(chunks, signal)) {
    if (condenser === null && length + slice.length <= room) {
      whole.set(slice, length);
      length += slice.length;
      continue;
    }
    if (condenser === null) {
      condenser = new LogCondenser(room);
      for await (const first of slicesOf([whole.subarray(0, length)], signal)) condenser.push(first);
      whole = Buffer.alloc(0);
    }
    condenser.push(slice);
  }
  return condenser?.text() ?? whole.toString('utf8', 0, length);
}

async function* slicesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let since = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      yield slice;
      since += slice.length;
      if (since < SLICE) continue;
      since = 0;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
}

/** The same of a text that is there already. */
export function condenseText(text: string, room: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return text;
  const condenser = new LogCondenser(room);
  condenser.push(bytes);
  return condenser.text();
}
