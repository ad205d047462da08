// Where the socket of the small process may lie.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A path of a socket has 107 bytes at most. */
const MOST_PATH = 100;

/** A folder that nobody else may enter: who reaches the socket has a say in what becomes of a program's streams. Containers may have only memory to write to. */
export function socketPlace(): string | null {
  for (const folder of [tmpdir(), '/dev/shm']) {
    const beginning = path.join(folder, 'causeway-start-');
    if (Buffer.byteLength(beginning) > MOST_PATH - '123456/s'.length) continue;
    try {
      return path.join(mkdtempSync(beginning), 's');
    } catch {}
  }
  return null;
}
