// Keeps all mirrors together within their limit: beyond it those used longest ago are removed, and fetched again when
// needed.
import { existsSync, utimesSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedObjects } from './failure.ts';
import { clearLeftovers, PARTIAL, readFolderSize, readMirrorSize } from './fetch.ts';
import { GitFailure } from './git-failure.ts';
import { acquireProcessLock } from './locks.ts';
import type { Git } from './process.ts';

/**
 * No caller says when it is done with a mirror, so one counts as in use for this long after the last git process:
 * longer than a caller may think between two lookups.
 */
const IN_USE_MS = 30 * 60_000;
/** The time of a mirror's last use is written at most this often. */
const TOUCHED_EVERY_MS = 30_000;
const REMOVED = `${PARTIAL}forgotten`;
const MIRROR = /^([A-Za-z0-9_-]{1,100})\.git$/;

/** What is made of mirrors and kept next to them, such as indexes. */
export interface Besides {
  /** Its files count against the limit too. */
  readonly folder: string;
  /** Called for each mirror that is evicted. */
  forget(projectId: string): Promise<void>;
}

/** Where it is written what became of mirrors: a logger such as pino. */
export interface GitLog {
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
}

interface EvictionOptions {
  /** Of the mirrors. */
  readonly folder: string;
  /** 0: no limit. */
  readonly maxTogetherBytes?: number;
  readonly besides?: Besides;
  readonly inUseMs?: number;
  readonly log?: GitLog;
}

/**
 * How many mirrors a folder has and their size on disk. `indexes`: a folder whose files are counted too; "" for none.
 */
export async function readMirrorsSize(
  mirrors: string,
  indexes = '',
): Promise<{ readonly mirrors: number; readonly bytes: number }> {
  const projectIds = await listMirrors(mirrors);
  let bytes = indexes === '' ? 0 : await readFolderSize(indexes);
  for (const projectId of projectIds) bytes += await readMirrorSize(join(mirrors, `${projectId}.git`));
  return { mirrors: projectIds.length, bytes };
}

/** The projects that have a mirror in this folder. */
export async function listMirrors(mirrors: string): Promise<readonly string[]> {
  const names = await readdir(mirrors).catch(() => []);
  return names.flatMap((name) => MIRROR.exec(name)?.[1] ?? []);
}

export interface Eviction extends AsyncDisposable {
  /** Removes in the background what exceeds the limit. */
  schedule(): void;
}

/** One eviction at a time in this process; disposing ends it. */
export function createEviction(options: EvictionOptions): Eviction {
  const stop = new AbortController();
  let running = Promise.resolve();
  return {
    schedule() {
      if ((options.maxTogetherBytes ?? 0) === 0) return;
      running = running
        .then(() => evict(options, stop.signal))
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          options.log?.warn({ err: error }, 'failed to keep the mirrors within their limit');
        });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function evict(options: EvictionOptions, signal: AbortSignal): Promise<void> {
  const { folder, besides, maxTogetherBytes: maxBytes = 0, inUseMs = IN_USE_MS, log } = options;
  signal.throwIfAborted();
  await clearRemoved(folder);
  let { bytes } = await readMirrorsSize(folder, besides?.folder);
  const mirrors: { readonly projectId: string; readonly usedAt: number }[] = [];
  for (const projectId of await listMirrors(folder)) {
    mirrors.push({ projectId, usedAt: await readLastUse(folder, projectId) });
  }
  for (const { projectId, usedAt } of mirrors.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes || signal.aborted) return;
    if (Date.now() - usedAt < inUseMs) break;
    const size = await readMirrorSize(join(folder, `${projectId}.git`));
    if (!(await evictOne(options, projectId, signal))) continue;
    bytes -= size;
    log?.info({ project: projectId, bytes: size }, 'evicted the least recently used mirror');
  }
  if (bytes > maxBytes) {
    log?.warn({ bytes, limit: maxBytes }, 'the mirrors exceed their limit, and all remaining ones are in use');
  }
}

/** Milliseconds; 0 where there is no such mirror. Kept as the time of its folder, which a fetch changes too. */
async function readLastUse(folder: string, projectId: string): Promise<number> {
  return (await stat(join(folder, `${projectId}.git`)).catch(() => null))?.mtimeMs ?? 0;
}

/** What a process left that was killed while it removed a mirror. Nothing else uses these names. */
async function clearRemoved(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(REMOVED)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** False where it is being fetched, or was used in the meantime, by any process. */
async function evictOne(
  { folder, inUseMs = IN_USE_MS, besides }: EvictionOptions,
  projectId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const lock = await acquireProcessLock(join(folder, 'locks', projectId), signal, 0).catch((error: unknown) => {
    if (error instanceof GitFailure) return null;
    throw error;
  });
  using _held = lock;
  if (lock === null || Date.now() - (await readLastUse(folder, projectId)) < inUseMs) return false;
  await removeMirror(folder, projectId);
  await besides?.forget(projectId);
  return true;
}

/**
 * Renamed first: a kill in the middle of the removal leaves no mirror that looks whole. Call under the mirror's lock.
 */
export async function removeMirror(folder: string, projectId: string): Promise<void> {
  const mirror = join(folder, `${projectId}.git`);
  await rename(mirror, `${mirror}${REMOVED}`).catch(() => undefined);
  await clearLeftovers(mirror);
}

/**
 * Git over mirrors that may be evicted: each use is noted, and one that is gone counts as damaged, so that it is
 * fetched again.
 */
export function watchUse(git: Git): Git {
  const touchedAt = new Map<string, number>();
  const noteUse = (gitDir: string | undefined) => {
    if (gitDir === undefined) return;
    if (!existsSync(gitDir)) throw new DamagedObjects('the mirror was evicted');
    const now = performance.now();
    if (now - (touchedAt.get(gitDir) ?? Number.NEGATIVE_INFINITY) < TOUCHED_EVERY_MS) return;
    touchedAt.set(gitDir, now);
    touchMirror(gitDir);
  };
  return {
    start(call) {
      noteUse(call.gitDir);
      return git.start(call);
    },
    async run(call) {
      noteUse(call.gitDir);
      return await git.run(call);
    },
  };
}

/** Notes that the mirror is used now; a failure to note it is not a reason not to read. */
export function touchMirror(gitDir: string): void {
  const now = new Date();
  try {
    utimesSync(gitDir, now, now);
  } catch {
    // Evicted in this moment, or a full disk.
  }
}
