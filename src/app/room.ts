// Whether there is room on the disk to take in more: what runs, what is read and what is ended goes on without.
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Log } from '../log.ts';
import type { AskRoom } from '../ports/room.ts';
import { ENOUGH_BYTES } from './readiness.ts';

/** One account may hand in 60 MiB a minute: in this time nobody fills what is enough. */
const ASKED_EVERY_MS = 2_000;
/** Of a disk below 32 GiB this part is enough: a small one would else take in nothing while it is all but empty. */
const ENOUGH_OF_SMALL = 1 / 128;

type Disk = Pick<StatsFs, 'blocks' | 'bavail' | 'bsize'>;

interface RoomOptions {
  readonly folder: string;
  readonly log: Log;
  readonly now: () => Date;
  /** How the disk is asked; default the system. */
  readonly read?: (folder: string) => Promise<Disk>;
}

/** Asks the disk at most every 2 s. A disk that does not tell is believed to have room: then the store says what is wrong. */
export function createRoom({ folder, log, now, read = (path) => statfs(path) }: RoomOptions): AskRoom {
  let asked: Promise<string> | null = null;
  let wasFull = false;
  let askedAt = 0;
  const ask = async (): Promise<string> => {
    const disk = await read(folder).catch(() => null);
    if (disk === null) return '';
    const least = Math.min(ENOUGH_BYTES, disk.blocks * disk.bsize * ENOUGH_OF_SMALL);
    const free = disk.bavail * disk.bsize;
    const isFull = free < least;
    if (isFull && !wasFull) log.error({ free, least }, 'the disk of DATA_DIR is nearly full: nothing new is taken in');
    wasFull = isFull;
    if (!isFull) return '';
    return `Nothing was accepted: less than ${megabytes(least)} are free on the disk of the service. Whoever operates it must make room on the disk of DATA_DIR; then it goes on by itself.`;
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

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1024 ** 2))} MiB`;
}
