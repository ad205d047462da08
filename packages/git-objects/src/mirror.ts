// The source of every project, kept as bare mirrors in one folder: brought up to date when opened, under a lock, then
// read.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { raceAbort } from './abort.ts';
import { type Besides, createEviction, type GitLog, removeMirror, touchMirror, watchUse } from './eviction.ts';
import {
  type Credentials,
  clearLeftovers,
  fetchCommit,
  type MirroredProject,
  openBundle,
  openRemote,
  refreshMirror,
  requireCommits,
} from './fetch.ts';
import { createNoSpace, GitFailure, isFullDisk } from './git-failure.ts';
import { borrowRepository } from './local.ts';
import { acquireProcessLock, createSingleFlight } from './locks.ts';
import { createObjectReader } from './objects.ts';
import { createCertificates, createGit, type GitEnvironment } from './process.ts';
import type { Refs } from './refs.ts';
import { createRepository } from './repository.ts';
import type { Repository } from './source.ts';

const REFUSAL_LASTS_MS = 60_000;

/** Repositories by their project. All methods throw `GitFailure`, what `credentials` throws, or the signal's reason. */
export interface GitSource<P extends MirroredProject> extends AsyncDisposable {
  /** Updates the mirror of the project's repository and opens it at that state. */
  open(project: P, signal: AbortSignal): Promise<Repository>;
  /** Removes the mirror. Waits for other processes that have it open, at most until `signal`. */
  forget(projectId: string, signal?: AbortSignal): Promise<void>;
}

export interface GitSourceOptions<P extends MirroredProject = MirroredProject> {
  /** Where mirrors are kept; made if absent. Nothing else may live there. */
  readonly folder: string;
  /** Called for every refresh of an http(s) source; absent: all are read without. */
  readonly credentials?: Credentials<P>;
  /** Called with every credential before it is used, in each form in which git may print it. */
  readonly onSecret?: (secret: string) => void;
  /** Longest one fetch may take (default 15 minutes). */
  readonly fetchTimeoutMs?: number;
  /** Largest mirror that is still fetched, in bytes (default 20 GiB). */
  readonly maxMirrorBytes?: number;
  /** How long a commit that the source refused is not requested again (default one minute). */
  readonly refusalLastsMs?: number;
  /** Longest wait for another process at the same mirror (default 2 minutes). */
  readonly lockWaitMs?: number;
  /** Largest that all mirrors may become together with what is made of them, in bytes; absent or 0: no limit. */
  readonly maxTogetherBytes?: number;
  /** Absent: nothing is made of them. */
  readonly besides?: Besides;
  /** How long after its last use a mirror still counts as in use (default 30 minutes). */
  readonly inUseMs?: number;
  /**
   * A commit of a repository on this disk, which is read as if nothing had come after it: no later branch or tag, and no
   * commit that does not lead to this one. Absent: as it is.
   */
  readonly asOf?: string | undefined;
  readonly log?: GitLog;
  /** Git sees PATH, proxies and certificates of it, nothing else. */
  readonly environment: GitEnvironment;
}

/**
 * Opens projects through bare mirrors in `folder`, which is made. Needs git 2.39 or newer in PATH. What it opens throws
 * `GitFailure`, what `credentials` throws, or the reason of the signal. Dispose it to end every git process that is still
 * running; what is asked then is refused as `closed`.
 */
