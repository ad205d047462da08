// Reads a file of records window by window: what does not hold is stepped over, up to the next mark behind which something does.
import type { FileHandle } from 'node:fs/promises';
import { eachRecord, MAX_RECORD_BYTES, nextMark, type PlacedRecord } from './records.ts';

/** A window takes about 2 ms to look through. */
const WINDOW = 2 * 1024 * 1024;
/** Less than this holds no record. */
const MARK_AND_MORE = 4;

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Calls `each` with the records of the stretch, in order, and answers where the last whole one ends: what follows may be a record that somebody
 * is just writing. Their payloads hold until the next window is read; `at` is the place in the file.
 */
export async function scanRecords(
  handle: FileHandle,
  { from, to }: Stretch,
  each: (record: PlacedRecord) => void,
): Promise<number> {
  let start = from;
  let end = from;
  let size = WINDOW;
  while (start < to) {
    const bytes = await readStretch(handle, { from: start, to: Math.min(to, start + size) });
    const seen = eachRecord(bytes, (record) => {
      end = start + record.at + record.bytes;
      each({ ...record, at: start + record.at });
    });
    const isLast = start + bytes.length >= to || bytes.length < size;
    if (isLast && bytes.length - seen < MARK_AND_MORE) break;
    // What is cut by the window's end is looked at again with more of it; at the file's end it is stepped over.
    const isStuck = seen === 0 && (isLast || size >= MAX_RECORD_BYTES);
    start += isStuck ? nextMark(bytes, 1) : seen;
    size = seen === 0 && !isStuck ? MAX_RECORD_BYTES : WINDOW;
  }
  return end;
}

/** Fewer bytes where the file ends before. */
export async function readStretch(handle: FileHandle, { from, to }: Stretch): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
