// What a commit changes, by file.
import type { Side } from '../state.ts';
import { git } from './run-git.ts';

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
export function listPatchLines(patch: string): readonly DiffLine[] {
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

export interface DiffedFile {
  readonly sha: string | null;
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  /** Without the header; null for binary files. */
  readonly patch: string | null;
}

const STATUS = { A: 'added', D: 'removed', R: 'renamed' } as const;

/** What git calls the tree without anything in it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** `from` null: everything in `to` is new. */
export async function readDiff(gitDir: string, from: string | null, to: string): Promise<readonly DiffedFile[]> {
  const options = ['-M', '--no-color', '--no-ext-diff', '--full-index', '--raw', '--numstat', '--patch', '-z'];
  const out = await git(gitDir, ['diff', ...options, from ?? EMPTY_TREE, to]);
  const { files, counts, patches } = partsOf(out.toString('utf8').split('\0'));
  const texts = patches.split(/^diff --git .*\n/m).slice(1);
  return files.map((file, at) => {
    const [added = '0', removed = '0'] = counts[at] ?? [];
    const start = (texts[at] ?? '').search(/^@@ /m);
    return {
      ...file,
      additions: Number(added) || 0,
      deletions: Number(removed) || 0,
      patch: start === -1 ? null : (texts[at] ?? '').slice(start).replace(/\n$/, ''),
    };
  });
}

type DiffEntry = Pick<DiffedFile, 'sha' | 'path' | 'previousPath' | 'status'>;

/** Entries, then as many counts, then the patches behind an empty part; a rename's counts stand before its two names. */
function partsOf(parts: readonly string[]) {
  const files: DiffEntry[] = [];
  let at = 0;
  while (parts[at]?.startsWith(':')) {
    const [, , , sha = '', letter = 'M'] = (parts[at] ?? '').split(' ');
    const renamed = letter.startsWith('R');
    files.push({
      sha: /^0+$/.test(sha) ? null : sha,
      path: parts[at + (renamed ? 2 : 1)] ?? '',
      previousPath: renamed ? (parts[at + 1] ?? '') : null,
      status: STATUS[letter.charAt(0) as 'A'] ?? ('modified' as const),
    });
    at += renamed ? 3 : 2;
  }
  const counts = files.map(({ previousPath }) => {
    const count = (parts[at] ?? '').split('\t');
    at += previousPath === null ? 1 : 3;
    return count;
  });
  return { files, counts, patches: parts.slice(at + 1).join('\0') };
}
