// Changed files as `git diff-tree --name-status -z` prints them.
import type { Comparison } from '../core/source.ts';

export type ChangedFile = Comparison['files'][number];

/** `M\0path\0` or `R100\0before\0after\0`. */
export function parseNameStatus(fields: readonly string[]): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < fields.length; ) {
    const letter = (fields[index] ?? '').charAt(0);
    const renamed = letter === 'R' || letter === 'C';
    const first = fields[index + 1] ?? '';
    const path = renamed ? (fields[index + 2] ?? '') : first;
    files.push({ path, status: statusOf(letter), previousPath: renamed ? first : '' });
    index += renamed ? 3 : 2;
  }
  return files;
}

function statusOf(letter: string): ChangedFile['status'] {
  switch (letter) {
    case 'A':
      return 'added';
    case 'M':
      return 'modified';
    case 'D':
      return 'deleted';
    case 'R':
      return 'renamed';
    default:
      return 'other';
  }
}
