// Which files of a change decide what CI runs, or which tests do: of such a change no run proves anything.
import type { SourceTree } from 'causeway-git-objects';
import { findPathGuard } from '../investigate/index.ts';
import { readWholeText } from './compare-changes.ts';

/** As people read them. */
const MOST_NAMED = 10;

/** At most ten of the paths, whose versions are read in both trees. Throws the signal's reason. */
export async function listDecidingPaths(
  { before, after }: { readonly before: SourceTree; readonly after: SourceTree },
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const deciding: string[] = [];
  const isIdle = async (path: string) =>
    isIdleEdit(await readManifest(before, path, signal), await readManifest(after, path, signal));
  for (const path of paths) {
    const decides = isAlwaysDeciding(path) || (isPackage(path) && !(await isIdle(path)));
    if (decides) deciding.push(path);
  }
  return deciding.slice(0, MOST_NAMED);
}

/** Whatever changes in it: what is said without reading it. */
export function isAlwaysDeciding(path: string): boolean {
  const rule = findPathGuard(path)?.rule ?? null;
  return rule !== null && rule !== 'person/lock-file' && !isPackage(path);
}

function isPackage(path: string): boolean {
  return /(?:^|\/)package\.json$/.test(path) && findPathGuard(path)?.rule === 'person/manifest';
}

/** What a package is called and needs decides nothing of what runs; its scripts and the settings of tools do. */
const IDLE_KEYS = new Set([
  ...['version', 'description', 'keywords', 'author', 'contributors', 'license', 'funding', 'homepage', 'bugs'],
  ...['repository', 'dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies', 'files'],
  ...['types', 'typings'],
]);

type Manifest = Readonly<Record<string, unknown>>;

function isIdleEdit(before: Manifest | null, after: Manifest | null): boolean {
  if (before === null || after === null) return false;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every(
    (key) => IDLE_KEYS.has(key) || JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}

async function readManifest(tree: SourceTree, path: string, signal: AbortSignal): Promise<Manifest | null> {
  try {
    const parsed: unknown = JSON.parse((await readWholeText(tree, path, signal)) ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
