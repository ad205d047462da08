// One commit as a source tree that is listed, read and searched in its mirror; nothing is ever checked out.
import { setImmediate as breathe } from 'node:timers/promises';
import { toLines } from 'causeway-diff';
import { raceAbort } from './abort.ts';
import type { RepositoryAccess } from './access.ts';
import { MissingObject, toError, withRenewal } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import { searchTree } from './grep.ts';
import { blameLines, compareCommits, countApart, readAncestors, readHistory, readMessages } from './log.ts';
import { readOutline } from './outline.ts';
import type { BlobContent, FileRead, LineRange, Listing, SourceTree, TreeEntry } from './source.ts';
import { decodeOrNull, decodeText, MAX_BLOB_BYTES, toFileRead } from './text.ts';

const MAX_LINK_BYTES = 4_096;
/** Blobs that are requested together. */
const BLOBS_AT_ONCE = 64;
/** Entries that are looked at before others get their turn, about 10 ms. */
const SLICE = 20_000;
// A tree can contain the same subtree many times: 250 kB of objects can mean 10^10 paths. Linux has 90,000 files, about
// 9 MB.
const MAX_ENTRIES = 300_000;
const MAX_LISTING_BYTES = 64 * 1024 * 1024;
const LISTING_TIMEOUT_MS = 60_000;

interface TreeIndex extends Listing {
  readonly byPath: ReadonlyMap<string, TreeEntry>;
  isFolder(path: string): boolean;
}

export function createCommitTree(access: RepositoryAccess, revision: string): SourceTree {
  const index = createIndexLoader(access, revision);

  function renewing<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withRenewal(access, signal, work);
  }

  async function readTextAt(path: string, signal: AbortSignal): Promise<string | null> {
    const entry = (await index(signal)).byPath.get(toTreePath(path));
    if (entry === undefined || !isReadable(entry)) return null;
    return decodeText(await renewing(signal, () => access.objects.read(entry.blob, signal)));
  }

  async function clampLines(path: string, range: LineRange, signal: AbortSignal): Promise<LineRange | null> {
    const text = await readTextAt(path, signal);
    if (text === null) return null;
    const from = Math.max(1, Math.trunc(range.from));
    const to = Math.min(toLines(text).lines.length, Math.trunc(range.to));
    return from <= to ? { from, to } : null;
  }

  return {
    revision,
    async files(signal) {
      const { entries, unreadableNames, cut = '' } = await index(signal);
      return { entries, unreadableNames, cut };
    },
    async read(path, options, signal) {
      const found = await index(signal);
      const entry = found.byPath.get(toTreePath(path));
      if (entry === undefined) return describeMissingPath(found, toTreePath(path));
      return renewing(signal, () => readEntry(access, entry, options.lines, signal));
    },
    async search(query, signal) {
      const { entries, byPath, isFolder } = await index(signal);
      const exists = (path: string) => byPath.has(path) || isFolder(path);
      return renewing(signal, () => searchTree(access, { revision, entries, exists }, query, signal));
    },
    async outline(path, signal) {
      const text = await readTextAt(path, signal);
      return text === null ? [] : readOutline(path, text);
    },
    async history(query, signal) {
      const path = toTreePath(query.path ?? '');
      if (isOutside(path)) return { commits: [], cut: `${path} is not a path in a repository.` };
      const kind = path === '' ? undefined : (await index(signal)).byPath.get(path)?.kind;
      const isFile = kind !== undefined && kind !== 'submodule';
      const lines = query.lines === undefined || path === '' ? null : await clampLines(path, query.lines, signal);
      if (query.lines !== undefined && path !== '' && lines === null) {
        return { commits: [], cut: `${path} has no such lines at this commit.` };
      }
      return renewing(signal, () => readHistory(access, { revision, path, isFile, lines }, query, signal));
    },
    async blame(path, range, signal) {
      const lines = await clampLines(path, range, signal);
      if (lines === null) return [];
      const at = { revision, path: toTreePath(path), range: lines };
      return renewing(signal, () => blameLines(access, at, signal));
    },
    compare: (from, options, signal) => {
      const path = toTreePath(options.path ?? '');
      const span = { from, to: revision };
      return renewing(signal, () => compareCommits(access, span, { ...options, path }, signal));
    },
    countApart: (sha, signal) => renewing(signal, () => countApart(access, { revision, sha }, signal)),
    contents: (blobs, signal) => readBlobs(access, blobs, signal),
    ancestors: (limit, signal) => renewing(signal, () => readAncestors(access, { revision, limit }, signal)),
    messages: (ids, signal) => readMessages(access, ids, signal),
  };
}

