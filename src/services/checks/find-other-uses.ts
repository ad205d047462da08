// What a change leaves behind: lines elsewhere that still use a definition whose first line it changed, or that it took away.
import path from 'node:path';
import type { Repository, SourceTree } from 'causeway-git-objects';
import { isTestPath } from '../../core/proof/index.ts';

/** A line outside of the changed files, as it is at the head. */
export interface OtherUse {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** At most 500 characters. */
  readonly text: string;
}

interface ChangedFiles {
  readonly base: string;
  readonly head: string;
  readonly changed: readonly string[];
}

/** A wider change is a move or a rewrite, whose uses say little. */
const MOST_FILES = 10;
const MOST_NAMES = 3;
const MOST_USES = 6;
/** Shorter names stand for too much else. */
const SHORTEST = 4;

/** Empty where nothing is known. Throws what the repository throws. */
export async function findOtherUses(
  repository: Repository,
  { base, head, changed }: ChangedFiles,
  signal: AbortSignal,
): Promise<readonly OtherUse[]> {
  const [before, after] = [repository.tree(base), repository.tree(head)];
  const own = changed.filter((file) => !isTestPath(file));
  if (own.length === 0 || own.length > MOST_FILES) return [];
  const names = await listChangedNames(before, after, own, signal);
  const found: OtherUse[] = [];
  for (const { name, file } of names.slice(0, MOST_NAMES)) {
    const query = {
      pattern: name,
      regex: false,
      ignoreCase: false,
      word: true,
      paths: [`*${path.extname(file)}`],
      perFile: 2,
    };
    const { hits } = await after.search(query, signal);
    found.push(
      ...hits.filter((hit) => !changed.includes(hit.path) && !isTestPath(hit.path)).map((hit) => ({ name, ...hit })),
    );
  }
  return found.slice(0, MOST_USES);
}

async function listChangedNames(before: SourceTree, after: SourceTree, files: readonly string[], signal: AbortSignal) {
  const has = async (tree: SourceTree) => new Set((await tree.files(signal)).entries.map((entry) => entry.path));
  const [old, now] = [await has(before), await has(after)];
  const names: { readonly name: string; readonly file: string }[] = [];
  for (const file of files.filter((one) => old.has(one))) {
    const kept = now.has(file) ? await after.outline(file, signal) : [];
    const same = new Set(kept.map(({ name, signature }) => `${name} ${signature}`));
    for (const { name, signature } of await before.outline(file, signal)) {
      if (name.length >= SHORTEST && !same.has(`${name} ${signature}`)) names.push({ name, file });
    }
  }
  return names;
}
