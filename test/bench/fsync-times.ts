// How long the disk takes to keep what it was given: the floor of every acknowledgement.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

const TIMES = 300;

/** Writes 8 KiB again and again in `folder`; the middle, the 99th part and the longest, in words. */
export function syncTimes(folder: string): string {
  const file = path.join(folder, 'fsync-times');
  const handle = openSync(file, 'w');
  const bytes = Buffer.alloc(8_192, 1);
  const took = Array.from({ length: TIMES }, () => {
    writeSync(handle, bytes);
    const begun = performance.now();
    fdatasyncSync(handle);
    return performance.now() - begun;
  }).toSorted((one, other) => one - other);
  closeSync(handle);
  rmSync(file);
  const at = (share: number) => (took[Math.floor((TIMES - 1) * share)] ?? Number.NaN).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}
