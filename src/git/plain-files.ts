// Files of a repository that we did not make: read only where they are plain files of bearable size.
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REF_FILE_BYTES = 256 * 1024 * 1024;
// Windows knows neither pipes in folders nor this flag.
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** What git itself reads to the end, however long it is and whether or not an end ever comes. */
const READ_BY_GIT = ['HEAD', 'packed-refs', 'shallow', 'config', 'commondir', 'objects/info/alternates'];

/** The text of a plain file of at most 1 MiB; "" where there is none. A pipe is never waited for. */
export async function textOrNothing(file: string): Promise<string> {
  // Asked before it is opened too: to open some devices is to do something.
  if (!(await stat(file).catch(() => null))?.isFile()) return '';
  try {
    await using handle = await open(file, WITHOUT_WAITING);
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) return '';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

/**
 * Throws `repository_unreachable` where a file that git would read is a pipe, a device or of absurd size:
 * git waits for a pipe, and reads a link to an endless device until memory is gone.
 */
export async function requirePlainFiles(what: string, folders: readonly string[]): Promise<void> {
  for (const folder of new Set(folders)) {
    const odd = (await oddAmong(folder, READ_BY_GIT)) ?? (await oddAmong(folder, await linksAndPipesIn(folder)));
    if (odd !== null) {
      throw new CausewayError(
        'repository_unreachable',
        `${what} could not be read: its file ${JSON.stringify(odd)} is a pipe or device, or too large. Remove it; "git fsck" there says more.`,
      );
    }
  }
}

async function oddAmong(folder: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found === null || found.isDirectory()) continue;
    const limit = name === 'packed-refs' ? MAX_REF_FILE_BYTES : MAX_BYTES;
    if (!found.isFile() || found.size > limit) return name;
  }
  return null;
}

/** Names below `refs` that are neither a plain file nor a folder. */
async function linksAndPipesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true }).catch(() => []);
  const odd = entries.filter((entry) => !entry.isFile() && !entry.isDirectory());
  return odd.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
