// The existing paths that are most like one that does not exist.

const COUNT = 5;
const LIKE = 0.5;
// A name is up to 255 bytes in a work tree, but of any length in a commit.
const MAX_NAME = 64;

/** Up to five of `paths`, best first: the same file elsewhere, then names that look alike. */
export function nearestPaths(wanted: string, paths: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  const name = nameOf(target);
  const pairs = pairsOf(name);
  const scored: { readonly path: string; readonly score: number }[] = [];
  for (const path of paths) {
    const lower = path.toLowerCase();
    const own = nameOf(lower);
    const likeness = own === name ? 1 : similarity(pairs, own);
    if (likeness >= LIKE) scored.push({ path, score: likeness * 10 + sharedEnd(target, lower) });
  }
  scored.sort((a, b) => b.score - a.score || a.path.length - b.path.length);
  return scored.slice(0, COUNT).map((each) => each.path);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** How many segments from the end are equal, plus a little for equal ones from the start. */
function sharedEnd(a: string, b: string): number {
  const left = a.split('/').reverse();
  const right = b.split('/').reverse();
  const ending = left.findIndex((segment, index) => segment !== right[index]);
  const starting = left.filter((segment) => right.includes(segment)).length;
  return (ending === -1 ? left.length : ending) + starting / 10;
}

function pairsOf(name: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index < Math.min(name.length, MAX_NAME) - 1; index += 1) pairs.add(name.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of letter pairs: 1 is equal, 0 shares nothing. */
function similarity(pairs: ReadonlySet<string>, name: string): number {
  const other = pairsOf(name);
  let shared = 0;
  for (const pair of other) if (pairs.has(pair)) shared += 1;
  return (2 * shared) / Math.max(1, pairs.size + other.size);
}
