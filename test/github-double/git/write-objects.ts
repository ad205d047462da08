// Writes blobs, trees and commits into a bare repository, without a work tree.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeObject } from './loose-object.ts';
import type { GitPerson } from './read-objects.ts';
import { gitText } from './run-git.ts';

export interface FileChange {
  readonly path: string;
  /** Null deletes the file. */
  readonly sha: string | null;
  readonly mode: string;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
}

export async function writeBlob(gitDir: string, content: Buffer | string): Promise<string> {
  return writeObject(gitDir, 'blob', Buffer.from(content));
}

/** A tree like `base` (null: empty) with these changes; rejects where git does, as on a path that leaves the tree. */
export async function writeTree(gitDir: string, base: string | null, changes: readonly FileChange[]): Promise<string> {
  const index = join(gitDir, `index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await gitText(gitDir, base === null ? ['read-tree', '--empty'] : ['read-tree', base], { env });
    const lines = changes.map(({ path, sha, mode }) =>
      sha === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `${mode} ${sha}\t${path}\0`,
    );
    await gitText(gitDir, ['update-index', '-z', '--add', '--index-info'], { env, input: lines.join('') });
    return await gitText(gitDir, ['write-tree'], { env });
  } finally {
    await rm(index, { force: true });
  }
}

export function writeCommit(gitDir: string, commit: NewCommit): Promise<string> {
  const env = { ...identity('AUTHOR', commit.author), ...identity('COMMITTER', commit.committer) };
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return gitText(gitDir, ['commit-tree', commit.tree, ...parents], { env, input: commit.message });
}

function identity(who: 'AUTHOR' | 'COMMITTER', { name, email, date }: GitPerson): Record<string, string> {
  return { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: email, [`GIT_${who}_DATE`]: date };
}
