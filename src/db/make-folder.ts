// Makes a folder for records, closed to others.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { CausewayError, isDiskFull, NO_SPACE } from '../core/errors.ts';

/**
 * Makes the folder and those above it where they are missing, mode 700. Throws `store_unusable`, naming DATA_DIR.
 * Each level is tried once: Node's own `recursive` never returns where mkdir answers ENOENT in a folder that exists,
 * as in /proc or in a working folder that was removed.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let here = path.resolve(folder); !existsSync(here) && here !== path.dirname(here); here = path.dirname(here)) {
    missing.unshift(here);
  }
  try {
    for (const level of missing) makeLevel(level);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const repair = 'Make the folder above it writable, or name another with DATA_DIR.';
    throw new CausewayError(
      'store_unusable',
      `The folder ${folder} cannot be created (${code}). ${isDiskFull(error) ? NO_SPACE : repair}`,
      { cause: error },
    );
  }
}

function makeLevel(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it in the same moment.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
