// What changed between two commits: files with counts and patches.
import { git } from './run-git.ts';

export interface ChangedFile {
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
export async function readDiff(gitDir: string, from: string | null, to: string): Promise<readonly ChangedFile[]> {
  const ends = [from ?? EMPTY_TREE, to];
  const options = ['diff', '-M', '--no-color', '--no-ext-diff', '--full-index'];
  const [raw, numbers, patches] = await Promise.all([
    git(gitDir, [...options, '--raw', '-z', ...ends]),
    git(gitDir, [...options, '--numstat', ...ends]),
    git(gitDir, [...options, '--patch', ...ends]),
  ]);
  const counts = numbers
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\t'));
  const texts = patches
    .toString('utf8')
    .split(/^diff --git .*\n/m)
    .slice(1);
  return rawEntries(raw.toString('utf8')).map((file, at) => {
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

function rawEntries(raw: string): Pick<ChangedFile, 'sha' | 'path' | 'previousPath' | 'status'>[] {
  const parts = raw.split('\0');
  const files = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const [, , , sha = '', letter = 'M'] = (parts[at] ?? '').split(' ');
    const renamed = letter.startsWith('R');
    const path = parts[at + (renamed ? 2 : 1)] ?? '';
    files.push({
      sha: /^0+$/.test(sha) ? null : sha,
      path,
      previousPath: renamed ? (parts[at + 1] ?? '') : null,
      status: STATUS[letter.charAt(0) as 'A'] ?? ('modified' as const),
    });
    at += renamed ? 3 : 2;
  }
  return files;
}
