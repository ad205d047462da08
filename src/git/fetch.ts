// One `git fetch` into a mirror, bounded in time and size; what its end means is for the caller to say.
import { join } from 'node:path';
import { CausewayError } from '../domain/errors.ts';
import { watchSize } from './folder-size.ts';
import type { ConfigEntry } from './git-environment.ts';
import type { Ending, Git } from './run-git.ts';
import type { Access } from './upstream.ts';

export interface FetchLimits {
  readonly fetchTimeoutMs: number;
  readonly maxBytes: number;
}

interface Fetch {
  readonly gitDir: string;
  /** The source in words, for messages; without credentials. */
  readonly what: string;
  readonly access: Access;
  readonly limits: FetchLimits;
  /** Beside those that every fetch has. */
  readonly options: readonly string[];
  readonly refspecs: readonly string[];
  readonly config?: readonly ConfigEntry[];
}

/** Throws `repository_unreachable` where the mirror would become larger than it may. */
export async function fetchInto(
  git: Git,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<{ readonly ending: Ending; readonly stderr: string }> {
  const { gitDir, what, access, limits } = fetch;
  using size = watchSize(join(gitDir, 'objects', 'pack'), limits.maxBytes);
  const fetched = await git
    .run({
      // Progress makes a git whose starter was killed notice that nobody reads any more: it ends by SIGPIPE.
      args: [
        'fetch',
        '--progress',
        '--force',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        '--update-shallow',
        ...fetch.options,
        '--',
        access.address,
        ...fetch.refspecs,
      ],
      gitDir,
      ...access,
      config: [...access.config, ...(fetch.config ?? [])],
      timeoutMs: limits.fetchTimeoutMs,
      maxBytes: 16 * 1024 * 1024,
      signal: AbortSignal.any([signal, size.exceeded]),
    })
    .catch((error: unknown) => {
      throw size.exceeded.aborted ? tooLarge(what, limits.maxBytes) : error;
    });
  if (await size.check()) throw tooLarge(what, limits.maxBytes);
  return fetched;
}

export function tooLarge(what: string, maxBytes: number): CausewayError {
  const limit = `${Math.round(maxBytes / 1024 ** 2)} MiB`;
  return new CausewayError(
    'repository_unreachable',
    `${what} is larger than ${limit}, which is the limit for one repository.`,
  );
}
