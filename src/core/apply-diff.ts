// From the diff back to the files: applies it to the base byte for byte, or refuses it; it never guesses.
import type { ChangeSet, FileChange } from './change-set.ts';
import { type SoundFileDiff, soundFileDiff, soundFiles } from './diff-form.ts';
import { requireDistinctPaths, vacatedPaths } from './diff-paths.ts';
import { diffRefused, requireText } from './diff-refusal.ts';
import type { Change, Diff, FileDiff } from './issue.ts';
import { fromLines, isWhole, type TextLines, toLines } from './text-lines.ts';

const AGAIN = 'Make the diff again against this revision.';

/**
 * The file after the diff, or null where it is gone. `base` is its text before: under the previous name where it was renamed,
 * "" where it is added. Throws `diff_refused` for every diff that is malformed or was not made against this text.
 */
export function applyFileDiff(base: string, file: FileDiff): string | null {
  const sound = soundFileDiff(file);
  if (sound.status !== 'deleted') return edited(base, sound);
  requireAllDeleted(base, sound);
  return null;
}

/**
 * The change set that a diff shows, the inverse of `toDiff`. `base` is the full sha at which `readBase` reads: the text at a
 * path, null where there is no file. Throws `diff_refused` as `applyFileDiff` does, and where a file is missing, is in the way
 * or is named twice.
 */
export function toChangeSet(base: string, diff: Diff, readBase: (path: string) => string | null): ChangeSet {
  const files = soundFiles(diff);
  requireDistinctPaths(files);
  const vacated = vacatedPaths(files);
  const readKnown = (path: string, file: SoundFileDiff): string => {
    const text = readBase(path);
    if (text !== null) return text;
    throw diffRefused(file.fileName, 'the revision has no such file to change', AGAIN);
  };
  for (const file of files) {
    if (file.status !== 'added' && file.status !== 'renamed') continue;
    if (vacated.has(file.fileName) || readBase(file.fileName) === null) continue;
    throw diffRefused(
      file.fileName,
      'the revision already has a file of this name',
      'Choose another name, or modify it.',
    );
  }
  return { base, files: files.map((file) => toFileChange(file, readKnown)) };
}

function toFileChange(file: SoundFileDiff, read: (path: string, file: SoundFileDiff) => string): FileChange {
  const path = file.fileName;
  const mode = file.mode === undefined ? {} : { mode: file.mode };
  switch (file.status) {
    case 'added':
      return { kind: 'added', path, mode: file.mode, after: edited('', file) };
    case 'deleted': {
      const before = read(path, file);
      requireAllDeleted(before, file);
      return { kind: 'deleted', path, before };
    }
    case 'renamed': {
      const previousPath = file.previousFileName;
      const before = read(previousPath, file);
      return { kind: 'renamed', path, previousPath, before, after: edited(before, file), ...mode };
    }
    case 'modified': {
      const before = read(path, file);
      return { kind: 'modified', path, before, after: edited(before, file), ...mode };
    }
  }
}

/** The text after the diff of a file that stays. */
function edited(base: string, file: SoundFileDiff): string {
  if (file.status === 'added' && base !== '') {
    throw diffRefused(file.fileName, 'it is added, but there is already a file with content', AGAIN);
  }
  const before = linesOf(base, file);
  const lines = editedLines(before.lines, file);
  const after: TextLines = { lines, endsWithNewline: file.endsWithNewline ?? before.endsWithNewline };
  if (isWhole(after)) return fromLines(after);
  const reason =
    lines.length === 0 ? 'no line is left that a newline could end' : 'its last line is empty without a newline';
  throw diffRefused(file.fileName, reason, 'Set endsWithNewline to what the new file has, or leave that line out.');
}

function requireAllDeleted(base: string, file: SoundFileDiff): void {
  const left = editedLines(linesOf(base, file).lines, file);
  if (left.length === 0) return;
  throw diffRefused(file.fileName, `it is deleted, but ${left.length} of its lines are not`, AGAIN);
}

function linesOf(base: string, file: SoundFileDiff): TextLines {
  requireText(file.fileName, base);
  return toLines(base);
}

function editedLines(base: readonly string[], file: SoundFileDiff): string[] {
  const out: string[] = [];
  let taken = 0;
  for (const [index, change] of file.changes.entries()) {
    const span = spanOf(change);
    const fault =
      spanFault(span, taken, base.length) ?? twiceFault(change, file.changes[index - 1]) ?? oldCodeFault(change, base);
    if (fault !== null) throw diffRefused(file.fileName, `change ${index + 1} ${fault}`, AGAIN);
    append(out, base.slice(taken, span.from));
    append(out, newLines(change));
    taken = span.to;
  }
  append(out, base.slice(taken));
  return out;
}

/** `push(...lines)` would put each line on the stack, which overflows at about 100,000. */
function append(out: string[], lines: readonly string[]): void {
  for (const line of lines) out.push(line);
}

/** The base lines that a change replaces, as indices, end exclusive; none for an `add`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf({ type, lines }: Change): Span {
  const lineNumber = lines[0]?.lineNumber ?? 0;
  return type === 'add'
    ? { from: lineNumber, to: lineNumber }
    : { from: lineNumber - 1, to: lineNumber - 1 + lines.length };
}

function spanFault({ from, to }: Span, taken: number, length: number): string | null {
  if (from < taken) return 'stands before the end of an earlier one; changes must ascend and not overlap';
  return to > length ? `reaches beyond the last line, ${length}` : null;
}

function twiceFault(change: Change, previous: Change | undefined): string | null {
  const both = change.type === 'add' && previous?.type === 'add' && spanOf(change).from === spanOf(previous).from;
  return both ? 'adds after the same line as the one before it' : null;
}

function oldCodeFault(change: Change, base: readonly string[]): string | null {
  if (change.type === 'add') return null;
  const wrong = change.lines.find((line) => line.oldCode !== base[line.lineNumber - 1]);
  return wrong === undefined ? null : `has an oldCode that is not line ${wrong.lineNumber} of the file`;
}

function newLines({ type, lines }: Change): string[] {
  return type === 'delete' ? [] : lines.flatMap((line) => line.newCode.split('\n'));
}
