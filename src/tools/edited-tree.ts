// What lookups see: the commit, with the edited files in place of what the commit has.
import { cutWindow } from '../core/diff/text-lines.ts';
import type { Symbol as Definition, FileRead, LineRange, SourceTree, TreeEntry } from '../core/source.ts';
import { outlineOf } from '../git/outline.ts';
import type { Overlay } from './overlay.ts';

export interface EditedTree {
  readonly tree: SourceTree;
  /** What stands at the paths that edits touched, as it may be shown; null where nothing does any more. */
  touched(): Promise<ReadonlyMap<string, string | null>>;
  entries(signal: AbortSignal): Promise<readonly TreeEntry[]>;
  read(path: string, lines: LineRange | undefined, signal: AbortSignal): Promise<FileRead>;
  outline(path: string, signal: AbortSignal): Promise<readonly Definition[]>;
  /** `(edited)` where the text at the path is not the commit's; "" where it is. */
  mark(path: string): string;
}

/** `clean` takes out of a whole text what may not be shown. */
export function createEditedTree(
  tree: SourceTree,
  overlay: Overlay,
  clean: (text: string) => Promise<string>,
): EditedTree {
  const touched = async () => {
    const shown = new Map<string, string | null>();
    for (const [path, text] of overlay.touched()) shown.set(path, text === null ? null : await clean(text));
    return shown;
  };
  return {
    tree,
    touched,
    entries: (signal) => overlay.entries(signal),
    async read(path, lines, signal) {
      const text = overlay.touched().get(path);
      if (text === null) return { kind: 'absent', nearest: [] };
      if (text !== undefined) return readWindow(await clean(text), lines);
      const read = await tree.read(path, lines === undefined ? {} : { lines }, signal);
      // A folder that edits made is none of the commit.
      if (read.kind !== 'absent') return read;
      const isFolder = [...overlay.touched()].some(([each, now]) => now !== null && each.startsWith(`${path}/`));
      return isFolder ? { kind: 'folder' } : read;
    },
    async outline(path, signal) {
      const text = overlay.touched().get(path);
      if (text === undefined) return tree.outline(path, signal);
      return text === null ? [] : outlineOf(path, await clean(text));
    },
    mark: (path) => (overlay.touched().has(path) ? ' (edited)' : ''),
  };
}

function readWindow(text: string, range: LineRange = { from: 1, to: Number.MAX_SAFE_INTEGER }): FileRead {
  return { kind: 'text', ...cutWindow(text, range), cut: '' };
}

/** A path as listings spell it: `./src/a.ts`, `/src/a.ts` and `src/` are common ways to say `src/a.ts` and `src`. */
export function normalisePath(path: string): string {
  const plain = path.replace(/^(?:\.?\/+)+/, '').replace(/(?<!\/)\/+$/, '');
  return plain === '.' ? '' : plain;
}
