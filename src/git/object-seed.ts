// The objects of a repository on this disk, taken over file by file, so that a first opening packs nothing anew.
import { COPYFILE_FICLONE } from 'node:constants';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigEntry } from './git-environment.ts';

const FAN_OUT = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38,62}$/;
/** For a fetch between partial clones: what is missing counts as promised by a remote that is never asked. */
export const PROMISED: readonly ConfigEntry[] = [
  ['remote.source.promisor', 'true'],
  ['remote.source.url', '/dev/null'],
];
// What belongs to one pack, its index last: git looks for that, and then the rest must be there.
const PACK_PARTS = ['.pack', '.rev', '.promisor', '.idx'];

/** Whether this object folder is of a partial clone, which lacks objects that its own remote promised; false for "". */
export async function isPartialClone(objects: string): Promise<boolean> {
  if (objects === '') return false;
  return (await namesIn(join(objects, 'pack'))).some((name) => name.endsWith('.promisor'));
}

/**
 * Links (on another disk: copies) packs and loose objects that `to` has not got yet. Both are object folders.
 * What vanishes meanwhile is left out: the fetch that follows sees what is missing.
 */
export async function seedObjects(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'pack'), { recursive: true });
  const packs = await namesIn(join(from, 'pack'));
  const there = new Set(await namesIn(join(to, 'pack')));
  // A pack with .mtimes holds what nothing refers to any more.
  const cruft = new Set(
    packs.filter((name) => name.endsWith('.mtimes')).map((name) => name.slice(0, -'.mtimes'.length)),
  );
  for (const part of PACK_PARTS) {
    for (const name of packs.filter((each) => each.startsWith('pack-') && each.endsWith(part))) {
      if (!there.has(name) && !cruft.has(name.slice(0, -part.length)))
        await take(join(from, 'pack'), join(to, 'pack'), name);
    }
  }
  for (const folder of (await namesIn(from)).filter((name) => FAN_OUT.test(name))) {
    await mkdir(join(to, folder), { recursive: true });
    const names = (await namesIn(join(from, folder))).filter((name) => LOOSE.test(name));
    await Promise.all(names.map((name) => take(join(from, folder), join(to, folder), name)));
  }
}

async function take(from: string, to: string, name: string): Promise<void> {
  const linked = await link(join(from, name), join(to, name)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
  );
  if (linked) return;
  // Under a passing name first: a kill in the middle must not leave half a file that looks whole.
  const passing = join(to, `tmp_${name}`);
  try {
    await copyFile(join(from, name), passing, COPYFILE_FICLONE);
    await rename(passing, join(to, name));
  } catch (error) {
    await rm(passing, { force: true });
    if (!isAbsence(error)) throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Names of plain files and folders; a link or pipe that stands for an object file is not taken over. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() || entry.isDirectory()).map((entry) => entry.name);
  } catch {
    return [];
  }
}
