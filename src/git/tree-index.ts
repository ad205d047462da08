// The listing of one commit with what is looked up in it: kept from before, made of another commit's, or listed by git.
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Listing, TreeEntry } from '../core/source.ts';
import { changedListing } from './changed-listing.ts';
import { withRenewal } from './damage.ts';
import { readListing } from './listing.ts';
import { isPartialClone } from './object-seed.ts';
import type { RepositoryAccess } from './repository.ts';
import { untilAborted } from './single-flight.ts';

// About 10 ms of work before others get their turn.
const SLICE = 20_000;

export interface TreeIndex extends Listing {
  readonly byPath: ReadonlyMap<string, TreeEntry>;
  isFolder(path: string): boolean;
}

/** Reads the listing at the first call, and keeps it. */
export function createIndexLoader(
  access: RepositoryAccess,
  revision: string,
): (signal: AbortSignal) => Promise<TreeIndex> {
  let loading: Promise<TreeIndex> | undefined;
  return (signal) => {
    // Shared by all callers, so no single one may abort it; its own time limit bounds it.
    const unbound = new AbortController().signal;
    loading ??= load(access, revision, unbound);
    loading.catch(() => {
      loading = undefined;
    });
    return untilAborted(loading, signal);
  };
}

async function load(access: RepositoryAccess, revision: string, signal: AbortSignal): Promise<TreeIndex> {
  const known = access.listings.get(revision);
  if (known !== null) return known;
  const latest = access.listings.latest();
  const changed = latest && (await changedListing(access, { from: latest.sha, to: revision }, latest.index, signal));
  const listing = changed ?? (await withRenewal(access, signal, () => readListing(access, revision, signal)));
  const index = await indexOf(listing);
  if (isWhole(index) && !(await isPartialClone(join(access.mirror.gitDir, 'objects')))) {
    access.listings.keep(revision, index);
  }
  return index;
}

/** Whether nothing is missing in it, and no path is there twice: then another may be made of it. A partial clone does not know all sizes yet. */
function isWhole({ entries, byPath, cut, unreadableNames }: TreeIndex): boolean {
  return cut === '' && unreadableNames === 0 && byPath.size === entries.length;
}

async function indexOf(listing: Listing): Promise<TreeIndex> {
  const byPath = new Map<string, TreeEntry>();
  for (const entry of listing.entries) {
    byPath.set(entry.path, entry);
    if (byPath.size % SLICE === 0) await breathe();
  }
  // Asked seldom, so looked for: the folders of deep paths would be more than the paths themselves.
  const isFolder = (path: string) => path === '' || listing.entries.some((entry) => entry.path.startsWith(`${path}/`));
  return { ...listing, byPath, isFolder };
}
