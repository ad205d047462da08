// Keeps all mirrors together within their limit: beyond it those that were used longest ago are removed, and fetched again when needed.
import { existsSync, utimesSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { Log } from '../log.ts';
import { DamagedObjects } from './failure.ts';
import { acquireProcessLock } from './process-lock.ts';
import { clearLeftovers, folderSize, objectsSize, PARTIAL } from './refresh.ts';
import type { Git } from './run.ts';

/**
 * No caller says when it is done with a mirror, so one counts as in use for so long after the last git process: longer than a model
 * may think between two lookups (MODEL_TIMEOUT_S, ten minutes unless set).
 */
const IN_USE_MS = 30 * 60_000;
/** The time of a mirror's last use is written at most so often. */
const TOUCHED_EVERY_MS = 30_000;
const FORGOTTEN = `${PARTIAL}forgotten`;
const MIRROR = /^([A-Za-z0-9_-]{1,100})\.git$/;

/** What is made of mirrors and kept next to them, such as indexes. */
export interface Besides {
  /** Its files count against the limit too. */
  readonly folder: string;
  /** Called for each mirror that goes, so that what was made of it goes too. */
  forget(projectId: string): Promise<void>;
}

interface EvictionOptions {
  /** Of the mirrors. */
  readonly folder: string;
  /** 0: no limit. */
  readonly maxTogetherBytes?: number;
  readonly besides?: Besides;
  readonly inUseMs?: number;
  readonly log?: Log;
}

/** How much the mirrors of a data folder take on disk, with the indexes of what they hold. */
export interface MirrorsSize {
  readonly mirrors: number;
  readonly bytes: number;
}

/** `indexes`: their folder, whose files count too; "" for none. Folders that are not there count as empty. */
export async function readMirrorsSize(mirrors: string, indexes = ''): Promise<MirrorsSize> {
  const projectIds = await listMirrors(mirrors);
  let bytes = indexes === '' ? 0 : await folderSize(indexes);
  for (const projectId of projectIds) bytes += await objectsSize(join(mirrors, `${projectId}.git`, 'objects'));
  return { mirrors: projectIds.length, bytes };
}

/** The projects that have a mirror in this folder. */
export async function listMirrors(mirrors: string): Promise<readonly string[]> {
  const names = await readdir(mirrors).catch(() => []);
  return names.flatMap((name) => MIRROR.exec(name)?.[1] ?? []);
}

export interface Eviction extends AsyncDisposable {
  /** Removes in the background what must go, if anything. */
  schedule(): void;
}

/** One look at a time in this process; disposing ends the one under way. */
export function createEviction(options: EvictionOptions): Eviction {
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let isScheduledAgain = false;
  const run = async () => {
    do {
      isScheduledAgain = false;
      await evict(options, stop.signal);
    } while (isScheduledAgain && !stop.signal.aborted);
  };
  return {
    schedule() {
      if ((options.maxTogetherBytes ?? 0) === 0 || stop.signal.aborted) return;
      isScheduledAgain = true;
      running ??= run()
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            options.log?.warn({ err: error }, 'the mirrors could not be kept within their limit');
        })
        .finally(() => {
          running = null;
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
  await clearForgotten(folder, signal);
  let { bytes } = await readMirrorsSize(folder, besides?.folder);
  if (bytes <= maxBytes) return;
  const mirrors: { readonly projectId: string; readonly usedAt: number }[] = [];
  for (const projectId of await listMirrors(folder)) {
    mirrors.push({ projectId, usedAt: await readLastUse(folder, projectId) });
  }
  for (const { projectId, usedAt } of mirrors.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes || signal.aborted) return;
    if (Date.now() - usedAt < inUseMs) break;
    const size = await objectsSize(join(folder, `${projectId}.git`, 'objects'));
    if (!(await evictOne(options, projectId, signal))) continue;
    bytes -= size;
    log?.info({ project: projectId, bytes: size }, 'a mirror was evicted: it was used longest ago');
  }
  if (bytes > maxBytes) {
    log?.warn(
      { bytes, limit: maxBytes },
      'the mirrors take more than MIRRORS_MAX_MB, and all that are left are in use',
    );
  }
}

/** Milliseconds; 0 where there is no such mirror. Kept as the time of its folder, which a fetch moves too. */
async function readLastUse(folder: string, projectId: string): Promise<number> {
  return (await stat(join(folder, `${projectId}.git`)).catch(() => null))?.mtimeMs ?? 0;
}

/** What a process left that was killed while it removed a mirror: that one may never be opened again, which would clear it. */
async function clearForgotten(folder: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(`.git${FORGOTTEN}`)) continue;
    const projectId = name.slice(0, -`.git${FORGOTTEN}`.length);
    using lock = await tryLock(join(folder, 'locks', projectId), signal);
    if (lock !== null) await clearLeftovers(join(folder, `${projectId}.git`));
  }
}

/** False where it is being fetched, or was used in the meantime, by any process. */
async function evictOne(options: EvictionOptions, projectId: string, signal: AbortSignal): Promise<boolean> {
  const { folder, inUseMs = IN_USE_MS, besides } = options;
  using lock = await tryLock(join(folder, 'locks', projectId), signal);
  if (lock === null) return false;
  if (Date.now() - (await readLastUse(folder, projectId)) < inUseMs) return false;
  await removeMirror(folder, projectId);
  await besides?.forget(projectId);
  return true;
}

async function tryLock(file: string, signal: AbortSignal): Promise<Disposable | null> {
  try {
    return await acquireProcessLock(file, signal, 0);
  } catch (error) {
    if (error instanceof CausewayError) return null;
    throw error;
  }
}

/** Renamed first: a kill in the middle of the removal leaves no mirror that looks whole. Call under the mirror's lock. */
export async function removeMirror(folder: string, projectId: string): Promise<void> {
  const mirror = join(folder, `${projectId}.git`);
  const gone = `${mirror}${FORGOTTEN}`;
  await rename(mirror, gone).catch(() => undefined);
  await rm(gone, { recursive: true, force: true });
  await clearLeftovers(mirror);
}

/** Git over mirrors that may be evicted: each use is noted, and one that is gone counts as damaged, so that it is fetched again. */
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

/** Notes that the mirror is used now; what cannot be noted is no reason not to read. */
export function touchMirror(gitDir: string): void {
  const now = new Date();
  try {
    utimesSync(gitDir, now, now);
  } catch {
    // Evicted in this moment, or a full disk.
  }
}
