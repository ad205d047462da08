// The form of a diff that came from somewhere else: every rule that can be checked without the file that it is about.
import type { FileMode } from './change-set.ts';
import { diffRefused, requireSafePath } from './diff-refusal.ts';
import type { Change, Diff, FileDiff, LineChange } from './issue.ts';
import { isText } from './text-lines.ts';

type Shared = Omit<FileDiff, 'status' | 'previousFileName'>;

/** A diff whose form has been checked: each status has what it needs. */
export type SoundFileDiff =
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

/** Every file of a diff, its form checked. */
export function soundFiles(diff: Diff): SoundFileDiff[] {
  if (!isObject(diff) || !Array.isArray(diff.files))
    throw diffRefused(undefined, 'it has no list of files', CHANGE_REPAIR);
  return diff.files.map(soundFileDiff);
}

/** The same diff, once it is known to have the form that the API defines (as JSON it may hold anything); else throws `diff_refused`. */
export function soundFileDiff(file: FileDiff): SoundFileDiff {
  if (!isObject(file)) throw diffRefused(undefined, 'it is no object', CHANGE_REPAIR);
  requireSafePath(file.fileName);
  const fault = statusFault(file) ?? renameFault(file) ?? modeFault(file) ?? newlineFault(file) ?? changesFault(file);
  if (fault !== null) throw diffRefused(file.fileName, fault.reason, fault.repair);
  return { ...file, status: file.status ?? 'modified' } as SoundFileDiff;
}

interface Fault {
  readonly reason: string;
  readonly repair: string;
}

function statusFault({ status }: FileDiff): Fault | null {
  if (STATUSES.includes(status)) return null;
  return { reason: 'its status is unknown', repair: 'Use "added", "modified" (the default), "deleted" or "renamed".' };
}

function renameFault({ fileName, status, previousFileName }: FileDiff): Fault | null {
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

function modeFault({ status, mode }: FileDiff): Fault | null {
  if (mode === undefined ? status !== 'added' : status !== 'deleted' && MODES.includes(mode)) return null;
  return { reason: 'its mode is missing, unknown or out of place', repair: MODE_REPAIR };
}

function newlineFault({ status, endsWithNewline: ends }: FileDiff): Fault | null {
  if (ends === undefined ? status !== 'added' : status !== 'deleted' && typeof ends === 'boolean') return null;
  return { reason: 'its endsWithNewline is missing, no boolean or out of place', repair: NEWLINE_REPAIR };
}

function changesFault({ changes }: FileDiff): Fault | null {
  if (!Array.isArray(changes)) return { reason: 'its changes are no list', repair: 'Give a list, empty if need be.' };
  for (const [index, change] of changes.entries()) {
    const reason = changeFault(change);
    if (reason !== null) return { reason: `change ${index + 1} ${reason}`, repair: CHANGE_REPAIR };
  }
  return null;
}

function changeFault(change: Change): string | null {
  if (!isObject(change) || !TYPES.includes(change.type)) return 'is not of type add, delete or modify';
  const { type, lines } = change;
  if (!Array.isArray(lines) || lines.length === 0) return 'has no lines';
  if (type === 'add' && lines.length > 1) return 'adds with more than one entry';
  for (const [index, line] of lines.entries()) {
    const reason = lineFault(line) ?? numberFault(change, index) ?? codeFault(type, line, index === lines.length - 1);
    if (reason !== null) return reason;
  }
  return null;
}

function lineFault(line: LineChange): string | null {
  if (!isObject(line)) return 'has an entry that is no object';
  if (!Number.isSafeInteger(line.lineNumber)) return 'has a line number that is no integer';
  if (typeof line.oldCode !== 'string' || typeof line.newCode !== 'string') return 'has code that is no string';
  return isText(line.newCode) ? null : 'has new code that is not text (NUL, or not UTF-8)';
}

function numberFault({ type, lines }: Change, index: number): string | null {
  const number = lines[index]?.lineNumber ?? 0;
  if (number < (type === 'add' ? 0 : 1)) return 'has a line number before the first line';
  return number === (lines[0]?.lineNumber ?? 0) + index ? null : 'has line numbers that do not follow each other';
}

function codeFault(type: Change['type'], line: LineChange, last: boolean): string | null {
  if (type === 'add') return line.oldCode === '' ? null : 'adds a line but has old code';
  if (type === 'delete') return line.newCode === '' ? null : 'deletes a line but has new code';
  return last || !line.newCode.includes('\n') ? null : 'has several new lines for another line than its last';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
