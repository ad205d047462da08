// Where lines of a file stand in a patch, as remarks at lines are held to it.
import type { Side } from '../state-pulls.ts';

export interface DiffLine {
  readonly side: Side;
  readonly line: number;
  readonly text: string;
  /** Lines below the patch's first hunk header, as GitHub counts them. */
  readonly position: number;
  /** From 0. */
  readonly hunk: number;
  /** The hunk up to and with this line. */
  readonly diffHunk: string;
}

/** Every line of the patch on the sides that it has: unchanged ones on both. */
export function diffLines(patch: string): readonly DiffLine[] {
  const found: DiffLine[] = [];
  let [left, right, hunk, start] = [0, 0, -1, 0];
  const lines = patch.split('\n');
  lines.forEach((line, at) => {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (header !== null) {
      [left, right, hunk, start] = [Number(header[1]), Number(header[2]), hunk + 1, at];
      return;
    }
    if (line.startsWith('\\')) return;
    const shared = { text: line.slice(1), position: at, hunk, diffHunk: lines.slice(start, at + 1).join('\n') };
    if (!line.startsWith('+')) found.push({ side: 'LEFT', line: left++, ...shared });
    if (!line.startsWith('-')) found.push({ side: 'RIGHT', line: right++, ...shared });
  });
  return found;
}
