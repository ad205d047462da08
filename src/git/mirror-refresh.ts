// One bare mirror brought up to date with its source, by one process at a time and without ever standing half made.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import { cloneInto, type FetchLimits, fetchInto, tooLarge } from './fetch.ts';
import { objectsSize } from './folder-size.ts';
import { unreachable } from './git-failure.ts';
import { objectFormat } from './local-repository.ts';
import { consolidate, PARTIAL } from './mirror-upkeep.ts';
import { isPartialClone, PROMISED, seedObjects } from './object-seed.ts';
import { textOrNothing } from './plain-files.ts';
import { isEmpty, MIRRORED_HEAD, type Refs, readMirroredRefs, sameRefs } from './refs.ts';
import type { Git } from './run-git.ts';
import type { Remote, Upstream } from './upstream.ts';

/** A mirror and the refs that it has now. */
export interface Mirror {
  readonly gitDir: string;
  readonly refs: Refs;
  /** The source's default branch where its commit is missing there; else "". */
  readonly brokenDefault: string;
}

/** A mirror as it stands, whatever its source has. */
type Standing = Omit<Mirror, 'brokenDefault'>;

/** What to make equal to what. */
interface Refresh {
  readonly gitDir: string;
  readonly upstream: Upstream;
  readonly limits: FetchLimits;
  /** Null: there is none, or it is damaged. */
  readonly standing: Standing | null;
}

/**
 * Makes the mirror at `gitDir` equal to `upstream` and returns it. Call under the mirror's lock.
 * Throws `repository_empty` or `repository_unreachable`.
 */
export async function refreshMirror(git: Git, job: Refresh, signal: AbortSignal): Promise<Mirror> {
  const { gitDir, upstream, standing } = job;
  requireCommits(upstream.what, upstream.refs);
  if (standing === null) return createMirror(git, job, signal);
  if (sameSource(standing.refs, upstream)) return { ...standing, brokenDefault: upstream.brokenDefault };
  // What a partial clone lacks cannot be packed by a fetch: its new objects are taken over like the first ones.
  if (await isPartialClone(upstream.objects)) await seed(gitDir, upstream, job.limits);
  await fetchRefs(git, { ...job, shallow: standing.refs.shallow !== '' }, signal);
  if (!(await isPartialClone(join(gitDir, 'objects')))) await consolidate(git, gitDir, signal);
  return requireMirror(git, job, signal);
}

function sameSource(mirrored: Refs, upstream: Upstream): boolean {
  // Only a source on disk says where its history is cut off.
  const told = upstream.access.protocols.includes('file');
  return sameRefs(mirrored, upstream.refs) && (!told || mirrored.shallow === upstream.refs.shallow);
}

/**
 * Makes the mirror at `gitDir` from a remote, in place of any that is there: one process of git asks for the refs, fetches and writes them,
 * instead of four. Call under the mirror's lock. Throws `repository_empty` or `repository_unreachable`.
 */
export async function cloneMirror(
  git: Git,
  { gitDir, remote, limits }: { readonly gitDir: string; readonly remote: Remote; readonly limits: FetchLimits },
  signal: AbortSignal,
): Promise<Mirror> {
  const { what } = remote;
  const mirror = await inPlaceOf(gitDir, async (partial) => {
    const cloned = await cloneInto(git, { ...remote, gitDir: partial, limits }, signal);
    if (cloned.ending.kind !== 'exited' || cloned.ending.code !== 0) {
      throw unreachable(what, cloned.ending, cloned.stderr);
    }
    const made = await requireMirror(git, { gitDir: partial, upstream: { what, brokenDefault: '' } }, signal);
    requireCommits(what, made.refs);
    return made;
  });
  return { ...mirror, gitDir };
}

function requireCommits(what: string, refs: Refs): void {
  if (!isEmpty(refs)) return;
  throw new CausewayError(
    'repository_empty',
    `${what} has no commit yet. Add a first commit to it, then send the report again.`,
  );
}

