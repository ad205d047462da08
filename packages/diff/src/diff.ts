// A change set: edits against one commit, as stored. `Diff` is the API's view of it.
import { isSafePath } from 'causeway-paths';
import { diffLines, type Hunk } from './line-diff.ts';

export interface LineChange {
  readonly lineNumber: number;
  readonly oldCode: string;
  readonly newCode: string;
}

export interface Change {
  readonly type: 'add' | 'delete' | 'modify';
  readonly lines: readonly LineChange[];
}

export interface FileDiff {
  readonly fileName: string;
  readonly changes: readonly Change[];
  readonly status?: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly previousFileName?: string;
  readonly mode?: '100644' | '100755';
  readonly endsWithNewline?: boolean;
}

export interface Diff {
  readonly files: readonly FileDiff[];
}

export type FileMode = '100644' | '100755';

/** One file before and after, as valid UTF-8 without NUL. Other files are never changed. */
export type FileChange =
  | { readonly kind: 'added'; readonly path: string; readonly mode: FileMode; readonly after: string }
  | { readonly kind: 'deleted'; readonly path: string; readonly before: string }
  | {
      readonly kind: 'modified';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      /** The new mode, only if it changed. */
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

/** The lines of a text. The empty text has none and does not end with a newline. */
export function toLines(text: string): TextLines {
  if (text === '') return { lines: [], endsWithNewline: false };
  const lines = text.split('\n');
  const endsWithNewline = text.endsWith('\n');
  if (endsWithNewline) lines.pop();
  return { lines, endsWithNewline };
}

/** The text of the lines. Some pairs are no text, such as a line that contains a newline (see `isWhole`). */
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

/** Whether the lines form a text, so that `toLines(joinLines(x))` is x again. */
export function isWhole({ lines, endsWithNewline }: TextLines): boolean {
  return endsWithNewline ? lines.length > 0 : lines.at(-1) !== '';
}

/** Whether a file with this content can be changed: well-formed and without NUL. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

const NOTHING: TextLines = { lines: [], endsWithNewline: false };

/**
 * The diff of all files in their order, without unchanged ones. Throws DiffRefused for an unsafe path or content that is
 * not text.
 */
export function toDiff(changeSet: ChangeSet): Diff {
  return { files: changeSet.files.filter(hasChanges).map(toFileDiff) };
}

/** False for a file "modified" to the same content. */
export function hasChanges(change: FileChange): boolean {
  return change.kind !== 'modified' || change.mode !== undefined || change.before !== change.after;
}

/** The diff of one file. Throws DiffRefused for an unsafe path or content that is not text. */
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
      return describeEdit(change, { status: 'modified' });
    case 'renamed':
      return describeEdit(change, { status: 'renamed', previousFileName: change.previousPath });
  }
}

type Edited = Extract<FileChange, { readonly kind: 'modified' | 'renamed' }>;

function describeEdit(change: Edited, what: Pick<FileDiff, 'status' | 'previousFileName'>): FileDiff {
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
    return convertHunk(hunk, old, fresh);
  });
}

/**
 * n old lines become m: `add` (n = 0), otherwise `modify` for the lines that both have, then `delete` for the remaining
 * old ones.
 */
function convertHunk(hunk: Hunk, old: readonly string[], fresh: readonly string[]): Change[] {
  if (old.length === 0) {
    return [{ type: 'add', lines: [{ lineNumber: hunk.before, oldCode: '', newCode: fresh.join('\n') }] }];
  }
  const both = Math.min(old.length, fresh.length);
  const lines = old.map((oldCode, index): LineChange => {
    // The last modified line takes all remaining new lines.
    const end = index === both - 1 ? fresh.length : index + 1;
    return { lineNumber: hunk.before + index + 1, oldCode, newCode: fresh.slice(index, end).join('\n') };
  });
  const changes: Change[] = [
    { type: 'modify', lines: lines.slice(0, both) },
    { type: 'delete', lines: lines.slice(both) },
  ];
  return changes.filter((change) => change.lines.length > 0);
}

/** A diff must not be applied or made. The message has the repair and quotes no content, which may hold a secret. */
export class DiffRefused extends Error {
  override readonly name = 'DiffRefused';
  readonly code = 'diff_refused';

  constructor(fileName: unknown, reason: string, repair: string) {
    const name = typeof fileName === 'string' ? JSON.stringify(fileName.slice(0, 200)) : 'a file without a name';
    super(`The diff of ${name} is refused: ${reason}. ${repair}`);
  }
}

/** Refuses a path that leaves the repository on any system. */
export function requireSafePath(path: unknown): void {
  if (typeof path === 'string' && isSafePath(path)) return;
  throw new DiffRefused(
    path,
    'the path does not name an ordinary file inside the repository on every system',
    'Use a relative path with "/" between its parts: no "..", no empty part, no backslash, no drive, nothing like ".git".',
  );
}

/** Refuses content that is not text, which has no lossless form in JSON. */
export function requireText(path: string, text: string): void {
  if (isText(text)) return;
  throw new DiffRefused(
    path,
    'the file is not text (NUL, or not UTF-8)',
    'Leave it out: only text files can be changed.',
  );
}

/** Refuses a change with a path or content that no diff can represent. */
export function requireSoundChange(change: FileChange): void {
  requireSafePath(change.path);
  if (change.kind !== 'added') requireText(change.path, change.before);
  if (change.kind !== 'deleted') requireText(change.path, change.after);
  if (change.kind !== 'renamed') return;
  requireSafePath(change.previousPath);
  if (change.previousPath === change.path) {
    throw new DiffRefused(change.path, 'it is renamed to its own name', 'Make it a modified file.');
  }
}
