// The files that edits touched, as values: what each was in the commit, what it is now, and the change set that this makes.
import type { FileChange, FileMode } from '../core/change-set.ts';

/** A file of the commit as it was. */
export interface BaseFile {
  readonly path: string;
  readonly text: string;
  readonly mode: FileMode;
}

/** A file as it is now. `origin`: the file of the commit that it was; null for a new one. */
export interface EditedFile {
  readonly origin: BaseFile | null;
  readonly text: string;
  readonly mode: FileMode;
}

/** The touched files: those that are, by their path of now, and those of the commit that are nowhere any more. */
export interface TouchedFiles {
  readonly present: ReadonlyMap<string, EditedFile>;
  readonly deleted: ReadonlyMap<string, BaseFile>;
}

/**
 * The changes in path order. A file that comes to stand where one was deleted is that one modified, so that no path is named
 * twice: where `b` is deleted and `a` renamed to `b`, `b` is modified and `a` deleted.
 */
export function changesOf(touched: TouchedFiles): readonly FileChange[] {
  const present = new Map(touched.present);
  const deleted = new Map(touched.deleted);
  for (let path = takenOver(present, deleted); path !== undefined; path = takenOver(present, deleted)) {
    const file = present.get(path);
    const origin = deleted.get(path);
    if (file === undefined || origin === undefined) break;
    deleted.delete(path);
    if (file.origin !== null) deleted.set(file.origin.path, file.origin);
    present.set(path, { ...file, origin });
  }
  const changes = [
    ...[...present].flatMap(([path, file]) => changeOf(path, file)),
    ...[...deleted.values()].map((file): FileChange => ({ kind: 'deleted', path: file.path, before: file.text })),
  ];
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The paths at which something else stands than in the commit, and the text there; null where nothing does. */
export function touchedPaths({ present, deleted }: TouchedFiles): ReadonlyMap<string, string | null> {
  const origins = [...present.values()].flatMap(({ origin }) => (origin === null ? [] : [origin.path]));
  const gone = [...deleted.keys(), ...origins].map((path) => [path, null] as const);
  return new Map<string, string | null>([...gone, ...[...present].map(([path, { text }]) => [path, text] as const)]);
}

/** A path where a file stands now and another one was deleted. */
function takenOver(
  present: ReadonlyMap<string, EditedFile>,
  deleted: ReadonlyMap<string, BaseFile>,
): string | undefined {
  return [...deleted.keys()].find((path) => present.has(path));
}

function changeOf(path: string, { origin, text, mode }: EditedFile): FileChange[] {
  if (origin === null) return [{ kind: 'added', path, mode, after: text }];
  const change = { path, before: origin.text, after: text, ...(mode === origin.mode ? {} : { mode }) };
  if (origin.path !== path) return [{ kind: 'renamed', previousPath: origin.path, ...change }];
  return text === origin.text && mode === origin.mode ? [] : [{ kind: 'modified', ...change }];
}
