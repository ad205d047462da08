// Writes blobs, trees and commits.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entryAt, type GitPerson, writeObject } from './read-objects.ts';
import { git, gitText } from './run-git.ts';

export interface TreeChange {
  readonly path: string;
  /** Null deletes the file. */
  readonly sha: string | null;
  readonly mode: string;
}

interface CommitObject {
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
export async function writeTree(gitDir: string, base: string | null, changes: readonly TreeChange[]): Promise<string> {
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

export function writeCommit(gitDir: string, commit: CommitObject): Promise<string> {
  const env = { ...identity('AUTHOR', commit.author), ...identity('COMMITTER', commit.committer) };
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return gitText(gitDir, ['commit-tree', commit.tree, ...parents], { env, input: commit.message });
}

function identity(who: 'AUTHOR' | 'COMMITTER', { name, email, date }: GitPerson): Record<string, string> {
  return { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: email, [`GIT_${who}_DATE`]: date };
}

interface WrittenEntry {
  readonly mode: string;
  readonly sha: string;
}

type Folder = ReadonlyMap<string, WrittenEntry>;

const PLAIN_PATH = /^(?:(?!\.{1,2}\/|\.git)[\w.@+ -]+\/)*(?!\.{1,2}$|\.git)[\w.@+ -]+$/i;

const GITHUB_FOLDER = /^\.github\//;

const PLAIN_MODE = /^100(?:644|755)$/;

const FOLDER_MODE = '40000';

/** The id of a tree like `base` (null: empty); null where the changes, or what they meet, are more than files in folders. */
async function changedTree(
  gitDir: string,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string | null> {
  const paths = new Set(changes.map(({ path }) => path));
  const isPlain = ({ path, mode }: TreeChange) =>
    PLAIN_PATH.test(path.replace(GITHUB_FOLDER, 'github/')) && PLAIN_MODE.test(mode);
  if (paths.size < changes.length || !changes.every(isPlain)) return null;
  const root = base === null ? new Map<string, WrittenEntry>() : await readFolder(gitDir, base);
  if (root === null) return null;
  const made = await changedFolder(gitDir, root, changes);
  return made === null ? null : writeFolder(gitDir, made);
}

async function changedFolder(gitDir: string, folder: Folder, changes: readonly TreeChange[]): Promise<Folder | null> {
  const entries = new Map(folder);
  const below = Map.groupBy(changes, ({ path }) => path.split('/', 1)[0] ?? '');
  for (const [name, inside] of below) {
    const before = entries.get(name);
    const [only] = inside;
    if (inside.length === 1 && only !== undefined && only.path === name) {
      if (before?.mode === FOLDER_MODE) return null;
      if (only.sha === null) entries.delete(name);
      else entries.set(name, { mode: only.mode, sha: only.sha });
      continue;
    }
    if (before !== undefined && before.mode !== FOLDER_MODE) return null;
    const rest = inside.map((one) => ({ ...one, path: one.path.slice(name.length + 1) }));
    if (rest.some(({ path }) => path === '')) return null;
    const old = before === undefined ? new Map<string, WrittenEntry>() : await readFolder(gitDir, before.sha);
    const made = old === null ? null : await changedFolder(gitDir, old, rest);
    if (made === null) return null;
    if (made.size === 0) entries.delete(name);
    else entries.set(name, { mode: FOLDER_MODE, sha: writeFolder(gitDir, made) });
  }
  return entries;
}

/** Null where there is no such tree, or a name in it is not plain text. */
async function readFolder(gitDir: string, treeish: string): Promise<Folder | null> {
  const out = await git(gitDir, ['ls-tree', '-z', '--full-tree', treeish]).catch(() => null);
  const text = out?.toString('utf8') ?? null;
  if (out === null || text === null || !Buffer.from(text).equals(out)) return null;
  const rows = text.split('\0').filter((row) => row !== '');
  return new Map(
    rows.map((row) => {
      const [mode = '', , sha = ''] = row.slice(0, row.indexOf('\t')).split(' ');
      return [row.slice(row.indexOf('\t') + 1), { mode: mode.replace(/^0/, ''), sha }];
    }),
  );
}

/** Git orders a folder as if its name ended in a slash. */
function writeFolder(gitDir: string, folder: Folder): string {
  const rows = [...folder].map(([name, { mode, sha }]) => ({
    order: Buffer.from(mode === FOLDER_MODE ? `${name}/` : name),
    bytes: Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
  }));
  const content = Buffer.concat(rows.toSorted((a, b) => Buffer.compare(a.order, b.order)).map(({ bytes }) => bytes));
  return writeObject(gitDir, 'tree', content);
}

/** By path; null deletes the file. */
export type FileTexts = Readonly<Record<string, string | Buffer | null>>;

interface FilesCommit {
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
  const changes: TreeChange[] = [];
  for (const [path, content] of Object.entries(made.files)) {
    const before = made.parent === null ? null : await entryAt(gitDir, made.parent, path);
    const sha = content === null ? null : await writeBlob(gitDir, content);
    changes.push({ path, sha, mode: before?.type === 'blob' && made.losesModes !== true ? before.mode : '100644' });
  }
  const tree = (await changedTree(gitDir, made.parent, changes)) ?? (await writeTree(gitDir, made.parent, changes));
  const parents = made.parent === null ? [] : [made.parent];
  const { message, person } = made;
  const commit = { tree, parents, message, author: person, committer: made.committer ?? person };
  return isPlainPerson(commit.author) && isPlainPerson(commit.committer)
    ? writeObject(gitDir, 'commit', Buffer.from(textOf(commit)))
    : writeCommit(gitDir, commit);
}

/** Git takes away what may not stand in a name; here is nothing to take. */
function isPlainPerson({ name, email, date }: GitPerson): boolean {
  const isText = /^\w[\w .+@[\]-]*[\w\]]$/;
  return isText.test(name) && isText.test(email) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date);
}

function textOf({ tree, parents, message, author, committer }: CommitObject): string {
  const line = ({ name, email, date }: GitPerson) => `${name} <${email}> ${Date.parse(date) / 1_000} +0000`;
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${line(author)}`,
    `committer ${line(committer)}`,
  ];
  return `${head.join('\n')}\n\n${message}`;
}
