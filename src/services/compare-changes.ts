// Whether another change is where ours is: in the same file, in the same function.

import { type FileChange, hasChanges } from 'causeway-diff';
import type { Repository, SourceTree } from 'causeway-git-objects';
import type { Suspect } from '../core/issue/index.ts';
import { type Fate, listLinesOfChange } from '../core/outcome/index.ts';
import { isTestPath } from '../core/proof/index.ts';

/** `from`: null: the parent of `to`. */
export interface OtherChange {
  readonly from: string | null;
  readonly to: string;
}

/** Our change at that commit; without files, the first suspect counts. */
interface OwnChange {
  readonly revision: string;
  readonly files: readonly FileChange[];
  readonly suspects: readonly Suspect[];
}

type SharedPlaces = Pick<Extract<Fate, { readonly kind: 'fixed_elsewhere' }>, 'sameFile' | 'sameFunction'>;

/** Names of the functions that a change is in, by file; none where they are not known. */
type ChangedFunctions = ReadonlyMap<string, readonly string[]>;

const UNKNOWN: SharedPlaces = { sameFile: null, sameFunction: null };

export async function compareChanges(
  repository: Repository,
  change: OwnChange,
  { from, to }: OtherChange,
  signal: AbortSignal,
): Promise<SharedPlaces> {
  for (const sha of [change.revision, to, ...(from === null ? [] : [from])]) {
    if (!(await repository.ensureCommit(sha, signal))) return UNKNOWN;
  }
  const after = repository.tree(to);
  const { files, from: parent } = await after.compare(from, {}, signal);
  const ours = await listOwnPlaces(repository.tree(change.revision), change, signal);
  if (ours.size === 0 || parent === '') return UNKNOWN;
  const touched = new Set(files.flatMap(({ path, previousPath }) => [path, previousPath]));
  const common = [...ours.keys()].filter((path) => touched.has(path));
  if (common.length === 0) return { sameFile: false, sameFunction: false };
  const theirs = await listTheirPlaces(repository.tree(parent), after, common, signal);
  return { sameFile: true, sameFunction: isInSameFunction(ours, theirs) };
}

/** Null where no file has functions on both sides. */
function isInSameFunction(ours: ChangedFunctions, theirs: ChangedFunctions): boolean | null {
  const both = [...theirs].flatMap(([path, names]) => {
    const own = ours.get(path) ?? [];
    return own.length > 0 && names.length > 0 ? [names.some((name) => own.includes(name))] : [];
  });
  return both.length === 0 ? null : both.includes(true);
}

/** Without tests where there is anything else. */
async function listOwnPlaces(tree: SourceTree, change: OwnChange, signal: AbortSignal): Promise<ChangedFunctions> {
  const all = change.files.filter(hasChanges);
  const code = all.filter(({ path }) => !isTestPath(path));
  const files = code.length > 0 ? code : all;
  const [suspect] = change.suspects;
  if (files.length === 0 && suspect !== undefined) {
    return new Map([[suspect.file, suspect.function === '' ? [] : [suspect.function]]]);
  }
  const places = new Map<string, readonly string[]>();
  for (const file of files) {
    const path = file.kind === 'renamed' ? file.previousPath : file.path;
    const before = 'before' in file ? file.before : '';
    const after = 'after' in file ? file.after : '';
    places.set(path, await nameFunctions(tree, path, listLinesOfChange(before, after), signal));
  }
  return places;
}

async function listTheirPlaces(
  before: SourceTree,
  after: SourceTree,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ChangedFunctions> {
  const places = new Map<string, readonly string[]>();
  for (const path of paths) {
    const [old, now] = [await readWholeText(before, path, signal), await readWholeText(after, path, signal)];
    places.set(path, await nameFunctions(before, path, listLinesOfChange(old ?? '', now ?? ''), signal));
  }
  return places;
}

/** Of the definitions nearest above these lines. */
async function nameFunctions(
  tree: SourceTree,
  path: string,
  lines: readonly number[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const symbols = lines.length === 0 ? [] : await tree.outline(path, signal);
  const names = lines.map((line) => symbols.findLast((symbol) => symbol.line <= line)?.name);
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** Null where there is no such text, or it is too long. */
export async function readWholeText(tree: SourceTree, path: string, signal: AbortSignal): Promise<string | null> {
  const found = await tree.read(path, {}, signal);
  return found.kind === 'text' && found.cut === '' ? found.text : null;
}