export function createGitSource<P extends MirroredProject>(options: GitSourceOptions<P>): GitSource<P> {
  const folder = resolve(options.folder);
  mkdirSync(join(folder, 'locks'), { recursive: true, mode: 0o700 });
  const lifetime = new AbortController();
  const git = createGit({
    environment: options.environment,
    certificates: createCertificates(folder, options.environment['NODE_EXTRA_CA_CERTS']),
    lifetime: lifetime.signal,
  });
  const reading = watchUse(git);
  const access = { credentials: options.credentials ?? (async () => null), onSecret: options.onSecret ?? (() => {}) };
  const { fetchTimeoutMs = 15 * 60_000, maxMirrorBytes = 20 * 1024 ** 3 } = options;
  const { asOf } = options;
  const limits = { fetchTimeoutMs, maxBytes: maxMirrorBytes };
  const refreshes = createSingleFlight<Refs>();
  const fetches = createSingleFlight<boolean>();
  /** Commits that a source refused, with the time until which they are not requested again. */
  const refusedUntil = new Map<string, number>();
  const eviction = createEviction({ ...options, folder });

  async function lockMirror(projectId: string, signal: AbortSignal): Promise<Disposable> {
    return await acquireProcessLock(join(folder, 'locks', projectId), signal, options.lockWaitMs);
  }

  async function refresh(project: P, replace: boolean, signal: AbortSignal): Promise<Refs> {
    const gitDir = join(folder, `${requireId(project.id)}.git`);
    const { source } = project;
    using _lock = await lockMirror(project.id, signal);
    await clearLeftovers(gitDir);
    const what = 'path' in source ? `The repository of ${project.name} (${source.path})` : '';
    const remote = 'path' in source ? await openBundle(source.path, what) : await openRemote(project, access, signal);
    if ('path' in source && remote === null) {
      const refs = await borrowRepository(git, { path: source.path, what, gitDir, asOf }, signal);
      requireCommits(refs, what);
      return refs;
    }
    if (remote === null) throw new TypeError('a source with an address is a remote');
    const { refs, isChanged } = await refreshMirror(git, { gitDir, remote, limits, replace }, signal);
    touchMirror(gitDir);
    if (isChanged) eviction.schedule();
    return refs;
  }

  async function fetchBySha(project: P, sha: string, signal: AbortSignal): Promise<boolean> {
    const key = `${project.id} ${sha}`;
    for (const [old, until] of refusedUntil) if (until <= performance.now()) refusedUntil.delete(old);
    if ('path' in project.source || refusedUntil.has(key)) return false;
    const isFetched = await fetches.join(key, signal, async (shared) => {
      const gitDir = join(folder, `${project.id}.git`);
      using _lock = await lockMirror(project.id, shared);
      await clearLeftovers(gitDir);
      const remote = await openRemote(project, access, shared);
      return await fetchCommit(git, { gitDir, sha, remote, limits }, shared);
    });
    if (!isFetched) refusedUntil.set(key, performance.now() + (options.refusalLastsMs ?? REFUSAL_LASTS_MS));
    return isFetched;
  }

  return {
    async open(project, signal) {
      if (asOf !== undefined && !('path' in project.source)) {
        throw new TypeError('only a repository on this disk can be read as of a commit');
      }
      const refs = await refreshes
        .join(project.id, signal, (shared) => refresh(project, false, shared))
        .catch((error: unknown) =>
          Promise.reject(isFullDisk(error) ? createNoSpace(`The repository of ${project.name}`, error) : error),
        );
      const gitDir = join(folder, `${project.id}.git`);
      const objects = createObjectReader(reading, gitDir);
      let renewal: Promise<unknown> | undefined;
      return createRepository({
        git: reading,
        mirror: { gitDir, refs },
        objects,
        async renew(until) {
          renewal ??= refreshes
            .join(`replace ${project.id}`, until, (shared) => refresh(project, true, shared))
            .then(() => objects.restart());
          await raceAbort(renewal, until);
        },
        fetchCommit: (sha, until) => fetchBySha(project, sha, until),
        asOf,
      });
    },
    async forget(projectId, signal = lifetime.signal) {
      using _lock = await lockMirror(requireId(projectId), AbortSignal.any([lifetime.signal, signal]));
      await removeMirror(folder, projectId);
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort(new GitFailure('closed', 'The source was closed while git was at work.'));
      await eviction[Symbol.asyncDispose]();
    },
  };
}

/** It names a file. */
function requireId(projectId: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) return projectId;
  throw new GitFailure('invalid', 'A project id has letters, digits, "_" and "-" only.');
}
