// A repository on this disk, read without trusting it: a bare repository with our configuration borrows its objects.
import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { toUnreachable } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import { type Git, isSuccess } from './process.ts';
import { getObjectFormat, type Refs, readRefs } from './refs.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REF_FILE_BYTES = 256 * 1024 * 1024;
// Windows knows neither pipes in folders nor this flag.
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** What git itself reads to the end, however long it is and whether or not an end ever comes. */
const READ_BY_GIT = ['HEAD', 'packed-refs', 'shallow', 'config', 'commondir', 'objects/info/alternates'];

interface BorrowedRepository {
  readonly path: string;
  readonly what: string;
  readonly gitDir: string;
  /** Only branches and tags that lead to this commit; the default branch is at it. Absent: all, as they are. */
  readonly asOf?: string | undefined;
}

interface LocalRepository {
  readonly gitDir: string;
  readonly objects: string;
  /** Content of its `shallow` file; "" where history is complete. */
  readonly shallow: string;
}

/**
 * Makes `gitDir` a bare repository with the refs of the repository at `path`, which borrows every object from there.
 * Git then reads this configuration and not that of the analysed repository, which could name commands (hooks, remotes
 * with an own upload-pack, core.alternateRefsCommand) and other transports. Call under the mirror's lock. Throws
 * `GitFailure`.
 */
export async function borrowRepository(
  git: Git,
  { path, what, gitDir, asOf }: BorrowedRepository,
  signal: AbortSignal,
): Promise<Refs> {
  const local = await locateRepository(git, path, what, signal);
  const refs = await readRefs(git, { ...local, asOf }, signal);
  if (refs === null) {
    throw new GitFailure('unreachable', `${what} could not be read: its refs are damaged. "git fsck" there says more.`);
  }
  await mkdir(join(gitDir, 'refs'), { recursive: true });
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  const files = {
    config: formatConfiguration(refs),
    'packed-refs': [...refs.byName].map(([name, sha]) => `${sha} ${name}\n`).join(''),
    'objects/info/alternates': `${quoteAlternate(local.objects)}\n`,
    HEAD: `${refs.headBranch === '' ? refs.head : `ref: ${refs.headBranch}`}\n`,
  };
  for (const [name, text] of Object.entries(files)) await replaceFile(join(gitDir, name), text);
  if (local.shallow === '') await rm(join(gitDir, 'shallow'), { force: true });
  else await replaceFile(join(gitDir, 'shallow'), local.shallow);
  return refs;
}

/** Another process may be reading the file. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.lock`, text);
  await rename(`${file}.lock`, file);
}

function formatConfiguration(refs: Refs): string {
  return getObjectFormat(refs) === 'sha256'
    ? '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n'
    : '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
}

/** `objects/info/alternates` takes a name that begins with `#` or `"` only in quotes. */
function quoteAlternate(path: string): string {
  return /^[#"]/.test(path) ? JSON.stringify(path) : path;
}

/** Finds the repository at or around `path`: work tree, linked work tree, bare, or a folder inside of one. */
async function locateRepository(git: Git, path: string, what: string, signal: AbortSignal): Promise<LocalRepository> {
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-parse', '--path-format=absolute', '--git-dir', '--git-path', 'objects', '--git-path', 'shallow'],
    folder: await findFolder(path, what),
    timeoutMs: 30_000,
    maxBytes: 65_536,
    signal,
  });
  if (!isSuccess(ending)) throw toUnreachable(what, ending, stderr);
  const [gitDir, objects, shallowFile, ...rest] = stdout.toString('utf8').trimEnd().split('\n');
  if (!gitDir || !objects || !shallowFile || rest.length > 0) {
    throw new GitFailure(
      'unreachable',
      `${what} could not be read: its path contains a line break. Move the repository to a folder with a plain name.`,
    );
  }
  for (const folder of new Set([gitDir, dirname(objects)])) await requirePlainFiles(folder, what);
  return { gitDir, objects, shallow: await readPlainFile(shallowFile) };
}

async function findFolder(path: string, what: string): Promise<string> {
  try {
    const folder = await realpath(resolve(path));
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (cause) {
    throw new GitFailure(
      'not_found',
      `${what} could not be read: there is no such folder, or it may not be entered. Check the path and its permissions.`,
      { cause },
    );
  }
  throw new GitFailure(
    'not_found',
    `${what} could not be read: it is a file, not a git bundle. Give the folder of a git repository.`,
  );
}

/** The text of a plain file of at most 1 MiB; "" if none. Never waits for a pipe. */
export async function readPlainFile(file: string): Promise<string> {
  // Checked before it is opened too: opening some devices has effects.
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
 * Throws `GitFailure` where a file that git would read is a pipe, a device or of absurd size:
 * git waits for a pipe, and reads a link to an endless device until memory is gone.
 */
async function requirePlainFiles(folder: string, what: string): Promise<void> {
  const below = await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true }).catch(() => []);
  const links = below
    .filter((entry) => !entry.isFile() && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  for (const name of [...READ_BY_GIT, ...links]) {
    const found = await stat(join(folder, name)).catch(() => null);
    const limit = name === 'packed-refs' ? MAX_REF_FILE_BYTES : MAX_BYTES;
    if (found === null || found.isDirectory() || (found.isFile() && found.size <= limit)) continue;
    throw new GitFailure(
      'unreachable',
      `${what} could not be read: its file ${JSON.stringify(name)} is a pipe or device, or too large. Remove it; "git fsck" there says more.`,
    );
  }
}
