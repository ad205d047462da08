// The paths of a commit, ready to be found by their ends.
import type { Listing } from '../core/source.ts';

export interface PathIndex {
  readonly paths: readonly string[];
  /** Paths by lower-case file name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** Bytes by path. */
  readonly sizes: ReadonlyMap<string, number>;
}

export function createPathIndex(listing: Listing): PathIndex {
  const files = listing.entries.filter(({ kind }) => kind === 'file' || kind === 'executable');
  const paths = files.map(({ path }) => path);
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = fileName(path).toLowerCase();
    const same = byName.get(name);
    if (same) same.push(path);
    else byName.set(name, [path]);
  }
  return { paths, byName, sizes: new Map(files.map(({ path, size }) => [path, size])) };
}

export interface SuffixMatch {
  /** The paths that share the longest end with what was asked, in path order. */
  readonly paths: readonly string[];
  /** How many segments they share; 1 is the file name alone. */
  readonly shared: number;
  /** Whether the whole of the tree's path stands at the end of what was asked, or the other way round. */
  readonly whole: boolean;
}

/** The files whose path has the most segments in common with the end of `path`, whatever the case of letters. */
export function longestSuffix(index: PathIndex, path: string): SuffixMatch | null {
  const wanted = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const candidates = index.byName.get(wanted.at(-1) ?? '') ?? [];
  let best: { paths: string[]; shared: number; whole: boolean } | null = null;
  for (const candidate of candidates) {
    const own = candidate.toLowerCase().split('/');
    const shared = sharedEnd(own, wanted);
    const whole = shared === own.length || shared === wanted.length;
    if (!best || shared > best.shared || (shared === best.shared && whole && !best.whole)) {
      best = { paths: [candidate], shared, whole };
    } else if (shared === best.shared && whole === best.whole) {
      best.paths.push(candidate);
    }
  }
  return best;
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function sharedEnd(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  while (shared < left.length && shared < right.length && left.at(-1 - shared) === right.at(-1 - shared)) shared++;
  return shared;
}
