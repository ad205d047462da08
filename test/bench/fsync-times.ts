// How long the disk takes to keep what it was given: the floor of every acknowledgement.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const TIMES = 300;

/** Writes 8 KiB again and again in `folder`; the middle, the 99th part and the longest, in words. */
export function syncTimes(folder: string): string {
  const took = sortedSyncTimes(folder);
  const at = (share: number) => (took[Math.floor((TIMES - 1) * share)] ?? Number.NaN).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

/** Milliseconds of as many such writes, in order of size. */
export function sortedSyncTimes(folder: string): readonly number[] {
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
  return took;
}

/** How often the disk is asked beside what is measured, in milliseconds: too seldom to be in its way. */
const BESIDE_EVERY_MS = 100;

/**
 * Writes 8 KiB ten times a second while `work` goes on. A stall of both is the disk's. Gives what the work gave, and the milliseconds of the
 * longest write.
 */
export async function besideSyncs<T>(folder: string, work: () => Promise<T>): Promise<readonly [T, number]> {
  const file = path.join(folder, 'syncs-beside');
  const handle = await open(file, 'w');
  let [isOver, longest] = [false, 0];
  const watch = (async () => {
    for (; !isOver; await wait(BESIDE_EVERY_MS)) {
      await handle.write(Buffer.alloc(8_192, 1));
      const begun = performance.now();
      await handle.datasync();
      longest = Math.max(longest, performance.now() - begun);
    }
  })();
  const made = await work().finally(async () => {
    isOver = true;
    await watch;
    await handle.close();
    await rm(file);
  });
  return [made, longest];
}
