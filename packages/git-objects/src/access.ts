// How git reaches a repository.
import type { Renewable } from './failure.ts';
import type { ObjectReader } from './objects.ts';
import type { Git } from './process.ts';
import type { Refs } from './refs.ts';

/** What reads one mirror. */
export interface RepositoryAccess extends Renewable {
  readonly git: Git;
  readonly mirror: { readonly gitDir: string; readonly refs: Refs };
  readonly objects: ObjectReader;
  /** Fetches a commit by its full sha; false where the source refuses it, or is on this disk. */
  fetchCommit(sha: string, signal: AbortSignal): Promise<boolean>;
  /** Only this commit and what leads to it exist; absent: every commit. */
  readonly asOf?: string | undefined;
}
