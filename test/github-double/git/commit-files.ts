// Makes a commit from whole files.
import { entryAt, type GitPerson } from './read-objects.ts';
import { type FileChange, writeBlob, writeCommit, writeTree } from './write-objects.ts';

/** By path; null deletes the file. */
export type FileTexts = Readonly<Record<string, string | Buffer | null>>;

export interface FilesCommit {
  readonly parent: string | null;
  readonly files: FileTexts;
  readonly message: string;
  readonly person: GitPerson;
  /** Default: the same person. */
  readonly committer?: GitPerson;
  /** Every file becomes an ordinary one. */
  readonly losesModes?: boolean;
}

/** The sha of the new commit, which no ref names yet. Files keep their mode, unless it says otherwise. */
export async function commitFiles(gitDir: string, made: FilesCommit): Promise<string> {
  const changes: FileChange[] = [];
  for (const [path, content] of Object.entries(made.files)) {
    const before = made.parent === null ? null : await entryAt(gitDir, made.parent, path);
    const sha = content === null ? null : await writeBlob(gitDir, content);
    changes.push({ path, sha, mode: before?.type === 'blob' && made.losesModes !== true ? before.mode : '100644' });
  }
  const tree = await writeTree(gitDir, made.parent, changes);
  const parents = made.parent === null ? [] : [made.parent];
  const { message, person } = made;
  return writeCommit(gitDir, { tree, parents, message, author: person, committer: made.committer ?? person });
}
