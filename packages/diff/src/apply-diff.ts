// From the diff back to the files: applied byte for byte or refused, never guessed.

import { listFolders } from 'causeway-paths';
import {
  type Change,
  type ChangeSet,
  type Diff,
  DiffRefused,
  type FileChange,
  type FileDiff,
  type FileMode,
  isText,
  isWhole,
  joinLines,
  type LineChange,
  requireSafePath,
  requireText,
  type TextLines,
  toLines,
} from './diff.ts';

const AGAIN = 'Make the diff again against this revision.';

/**
 * The file after the diff, or null if it is deleted. `base`: its text before (at the previous name if renamed, "" if
 * added). Throws DiffRefused if the diff is malformed or was made against another text.
 */
export function applyFileDiff(base: string, file: FileDiff): string | null {
  const sound = checkFileDiff(file);
  if (sound.status !== 'deleted') return applyChanges(base, sound);
  requireAllDeleted(base, sound);
  return null;
}

/**
 * The change set of a diff, the inverse of `toDiff`. `base` is the full sha at which `readBase` reads: the text at a
 * path, null if there is no file. Throws DiffRefused like `applyFileDiff`, and if a file is missing, in the way, or
 * named twice.
 */
export function toChangeSet(base: string, diff: Diff, readBase: (path: string) => string | null): ChangeSet {
  const files = checkFiles(diff);
  requireDistinctPaths(files);
  // Another file can take the place of one that is renamed away.
  const vacated = new Set(files.flatMap((file) => (file.status === 'renamed' ? [file.previousFileName] : [])));
  const readKnown = (path: string, file: SoundFileDiff): string => {
    const text = readBase(path);
    if (text !== null) return text;
    throw new DiffRefused(file.fileName, 'the revision has no such file to change', AGAIN);
  };
  for (const file of files) {
    if (file.status !== 'added' && file.status !== 'renamed') continue;
    if (vacated.has(file.fileName) || readBase(file.fileName) === null) continue;
    throw new DiffRefused(
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
      return { kind: 'added', path, mode: file.mode, after: applyChanges('', file) };
    case 'deleted': {
      const before = read(path, file);
      requireAllDeleted(before, file);
      return { kind: 'deleted', path, before };
    }
    case 'renamed': {
      const previousPath = file.previousFileName;
      const before = read(previousPath, file);
      return { kind: 'renamed', path, previousPath, before, after: applyChanges(before, file), ...mode };
    }
    case 'modified': {
      const before = read(path, file);
      return { kind: 'modified', path, before, after: applyChanges(before, file), ...mode };
    }
  }
}

/** The text after the diff of a file that is not deleted. */
function applyChanges(base: string, file: SoundFileDiff): string {
  if (file.status === 'added' && base !== '') {
    throw new DiffRefused(file.fileName, 'it is added, but there is already a file with content', AGAIN);
  }
  const before = readBaseLines(base, file);
  const lines = buildLines(before.lines, file);
  const after: TextLines = { lines, endsWithNewline: file.endsWithNewline ?? before.endsWithNewline };
  if (isWhole(after)) return joinLines(after);
  const reason =
    lines.length === 0 ? 'no line is left that a newline could end' : 'its last line is empty without a newline';
  throw new DiffRefused(file.fileName, reason, 'Set endsWithNewline to what the new file has, or leave that line out.');
}

function requireAllDeleted(base: string, file: SoundFileDiff): void {
  const left = buildLines(readBaseLines(base, file).lines, file);
  if (left.length === 0) return;
  throw new DiffRefused(file.fileName, `it is deleted, but ${left.length} of its lines are not`, AGAIN);
}

function readBaseLines(base: string, file: SoundFileDiff): TextLines {
  requireText(file.fileName, base);
  return toLines(base);
}

function buildLines(base: readonly string[], file: SoundFileDiff): string[] {
  const out: string[] = [];
  let taken = 0;
  for (const [index, change] of file.changes.entries()) {
    const span = getSpan(change);
    const fault =
      findSpanFault(span, taken, base.length) ??
      findRepeatedFile(change, file.changes[index - 1]) ??
      findOldCodeFault(change, base);
    if (fault !== null) throw new DiffRefused(file.fileName, `change ${index + 1} ${fault}`, AGAIN);
    append(out, base.slice(taken, span.from));
    append(out, change.type === 'delete' ? [] : change.lines.flatMap(({ newCode }) => newCode.split('\n')));
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
interface ReplacedLines {
  readonly from: number;
  readonly to: number;
}

function getSpan({ type, lines }: Change): ReplacedLines {
  const lineNumber = lines[0]?.lineNumber ?? 0;
  return type === 'add'
    ? { from: lineNumber, to: lineNumber }
    : { from: lineNumber - 1, to: lineNumber - 1 + lines.length };
}

function findSpanFault({ from, to }: ReplacedLines, taken: number, length: number): string | null {
  if (from < taken) return 'stands before the end of an earlier one; changes must ascend and not overlap';
  return to > length ? `reaches beyond the last line, ${length}` : null;
}

function findRepeatedFile(change: Change, previous: Change | undefined): string | null {
  const both = change.type === 'add' && previous?.type === 'add' && getSpan(change).from === getSpan(previous).from;
  return both ? 'adds after the same line as the one before it' : null;
}

function findOldCodeFault(change: Change, base: readonly string[]): string | null {
  if (change.type === 'add') return null;
  const wrong = change.lines.find((line) => line.oldCode !== base[line.lineNumber - 1]);
  return wrong === undefined ? null : `has an oldCode that is not line ${wrong.lineNumber} of the file`;
}

type Shared = Omit<FileDiff, 'status' | 'previousFileName'>;

/** A diff of checked form: each status has the fields it needs. */
type SoundFileDiff =
  | (Shared & { readonly status: 'added'; readonly mode: FileMode; readonly endsWithNewline: boolean })
  | (Shared & { readonly status: 'renamed'; readonly previousFileName: string })
  | (Shared & { readonly status: 'deleted' })
  | (Shared & { readonly status: 'modified' });

const STATUSES: readonly unknown[] = [undefined, 'added', 'modified', 'deleted', 'renamed'];

const TYPES: readonly unknown[] = ['add', 'delete', 'modify'];

const MODES: readonly unknown[] = ['100644', '100755'];

const CHANGE_REPAIR = 'Make the diff again in the form that the API documents.';

const NEWLINE_REPAIR = 'Give true or false for an added file or a changed end of file, nothing for a deleted file.';

const MODE_REPAIR = 'Give "100644" or "100755" for an added file or a changed mode, nothing for a deleted file.';

/** Every file of a diff, after checking its form. */
function checkFiles(diff: Diff): SoundFileDiff[] {
  if (!isObjectValue(diff) || !Array.isArray(diff.files))
    throw new DiffRefused(undefined, 'it has no list of files', CHANGE_REPAIR);
  return diff.files.map(checkFileDiff);
}

/**
 * The diff of one file, after checking that it has the form of the API (as JSON it may hold anything); throws
 * `diff_refused`.
 */
function checkFileDiff(file: FileDiff): SoundFileDiff {
  if (!isObjectValue(file)) throw new DiffRefused(undefined, 'it is no object', CHANGE_REPAIR);
  requireSafePath(file.fileName);
  const fault =
    findStatusFault(file) ??
    renameFault(file) ??
    findModeFault(file) ??
    findNewlineFault(file) ??
    findChangesFault(file);
  if (fault !== null) throw new DiffRefused(file.fileName, fault.reason, fault.repair);
  return { ...file, status: file.status ?? 'modified' } as SoundFileDiff;
}

interface ApplyFault {
  readonly reason: string;
  readonly repair: string;
}

function findStatusFault({ status }: FileDiff): ApplyFault | null {
  if (STATUSES.includes(status)) return null;
  return { reason: 'its status is unknown', repair: 'Use "added", "modified" (the default), "deleted" or "renamed".' };
}

function renameFault({ fileName, status, previousFileName }: FileDiff): ApplyFault | null {
  if (status !== 'renamed') {
    if (previousFileName === undefined) return null;
    return {
      reason: 'it has a previous name but is not renamed',
      repair: 'Set the status "renamed", or leave it out.',
    };
  }
  requireSafePath(previousFileName);
  if (previousFileName !== fileName) return null;
  return { reason: 'it is renamed to its own name', repair: 'Use the status "modified".' };
}

function findModeFault({ status, mode }: FileDiff): ApplyFault | null {
  if (mode === undefined ? status !== 'added' : status !== 'deleted' && MODES.includes(mode)) return null;
  return { reason: 'its mode is missing, unknown or out of place', repair: MODE_REPAIR };
}

function findNewlineFault({ status, endsWithNewline: ends }: FileDiff): ApplyFault | null {
  if (ends === undefined ? status !== 'added' : status !== 'deleted' && typeof ends === 'boolean') return null;
  return { reason: 'its endsWithNewline is missing, no boolean or out of place', repair: NEWLINE_REPAIR };
}

function findChangesFault({ changes }: FileDiff): ApplyFault | null {
  if (!Array.isArray(changes)) return { reason: 'its changes are no list', repair: 'Give a list, empty if need be.' };
  for (const [index, change] of changes.entries()) {
    const reason = changeFault(change);
    if (reason !== null) return { reason: `change ${index + 1} ${reason}`, repair: CHANGE_REPAIR };
  }
  return null;
}

function changeFault(change: Change): string | null {
  if (!isObjectValue(change) || !TYPES.includes(change.type)) return 'is not of type add, delete or modify';
  const { type, lines } = change;
  if (!Array.isArray(lines) || lines.length === 0) return 'has no lines';
  if (type === 'add' && lines.length > 1) return 'adds with more than one entry';
  for (const [index, line] of lines.entries()) {
    const reason =
      findLineFault(line) ?? findNumberFault(change, index) ?? findCodeFault(type, line, index === lines.length - 1);
    if (reason !== null) return reason;
  }
  return null;
}

function findLineFault(line: LineChange): string | null {
  if (!isObjectValue(line)) return 'has an entry that is no object';
  if (!Number.isSafeInteger(line.lineNumber)) return 'has a line number that is no integer';
  if (typeof line.oldCode !== 'string' || typeof line.newCode !== 'string') return 'has code that is no string';
  return isText(line.newCode) ? null : 'has new code that is not text (NUL, or not UTF-8)';
}

function findNumberFault({ type, lines }: Change, index: number): string | null {
  const number = lines[index]?.lineNumber ?? 0;
  if (number < (type === 'add' ? 0 : 1)) return 'has a line number before the first line';
  return number === (lines[0]?.lineNumber ?? 0) + index ? null : 'has line numbers that do not follow each other';
}

function findCodeFault(type: Change['type'], line: LineChange, last: boolean): string | null {
  if (type === 'add') return line.oldCode === '' ? null : 'adds a line but has old code';
  if (type === 'delete') return line.newCode === '' ? null : 'deletes a line but has new code';
  return last || !line.newCode.includes('\n') ? null : 'has several new lines for another line than its last';
}

function isObjectValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const ONCE = 'Give each file one entry, with all its changes.';

/** Throws DiffRefused if two files have the same source or target, or one target is below another. */
function requireDistinctPaths(files: readonly SoundFileDiff[]): void {
  const sources = new Set<string>();
  const targets = new Set<string>();
  for (const file of files) {
    const source = getSource(file);
    if (source !== null) requireNew(sources, source);
    if (file.status !== 'deleted') requireNew(targets, file.fileName);
  }
  for (const target of targets) {
    if (!listFolders(target).some((folder) => targets.has(folder))) continue;
    throw new DiffRefused(target, 'another file of the diff stands where its folder must be', 'Rename one of the two.');
  }
}

function getSource(file: SoundFileDiff): string | null {
  switch (file.status) {
    case 'added':
      return null;
    case 'renamed':
      return file.previousFileName;
    case 'deleted':
    case 'modified':
      return file.fileName;
  }
}

function requireNew(paths: Set<string>, path: string): void {
  if (paths.has(path)) throw new DiffRefused(path, 'the diff names it twice', ONCE);
  paths.add(path);
}