async function createMirror(git: Git, job: Refresh, signal: AbortSignal): Promise<Mirror> {
  await inPlaceOf(job.gitDir, async (partial) => {
    const format = `--object-format=${objectFormat(job.upstream.refs)}`;
    const made = await git.run({
      args: ['init', '--quiet', '--bare', '--template=', format, '--', partial],
      folder: partial,
      timeoutMs: 30_000,
      maxBytes: 65_536,
      signal,
    });
    if (made.ending.kind !== 'exited' || made.ending.code !== 0) {
      throw unreachable(job.upstream.what, made.ending, made.stderr);
    }
    if (job.upstream.objects !== '') await seed(partial, job.upstream, job.limits);
    await fetchRefs(git, { ...job, gitDir: partial, shallow: false }, signal);
  });
  return requireMirror(git, job, signal);
}

/** What `make` makes of an empty folder becomes the mirror, as a whole or not at all. */
async function inPlaceOf<T>(gitDir: string, make: (partial: string) => Promise<T>): Promise<T> {
  const partial = await mkdtemp(`${gitDir}${PARTIAL}`);
  const replaced = `${gitDir}${PARTIAL}replaced`;
  try {
    const made = await make(partial);
    // What is damaged stays for its readers until its like stands ready; without one there is nothing to move.
    await rename(gitDir, replaced).catch(() => undefined);
    await rename(partial, gitDir);
    return made;
  } finally {
    for (const left of [partial, replaced]) await rm(left, { recursive: true, force: true });
  }
}

async function fetchRefs(
  git: Git,
  job: Omit<Refresh, 'standing'> & { readonly shallow: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { gitDir, upstream, limits } = job;
  const { what, access, refs } = upstream;
  const fetched = await fetchInto(
    git,
    {
      ...{ gitDir, what, access, limits },
      options: ['--prune', ...(job.shallow ? ['--unshallow'] : [])],
      refspecs: [
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
        ...(refs.head === '' ? [] : [`+HEAD:${MIRRORED_HEAD}`]),
      ],
      config: (await isPartialClone(upstream.objects)) ? PROMISED : [],
    },
    signal,
  );
  if (fetched.ending.kind !== 'exited' || fetched.ending.code !== 0) {
    throw unreachable(what, fetched.ending, fetched.stderr);
  }
  await pointHead(git, { gitDir, refs }, signal);
}

/** Takes over the objects of a source on disk. */
async function seed(gitDir: string, upstream: Upstream, limits: FetchLimits): Promise<void> {
  const { objects } = upstream;
  if ((await objectsSize(objects)) > limits.maxBytes) throw tooLarge(upstream.what, limits.maxBytes);
  await seedObjects(objects, join(gitDir, 'objects'));
}

async function pointHead(
  git: Git,
  mirror: { readonly gitDir: string; readonly refs: Refs },
  signal: AbortSignal,
): Promise<void> {
  const { gitDir, refs } = mirror;
  const call = { gitDir, timeoutMs: 30_000, maxBytes: 65_536, signal };
  const target = refs.headBranch === '' ? MIRRORED_HEAD : refs.headBranch;
  const points = (await textOrNothing(join(gitDir, 'HEAD'))) === `ref: ${target}\n`;
  if (!points) await git.run({ ...call, args: ['symbolic-ref', 'HEAD', target] });
  if (refs.head === '') await git.run({ ...call, args: ['update-ref', '-d', MIRRORED_HEAD] });
}

async function requireMirror(
  git: Git,
  job: { readonly gitDir: string; readonly upstream: Pick<Upstream, 'what' | 'brokenDefault'> },
  signal: AbortSignal,
): Promise<Mirror> {
  const mirror = await readMirror(git, job.gitDir, signal);
  if (mirror !== null) return { ...mirror, brokenDefault: job.upstream.brokenDefault };
  throw new CausewayError(
    'repository_unreachable',
    `${job.upstream.what} was fetched, but the copy cannot be read. Check the disk.`,
  );
}

/** Null where there is none that git can read. */
export async function readMirror(git: Git, gitDir: string, signal: AbortSignal): Promise<Standing | null> {
  if (!existsSync(gitDir)) return null;
  const shallow = await textOrNothing(join(gitDir, 'shallow'));
  const refs = await readMirroredRefs(git, { gitDir, shallow }, signal);
  return refs === null ? null : { gitDir, refs };
}
