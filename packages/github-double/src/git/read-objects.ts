// Reads refs, commits, trees and blobs.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { git, gitText, gitTry } from './run-git.ts';

/** The object's id. What is there already is left as it is. */
export function writeObject(gitDir: string, type: 'blob' | 'commit' | 'tree', content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash('sha1').update(whole).digest('hex');
  const folder = join(gitDir, 'objects', sha.slice(0, 2));
  const file = join(folder, sha.slice(2));
  if (existsSync(file)) return sha;
  mkdirSync(folder, { recursive: true });
  const partial = join(folder, `tmp_obj_${randomUUID()}`);
  writeFileSync(partial, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(partial, file);
  return sha;
}

const SHA = /^[0-9a-f]{40}$/;

/** What cannot lead out of the folder of refs. */
const PLAIN = /^refs\/(?!.*\.\.)[\w./@+=-]+$/;

/** What a full name such as `refs/heads/main` holds; null where it is not there, undefined where git must be asked. */
function refFile(gitDir: string, name: string): string | null | undefined {
  if (!PLAIN.test(name) || name.endsWith('/') || name.includes('//')) return undefined;
  const loose = textOf(join(gitDir, name));
  if (loose === null) return packedRefs(gitDir).get(name) ?? null;
  return SHA.test(loose.trim()) ? loose.trim() : undefined;
}

/** All of them below `refs/`, by name; undefined where one is neither loose nor packed as an id, such as a symbolic one. */
function refFiles(gitDir: string): ReadonlyMap<string, string> | undefined {
  const found = new Map(packedRefs(gitDir));
  for (const entry of readdirSync(join(gitDir, 'refs'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
    const name = join(entry.parentPath, entry.name).slice(gitDir.length + 1);
    const sha = textOf(join(gitDir, name))?.trim();
    // Deleted since the folder was read.
    if (sha === undefined) continue;
    if (!SHA.test(sha)) return undefined;
    found.set(name, sha);
  }
  return new Map([...found].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

function packedRefs(gitDir: string): ReadonlyMap<string, string> {
  const lines = (textOf(join(gitDir, 'packed-refs')) ?? '').split('\n');
  const rows = lines.filter((line) => /^[0-9a-f]{40} refs\//.test(line));
  return new Map(rows.map((line) => [line.slice(41), line.slice(0, 40)]));
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

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

export interface GitEntry {
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
): Promise<readonly GitEntry[] | null> {
  const args = ['ls-tree', '-z', '-l', '--full-tree', ...(recursive ? ['-r', '-t'] : []), treeish];
  const out = await git(gitDir, args).catch(() => null);
  if (out === null) return null;
  return out
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map(entry);
}

function entry(line: string): GitEntry {
  const [head = '', path = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)];
  const [mode = '', type = 'blob', sha = '', size = '-'] = head.split(/ +/);
  return { mode, type: type as GitEntry['type'], sha, size: size === '-' ? null : Number(size), path };
}

/** The entry of one path in a commit; the root for "". Null where there is none. */
export async function entryAt(gitDir: string, commit: string, path: string): Promise<GitEntry | null> {
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
export async function listRefs(gitDir: string, prefix = 'refs/'): Promise<readonly Ref[]> {
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
export async function listRevisions(
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

export async function isReachable(gitDir: string, older: string, newer: string): Promise<boolean> {
  return (await gitTry(gitDir, ['merge-base', '--is-ancestor', older, newer])) !== null;
}
