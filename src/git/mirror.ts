// The source of every project, kept as bare mirrors in one folder: opened means fetched, under a lock, then read.
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CausewayError, isDiskFull, NO_SPACE } from '../core/errors.ts';
import type { Project } from '../core/project.ts';
import type { Source } from '../core/source.ts';
import type { Log } from '../log.ts';
import { createAskedCommits } from './asked-commits.ts';
import { createObjectReader } from './cat-file-batch.ts';
import { createCertificates } from './certificates.ts';
import type { FetchLimits } from './fetch.ts';
import { fetchCommit } from './fetch-commit.ts';
import type { Environment } from './git-environment.ts';
import { createKeptListings } from './kept-listings.ts';
import { type Besides, createEviction, overMirrors, removeMirror } from './mirror-eviction.ts';
import { noteOpened } from './mirror-records.ts';
import { cloneMirror, type Mirror, readMirror, refreshMirror } from './mirror-refresh.ts';
import { clearLeftovers } from './mirror-upkeep.ts';
import { acquireProcessLock } from './process-lock.ts';
import { createRepository } from './repository.ts';
import { createGit, type Git } from './run-git.ts';
import { createSingleFlight, untilAborted } from './single-flight.ts';
import { type Credentials, openRemote, openUpstream } from './upstream.ts';

export interface GitSourceOptions {
  /** Where mirrors are kept; made if absent. Nothing else may live there. */
  readonly folder: string;
  /** Asked anew for every refresh of an http(s) source; absent: none has any. */
  readonly credentials?: Credentials;
  /** Longest one fetch may take (default 15 minutes). */
  readonly fetchTimeoutMs?: number;
  /** Largest mirror that is still fetched, in bytes (default 20 GiB). */
  readonly maxMirrorBytes?: number;
  /** How long a commit that the source did not give out is not asked for again (default one minute). */
  readonly refusalLastsMs?: number;
  /** Longest wait for another process at the same mirror (default 2 minutes). */
  readonly lockWaitMs?: number;
  /** Largest that all mirrors may become together with what is made of them, in bytes; absent or 0: no limit. */
  readonly maxTogetherBytes?: number;
  /** Absent: nothing is made of them. */
  readonly besides?: Besides;
  /** How long after its last use a mirror still counts as in use (default 30 minutes). */
  readonly inUseMs?: number;
  /** Says what was evicted; absent: nobody. */
  readonly log?: Log;
  /** Git sees PATH, proxies and certificates of it, nothing else. */
  readonly environment: Environment;
}

