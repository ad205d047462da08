// The refs of a mirror of ours as its files have them: to start git for a few lines takes longer than all of the reading.
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { textOrNothing } from './plain-files.ts';

/** More of them are read faster by git. */
const MOST_FILES = 200;
const REF_FILE = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
const PLAIN_HEAD = /^(?:ref: refs\/[^\n]+|[0-9a-f]{40}|[0-9a-f]{64})\n$/;
const PEELED = /^\^[0-9a-f]+$/;
const PACKED = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/.+)$/;
/** Sections and keys as git writes them; what is anything else git may refuse. */
const PLAIN_CONFIG = /^(?:\[[A-Za-z]+(?: "[^"\\\n]*")?\]\n|\t[A-Za-z]+ = [^"\\\n]*\n)+$/;
/** git-check-ref-format(1), and more: git leaves out names that it does not allow. */
const PLAIN_NAME = /^refs(?:\/(?!\.)(?:(?!\.\.|\.lock(?:\/|$)|@\{)[^\u0000-\u0020~^:?*[\\\u007f/])+)+(?<!\.)$/;
const NO_OBJECT = /^0+$/;

/**
 * `<sha> <name>` for each branch and tag and for `besides`, in the order of their names. Null where it takes git to say so: refs kept in
 * another form, very many of them, and whatever does not look like what git writes.
 */
export async function readRefFiles(gitDir: string, besides: string): Promise<string | null> {
  if (!(await isPlain(gitDir))) return null;
  // Before the packed ones, as git does: one that is packed in between is seen in either.
  const loose = await looseRefs(gitDir, besides);
  const packed = await packedRefs(join(gitDir, 'packed-refs'));
  if (loose === null || packed === null) return null;
  const all = new Map([...packed, ...loose]);
  const wanted = [...all].filter(([name]) => /^refs\/(?:heads|tags)\//.test(name) || name === besides);
  if (wanted.some(([name, sha]) => !PLAIN_NAME.test(name) || NO_OBJECT.test(sha))) return null;
  return wanted
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, sha]) => `${sha} ${name}\n`)
    .join('');
}

/** Whether git would take it for a repository, with its refs in files (`extensions.refStorage` says where they are not). */
async function isPlain(gitDir: string): Promise<boolean> {
  const [config, head] = await Promise.all(['config', 'HEAD'].map((name) => textOrNothing(join(gitDir, name))));
  if (!PLAIN_CONFIG.test(config ?? '') || /storage/i.test(config ?? '') || !PLAIN_HEAD.test(head ?? '')) return false;
  const folders = await Promise.all(['objects', 'refs'].map((name) => stat(join(gitDir, name)).catch(() => null)));
  return folders.every((found) => found?.isDirectory());
}

async function looseRefs(gitDir: string, besides: string): Promise<ReadonlyMap<string, string> | null> {
  const names = await looseNames(gitDir);
  if (names === null) return null;
  const refs = new Map<string, string>();
  for (const name of [...names, besides]) {
    const text = await textOrNothing(join(gitDir, name));
    const sha = REF_FILE.exec(text)?.[1];
    if (sha !== undefined) refs.set(name, sha);
    else if (name !== besides || text !== '' || existsSync(join(gitDir, name))) return null;
  }
  return refs;
}

async function looseNames(gitDir: string): Promise<readonly string[] | null> {
  const names: string[] = [];
  const folders = ['refs/heads', 'refs/tags'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(gitDir, folder), { withFileTypes: true }).catch(noneIfAbsent);
    if (entries === null) return null;
    for (const entry of entries) {
      (entry.isDirectory() ? folders : names).push(`${folder}/${entry.name}`);
    }
    if (names.length + folders.length > MOST_FILES) return null;
  }
  return names;
}

function noneIfAbsent(error: NodeJS.ErrnoException): [] | null {
  return error.code === 'ENOENT' ? [] : null;
}

/** Git writes a line at their top, so that no text stands for a file that cannot be read, or is too large. */
async function packedRefs(file: string): Promise<ReadonlyMap<string, string> | null> {
  const refs = new Map<string, string>();
  const text = await textOrNothing(file);
  if (text === '') return existsSync(file) ? null : refs;
  for (const row of text.split('\n')) {
    const [, sha, name] = PACKED.exec(row) ?? [];
    if (sha !== undefined && name !== undefined) refs.set(name, sha);
    else if (row !== '' && !row.startsWith('#') && !PEELED.test(row)) return null;
  }
  return refs;
}
