// The API's view of a change set: per file, the lines that were added, deleted or modified. Lossless (see `applyFileDiff`).
import type { ChangeSet, FileChange } from '../change-set.ts';
import type { Change, Diff, FileDiff, LineChange } from '../issue.ts';
import { requireSoundChange } from './apply-diff.ts';
import { diffLines, type Hunk } from './line-diff.ts';
import { type TextLines, toLines } from './text-lines.ts';

const NOTHING: TextLines = { lines: [], endsWithNewline: false };

/** The whole diff, files in the order of the change set; a file that stays as it is is left out. Throws `diff_refused` as `toFileDiff` does. */
export function toDiff(changeSet: ChangeSet): Diff {
  return { files: changeSet.files.filter(changesSomething).map(toFileDiff) };
}

/** False for a file "modified" to what it was. */
export function changesSomething(change: FileChange): boolean {
  return change.kind !== 'modified' || change.mode !== undefined || change.before !== change.after;
}

/** One file. Throws `diff_refused` for what no diff can carry: an unsafe path, or content that is not text. */
export function toFileDiff(change: FileChange): FileDiff {
  requireSoundChange(change);
  switch (change.kind) {
    case 'added': {
      const after = toLines(change.after);
      const { mode } = change;
      const changes = toChanges(NOTHING, after);
      return { fileName: change.path, changes, status: 'added', mode, endsWithNewline: after.endsWithNewline };
    }
    case 'deleted':
      return { fileName: change.path, changes: toChanges(toLines(change.before), NOTHING), status: 'deleted' };
    case 'modified':
      return edited(change, { status: 'modified' });
    case 'renamed':
      return edited(change, { status: 'renamed', previousFileName: change.previousPath });
  }
}

type Edited = Extract<FileChange, { readonly kind: 'modified' | 'renamed' }>;

function edited(change: Edited, what: Pick<FileDiff, 'status' | 'previousFileName'>): FileDiff {
  const before = toLines(change.before);
  const after = toLines(change.after);
  return {
    fileName: change.path,
    changes: toChanges(before, after),
    ...what,
    ...(change.mode === undefined ? {} : { mode: change.mode }),
    ...(before.endsWithNewline === after.endsWithNewline ? {} : { endsWithNewline: after.endsWithNewline }),
  };
}

function toChanges(before: TextLines, after: TextLines): Change[] {
  return diffLines(before.lines, after.lines).flatMap((hunk) => {
    const old = before.lines.slice(hunk.before, hunk.before + hunk.removed);
    const fresh = after.lines.slice(hunk.after, hunk.after + hunk.inserted);
    return hunkChanges(hunk, old, fresh);
  });
}

/** n old lines become m: `add` (n = 0), else `modify` for as many as both have, then `delete` for what is left of the old. */
function hunkChanges(hunk: Hunk, old: readonly string[], fresh: readonly string[]): Change[] {
  if (old.length === 0) {
    return [{ type: 'add', lines: [{ lineNumber: hunk.before, oldCode: '', newCode: fresh.join('\n') }] }];
  }
  const both = Math.min(old.length, fresh.length);
  const lines = old.map((oldCode, index): LineChange => {
    // The last modified line takes all new lines that are left.
    const end = index === both - 1 ? fresh.length : index + 1;
    return { lineNumber: hunk.before + index + 1, oldCode, newCode: fresh.slice(index, end).join('\n') };
  });
  const changes: Change[] = [
    { type: 'modify', lines: lines.slice(0, both) },
    { type: 'delete', lines: lines.slice(both) },
  ];
  return changes.filter((change) => change.lines.length > 0);
}
