// One commit as a tree that can be listed, read and asked; nothing is ever checked out.

import { toLines } from '../core/diff/text-lines.ts';
import type { FileRead, LineRange, SourceTree, TreeEntry } from '../core/source.ts';
import { blameLines } from './blame.ts';
import { readBlobs } from './blob-stream.ts';
import { readAncestors, readMessages } from './commit-log.ts';
import { compareCommits } from './compare.ts';
import { withRenewal } from './damage.ts';
import { readHistory } from './history.ts';
import { nearestPaths } from './nearest-paths.ts';
import { outlineOf } from './outline.ts';
import { decodeText, MAX_BLOB_BYTES, readText } from './read-text.ts';
import type { RepositoryAccess } from './repository.ts';
import { searchTree } from './search.ts';
import { createIndexLoader, type TreeIndex } from './tree-index.ts';

const MAX_LINK_BYTES = 4_096;

export function createCommitTree(access: RepositoryAccess, revision: string): SourceTree {
  const index = createIndexLoader(access, revision);

  function healed<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withRenewal(access, signal, work);
  }

  async function textAt(path: string, signal: AbortSignal): Promise<string | null> {
    const entry = (await index(signal)).byPath.get(cleanPath(path));
    if (entry === undefined || !isReadable(entry)) return null;
    return decodeText(await healed(signal, () => access.objects.read(entry.blob, signal)));
  }

  async function existingLines(path: string, range: LineRange, signal: AbortSignal): Promise<LineRange | null> {
    const text = await textAt(path, signal);
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
      const entry = found.byPath.get(cleanPath(path));
      if (entry === undefined) return missing(found, cleanPath(path));
      return healed(signal, () => readEntry(access, entry, options.lines, signal));
    },
    async search(query, signal) {
      const { entries, byPath, isFolder } = await index(signal);
      const exists = (path: string) => byPath.has(path) || isFolder(path);
      return healed(signal, () => searchTree(access, { revision, entries, exists }, query, signal));
    },
    async outline(path, signal) {
      const text = await textAt(path, signal);
      return text === null ? [] : outlineOf(path, text);
    },
    async history(query, signal) {
      const path = cleanPath(query.path ?? '');
      if (leadsOutside(path)) return { commits: [], cut: `${path} is no path of a repository.` };
      const kind = (await index(signal)).byPath.get(path)?.kind;
      const isFile = kind !== undefined && kind !== 'submodule';
      const lines = query.lines === undefined || path === '' ? null : await existingLines(path, query.lines, signal);
      if (query.lines !== undefined && path !== '' && lines === null) {
        return { commits: [], cut: `${path} has no such lines at this commit.` };
      }
      return healed(signal, () => readHistory(access, { revision, path, isFile, lines }, query, signal));
    },
    async blame(path, range, signal) {
      const lines = await existingLines(path, range, signal);
      if (lines === null) return [];
      const at = { revision, path: cleanPath(path), range: lines };
      return healed(signal, () => blameLines(access, at, signal));
    },
    compare: (from, options, signal) => {
      const path = cleanPath(options.path ?? '');
      const span = { from, to: revision };
      return healed(signal, () => compareCommits(access, span, path === '' ? {} : { path }, signal));
    },
    ...createBulkReads(access, revision),
  };
}

function createBulkReads(
  access: RepositoryAccess,
  revision: string,
): Pick<SourceTree, 'contents' | 'ancestors' | 'messages'> {
  return {
    contents: (blobs, signal) => readBlobs(access, blobs, signal),
    ancestors: (limit, signal) => withRenewal(access, signal, () => readAncestors(access, { revision, limit }, signal)),
    messages: (ids, signal) => readMessages(access, ids, signal),
  };
}

/** The path as the tree spells it: `./src/a.ts` and `src/` are common ways to say `src/a.ts` and `src`. */
function cleanPath(path: string): string {
  const clean = path.replace(/^(?:\.\/+)+/, '').replace(/(?<!\/)\/+$/, '');
  return clean === '.' ? '' : clean;
}

function leadsOutside(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

function missing(index: TreeIndex, path: string): FileRead {
  if (index.isFolder(path)) return { kind: 'folder' };
  return { kind: 'absent', nearest: nearestPaths(path, [...index.byPath.keys()]) };
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
      return readText(await access.objects.read(entry.blob, signal), lines);
  }
}

/** A link's size is not in the listing, and nothing keeps a hostile tree from calling a gigabyte a link. */
async function readLink(access: RepositoryAccess, blob: string, signal: AbortSignal): Promise<FileRead> {
  const { size } = await access.objects.about(blob, signal);
  if (size > MAX_LINK_BYTES) return { kind: 'too_large', size };
  return { kind: 'symlink', target: (await access.objects.read(blob, signal)).toString('utf8') };
}