/** Opens projects through mirrors. Dispose it to end every git process that is still running. */
export function createGitSource(options: GitSourceOptions): Source & AsyncDisposable {
  const folder = resolve(options.folder);
  mkdirSync(join(folder, 'locks'), { recursive: true, mode: 0o700 });
  const { environment } = options;
  const lifetime = new AbortController();
  const git = createGit({
    environment,
    certificates: createCertificates(folder, environment['NODE_EXTRA_CA_CERTS']),
    lifetime: lifetime.signal,
  });
  const reading = overMirrors(git);
  const limits = limitsOf(options);
  const credentials = options.credentials ?? (async () => null);
  const refreshes = createSingleFlight<Mirror>();
  const asked = createAskedCommits(options.refusalLastsMs);
  const listings = createKeptListings();
  const eviction = createEviction({ ...options, folder });

  async function refresh(project: Project, anew: boolean, signal: AbortSignal): Promise<Mirror> {
    const paths = pathsOf(folder, project.id);
    using _lock = await acquireProcessLock(paths.lock, signal, options.lockWaitMs);
    await clearLeftovers(paths.mirror);
    const mirror = await upToDate({ git, credentials, limits }, project, { gitDir: paths.mirror, anew }, signal);
    // A full disk must not keep what stands from being read.
    if (await noteOpened(folder, project.id).catch(() => false)) eviction.look();
    return mirror;
  }

  async function ask(project: Project, sha: string, signal: AbortSignal): Promise<boolean> {
    const { mirror: gitDir, lock } = pathsOf(folder, project.id);
    using _lock = await acquireProcessLock(lock, signal, options.lockWaitMs);
    await clearLeftovers(gitDir);
    const remote = await openRemote(project, credentials, signal);
    return remote !== null && (await fetchCommit(git, { gitDir, sha, remote, limits }, signal));
  }

  return {
    async open(project, signal) {
      const mirror = await refreshes
        .join(project.id, signal, (shared) => refresh(project, false, shared))
        .catch((error: unknown) => Promise.reject(isDiskFull(error) ? noSpace(project, error) : error));
      const objects = createObjectReader(reading, mirror.gitDir);
      const renew = once(async (until) => {
        await refreshes.join(`anew ${project.id}`, until, (shared) => refresh(project, true, shared));
        objects.startAnew();
      });
      const fetchBySha = async (sha: string, until: AbortSignal) =>
        project.source.kind !== 'path' &&
        (await asked.ask(`${project.id} ${sha}`, until, (shared) => ask(project, sha, shared)));
      const access = { git: reading, mirror, objects, listings: listings.of(project.id), renew };
      return createRepository({ ...access, fetchCommit: fetchBySha });
    },
    async forget(projectId, signal = lifetime.signal) {
      const until = AbortSignal.any([lifetime.signal, signal]);
      using _lock = await acquireProcessLock(pathsOf(folder, projectId).lock, until, options.lockWaitMs);
      listings.forget(projectId);
      await removeMirror(folder, projectId);
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort(stopping());
      await eviction[Symbol.asyncDispose]();
    },
  };
}

/** A remote that there is no mirror of is cloned; any other source is asked for its refs, and fetched from where they are others. */
async function upToDate(
  { git, credentials, limits }: { readonly git: Git; readonly credentials: Credentials; readonly limits: FetchLimits },
  project: Project,
  { gitDir, anew }: { readonly gitDir: string; readonly anew: boolean },
  signal: AbortSignal,
): Promise<Mirror> {
  const isThere = !anew && existsSync(gitDir);
  const remote = isThere ? null : await openRemote(project, credentials, signal);
  if (remote !== null) return cloneMirror(git, { gitDir, remote, limits }, signal);
  // Read while the source is asked.
  const standing = isThere ? readMirror(git, gitDir, signal) : null;
  standing?.catch(() => undefined);
  await using upstream = await openUpstream(git, project, { gitDir, credentials }, signal);
  return await refreshMirror(git, { gitDir, upstream, limits, standing: await standing }, signal);
}

/** What git itself says of a full disk is explained in git-failure.ts; this is for what we write around it. */
function noSpace({ name }: Project, cause: unknown): CausewayError {
  return new CausewayError('repository_unreachable', `The repository of ${name} could not be read. ${NO_SPACE}`, {
    cause,
  });
}

function stopping(): CausewayError {
  return new CausewayError('cancelled', 'Causeway is stopping; the report is taken up again at the next start.');
}

function limitsOf({ fetchTimeoutMs = 15 * 60_000, maxMirrorBytes = 20 * 1024 ** 3 }: GitSourceOptions): FetchLimits {
  return { fetchTimeoutMs, maxBytes: maxMirrorBytes };
}

/** Does `work` at the first call only; what it came to holds for every later one, but for a call that was given up. */
function once(work: (signal: AbortSignal) => Promise<unknown>): (signal: AbortSignal) => Promise<void> {
  let done: Promise<void> | undefined;
  return (signal) => {
    done ??= work(signal).then(
      () => undefined,
      (error: unknown) => {
        if (signal.aborted) done = undefined;
        throw error;
      },
    );
    return untilAborted(done, signal);
  };
}

function pathsOf(folder: string, projectId: string): { readonly mirror: string; readonly lock: string } {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) {
    throw new CausewayError('invalid', 'A project id has letters, digits, "_" and "-" only.');
  }
  return { mirror: join(folder, `${projectId}.git`), lock: join(folder, 'locks', projectId) };
}
