// The patch of one file as GitHub's API gives it: hunks alone, without the lines that name the file.
import { toUnifiedPatch } from '../../src/core/diff/unified-patch.ts';

/** "" where nothing has changed. */
export function unifiedOf(path: string, before: string, after: string): string {
  if (before === after) return '';
  const file =
    before === ''
      ? ({ kind: 'added', path, mode: '100644', after } as const)
      : ({ kind: 'modified', path, before, after } as const);
  const patch = toUnifiedPatch({ base: '', files: [file] });
  const start = patch.indexOf('@@');
  return start === -1 ? '' : patch.slice(start);
}
