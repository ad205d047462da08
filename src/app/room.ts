// Whether the disk has the free space that new work needs. What is being read, cancelled or deleted goes on without it.
import { statfs } from 'node:fs/promises';
import type { AskRoom, Shortage } from '../core/disk.ts';
import type { Log } from '../log.ts';

/** With less, a fetch or a commit can fail at any moment. `/readyz`, the API, the worker and `doctor` share this limit. */
export const REQUIRED_BYTES = 100 * 1024 * 1024;
/** One account may submit 60 MiB a minute, so the required space cannot fill up within this time. */
const ASKED_EVERY_MS = 2_000;

interface RoomOptions {
  readonly folder: string;
  readonly log: Log;
  readonly now: () => Date;
  /** Bytes that are free; by default from the system. */
  readonly read?: (folder: string) => Promise<number>;
}

/** Checks the disk at most every 2 s. Where it cannot be read it counts as having space: the store then reports what is wrong. */
export function createRoom({ folder, log, now, read = freeBytes }: RoomOptions): AskRoom {
  let asked: Promise<Shortage | null> | null = null;
  let wasShort = false;
  let askedAt = 0;
  const ask = async (): Promise<Shortage | null> => {
    const free = await read(folder).catch(() => null);
    if (free === null) return null;
    const shortage = shortageOf(free);
    if (shortage !== null && !wasShort) {
      log.error(shortage, 'no space left on the disk of DATA_DIR: reports are refused and investigations wait');
    }
    if (shortage === null && wasShort) log.info({ free }, 'the disk of DATA_DIR has space again: work resumes');
    wasShort = shortage !== null;
    return shortage;
  };
  return () => {
    const at = now().getTime();
    if (asked === null || Math.abs(at - askedAt) >= ASKED_EVERY_MS) {
      askedAt = at;
      asked = ask();
    }
    return asked;
  };
}

/** Null where that is enough. */
export function shortageOf(free: number): Shortage | null {
  return free < REQUIRED_BYTES ? { free, required: REQUIRED_BYTES } : null;
}

/** Bytes that this user may still write to the disk of the folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
