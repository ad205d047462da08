// What no diff and no change set may hold, and the one way to refuse it: naming the file, the reason and the repair.
import type { FileChange } from './change-set.ts';
import { CausewayError } from './errors.ts';
import { isSafePath } from './safe-path.ts';
import { isText } from './text-lines.ts';

/** The error for a diff that must not be applied or made. It quotes no content: a line may hold a secret. */
export function diffRefused(fileName: unknown, reason: string, repair: string): CausewayError {
  const name = typeof fileName === 'string' ? JSON.stringify(fileName.slice(0, 200)) : 'a file without a name';
  return new CausewayError('diff_refused', `The diff of ${name} is refused: ${reason}. ${repair}`);
}

/** Refuses a path that leaves the repository, or might on another system. */
export function requireSafePath(path: unknown): void {
  if (typeof path === 'string' && isSafePath(path)) return;
  throw diffRefused(
    path,
    'the path does not name an ordinary file inside the repository on every system',
    'Use a relative path with "/" between its parts: no "..", no empty part, no backslash, no drive, nothing like ".git".',
  );
}

/** Refuses content that is not text: it has no lossless form in JSON. */
export function requireText(path: string, text: string): void {
  if (isText(text)) return;
  throw diffRefused(path, 'the file is not text (NUL, or not UTF-8)', 'Leave it out: only text files can be changed.');
}

/** Refuses a change whose paths or content could not be given to anyone as a diff. */
export function requireSoundChange(change: FileChange): void {
  requireSafePath(change.path);
  if (change.kind !== 'added') requireText(change.path, change.before);
  if (change.kind !== 'deleted') requireText(change.path, change.after);
  if (change.kind !== 'renamed') return;
  requireSafePath(change.previousPath);
  if (change.previousPath === change.path) {
    throw diffRefused(change.path, 'it is renamed to its own name', 'Make it a modified file.');
  }
}
