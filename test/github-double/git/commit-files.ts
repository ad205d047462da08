// Makes a commit from whole files.

import { writeObject } from './loose-object.ts';
import { entryAt, type GitPerson } from './read-objects.ts';
import { type FileChange, type NewCommit, writeBlob, writeCommit, writeTree } from './write-objects.ts';
import { changedTree } from './write-tree.ts';

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
  const tree = (await changedTree(gitDir, made.parent, changes)) ?? (await writeTree(gitDir, made.parent, changes));
  const parents = made.parent === null ? [] : [made.parent];
  const { message, person } = made;
  const commit = { tree, parents, message, author: person, committer: made.committer ?? person };
  return isPlain(commit.author) && isPlain(commit.committer)
    ? writeObject(gitDir, 'commit', Buffer.from(textOf(commit)))
    : writeCommit(gitDir, commit);
}

/** Git takes away what may not stand in a name; here is nothing to take. */
function isPlain({ name, email, date }: GitPerson): boolean {
  const isText = /^\w[\w .+@[\]-]*[\w\]]$/;
  return isText.test(name) && isText.test(email) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date);
}

function textOf({ tree, parents, message, author, committer }: NewCommit): string {
  const line = ({ name, email, date }: GitPerson) => `${name} <${email}> ${Date.parse(date) / 1_000} +0000`;
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${line(author)}`,
    `committer ${line(committer)}`,
  ];
  return `${head.join('\n')}\n\n${message}`;
}
