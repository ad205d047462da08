// The source of every project, kept as bare mirrors in one folder: brought up to date when opened, under a lock, then
// read.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { untilAborted } from '../core/abortable.ts';
import { CausewayError, isDiskFull, NO_SPACE } from '../core/errors.ts';
import type { Project } from '../core/project.ts';
import type { Source } from '../core/source.ts';
import type { Log } from '../log.ts';
import { type Besides, createEviction, removeMirror, touchMirror, watchUse } from './eviction.ts';
import {
  type Credentials,
  clearLeftovers,
  fetchCommit,
  openBundle,
  openRemote,
  refreshMirror,
  requireCommits,
} from './fetch.ts';
import { borrowRepository } from './local.ts';
import { acquireProcessLock, createSingleFlight } from './locks.ts';
import { createObjectReader } from './objects.ts';
import { createCertificates, createGit, type GitEnvironment } from './process.ts';
import type { Refs } from './refs.ts';
import { createRepository } from './repository.ts';

const REFUSAL_LASTS_MS = 60_000;

export interface GitSourceOptions {
  /** Where mirrors are kept; made if absent. Nothing else may live there. */
  readonly folder: string;
  /** Called for every refresh of an http(s) source; absent: all are read without. */
  readonly credentials?: Credentials;
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
  readonly log?: Log;
  /** Git sees PATH, proxies and certificates of it, nothing else. */
  readonly environment: GitEnvironment;
}

/** Opens projects through mirrors. Dispose it to end every git process that is still running. */
export function createGitSource(options: GitSourceOptions): Source & AsyncDisposable {
  const folder = resolve(options.folder);
  mkdirSync(join(folder, 'locks'), { recursive: true, mode: 0o700 });
  const lifetime = new AbortController();
  const git = createGit({
    environment: options.environment,
    certificates: createCertificates(folder, options.environment['NODE_EXTRA_CA_CERTS']),
    lifetime: lifetime.signal,
  });
  const reading = watchUse(git);
  const { credentials = async () => null, fetchTimeoutMs = 15 * 60_000, maxMirrorBytes = 20 * 1024 ** 3 } = options;
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

  async function refresh(project: Project, replace: boolean, signal: AbortSignal): Promise<Refs> {
    const gitDir = join(folder, `${requireId(project.id)}.git`);
    const { source } = project;
    using _lock = await lockMirror(project.id, signal);
    await clearLeftovers(gitDir);
    const what = source.kind === 'path' ? `The repository of ${project.name} (${source.path})` : '';
    const remote =
      source.kind === 'path' ? await openBundle(source.path, what) : await openRemote(project, credentials, signal);
    if (source.kind === 'path' && remote === null) {
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

  async function fetchBySha(project: Project, sha: string, signal: AbortSignal): Promise<boolean> {
    const key = `${project.id} ${sha}`;
    for (const [old, until] of refusedUntil) if (until <= performance.now()) refusedUntil.delete(old);
    if (project.source.kind === 'path' || refusedUntil.has(key)) return false;
    const isFetched = await fetches.join(key, signal, async (shared) => {
      const gitDir = join(folder, `${project.id}.git`);
      using _lock = await lockMirror(project.id, shared);
      await clearLeftovers(gitDir);
      const remote = await openRemote(project, credentials, shared);
      return await fetchCommit(git, { gitDir, sha, remote, limits }, shared);
    });
    if (!isFetched) refusedUntil.set(key, performance.now() + (options.refusalLastsMs ?? REFUSAL_LASTS_MS));
    return isFetched;
  }

  return {
    async open(project, signal) {
      if (asOf !== undefined && project.source.kind !== 'path') {
        throw new TypeError('only a repository on this disk can be read as of a commit');
      }
      const refs = await refreshes
        .join(project.id, signal, (shared) => refresh(project, false, shared))
        .catch((error: unknown) => Promise.reject(isDiskFull(error) ? toNoSpace(project, error) : error));
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
          await untilAborted(renewal, until);
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
      lifetime.abort(new CausewayError('cancelled', 'Causeway is stopping; the report continues at the next start.'));
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

/** It names a file. */
function requireId(projectId: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) return projectId;
  throw new CausewayError('invalid', 'A project id has letters, digits, "_" and "-" only.');
}
