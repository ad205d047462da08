// Keeps a folder of digests small: beyond its bound the files go that were not used for longest.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PARTIAL } from './record-file.ts';

/** A file that is being put in the place of another takes seconds; what is older was left by a process that was killed. */
const LEFT_OVER_MS = 10 * 60_000;

interface Kept {
  readonly file: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** Removes the files last used first until the others take at most `maxBytes`; never one of `spared`, which are in use. */
export async function keepWithin(folder: string, maxBytes: number, spared: ReadonlySet<string>): Promise<void> {
  const kept = (await Promise.all((await readdir(folder)).map((name) => look(path.join(folder, name))))).flat();
  const now = Date.now();
  let sum = kept.reduce((all, { bytes }) => all + bytes, 0);
  for (const { file, bytes, usedAt } of kept.sort((one, other) => one.usedAt - other.usedAt)) {
    const isLeftOver = file.endsWith(PARTIAL) && now - usedAt > LEFT_OVER_MS;
    if (!isLeftOver && (sum <= maxBytes || spared.has(file))) continue;
    await rm(file, { force: true });
    sum -= bytes;
  }
}

/** Nothing where it is gone by now. */
async function look(file: string): Promise<readonly Kept[]> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? [{ file, bytes: found.size, usedAt: found.mtimeMs }] : [];
}