/** Reads the listing at the first call, and keeps it. */
function createIndexLoader(access: RepositoryAccess, revision: string): (signal: AbortSignal) => Promise<TreeIndex> {
  let loading: Promise<TreeIndex> | undefined;
  return (signal) => {
    // Shared by all callers, so none of them may abort it; its own time limit bounds it.
    const unbound = new AbortController().signal;
    loading ??= withRenewal(access, unbound, async () => indexListing(await readListing(access, revision, unbound)));
    loading.catch(() => {
      loading = undefined;
    });
    return raceAbort(loading, signal);
  };
}

async function indexListing(listing: Listing): Promise<TreeIndex> {
  const byPath = new Map<string, TreeEntry>();
  for (const entry of listing.entries) {
    byPath.set(entry.path, entry);
    if (byPath.size % SLICE === 0) await breathe();
  }
  // Rarely needed, so searched for: the folders of deep paths would be more than the paths themselves.
  const isFolder = (path: string) => path === '' || listing.entries.some((entry) => entry.path.startsWith(`${path}/`));
  return { ...listing, byPath, isFolder };
}

/**
 * Reads the listing of the commit `sha` in git's path order, and ends it where it grows absurd. Throws `DamagedObjects`
 * where trees are missing.
 */
async function readListing(access: RepositoryAccess, sha: string, signal: AbortSignal): Promise<Listing> {
  const process = access.git.start({
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', sha],
    gitDir: access.mirror.gitDir,
    timeoutMs: LISTING_TIMEOUT_MS,
    signal,
    isBrief: true,
  });
  process.stdin.end();
  const entries: TreeEntry[] = [];
  let pending: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let unreadableNames = 0;
  // One pipe's worth at a time (64 kB, under a millisecond): the event loop is free in between.
  process.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    const { rows, rest } = splitRows(pending, chunk);
    pending = rest;
    const found = rows.map(parseEntry).filter((entry) => entry !== null);
    unreadableNames += rows.length - found.length;
    entries.push(...found);
    if (entries.length > MAX_ENTRIES || bytes > MAX_LISTING_BYTES) process.stop();
  });
  const { ending, stderr } = await process.ended;
  const read = { entries: entries.slice(0, MAX_ENTRIES), unreadableNames };
  const cut = `Only the first ${read.entries.length} entries are listed; there are more.`;
  switch (ending.kind) {
    case 'aborted':
      signal.throwIfAborted();
      throw new GitFailure('closed', 'The listing was ended: the source was closed.');
    case 'stopped':
      return { ...read, cut };
    case 'timeout':
      return { ...read, cut: `Listing took over ${LISTING_TIMEOUT_MS / 1000} s: ${cut}` };
    case 'exited':
      if (entries.length > MAX_ENTRIES) return { ...read, cut };
      if (ending.code === 0) return { ...read, cut: '' };
      if (/maximum allowed tree depth/.test(stderr)) {
        return { ...read, cut: `Folders are nested too deeply: ${cut}` };
      }
      throw toError(`The files of commit ${sha} could not be listed.`, stderr);
  }
}

/** Rows that end with NUL, as text; null for one that is not UTF-8. */
function splitRows(
  before: Buffer,
  chunk: Buffer,
): { readonly rows: readonly (string | null)[]; readonly rest: Buffer } {
  const all = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const rows: (string | null)[] = [];
  let start = 0;
  for (let end = all.indexOf(0); end !== -1; start = end + 1, end = all.indexOf(0, start)) {
    rows.push(decodeOrNull(decoder, all.subarray(start, end)));
  }
  return { rows, rest: Buffer.from(all.subarray(start)) };
}

/** `<mode> <type> <id> <size>\t<path>`, any byte but NUL in the path; null for what is not UTF-8. */
function parseEntry(row: string | null): TreeEntry | null {
  const tab = row?.indexOf('\t') ?? -1;
  if (row === null || tab === -1) return null;
  const [mode = '', , blob = '', size] = row.slice(0, tab).split(/ +/);
  const kind = toKind(mode);
  // A partial clone lacks some contents: git says "BAD" for their size.
  const bytes = kind === 'file' || kind === 'executable' ? Number(size) : 0;
  return { path: row.slice(tab + 1), size: Number.isNaN(bytes) ? 0 : bytes, kind, blob };
}

function toKind(mode: string): TreeEntry['kind'] {
  if (mode === '120000') return 'symlink';
  if (mode === '160000') return 'submodule';
  return mode === '100755' ? 'executable' : 'file';
}

