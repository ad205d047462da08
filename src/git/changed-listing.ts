// The listing of a commit, made of another commit's and of the entries that differ: git compares two trees sooner than it lists one.
import type { Listing, TreeEntry } from '../core/source.ts';
import { kindOf } from './listing.ts';
import type { RepositoryAccess } from './repository.ts';

/** The size of each new content is a question of its own. */
const MOST_CHANGES = 300;
/** Bytes: so many changes with paths of usual length. */
const MOST_OUTPUT = 64 * 1024;
const TIMEOUT_MS = 20_000;
const REMOVED = '000000';
const CHANGE = /^:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) [AMDT]$/;

interface Change {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
}

/** Null where it takes `git ls-tree` to say: much changed, the other commit is not there any more, or a name is not UTF-8. */
export async function changedListing(
  access: RepositoryAccess,
  { from, to }: { readonly from: string; readonly to: string },
  before: Listing,
  signal: AbortSignal,
): Promise<Listing | null> {
  try {
    const changes = await changesBetween(access, { from, to }, signal);
    if (changes === null || changes.length > MOST_CHANGES) return null;
    const entries = await Promise.all(changes.map((change) => entryOf(access, change, signal)));
    return { ...before, entries: merged(before.entries, changes, entries) };
  } catch {
    // What is wrong the listing itself will say.
    return null;
  }
}

async function changesBetween(
  access: RepositoryAccess,
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly Change[] | null> {
  const { ending, stdout } = await access.git.run({
    args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none', from, to, '--'],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    maxBytes: MOST_OUTPUT,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) return null;
  const fields = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(stdout).split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, blob] = CHANGE.exec(fields[at] ?? '') ?? [];
    const path = fields[at + 1] ?? '';
    if (mode === undefined || blob === undefined || path === '') return null;
    changes.push({ path, mode, blob });
  }
  return changes;
}

/** Null for one that is gone. */
async function entryOf(
  { objects }: RepositoryAccess,
  { path, mode, blob }: Change,
  signal: AbortSignal,
): Promise<TreeEntry | null> {
  if (mode === REMOVED) return null;
  const kind = kindOf(mode);
  const isFile = kind === 'file' || kind === 'executable';
  return { path, size: isFile ? (await objects.about(blob, signal)).size : 0, kind, blob };
}

/** Throws where the changes are no changes of these entries. */
function merged(
  before: readonly TreeEntry[],
  changes: readonly Change[],
  entries: readonly (TreeEntry | null)[],
): readonly TreeEntry[] {
  const open = new Map(changes.map(({ path }, index) => [path, entries[index] ?? null]));
  if (open.size < changes.length) throw new Error('a path is there twice');
  const kept: TreeEntry[] = [];
  for (const entry of before) {
    const change = open.get(entry.path);
    if (change === undefined) kept.push(entry);
    else if (change !== null) kept.push(change);
    open.delete(entry.path);
  }
  const added = [...open.values()].map((entry) => {
    if (entry === null) throw new Error('a path is gone that was not there');
    return { entry, at: placeOf(kept, entry.path) };
  });
  return withAdded(kept, added);
}

interface Added {
  readonly entry: TreeEntry;
  /** Before which of the others it belongs. */
  readonly at: number;
}

/** `added` is in the order in which git tells of changes, which is that of the listing. */
function withAdded(kept: readonly TreeEntry[], added: readonly Added[]): readonly TreeEntry[] {
  const all: TreeEntry[] = [];
  let from = 0;
  for (const { entry, at } of added) {
    for (; from < at; from++) all.push(kept[from] as TreeEntry);
    all.push(entry);
  }
  for (; from < kept.length; from++) all.push(kept[from] as TreeEntry);
  return all;
}

/** By bytes, as git orders paths. */
function placeOf(entries: readonly TreeEntry[], path: string): number {
  const wanted = Buffer.from(path);
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(Buffer.from(entries[middle]?.path ?? ''), wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
