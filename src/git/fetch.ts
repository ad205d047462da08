// One `git fetch` or `git clone` into a mirror, bounded in time and size; what its end means is for the caller to say.
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import { watchSize } from './folder-size.ts';
import type { ConfigEntry } from './git-environment.ts';
import type { Ending, Git, GitCall } from './run-git.ts';
import type { Access } from './upstream.ts';

export interface FetchLimits {
  readonly fetchTimeoutMs: number;
  readonly maxBytes: number;
}

interface Transfer {
  readonly gitDir: string;
  /** The source in words, for messages; without credentials. */
  readonly what: string;
  readonly access: Access;
  readonly limits: FetchLimits;
}

interface Fetch extends Transfer {
  /** Beside those that every fetch has. */
  readonly options: readonly string[];
  readonly refspecs: readonly string[];
  readonly config?: readonly ConfigEntry[];
}

interface Transferred {
  readonly ending: Ending;
  readonly stderr: string;
}

// Progress makes a git whose starter was killed notice that nobody reads any more: it ends by SIGPIPE.
const PROGRESS = '--progress';

/** Throws `repository_unreachable` where the mirror would become larger than it may. */
export async function fetchInto(git: Git, fetch: Fetch, signal: AbortSignal): Promise<Transferred> {
  const { gitDir, access } = fetch;
  const args = [
    ...['fetch', PROGRESS, '--force', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
    ...['--update-shallow', ...fetch.options, '--', access.address, ...fetch.refspecs],
  ];
  return transfer(git, { ...fetch, args, at: { gitDir } }, signal);
}

/** Makes the empty folder `gitDir` a bare repository with the branches and tags of its source. Throws as `fetchInto` does. */
export async function cloneInto(git: Git, clone: Transfer, signal: AbortSignal): Promise<Transferred> {
  const { gitDir, access } = clone;
  const args = ['clone', '--bare', PROGRESS, '--template=', '--', access.address, gitDir];
  // Git's first guess where the source does not say what its default branch is; then as `parseRemoteRefs` guesses.
  const config: readonly ConfigEntry[] = [['init.defaultBranch', 'main']];
  return transfer(git, { ...clone, args, config, at: { folder: gitDir } }, signal);
}

type Started = Transfer & Pick<GitCall, 'args' | 'config'> & { readonly at: Pick<GitCall, 'gitDir' | 'folder'> };

async function transfer(git: Git, started: Started, signal: AbortSignal): Promise<Transferred> {
  const { gitDir, what, access, limits, args, config = [], at } = started;
  using size = watchSize(join(gitDir, 'objects', 'pack'), limits.maxBytes);
  const transferred = await git
    .run({
      ...at,
      ...access,
      args,
      config: [...access.config, ...config],
      timeoutMs: limits.fetchTimeoutMs,
      maxBytes: 16 * 1024 * 1024,
      signal: AbortSignal.any([signal, size.exceeded]),
    })
    .catch((error: unknown) => {
      throw size.exceeded.aborted ? tooLarge(what, limits.maxBytes) : error;
    });
  if (await size.check()) throw tooLarge(what, limits.maxBytes);
  return transferred;
}

export function tooLarge(what: string, maxBytes: number): CausewayError {
  const limit = `${Math.round(maxBytes / 1024 ** 2)} MiB`;
  return new CausewayError(
    'repository_unreachable',
    `${what} is larger than ${limit}, which is the limit for one repository.`,
  );
}
