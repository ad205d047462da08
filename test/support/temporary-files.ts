// Temporary files of a whole run in memory, where there is room: tests make and remove them by the ten thousand.
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;

let folder: string | undefined;

/**
 * For vitest's `globalSetup`. A file system that keeps numbers of removed files from being used again at once (ext4 does for minutes) looks
 * through all of them for each new file: four fifths of the processor time of the contract on PostgreSQL, whose databases are 300 files each.
 */
export function setup(): void {
  if (process.env['TMPDIR'] !== undefined || !isRoomy()) return;
  folder = mkdtempSync(`${MEMORY}/causeway-tests-`);
  // PostgreSQL is another user, and must come through.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** In containers it is often 64 MB, or nothing may be started from it. */
function isRoomy(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const options = /^\S+ \/dev\/shm \S+ (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',') ?? [
      'noexec',
    ];
    const { bavail, bsize } = statfsSync(MEMORY);
    return !options.includes('noexec') && bavail * bsize > ROOM && process.availableMemory() > 2 * ROOM;
  } catch {
    return false;
  }
}
