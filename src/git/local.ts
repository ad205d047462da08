// A repository on this disk, read without trusting it: a stand-in with our configuration borrows its objects, and the mirror takes them over.
import { COPYFILE_FICLONE } from 'node:constants';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { ConfigEntry } from './environment.ts';
import { toUnreachable } from './failure.ts';
import type { Refs } from './refs.ts';
import type { Git } from './run.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REF_FILE_BYTES = 256 * 1024 * 1024;
// Windows knows neither pipes in folders nor this flag.
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** What git itself reads to the end, however long it is and whether or not an end ever comes. */
const READ_BY_GIT = ['HEAD', 'packed-refs', 'shallow', 'config', 'commondir', 'objects/info/alternates'];
const FAN_OUT = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38,62}$/;
// What belongs to one pack, its index last: git looks for that, and then the rest must be there.
const PACK_PARTS = ['.pack', '.rev', '.promisor', '.idx'];

/** For a fetch between partial clones: what is missing counts as promised by a remote that is never asked. */
export const PROMISED: readonly ConfigEntry[] = [
  ['remote.source.promisor', 'true'],
  ['remote.source.url', '/dev/null'],
];

export interface LocalRepository {
  readonly gitDir: string;
  readonly objects: string;
  /** Content of its `shallow` file; "" where history is complete. */
  readonly shallow: string;
}

/** Finds the repository at or around `path`: work tree, linked work tree, bare, or a folder inside of one. */
export async function locateRepository(
  git: Git,
  at: { readonly path: string; readonly what: string },
  signal: AbortSignal,
): Promise<LocalRepository> {
  const folder = await findFolder(at);
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-parse', '--path-format=absolute', '--git-dir', '--git-path', 'objects', '--git-path', 'shallow'],
    folder,
    timeoutMs: 30_000,
    maxBytes: 65_536,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) throw toUnreachable(at.what, ending, stderr);
  const [gitDir, objects, shallowFile, ...rest] = stdout.toString('utf8').trimEnd().split('\n');
  if (!gitDir || !objects || !shallowFile || rest.length > 0) {
    throw new CausewayError(
      'repository_unreachable',
      `${at.what} could not be read: its path holds a line break. Move the repository to a folder with a plain name.`,
    );
  }
  await requirePlainFiles(at.what, [gitDir, dirname(objects)]);
  return { gitDir, objects, shallow: await readPlainFile(shallowFile) };
}

