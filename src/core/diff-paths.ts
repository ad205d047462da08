// Which paths a diff takes files from and puts files at; each only once.

import type { SoundFileDiff } from './diff-form.ts';
import { diffRefused } from './diff-refusal.ts';

const ONCE = 'Give each file one entry, with all its changes.';

/** The paths from which this diff renames a file away, so that another may come to stand there. */
export function vacatedPaths(files: readonly SoundFileDiff[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => (file.status === 'renamed' ? [file.previousFileName] : [])));
}

/** Throws `diff_refused` where two files come from one path, two arrive at one, or one arrives below another. */
export function requireDistinctPaths(files: readonly SoundFileDiff[]): void {
  const sources = new Set<string>();
  const targets = new Set<string>();
  for (const file of files) {
    const source = sourceOf(file);
    if (source !== null) requireNew(sources, source);
    if (file.status !== 'deleted') requireNew(targets, file.fileName);
  }
  for (const target of targets) {
    if (!foldersOf(target).some((folder) => targets.has(folder))) continue;
    throw diffRefused(target, 'another file of the diff stands where its folder must be', 'Rename one of the two.');
  }
}

function sourceOf(file: SoundFileDiff): string | null {
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
  if (paths.has(path)) throw diffRefused(path, 'the diff names it twice', ONCE);
  paths.add(path);
}

/** `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
