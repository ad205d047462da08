// A repository on this disk, read without trusting it: its objects are borrowed by a stand-in whose configuration is ours.
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import { unreachable } from './git-failure.ts';
import { requirePlainFiles, textOrNothing } from './plain-files.ts';
import type { Refs } from './refs.ts';
import type { Git } from './run-git.ts';

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
  const folder = await existingFolder(at);
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-parse', '--path-format=absolute', '--git-dir', '--git-path', 'objects', '--git-path', 'shallow'],
    folder,
    timeoutMs: 30_000,
    maxBytes: 65_536,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) throw unreachable(at.what, ending, stderr);
  const [gitDir, objects, shallowFile, ...rest] = stdout.toString('utf8').trimEnd().split('\n');
  if (!gitDir || !objects || !shallowFile || rest.length > 0) {
    throw new CausewayError(
      'repository_unreachable',
      `${at.what} could not be read: its path holds a line break. Move the repository to a folder with a plain name.`,
    );
  }
  await requirePlainFiles(at.what, [gitDir, dirname(objects)]);
  return { gitDir, objects, shallow: await textOrNothing(shallowFile) };
}

async function existingFolder(at: { readonly path: string; readonly what: string }): Promise<string> {
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
  await writeFile(join(folder, 'config'), configuration(refs));
  await writeFile(join(folder, 'HEAD'), `${refs.headBranch === '' ? refs.head : `ref: ${refs.headBranch}`}\n`);
  await writeFile(join(folder, 'packed-refs'), [...refs.byName].map(([name, sha]) => `${sha} ${name}\n`).join(''));
  await writeFile(join(folder, 'objects', 'info', 'alternates'), `${alternate(local.objects)}\n`);
  if (local.shallow !== '') await writeFile(join(folder, 'shallow'), local.shallow);
}

function configuration(refs: Refs): string {
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
function alternate(path: string): string {
  return /^[#"]/.test(path) ? JSON.stringify(path) : path;
}
