// Reads commits, trees, blobs and refs of a bare repository.
import { refFile, refFiles } from './ref-files.ts';
import { git, gitText, gitTry } from './run-git.ts';

export interface GitPerson {
  readonly name: string;
  readonly email: string;
  /** `2025-03-01T10:00:00Z`. */
  readonly date: string;
}

export interface GitCommit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitPerson;
  readonly committer: GitPerson;
  readonly message: string;
}

export interface TreeEntry {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  readonly size: number | null;
  readonly path: string;
}

export interface Ref {
  readonly name: string;
  readonly sha: string;
  readonly type: 'commit' | 'tag';
}

/** The commit that a branch, tag or sha means; null where it means none. */
export function resolveCommit(gitDir: string, name: string): Promise<string | null> {
  if (name.startsWith('-') || name === '') return Promise.resolve(null);
  if (name.startsWith('refs/heads/')) return branchSha(gitDir, name.slice('refs/heads/'.length));
  return gitTry(gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
}

export function objectType(gitDir: string, sha: string): Promise<string | null> {
  return /^[0-9a-f]{40}$/.test(sha) ? gitTry(gitDir, ['cat-file', '-t', sha]) : Promise.resolve(null);
}

export async function readCommit(gitDir: string, sha: string): Promise<GitCommit> {
  const text = (await git(gitDir, ['cat-file', 'commit', sha])).toString('utf8');
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    sha,
    tree: all('tree')[0] ?? '',
    parents: all('parent'),
    author: person(all('author')[0] ?? ''),
    committer: person(all('committer')[0] ?? ''),
    message: text.slice(end + 2).replace(/\n$/, ''),
  };
}

function person(line: string): GitPerson {
  const match = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line);
  const date = new Date(Number(match?.[3] ?? 0) * 1_000).toISOString().replace('.000', '');
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', date };
}

/** Entries of a tree or a commit's tree; with `recursive` every one below, folders too. Null where there is none. */
export async function readTree(
  gitDir: string,
  treeish: string,
  recursive: boolean,
): Promise<readonly TreeEntry[] | null> {
  const args = ['ls-tree', '-z', '-l', '--full-tree', ...(recursive ? ['-r', '-t'] : []), treeish];
  const out = await git(gitDir, args).catch(() => null);
  if (out === null) return null;
  return out
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map(entry);
}

function entry(line: string): TreeEntry {
  const [head = '', path = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)];
  const [mode = '', type = 'blob', sha = '', size = '-'] = head.split(/ +/);
  return { mode, type: type as TreeEntry['type'], sha, size: size === '-' ? null : Number(size), path };
}

/** The entry of one path in a commit; the root for "". Null where there is none. */
export async function entryAt(gitDir: string, commit: string, path: string): Promise<TreeEntry | null> {
  if (path === '') {
    const sha = await gitText(gitDir, ['rev-parse', `${commit}^{tree}`]);
    return { mode: '040000', type: 'tree', sha, size: null, path: '' };
  }
  const out = await git(gitDir, ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path]);
  const line = out.toString('utf8').split('\0')[0];
  return line === undefined || line === '' ? null : entry(line);
}

export function readBlob(gitDir: string, sha: string): Promise<Buffer> {
  return git(gitDir, ['cat-file', 'blob', sha]);
}

/** Refs below a prefix such as `refs/heads/`, by name. */
export async function readRefs(gitDir: string, prefix = 'refs/'): Promise<readonly Ref[]> {
  const files = refFiles(gitDir);
  if (files === undefined) return (await listedRefs(gitDir)).filter(({ name }) => name.startsWith(prefix));
  const wanted = [...files].filter(([name]) => name.startsWith(prefix));
  return Promise.all(wanted.map(async ([name, sha]) => ({ name, sha, type: await typeOf(gitDir, name, sha) })));
}

/** A branch is nothing but a commit. */
async function typeOf(gitDir: string, name: string, sha: string): Promise<Ref['type']> {
  return name.startsWith('refs/tags/') ? ((await objectType(gitDir, sha)) as Ref['type']) : 'commit';
}

async function listedRefs(gitDir: string): Promise<readonly Ref[]> {
  const out = await gitText(gitDir, [
    'for-each-ref',
    '--format=%(refname) %(objectname) %(objecttype)',
    '--sort=refname',
  ]);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', sha = '', type = 'commit'] = line.split(' ');
      return { name, sha, type: type as Ref['type'] };
    });
}

/** The sha of a branch; null where it does not exist. */
export function branchSha(gitDir: string, branch: string): Promise<string | null> {
  const name = `refs/heads/${branch}`;
  const found = refFile(gitDir, name);
  if (found !== undefined) return Promise.resolve(found);
  return gitTry(gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
}

/** Newest first. */
export async function listCommits(
  gitDir: string,
  from: string,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const out = await gitText(gitDir, ['rev-list', from, ...more]);
  return out === '' ? [] : out.split('\n');
}

export function mergeBase(gitDir: string, a: string, b: string): Promise<string | null> {
  return gitTry(gitDir, ['merge-base', a, b]);
}

export async function isAncestor(gitDir: string, older: string, newer: string): Promise<boolean> {
  return (await gitTry(gitDir, ['merge-base', '--is-ancestor', older, newer])) !== null;
}
