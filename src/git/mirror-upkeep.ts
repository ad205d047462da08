// What keeps a mirror fit for years: leftovers of a killed git go, and many small packs become few.
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Git } from './run-git.ts';

// Each fetch leaves one pack, and every lookup asks all of them; git itself starts to worry at 50.
const MANY_PACKS = 40;

/** Follows a mirror's own name in the names of what is only there while it is being worked on. */
export const PARTIAL = '.partial-';

/**
 * Removes what a killed process left of this mirror: half made copies, lock files, unfinished packs.
 * Call under the mirror's lock, where nobody else can own them.
 */
export async function clearLeftovers(gitDir: string): Promise<void> {
  const siblings = await namesIn(dirname(gitDir));
  const partial = siblings.filter((name) => name.startsWith(`${basename(gitDir)}${PARTIAL}`));
  const packs = (await namesIn(join(gitDir, 'objects', 'pack'))).filter(isUnfinished);
  const own = (await namesIn(gitDir)).filter((name) => name.endsWith('.lock'));
  const refs = (await namesBelow(join(gitDir, 'refs'))).filter((name) => name.endsWith('.lock'));
  const left = [
    ...partial.map((name) => join(dirname(gitDir), name)),
    ...packs.map((name) => join(gitDir, 'objects', 'pack', name)),
    ...own.map((name) => join(gitDir, name)),
    ...refs.map((name) => join(gitDir, 'refs', name)),
  ];
  for (const path of left) await rm(path, { recursive: true, force: true });
}

function isUnfinished(name: string): boolean {
  return name.startsWith('tmp_') || name.startsWith('.tmp-') || name.endsWith('.lock') || name.endsWith('.keep');
}

/** Joins small packs once there are many. Every object stays, so that readers at work lose nothing; not to succeed is no harm. */
export async function consolidate(git: Git, gitDir: string, signal: AbortSignal): Promise<void> {
  const packs = (await namesIn(join(gitDir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length < MANY_PACKS) return;
  await git.run({
    args: ['repack', '--geometric=2', '-d', '-q'],
    gitDir,
    timeoutMs: 600_000,
    maxBytes: 65_536,
    signal,
  });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function namesBelow(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch {
    return [];
  }
}
