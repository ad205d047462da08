// What the paths of a change forbid for ever: leaving the repository, links, names that are the same elsewhere, guarded files.
import type { FileChange } from '../core/change-set.ts';
import type { Analysis } from '../core/issue.ts';
import { isSafePath } from '../core/paths.ts';
import type { TreeEntry } from '../core/source.ts';
import { type GuardRule, guardOfPath, plainPath } from './guarded-paths.ts';

export type Guard = Analysis['guards'][number];

/** `GITHUB~1` is `.github` where short names are kept. */
const SHORT_NAME = /(?:^|\/)[^/]{1,6}~\d{1,4}(?:\.[^/.]{0,3})?(?=\/|$)/;

export function guardOf(rule: GuardRule, file: string, reason: string): Guard {
  return { rule, file, reason };
}

export function isNever(rule: string): boolean {
  return rule.startsWith('never/');
}

interface Standing {
  /** Symbolic links and submodules. */
  readonly links: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Path as it will stand, by its plain form: no two may be the same on another file system. */
  readonly byPlain: ReadonlyMap<string, string>;
}

export function standingNames(
  entries: readonly Pick<TreeEntry, 'path' | 'kind'>[],
  changes: readonly FileChange[],
): Standing {
  const gone = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'renamed') return [change.previousPath];
      return change.kind === 'deleted' ? [change.path] : [];
    }),
  );
  return {
    links: new Set(entries.flatMap(({ path, kind }) => (kind === 'symlink' || kind === 'submodule' ? [path] : []))),
    folders: new Set(entries.flatMap(({ path }) => foldersOf(path))),
    byPlain: new Map(entries.flatMap(({ path }) => (gone.has(path) ? [] : [[plainPath(path), path]]))),
  };
}

/** `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** What its paths, the new one and the old, forbid for ever. Paths that a person may allow are judged with the content. */
export function pathGuard(change: FileChange, standing: Standing, seen: Set<string>): Guard | null {
  for (const path of pathsOf(change)) {
    const shown = JSON.stringify(path.slice(0, 200)).slice(1, -1);
    if (!isSafePath(path))
      return guardOf('never/path', shown, 'the path could leave the repository or its file system');
    if (seen.has(path)) return guardOf('never/path', path, 'the change names the file twice');
    seen.add(path);
    if ([path, ...foldersOf(path)].some((part) => standing.links.has(part))) {
      return guardOf('never/link', path, 'it is, or lies behind, a symbolic link or a submodule');
    }
    const guard = guardOfPath(path);
    if (guard !== null && isNever(guard.rule))
      return guardOf(guard.rule, path, `${guard.reason}: never changed by a program`);
  }
  return arrivalGuard(change, standing);
}

export function pathsOf(change: FileChange): readonly string[] {
  return change.kind === 'renamed' ? [change.path, change.previousPath] : [change.path];
}

/** A file that comes new to its path. */
function arrivalGuard(change: FileChange, { byPlain, folders }: Standing): Guard | null {
  if (change.kind !== 'added' && change.kind !== 'renamed') return null;
  const twin = byPlain.get(plainPath(change.path));
  if (twin !== undefined) return guardOf('never/twin', change.path, `on some systems it is the same file as ${twin}`);
  if (SHORT_NAME.test(change.path))
    return guardOf('never/twin', change.path, 'on Windows it may be the short name of another file');
  if (folders.has(change.path)) return guardOf('never/twin', change.path, 'a folder stands there');
  return null;
}
