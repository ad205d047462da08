// Whether a change does anything: one of comments and blanks alone mends nothing.
import type { FileChange } from '../core/change-set.ts';
import { changedLines } from './secret-hunks.ts';

/** How comments begin in common languages; `#include` and its like, `#[derive]` and `#!` are none. */
const COMMENT = /^(?:\/\/|\/\*|\*|<!--|--\s|#(?!\s*(?:include|define|undef|if|el|end|pragma|error|import)\b|\[|!))/;

export function changesCode(change: FileChange): boolean {
  const { removed, inserted } = changedLines(change);
  const code = (lines: readonly string[]): string =>
    lines
      .map((line) => line.replace(/\s+/g, ''))
      .filter((line) => line !== '' && !COMMENT.test(line))
      .join('');
  if (change.kind === 'renamed' || ('mode' in change && change.mode !== undefined && change.kind === 'modified'))
    return true;
  return code(removed) !== code(inserted) || (change.kind === 'deleted' && removed.length > 0);
}
