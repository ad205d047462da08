// A change set: edits against one commit. It is the truth that is stored; `Diff` is only the API's view of it.
import { CausewayError } from '../errors.ts';
import type { Change, Diff, FileDiff, LineChange } from '../issue.ts';
import { isSafePath } from '../paths.ts';
import { diffLines, type Hunk } from './line-diff.ts';

export type FileMode = '100644' | '100755';

/** One file before and after. Text is valid UTF-8 without NUL; anything else is never changed. */
export type FileChange =
  | { readonly kind: 'added'; readonly path: string; readonly mode: FileMode; readonly after: string }
  | { readonly kind: 'deleted'; readonly path: string; readonly before: string }
  | {
      readonly kind: 'modified';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      /** The new mode, only where it changed. */
      readonly mode?: FileMode;
    }
  | {
      readonly kind: 'renamed';
      readonly path: string;
      readonly previousPath: string;
      readonly before: string;
      readonly after: string;
      readonly mode?: FileMode;
    };

export interface ChangeSet {
  /** Full sha of the commit that the edits are against. */
  readonly base: string;
  readonly files: readonly FileChange[];
}

export interface TextLines {
  readonly lines: readonly string[];
  readonly endsWithNewline: boolean;
}

/** The lines of a text. The empty text has none, and does not end with a newline. */
export function toLines(text: string): TextLines {
  if (text === '') return { lines: [], endsWithNewline: false };
  const lines = text.split('\n');
  const endsWithNewline = text.endsWith('\n');
  if (endsWithNewline) lines.pop();
  return { lines, endsWithNewline };
}

/**
 * The text of the lines. Not every pair is a text: no lines with a newline, or an empty last line without one, are none
 * (see `isWhole`).
 */
export function joinLines({ lines, endsWithNewline }: TextLines): string {
  return endsWithNewline ? `${lines.join('\n')}\n` : lines.join('\n');
}

/** The lines `from`–`to` of a text (1-based, inclusive; beyond the end: fewer or none), each as in the text. */
export function cutWindow(
  text: string,
  range: { readonly from: number; readonly to: number },
): { readonly text: string; readonly firstLine: number; readonly totalLines: number } {
  const { lines, endsWithNewline } = toLines(text);
  const from = Math.max(1, Math.trunc(range.from));
  const chosen = lines.slice(from - 1, Math.max(from - 1, Math.trunc(range.to)));
  const reachesEnd = from - 1 + chosen.length >= lines.length;
  const shown = { lines: chosen, endsWithNewline: chosen.length > 0 && (!reachesEnd || endsWithNewline) };
  return { text: joinLines(shown), firstLine: from, totalLines: lines.length };
}

/** Whether the lines are those of a text, so that `toLines(fromLines(x))` is x again. */
export function isWhole({ lines, endsWithNewline }: TextLines): boolean {
  return endsWithNewline ? lines.length > 0 : lines.at(-1) !== '';
}

/** Whether a string can be a file that we change: it has a UTF-8 form (no lone surrogate) and no NUL. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

const NOTHING: TextLines = { lines: [], endsWithNewline: false };

/**
 * The whole diff, files in the order of the change set; a file that stays as it is is left out. Throws `diff_refused`
 * as `toFileDiff` does.
 */
export function toDiff(changeSet: ChangeSet): Diff {
  return { files: changeSet.files.filter(hasChanges).map(toFileDiff) };
}

/** False for a file "modified" to what it was. */
export function hasChanges(change: FileChange): boolean {
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

/**
 * n old lines become m: `add` (n = 0), else `modify` for as many as both have, then `delete` for what is left of the
 * old.
 */
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

/** The error for a diff that must not be applied or made. It quotes no content: a line may hold a secret. */
export function createDiffRefused(fileName: unknown, reason: string, repair: string): CausewayError {
  const name = typeof fileName === 'string' ? JSON.stringify(fileName.slice(0, 200)) : 'a file without a name';
  return new CausewayError('diff_refused', `The diff of ${name} is refused: ${reason}. ${repair}`);
}

/** Refuses a path that leaves the repository, or might on another system. */
export function requireSafePath(path: unknown): void {
  if (typeof path === 'string' && isSafePath(path)) return;
  throw createDiffRefused(
    path,
    'the path does not name an ordinary file inside the repository on every system',
    'Use a relative path with "/" between its parts: no "..", no empty part, no backslash, no drive, nothing like ".git".',
  );
}

/** Refuses content that is not text: it has no lossless form in JSON. */
export function requireText(path: string, text: string): void {
  if (isText(text)) return;
  throw createDiffRefused(
    path,
    'the file is not text (NUL, or not UTF-8)',
    'Leave it out: only text files can be changed.',
  );
}

/** Refuses a change whose paths or content could not be given to anyone as a diff. */
export function requireSoundChange(change: FileChange): void {
  requireSafePath(change.path);
  if (change.kind !== 'added') requireText(change.path, change.before);
  if (change.kind !== 'deleted') requireText(change.path, change.after);
  if (change.kind !== 'renamed') return;
  requireSafePath(change.previousPath);
  if (change.previousPath === change.path) {
    throw createDiffRefused(change.path, 'it is renamed to its own name', 'Make it a modified file.');
  }
}
