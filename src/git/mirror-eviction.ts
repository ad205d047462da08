// Keeps all mirrors together within their limit: beyond it those go that nobody has used for longest, and are fetched anew when needed.
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { Log } from '../log.ts';
import { DamagedObjects } from './damage.ts';
import { createUseNotes, forgetRecord, readMirrorsSize, readRecord, readRecords } from './mirror-records.ts';
import { clearLeftovers, PARTIAL } from './mirror-upkeep.ts';
import { acquireProcessLock } from './process-lock.ts';
import type { Git } from './run-git.ts';

/**
 * Nobody says when they are done with a mirror, so one counts as in use for so long after the last git process: longer than a model
 * may think between two lookups (MODEL_TIMEOUT_S, ten minutes unless set).
 */
const IN_USE_MS = 30 * 60_000;
const FORGOTTEN = `${PARTIAL}forgotten`;

/** What is made of mirrors beside them, such as digests. */
export interface Besides {
  /** Its files count against the limit too. */
  readonly folder: string;
  /** Told of each mirror that goes, so that what was made of it goes too. */
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

export interface Eviction extends AsyncDisposable {
  /** Looks, beside whatever else happens, whether something must go. */
  look(): void;
}

/** One look at a time in this process; disposing ends the one under way. */
export function createEviction(options: EvictionOptions): Eviction {
  const stop = new AbortController();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  const rounds = async () => {
    do {
      isAskedAgain = false;
      await evict(options, stop.signal);
    } while (isAskedAgain && !stop.signal.aborted);
  };
  return {
    look() {
      if ((options.maxTogetherBytes ?? 0) === 0 || stop.signal.aborted) return;
      isAskedAgain = true;
      looking ??= rounds()
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            options.log?.warn({ err: error }, 'the mirrors could not be kept within their limit');
        })
        .finally(() => {
          looking = null;
        });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await looking;
    },
  };
}

async function evict(options: EvictionOptions, signal: AbortSignal): Promise<void> {
  const { folder, besides, maxTogetherBytes: maxBytes = 0, inUseMs = IN_USE_MS, log } = options;
  await clearForgotten(folder, signal);
  let { bytes } = await readMirrorsSize(folder, besides?.folder);
  if (bytes <= maxBytes) return;
  const records = await readRecords(folder);
  for (const record of records.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes || signal.aborted) return;
    if (Date.now() - record.usedAt < inUseMs) break;
    if (!(await evictOne(options, record.projectId, signal))) continue;
    bytes -= record.bytes;
    log?.info({ project: record.projectId, bytes: record.bytes }, 'a mirror was evicted: it was not used for longest');
  }
  if (bytes > maxBytes) {
    log?.warn(
      { bytes, limit: maxBytes },
      'the mirrors take more than MIRRORS_MAX_MB, and all that are left are in use',
    );
  }
}

/** What a process left that was killed while it removed a mirror: nobody may ever open that one again, which would clear it. */
async function clearForgotten(folder: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(`.git${FORGOTTEN}`)) continue;
    const projectId = name.slice(0, -`.git${FORGOTTEN}`.length);
    using lock = await lockNow(join(folder, 'locks', projectId), signal);
    if (lock !== null) await clearLeftovers(join(folder, `${projectId}.git`));
  }
}

/** False where it is being fetched, or was used in the meantime, by any process. */
async function evictOne(options: EvictionOptions, projectId: string, signal: AbortSignal): Promise<boolean> {
  const { folder, inUseMs = IN_USE_MS, besides } = options;
  using lock = await lockNow(join(folder, 'locks', projectId), signal);
  if (lock === null) return false;
  const now = await readRecord(folder, projectId);
  if (now !== null && Date.now() - now.usedAt < inUseMs) return false;
  await removeMirror(folder, projectId);
  await besides?.forget(projectId);
  return true;
}

async function lockNow(file: string, signal: AbortSignal): Promise<Disposable | null> {
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
  await forgetRecord(folder, projectId);
}

/** Git over mirrors that may be evicted: each use is noted, and one that is gone counts as damaged, so that it is made anew. */
export function overMirrors(git: Git): Git {
  const note = createUseNotes();
  const used = (gitDir: string | undefined) => {
    if (gitDir === undefined) return;
    if (!existsSync(gitDir)) throw new DamagedObjects('the mirror was evicted');
    note(gitDir);
  };
  return {
    start(call) {
      used(call.gitDir);
      return git.start(call);
    },
    async run(call) {
      used(call.gitDir);
      return await git.run(call);
    },
  };
}