async function findFolder(at: { readonly path: string; readonly what: string }): Promise<string> {
  try {
    const folder = await realpath(resolve(at.path));
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (cause) {
    throw new CausewayError(
      'repository_unreachable',
      `${at.what} could not be read: there is no such folder, or it may not be entered. Check the path and its permissions.`,
      { cause },
    );
  }
  throw new CausewayError(
    'repository_unreachable',
    `${at.what} could not be read: it is a file and no git bundle. Give the folder of a git repository.`,
  );
}

/**
 * Makes a bare repository at `folder` that has the refs of `refs` and borrows every object from `local`.
 * Fetching from it, git reads this configuration and not that of the analysed repository, which could name
 * commands (hooks, remotes with an own upload-pack, core.alternateRefsCommand) and other transports.
 */
export async function writeStandIn(folder: string, local: LocalRepository, refs: Refs): Promise<void> {
  await mkdir(join(folder, 'refs'), { recursive: true });
  await mkdir(join(folder, 'objects', 'info'), { recursive: true });
  await writeFile(join(folder, 'config'), writeConfiguration(refs));
  await writeFile(join(folder, 'HEAD'), `${refs.headBranch === '' ? refs.head : `ref: ${refs.headBranch}`}\n`);
  await writeFile(join(folder, 'packed-refs'), [...refs.byName].map(([name, sha]) => `${sha} ${name}\n`).join(''));
  await writeFile(join(folder, 'objects', 'info', 'alternates'), `${toAlternate(local.objects)}\n`);
  if (local.shallow !== '') await writeFile(join(folder, 'shallow'), local.shallow);
}

function writeConfiguration(refs: Refs): string {
  const sha256 = objectFormat(refs) === 'sha256';
  const version = sha256 ? '\trepositoryformatversion = 1\n' : '\trepositoryformatversion = 0\n';
  return `[core]\n${version}\tbare = true\n${sha256 ? '[extensions]\n\tobjectformat = sha256\n' : ''}`;
}

/** The hash that a repository with these refs uses, known by the length of its ids. */
export function objectFormat(refs: Refs): 'sha1' | 'sha256' {
  const [any] = refs.byName.values();
  return (any ?? refs.head).length === 64 ? 'sha256' : 'sha1';
}

/** `objects/info/alternates` takes a name that begins with `#` or `"` only in quotes. */
function toAlternate(path: string): string {
  return /^[#"]/.test(path) ? JSON.stringify(path) : path;
}

/** The text of a plain file of at most 1 MiB; "" where there is none. A pipe is never waited for. */
export async function readPlainFile(file: string): Promise<string> {
  // Asked before it is opened too: to open some devices is to do something.
  if (!(await stat(file).catch(() => null))?.isFile()) return '';
  try {
    await using handle = await open(file, WITHOUT_WAITING);
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) return '';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

/**
 * Throws `repository_unreachable` where a file that git would read is a pipe, a device or of absurd size:
 * git waits for a pipe, and reads a link to an endless device until memory is gone.
 */
async function requirePlainFiles(what: string, folders: readonly string[]): Promise<void> {
  for (const folder of new Set(folders)) {
    const odd = (await findOdd(folder, READ_BY_GIT)) ?? (await findOdd(folder, await listLinksAndPipes(folder)));
    if (odd !== null) {
      throw new CausewayError(
        'repository_unreachable',
        `${what} could not be read: its file ${JSON.stringify(odd)} is a pipe or device, or too large. Remove it; "git fsck" there says more.`,
      );
    }
  }
}

async function findOdd(folder: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found === null || found.isDirectory()) continue;
    const limit = name === 'packed-refs' ? MAX_REF_FILE_BYTES : MAX_BYTES;
    if (!found.isFile() || found.size > limit) return name;
  }
  return null;
}

/** Names below `refs` that are neither a plain file nor a folder. */
async function listLinksAndPipes(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true }).catch(() => []);
  const odd = entries.filter((entry) => !entry.isFile() && !entry.isDirectory());
  return odd.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Whether this object folder is of a partial clone, which lacks objects that its own remote promised; false for "". */
export async function isPartialClone(objects: string): Promise<boolean> {
  if (objects === '') return false;
  return (await listPlain(join(objects, 'pack'))).some((name) => name.endsWith('.promisor'));
}

/**
 * Links (on another disk: copies) packs and loose objects that `to` has not got yet. Both are object folders.
 * What vanishes meanwhile is left out: the fetch that follows sees what is missing.
 */
export async function seedObjects(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'pack'), { recursive: true });
  const packs = await listPlain(join(from, 'pack'));
  const there = new Set(await listPlain(join(to, 'pack')));
  // A pack with .mtimes holds what nothing refers to any more.
  const cruft = new Set(
    packs.filter((name) => name.endsWith('.mtimes')).map((name) => name.slice(0, -'.mtimes'.length)),
  );
  for (const part of PACK_PARTS) {
    for (const name of packs.filter((each) => each.startsWith('pack-') && each.endsWith(part))) {
      if (!there.has(name) && !cruft.has(name.slice(0, -part.length)))
        await takeFile(join(from, 'pack'), join(to, 'pack'), name);
    }
  }
  for (const folder of (await listPlain(from)).filter((name) => FAN_OUT.test(name))) {
    await mkdir(join(to, folder), { recursive: true });
    const names = (await listPlain(join(from, folder))).filter((name) => LOOSE.test(name));
    await Promise.all(names.map((name) => takeFile(join(from, folder), join(to, folder), name)));
  }
}

async function takeFile(from: string, to: string, name: string): Promise<void> {
  const linked = await link(join(from, name), join(to, name)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
  );
  if (linked) return;
  // Under a passing name first: a kill in the middle must not leave half a file that looks whole.
  const passing = join(to, `tmp_${name}`);
  try {
    await copyFile(join(from, name), passing, COPYFILE_FICLONE);
    await rename(passing, join(to, name));
  } catch (error) {
    await rm(passing, { force: true });
    if (!isAbsence(error)) throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Names of plain files and folders; a link or pipe that stands for an object file is not taken over. */
async function listPlain(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() || entry.isDirectory()).map((entry) => entry.name);
  } catch {
    return [];
  }
}
