// The tree as edits left it: files of the commit where nothing was done, else what was made of them.
import { isSafePath } from '../core/paths.ts';
import type { FileRead, SourceTree, TreeEntry } from '../core/source.ts';
import type { BaseFile, EditedFile, TouchedFiles } from './overlay-files.ts';

export interface WorkingTree extends TouchedFiles {
  readonly present: Map<string, EditedFile>;
  readonly deleted: Map<string, BaseFile>;
  /** Everything that stands in the tree now, in path order. */
  entries(signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** The file as it is now, or the reason why it cannot be changed. */
  open(path: string, signal: AbortSignal): Promise<EditedFile | string>;
}

export function createWorkingTree(tree: SourceTree): WorkingTree {
  const present = new Map<string, EditedFile>();
  const deleted = new Map<string, BaseFile>();
  function isVacated(path: string): boolean {
    return deleted.has(path) || [...present.values()].some(({ origin }) => origin?.path === path);
  }

  async function entries(signal: AbortSignal): Promise<readonly TreeEntry[]> {
    const listed = (await tree.files(signal)).entries;
    if (present.size + deleted.size === 0) return listed;
    const own = [...present].map(([path, file]): TreeEntry => {
      const kind = file.mode === '100755' ? 'executable' : 'file';
      return { path, size: Buffer.byteLength(file.text), kind, blob: '' };
    });
    const kept = listed.filter(({ path }) => !present.has(path) && !isVacated(path));
    return [...kept, ...own].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async function open(path: string, signal: AbortSignal): Promise<EditedFile | string> {
    const edited = present.get(path);
    if (edited !== undefined) return edited;
    if (isVacated(path)) return `${path} is not there any more: you deleted or renamed it`;
    return whyUnsafe(path) || (await openBase(tree, path, signal));
  }

  return { present, deleted, entries, open };
}

async function openBase(tree: SourceTree, path: string, signal: AbortSignal): Promise<EditedFile | string> {
  const read = await tree.read(path, {}, signal);
  if (read.kind !== 'text' || read.cut !== '') return whyUnchangeable(path, read);
  const entry = (await tree.files(signal)).entries.find((each) => each.path === path);
  if (entry === undefined) return `there is no ${path}: write the path as the listing has it`;
  const mode = entry.kind === 'executable' ? '100755' : '100644';
  return { origin: { path, text: read.text, mode }, text: read.text, mode };
}

function whyUnsafe(path: string): string {
  return isSafePath(path) ? '' : `${JSON.stringify(path)} is no path that can be changed safely on every system`;
}

function whyUnchangeable(path: string, read: FileRead): string {
  switch (read.kind) {
    case 'text':
      return `${path} is too large or has too long lines to be changed`;
    case 'binary':
      return `${path} is binary; only text can be changed`;
    case 'too_large':
      return `${path} is too large to be changed (${read.size} bytes; the limit is 1 MiB)`;
    case 'symlink':
      return `${path} is a symbolic link to ${JSON.stringify(read.target)}; change the file that it leads to`;
    case 'submodule':
      return `${path} is a submodule, another repository`;
    case 'folder':
      return `${path} is a folder`;
    case 'absent':
      return `there is no ${path}${read.nearest.length > 0 ? `; perhaps ${read.nearest.join(' or ')}` : ''}`;
  }
}
