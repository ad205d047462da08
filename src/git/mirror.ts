// The source of every project, kept as bare mirrors in one folder: opened means fetched, under a lock, then read.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CausewayError, isDiskFull, NO_SPACE } from '../core/errors.ts';
import type { Project } from '../core/project.ts';
import type { Source } from '../core/source.ts';
import { untilAborted } from '../core/until-aborted.ts';
import type { Log } from '../log.ts';
import { createCertificates, type Environment } from './environment.ts';
import { type Besides, createEviction, removeMirror, touchMirror, watchUse } from './eviction.ts';
import { isPartialClone } from './local.ts';
import { createObjectReader } from './objects.ts';
import { acquireProcessLock } from './process-lock.ts';
import { clearLeftovers, type FetchLimits, fetchCommit, type Mirror, refreshMirror } from './refresh.ts';
import { createRepository } from './repository.ts';
import { createGit } from './run.ts';
import { createSingleFlight } from './single-flight.ts';
import { type Credentials, openRemote, openUpstream } from './upstream.ts';

const REFUSAL_LASTS_MS = 60_000;

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
  const reading = watchUse(git);
  const limits = limitsOf(options);
  const credentials = options.credentials ?? (async () => null);
  const refreshes = createSingleFlight<Mirror>();
  const fetches = createSingleFlight<boolean>();
  /** Commits that the source did not give out, with the time until which they are not asked for again. */
  const refusedUntil = new Map<string, number>();
  const eviction = createEviction({ ...options, folder });

  async function refresh(project: Project, replace: boolean, signal: AbortSignal): Promise<Mirror> {
    const { gitDir, lock } = pathsOf(folder, project.id);
    using _lock = await acquireProcessLock(lock, signal, options.lockWaitMs);
    await clearLeftovers(gitDir);
    await using upstream = await openUpstream(git, project, { gitDir, credentials }, signal);
    const { mirror, isChanged } = await refreshMirror(git, { gitDir, upstream, limits }, replace, signal);
    touchMirror(gitDir);
    if (isChanged) eviction.schedule();
    return mirror;
  }

  async function fetchBySha(project: Project, sha: string, signal: AbortSignal): Promise<boolean> {
    const key = `${project.id} ${sha}`;
    const now = performance.now();
    for (const [old, until] of refusedUntil) if (until <= now) refusedUntil.delete(old);
    if (refusedUntil.has(key)) return false;
    const isThere = await fetches.join(key, signal, async (shared) => {
      const { gitDir, lock } = pathsOf(folder, project.id);
      using _lock = await acquireProcessLock(lock, shared, options.lockWaitMs);
      await clearLeftovers(gitDir);
      const remote = await openRemote(project, credentials, shared);
      return remote !== null && (await fetchCommit(git, { gitDir, sha, remote, limits }, shared));
    });
    if (!isThere) refusedUntil.set(key, performance.now() + (options.refusalLastsMs ?? REFUSAL_LASTS_MS));
    return isThere;
  }

  return {
    async open(project, signal) {
      const mirror = await refreshes
        .join(project.id, signal, (shared) => refresh(project, false, shared))
        .catch((error: unknown) => Promise.reject(isDiskFull(error) ? toNoSpace(project, error) : error));
      const objects = createObjectReader(reading, mirror.gitDir);
      const replace = once(async (until) => {
        await refreshes.join(`replace ${project.id}`, until, (shared) => refresh(project, true, shared));
        objects.restart();
      });
      return createRepository({
        git: reading,
        mirror,
        objects,
        async renew(until) {
          if (await isPartialClone(join(mirror.gitDir, 'objects'))) return false;
          await replace(until);
          return true;
        },
        fetchCommit: async (sha, until) => project.source.kind !== 'path' && (await fetchBySha(project, sha, until)),
      });
    },
    async forget(projectId, signal = lifetime.signal) {
      const until = AbortSignal.any([lifetime.signal, signal]);
      using _lock = await acquireProcessLock(pathsOf(folder, projectId).lock, until, options.lockWaitMs);
      await removeMirror(folder, projectId);
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort(toStopping());
      await eviction[Symbol.asyncDispose]();
    },
  };
}

/** What git itself says of a full disk is explained in failure.ts; this is for what we write around it. */
function toNoSpace({ name }: Project, cause: unknown): CausewayError {
  return new CausewayError('repository_unreachable', `The repository of ${name} could not be read. ${NO_SPACE}`, {
    cause,
  });
}

function toStopping(): CausewayError {
  return new CausewayError('cancelled', 'Causeway is stopping; the report is taken up again at the next start.');
}

function limitsOf({ fetchTimeoutMs = 15 * 60_000, maxMirrorBytes = 20 * 1024 ** 3 }: GitSourceOptions): FetchLimits {
  return { fetchTimeoutMs, maxBytes: maxMirrorBytes };
}

/** Does `work` at the first call only; its outcome holds for every later one, unless that call was aborted. */
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

function pathsOf(folder: string, projectId: string): { readonly gitDir: string; readonly lock: string } {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) {
    throw new CausewayError('invalid', 'A project id has letters, digits, "_" and "-" only.');
  }
  return { gitDir: join(folder, `${projectId}.git`), lock: join(folder, 'locks', projectId) };
}
