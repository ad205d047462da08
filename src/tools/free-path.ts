// Whether a new file may stand at a path, on every system that may check the repository out.
import { isSafePath } from '../core/paths.ts';

/** No name that a person can tell from another needs these. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** What stands somewhere now. */
interface Standing {
  readonly path: string;
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule';
}

/** Why no file may come to stand at `path`, given everything that stands in the tree now; "" where it may. */
export function whyNotFree(path: string, standing: readonly Standing[]): string {
  if (!isSafePath(path)) {
    return `${JSON.stringify(path)} is no safe path: it must be relative, with "/" between plain names, and nothing like ".." or ".git"`;
  }
  if (UNSEEN.test(path)) return `${JSON.stringify(path)} holds an invisible character`;
  const folders = foldersOf(path);
  const key = sameNameKey(path);
  const keys = new Map(folders.map((folder) => [sameNameKey(folder), folder]));
  for (const { path: other, kind } of standing) {
    const reason = inTheWay(path, folders, { path: other, kind }) || twinOf({ path, key, folders: keys }, other);
    if (reason !== '') return reason;
  }
  return '';
}

function inTheWay(path: string, folders: readonly string[], { path: other, kind }: Standing): string {
  if (other === path) return `there is already a ${wordFor(kind)} at ${path}`;
  if (other.startsWith(`${path}/`)) return `${path} is a folder`;
  if (folders.includes(other)) return `${other} is a ${wordFor(kind)}, not a folder`;
  return '';
}

interface Wanted {
  readonly path: string;
  readonly key: string;
  /** Its folders by the key under which they are the same name elsewhere. */
  readonly folders: ReadonlyMap<string, string>;
}

/** macOS and Windows take names that differ in case or in composition of accents for one. */
function twinOf(wanted: Wanted, other: string): string {
  for (const name of [...foldersOf(other), other]) {
    const key = sameNameKey(name);
    const own = wanted.folders.get(key) ?? (key === wanted.key ? wanted.path : undefined);
    if (own === undefined) {
      if (!wanted.folders.has(key)) break;
    } else if (own !== name) {
      return `${name} exists, and on some systems ${own} would be the same name; use its spelling`;
    }
  }
  return '';
}

function wordFor(kind: Standing['kind']): string {
  return kind === 'symlink' ? 'symbolic link' : kind === 'submodule' ? 'submodule' : 'file';
}

/** `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function sameNameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
