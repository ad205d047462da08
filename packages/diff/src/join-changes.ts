// Two changes, one on top of the other, as one.
import { type ChangeSet, type FileChange, hasChanges } from './diff.ts';

/** Against the base of the first; null where the second is not on top of the contents that the first left. */
export function joinChanges(first: ChangeSet, second: ChangeSet): ChangeSet | null {
  const files = new Map(first.files.filter(hasChanges).map((file): [string, FileChange] => [file.path, file]));
  for (const next of second.files.filter(hasChanges)) {
    const before = files.get(next.path);
    const joined = before === undefined ? next : joinFile(before, next);
    if (joined === 'conflict' || isMoved(first, next)) return null;
    if (joined === 'nothing') files.delete(next.path);
    else files.set(next.path, joined);
  }
  return { base: first.base, files: [...files.values()] };
}

/** Whether one of them moves a file that the other changes. */
function isMoved({ files }: ChangeSet, next: FileChange): boolean {
  const from = next.kind === 'renamed' ? next.previousPath : null;
  return files.some((file) => file.path === from || (file.kind === 'renamed' && file.previousPath === next.path));
}

/** `nothing`: the second takes back the file that the first added. */
function joinFile(first: FileChange, second: FileChange): FileChange | 'nothing' | 'conflict' {
  const { path } = first;
  if (first.kind === 'deleted') {
    return second.kind === 'added' ? { kind: 'modified', path, before: first.before, after: second.after } : 'conflict';
  }
  if (second.kind === 'added' || second.kind === 'renamed' || second.before !== first.after) return 'conflict';
  if (second.kind === 'modified') {
    return { ...first, after: second.after, ...(second.mode !== undefined && { mode: second.mode }) };
  }
  if (first.kind === 'added') return 'nothing';
  return first.kind === 'modified' ? { kind: 'deleted', path, before: first.before } : 'conflict';
}
