// What a file uses through others that only pass it on, such as the `index.ts` of a folder. Names decide: of what a file
// passes on only what is taken of it counts.

import type { SourceTree } from 'causeway-git-objects';
import type { PathIndex } from '../triage/index.ts';
import { LANGUAGE_NAMINGS, type Naming, type NamingFile, type Passed } from './names-taken.ts';

export interface PassedOnFinder {
  /** The files whose names that file takes by way of others. */
  readonly find: (file: NamingFile, signal: AbortSignal) => Promise<ReadonlySet<string>>;
}

/** Files that pass something on, one after the other. */
const MOST_HOPS = 5;
/** Files that are read for one. */
const MOST_READ = 60;
const MOST_TEXT = 100_000;

/** Reads each file once, whatever is asked of it. Throws what the tree throws. */
export function createPassedOnFinder(tree: Pick<SourceTree, 'read'>, index: PathIndex): PassedOnFinder {
  const known = new Map<string, NamedParts>();
  return {
    find: async (file, signal) => {
      const naming = LANGUAGE_NAMINGS.find(({ ends }) => ends.test(file.path));
      if (naming === undefined) return new Set();
      const read = async (path: string): Promise<NamedParts> => {
        const before = known.get(path);
        if (before !== undefined) return before;
        const found = await tree.read(path, {}, signal);
        const text = found.kind === 'text' ? found.text.slice(0, MOST_TEXT) : '';
        const passed = naming.listPassed({ path, text }, index).filter((one) => one.path !== path);
        const parts = { passed, defined: new Set(naming.listDefined(text)) };
        known.set(path, parts);
        return parts;
      };
      const used = await followNames(file, naming.listTaken(file, index), read);
      used.delete(file.path);
      return used;
    },
  };
}

interface NamedParts {
  readonly passed: readonly Passed[];
  readonly defined: ReadonlySet<string>;
}

interface Wanted {
  readonly path: string;
  readonly names: ReadonlySet<string>;
  readonly hops: number;
}

async function followNames(
  file: NamingFile,
  taken: ReturnType<Naming['listTaken']>,
  read: (path: string) => Promise<NamedParts>,
): Promise<Set<string>> {
  const words = new Set([...(file.text.match(/[A-Za-z_$][\w$]{0,100}/g) ?? []), 'default']);
  const used = new Set<string>();
  const followed = new Map<string, ReadonlySet<string>>();
  const queue = taken.map(
    ({ path, names }): Wanted => ({ path, names: names === null ? words : new Set(names), hops: 1 }),
  );
  for (const { path, names, hops } of queue) {
    const before = followed.get(path) ?? new Set();
    const fresh = names.difference(before);
    if (fresh.size === 0 || followed.size >= MOST_READ) continue;
    followed.set(path, before.union(fresh));
    for (const one of (await read(path)).passed) {
      const inner = findInner(one, fresh, words);
      if (inner.size === 0) continue;
      if (hops < MOST_HOPS) queue.push({ path: one.path, names: inner, hops: hops + 1 });
      const isCertain = one.names !== null || one.isWhole === true;
      if (isCertain || !(await read(one.path)).defined.isDisjointFrom(inner)) used.add(one.path);
    }
  }
  return used;
}

/** What those names are called in the file that they come from. */
function findInner({ names }: Passed, wanted: ReadonlySet<string>, words: ReadonlySet<string>): ReadonlySet<string> {
  if (names === null) return wanted;
  const inner = [...names].filter(([outer]) => wanted.has(outer)).map(([, name]) => name);
  return inner.includes(null) ? words : new Set(inner.filter((name) => name !== null));
}
