// From a path as a trace or a person writes it to the files of the tree, own code told from foreign.
import type { Frame } from './frames/frame.ts';
import type { OwnPackage } from './manifests.ts';
import { builtVariants, cleanPath, installedPath, symbolPaths } from './path-forms.ts';
import { longestSuffix, type PathIndex, type SuffixMatch } from './path-index.ts';
import { isRuntimeFrame } from './runtime-frames.ts';

/** Where a path leads. `certain` is false where the line cannot be trusted (compiled file) or only the file name agrees. */
export type Mapping =
  | { readonly kind: 'own'; readonly path: string; readonly certain: boolean; readonly compiled: boolean }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[]; readonly compiled: boolean }
  | { readonly kind: 'dependency'; readonly of: string }
  | { readonly kind: 'runtime' }
  | { readonly kind: 'unknown' };

export interface Ground {
  readonly index: PathIndex;
  readonly packages: readonly OwnPackage[];
}

/** More equal ends than this say nothing (`index.js` in each of 200 folders). */
const MAX_AMBIGUOUS = 5;
const UNKNOWN: Mapping = { kind: 'unknown' };

/** Maps a frame by its path, or by its class or module path where it has none. */
export function mapFrame(ground: Ground, frame: Frame): Mapping {
  const byPath = frame.file !== '' && frame.language !== 'jvm' ? mapPath(ground, frame.file) : UNKNOWN;
  if (byPath.kind !== 'unknown') return byPath;
  for (const { path, atLeast } of symbolPaths(frame)) {
    const match = longestSuffix(ground.index, path);
    if (match && (match.shared >= atLeast || (match.whole && match.shared > 1))) return verdict(match, false);
  }
  return isRuntimeFrame(frame) ? { kind: 'runtime' } : UNKNOWN;
}

/** Maps a path: absolute or relative, of Windows, a URL, a bundler, an installed package, or compiled output. */
export function mapPath(ground: Ground, written: string): Mapping {
  const path = cleanPath(written);
  if (path === '' || isRuntimeFrame({ language: 'any', file: path, symbol: '' }))
    return path === '' ? UNKNOWN : { kind: 'runtime' };
  const installed = installedPath(path, ground.packages);
  if (installed?.kind === 'foreign') return mapVendored(ground, path) ?? inTree(ground, installed.rest, installed.of);
  if (installed?.kind === 'own') return mapWithin(ground, installed.path, installed.folder);
  return mapWithin(ground, path, '');
}

/** A dependency whose files are kept in the repository. */
function mapVendored(ground: Ground, path: string): Mapping | null {
  const match = longestSuffix(ground.index, path);
  return match?.whole && match.shared > 2 && match.paths[0]?.split('/').length === match.shared
    ? verdict(match, false)
    : null;
}

/** An installed package without a manifest here is own where the tree holds its whole path (`site-packages/django/db/models.py`). */
function inTree(ground: Ground, rest: string, of: string): Mapping {
  const match = longestSuffix(ground.index, rest);
  const segments = rest.split('/').length;
  return match && segments > 1 && match.shared === segments ? verdict(match, false) : { kind: 'dependency', of };
}

function mapWithin(ground: Ground, path: string, folder: string): Mapping {
  const direct = best(ground, path, folder);
  if (direct && (direct.whole || direct.shared > 2)) return verdict(direct, false);
  for (const variant of builtVariants(path)) {
    const match = best(ground, variant, folder);
    if (match && (match.whole || match.shared > 1) && match.shared >= (direct?.shared ?? 0))
      return verdict(match, true);
  }
  return direct ? verdict(direct, false) : UNKNOWN;
}

function best(ground: Ground, path: string, folder: string): SuffixMatch | null {
  const match = longestSuffix(ground.index, path);
  if (!match || folder === '') return match;
  const inside = match.paths.filter((candidate) => candidate.startsWith(`${folder}/`));
  return inside.length > 0 ? { ...match, paths: inside } : null;
}

function verdict(match: SuffixMatch, compiled: boolean): Mapping {
  const [only] = match.paths;
  if (only !== undefined && match.paths.length === 1) {
    return { kind: 'own', path: only, certain: !compiled && (match.whole || match.shared > 1), compiled };
  }
  return match.paths.length <= MAX_AMBIGUOUS ? { kind: 'ambiguous', paths: match.paths, compiled } : UNKNOWN;
}

/** The files that a mapping leads to; none where it leads nowhere in the tree. */
export function pathsOf(mapping: Mapping): readonly string[] {
  switch (mapping.kind) {
    case 'own':
      return [mapping.path];
    case 'ambiguous':
      return mapping.paths;
    case 'dependency':
    case 'runtime':
    case 'unknown':
      return [];
  }
}
