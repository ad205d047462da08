// What is noted of each mirror beside it: how many bytes it takes, and when it was last used; so that nobody walks through all of them.
import { utimesSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { objectsSize } from './folder-size.ts';

/** The folder of the records, beside the mirrors. */
const RECORDS = 'used';
const MIRROR = /^([A-Za-z0-9_-]{1,100})\.git$/;
/** A record is touched at most so often: every git process would else cost a write. */
const TOUCHED_EVERY_MS = 30_000;

export interface MirrorRecord {
  readonly projectId: string;
  readonly bytes: number;
  /** Milliseconds; of any process. */
  readonly usedAt: number;
}

/** How much the mirrors of a data folder take on disk, with the digests of what they hold. */
export interface MirrorsSize {
  readonly mirrors: number;
  readonly bytes: number;
}

/**
 * Reads what is noted: a small file for each mirror, and no walk through them (2,000 mirrors on a busy machine: 0.2 s). `digests`: the
 * folder of the lexicon, whose files count too; "" for none. Folders that are not there count as empty.
 */
export async function readMirrorsSize(mirrors: string, digests = ''): Promise<MirrorsSize> {
  const records = await readRecords(mirrors);
  const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  return { mirrors: records.length, bytes: bytes + (digests === '' ? 0 : await filesSize(digests)) };
}

/** Of every mirror that stands there. One without a record (of an earlier version, or whose record was lost) is measured and noted. */
export async function readRecords(mirrors: string): Promise<readonly MirrorRecord[]> {
  const names = await readdir(mirrors).catch(() => []);
  const ids = names.flatMap((name) => MIRROR.exec(name)?.[1] ?? []);
  const found: MirrorRecord[] = [];
  for (const projectId of ids) {
    const record = (await readRecord(mirrors, projectId)) ?? (await adopt(mirrors, projectId));
    if (record !== null) found.push(record);
  }
  return found;
}

/** Null where nothing is noted, or half a number. */
export async function readRecord(mirrors: string, projectId: string): Promise<MirrorRecord | null> {
  const file = recordOf(mirrors, projectId);
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    const bytes = /^(\d{1,16}) \S+\n$/.exec(text)?.[1];
    return bytes === undefined ? null : { projectId, bytes: Number(bytes), usedAt: mtimeMs };
  } catch {
    return null;
  }
}

/**
 * Notes that the mirror is used now, and its size where its object folders changed since it was measured last. Call under the mirror's
 * lock. True where it was measured: then the sum of all is another.
 */
export async function noteOpened(mirrors: string, projectId: string): Promise<boolean> {
  const file = recordOf(mirrors, projectId);
  const stamp = await stampOf(mirrors, projectId);
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before.endsWith(` ${stamp}\n`)) {
    touch(file);
    return false;
  }
  await write(file, await objectsSize(objectsOf(mirrors, projectId)), stamp);
  return true;
}

export async function forgetRecord(mirrors: string, projectId: string): Promise<void> {
  await rm(recordOf(mirrors, projectId), { force: true });
}

/** Notes each use of a mirror, at most twice a minute; what cannot be noted is no reason not to read. */
export function createUseNotes(): (gitDir: string) => void {
  const noted = new Map<string, number>();
  return (gitDir) => {
    const now = performance.now();
    if (now - (noted.get(gitDir) ?? Number.NEGATIVE_INFINITY) < TOUCHED_EVERY_MS) return;
    noted.set(gitDir, now);
    const projectId = MIRROR.exec(basename(gitDir))?.[1];
    if (projectId !== undefined) touch(recordOf(dirname(gitDir), projectId));
  };
}

/** Its time of use is that of the mirror itself, which a fetch or a clone moved last. */
async function adopt(mirrors: string, projectId: string): Promise<MirrorRecord | null> {
  const mirror = await stat(join(mirrors, `${projectId}.git`)).catch(() => null);
  if (mirror === null) return null;
  const bytes = await objectsSize(objectsOf(mirrors, projectId));
  const file = recordOf(mirrors, projectId);
  await write(file, bytes, await stampOf(mirrors, projectId)).catch(() => undefined);
  touch(file, mirror.mtime);
  return { projectId, bytes, usedAt: mirror.mtimeMs };
}

/** Changes whenever a pack or a folder of loose objects comes or goes. */
async function stampOf(mirrors: string, projectId: string): Promise<string> {
  const objects = objectsOf(mirrors, projectId);
  const times = await Promise.all(
    [objects, join(objects, 'pack')].map((folder) =>
      stat(folder).then(
        ({ mtimeMs }) => Math.round(mtimeMs),
        () => 0,
      ),
    ),
  );
  return times.join('-');
}

/** Whole or not at all: another process may be reading. */
async function write(file: string, bytes: number, stamp: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${bytes} ${stamp}\n`, { mode: 0o600 });
  await rename(draft, file);
}

function touch(file: string, at: Date = new Date()): void {
  try {
    utimesSync(file, at, at);
  } catch {
    // Evicted in this moment, or a full disk.
  }
}

function recordOf(mirrors: string, projectId: string): string {
  return join(mirrors, RECORDS, projectId);
}

function objectsOf(mirrors: string, projectId: string): string {
  return join(mirrors, `${projectId}.git`, 'objects');
}

async function filesSize(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
