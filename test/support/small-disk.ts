// A disk of a few megabytes that can be filled up and emptied again: a tmpfs, where this user may mount one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes all the room but so many bytes. */
  fill(leaving: number): Promise<void>;
  /** Gives it back. */
  empty(): Promise<void>;
  /** Bytes that are left. */
  left(): number;
}

const BALLAST = '.ballast';

export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'causeway-test', folder]);
  const left = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    path: folder,
    left,
    fill: async (leaving) => {
      const ballast = Buffer.alloc(Math.max(0, left() - leaving), 1);
      // Somebody else may take the last bytes meanwhile: full is full.
      await writeFile(path.join(folder, BALLAST), ballast).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
    },
    empty: async () => rm(path.join(folder, BALLAST), { force: true }),
    [Symbol.dispose]: () => {
      // Lazily: a process that was killed a moment ago may still be let go of.
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}

/** Whether this user may mount one. */
export function canMount(): boolean {
  try {
    smallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}