/** Blobs in order, some at a time. Those that are missing (a partial clone) or larger than 5 MiB are left out. */
async function* readBlobs(
  access: RepositoryAccess,
  blobs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly BlobContent[], void, undefined> {
  for (let from = 0; from < blobs.length; from += BLOBS_AT_ONCE) {
    const some = blobs.slice(from, from + BLOBS_AT_ONCE);
    const read = await withRenewal(access, signal, () =>
      Promise.all(some.map((blob) => readTreeBlob(access, blob, signal))),
    );
    const contents = read.flatMap((bytes, index) => (bytes === null ? [] : [{ blob: some[index] ?? '', bytes }]));
    if (contents.length > 0) yield contents;
  }
}

/** Null for one that is missing or too large. Throws `DamagedObjects`. */
async function readTreeBlob({ objects }: RepositoryAccess, blob: string, signal: AbortSignal): Promise<Buffer | null> {
  try {
    const { size } = await objects.readHeader(blob, signal);
    return size > MAX_BLOB_BYTES ? null : await objects.read(blob, signal);
  } catch (error) {
    if (error instanceof MissingObject) return null;
    throw error;
  }
}

/** The path as the tree spells it: `./src/a.ts` and `src/` are common ways to say `src/a.ts` and `src`. */
function toTreePath(path: string): string {
  const clean = path.replace(/^(?:\.\/+)+/, '').replace(/(?<!\/)\/+$/, '');
  return clean === '.' ? '' : clean;
}

function isOutside(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

function describeMissingPath(index: TreeIndex, path: string): FileRead {
  if (index.isFolder(path)) return { kind: 'folder' };
  return { kind: 'absent', nearest: findNearestPaths(path, [...index.byPath.keys()]) };
}

function isReadable(entry: TreeEntry): boolean {
  return (entry.kind === 'file' || entry.kind === 'executable') && entry.size <= MAX_BLOB_BYTES;
}

async function readEntry(
  access: RepositoryAccess,
  entry: TreeEntry,
  lines: LineRange | undefined,
  signal: AbortSignal,
): Promise<FileRead> {
  switch (entry.kind) {
    case 'submodule':
      return { kind: 'submodule', sha: entry.blob };
    case 'symlink':
      return readLink(access, entry.blob, signal);
    case 'file':
    case 'executable':
      if (entry.size > MAX_BLOB_BYTES) return { kind: 'too_large', size: entry.size };
      return toFileRead(await access.objects.read(entry.blob, signal), lines);
  }
}

/** A link's size is not in the listing, and nothing keeps a hostile tree from calling a gigabyte a link. */
async function readLink(access: RepositoryAccess, blob: string, signal: AbortSignal): Promise<FileRead> {
  const { size } = await access.objects.readHeader(blob, signal);
  if (size > MAX_LINK_BYTES) return { kind: 'too_large', size };
  return { kind: 'symlink', target: (await access.objects.read(blob, signal)).toString('utf8') };
}

const MAX_NEAREST = 5;
const LEAST_LIKENESS = 0.5;
// A name is up to 255 bytes in a work tree, but of any length in a commit.
const MAX_NAME = 64;

/** Up to five of `paths`, best first: the same file name elsewhere, then similar names. */
function findNearestPaths(wanted: string, paths: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  const name = getBaseName(target);
  const pairs = listLetterPairs(name);
  const scored: { readonly path: string; readonly score: number }[] = [];
  for (const path of paths) {
    const lower = path.toLowerCase();
    const own = getBaseName(lower);
    const likeness = own === name ? 1 : scoreSimilarity(pairs, own);
    if (likeness >= LEAST_LIKENESS) scored.push({ path, score: likeness * 10 + scoreSharedEnd(target, lower) });
  }
  scored.sort((a, b) => b.score - a.score || a.path.length - b.path.length);
  return scored.slice(0, MAX_NEAREST).map((each) => each.path);
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** How many segments from the end are equal, plus a little for equal ones from the start. */
function scoreSharedEnd(a: string, b: string): number {
  const left = a.split('/').reverse();
  const right = b.split('/').reverse();
  const ending = left.findIndex((segment, index) => segment !== right[index]);
  const starting = left.filter((segment) => right.includes(segment)).length;
  return (ending === -1 ? left.length : ending) + starting / 10;
}

function listLetterPairs(name: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index < Math.min(name.length, MAX_NAME) - 1; index += 1) pairs.add(name.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of letter pairs: 1 is equal, 0 shares nothing. */
function scoreSimilarity(pairs: ReadonlySet<string>, name: string): number {
  const other = listLetterPairs(name);
  let shared = 0;
  for (const pair of other) if (pairs.has(pair)) shared += 1;
  return (2 * shared) / Math.max(1, pairs.size + other.size);
}
