// The operator's pause over SQLite: a file in DATA_DIR, so that a command beside the server sets it and a restart does not lift it.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Records } from './open-records.ts';

/** Whether a house is paused: by the file in DATA_DIR, or for all processes over its database. */
export function pausedIn({ isPaused: isPausedForAll }: Pick<Records, 'isPaused'>, dataDir: string): () => boolean {
  return () => isPausedForAll() || isPaused(dataDir);
}

/** Whether the file is there; asked of the disk each time. */
export function isPaused(dataDir: string): boolean {
  return existsSync(fileIn(dataDir));
}

/** Sets or lifts the pause; false where it was so before. */
export function setPaused(dataDir: string, paused: boolean): boolean {
  if (isPaused(dataDir) === paused) return false;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (paused) writeFileSync(fileIn(dataDir), '', { mode: 0o600 });
  else rmSync(fileIn(dataDir), { force: true });
  return true;
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'paused');
}
