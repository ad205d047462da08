// One bare mirror brought up to date with its source, as a whole or not at all, within limits of time and size.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { ConfigEntry } from './environment.ts';
import { toUnreachable } from './failure.ts';
import { isPartialClone, objectFormat, PROMISED, readPlainFile, seedObjects } from './local.ts';
import { isEmpty, MIRRORED_HEAD, type Refs, readMirroredRefs, sameRefs } from './refs.ts';
import type { Ending, Git } from './run.ts';
import type { Access, Remote, Upstream } from './upstream.ts';

/** A mirror and the refs that it has now. */
export interface Mirror {
  readonly gitDir: string;
  readonly refs: Refs;
  /** The source's default branch where its commit is missing there; else "". */
  readonly brokenDefault: string;
}

export interface FetchLimits {
  readonly fetchTimeoutMs: number;
  readonly maxBytes: number;
}

/** What to make equal to what. */
interface Refresh {
  readonly gitDir: string;
  readonly upstream: Upstream;
  readonly limits: FetchLimits;
}

/** Follows a mirror's own name in the names of what is only there while it is being worked on. */
export const PARTIAL = '.partial-';
// Each fetch leaves one pack, and every lookup asks all of them; git itself starts to worry at 50.
const MANY_PACKS = 40;
const WATCH_MS = 500;
/** Commits that were fetched by their id, as `<time>-<sha>`: in order of their names, the oldest comes first. No refresh prunes here. */
const FETCHED_COMMITS = 'refs/causeway/asked/';
const MOST_FETCHED_COMMITS = 200;
const REFUSED = /not our ref|unadvertised object|couldn't find remote ref|want [0-9a-f]+ not valid/i;

/**
 * Makes the mirror at `gitDir` equal to `upstream`; `replace`: even where it seems to be. Call under the mirror's lock.
 * Throws `repository_empty` or `repository_unreachable`.
 */
export async function refreshMirror(
  git: Git,
  job: Refresh,
  replace: boolean,
  signal: AbortSignal,
): Promise<{ readonly mirror: Mirror; readonly isChanged: boolean }> {
  const { gitDir, upstream } = job;
  if (isEmpty(upstream.refs)) {
    throw new CausewayError(
      'repository_empty',
      `${upstream.what} has no commit yet. Add a first commit to it, then send the report again.`,
    );
  }
  const { brokenDefault } = upstream;
  const refs = replace ? null : await readMirror(git, gitDir, signal);
  if (refs === null) await createMirror(git, job, signal);
  else if (isSame(refs, upstream)) return { mirror: { gitDir, refs, brokenDefault }, isChanged: false };
  else await updateMirror(git, { ...job, isShallow: refs.shallow !== '' }, signal);
  const fetched = await readMirror(git, gitDir, signal);
  if (fetched !== null) return { mirror: { gitDir, refs: fetched, brokenDefault }, isChanged: true };
  throw new CausewayError(
    'repository_unreachable',
    `${upstream.what} was fetched, but the copy cannot be read. Check the disk.`,
  );
}

/** The refs of a mirror; null where there is none that git can read. */
async function readMirror(git: Git, gitDir: string, signal: AbortSignal): Promise<Refs | null> {
  if (!existsSync(gitDir)) return null;
  const shallow = await readPlainFile(join(gitDir, 'shallow'));
  return await readMirroredRefs(git, { gitDir, shallow }, signal);
}

function isSame(mirrored: Refs, { refs, access }: Upstream): boolean {
  // Only a source on disk says where its history is cut off.
  return sameRefs(mirrored, refs) && (!access.protocols.includes('file') || mirrored.shallow === refs.shallow);
}

async function updateMirror(git: Git, job: Refresh & { readonly isShallow: boolean }, signal: AbortSignal) {
  const { gitDir, upstream } = job;
  // What a partial clone lacks cannot be packed by a fetch: its new objects are taken over like the first ones.
  if (await isPartialClone(upstream.objects)) await seedMirror(job);
  await fetchRefs(git, job, signal);
  if (!(await isPartialClone(join(gitDir, 'objects')))) await consolidatePacks(git, gitDir, signal);
}

/** Made next to its place and moved there: a process that is killed leaves no half mirror. */
async function createMirror(git: Git, job: Refresh, signal: AbortSignal): Promise<void> {
  const partial = await mkdtemp(`${job.gitDir}${PARTIAL}`);
  const replaced = `${job.gitDir}${PARTIAL}replaced`;
  try {
    const { what, refs, objects } = job.upstream;
    const { ending, stderr } = await git.run({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat(refs)}`, '--', partial],
      folder: partial,
      ...briefly(signal),
    });
    if (!isSuccess(ending)) throw toUnreachable(what, ending, stderr);
    if (objects !== '') await seedMirror({ ...job, gitDir: partial });
    await fetchRefs(git, { ...job, gitDir: partial, isShallow: false }, signal);
    // A damaged mirror stays for its readers until the new one is ready; without one there is nothing to move.
    await rename(job.gitDir, replaced).catch(() => undefined);
    await rename(partial, job.gitDir);
  } finally {
    for (const left of [partial, replaced]) await rm(left, { recursive: true, force: true });
  }
}

/** Takes over the objects of a source on this disk. */
async function seedMirror({ gitDir, upstream, limits }: Refresh): Promise<void> {
  const { objects, what } = upstream;
  if ((await objectsSize(objects)) > limits.maxBytes) throw toTooLarge(what, limits.maxBytes);
  await seedObjects(objects, join(gitDir, 'objects'));
}

async function fetchRefs(git: Git, job: Refresh & { readonly isShallow: boolean }, signal: AbortSignal): Promise<void> {
  const { gitDir, upstream, limits } = job;
  const { what, access, refs } = upstream;
  const { ending, stderr } = await fetchInto(
    git,
    {
      ...{ gitDir, what, access, limits },
      options: ['--prune', ...(job.isShallow ? ['--unshallow'] : [])],
      refspecs: [
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
        ...(refs.head === '' ? [] : [`+HEAD:${MIRRORED_HEAD}`]),
      ],
      config: (await isPartialClone(upstream.objects)) ? PROMISED : [],
    },
    signal,
  );
  if (!isSuccess(ending)) throw toUnreachable(what, ending, stderr);
  const call = { gitDir, ...briefly(signal) };
  await git.run({ ...call, args: ['symbolic-ref', 'HEAD', refs.headBranch === '' ? MIRRORED_HEAD : refs.headBranch] });
  if (refs.head === '') await git.run({ ...call, args: ['update-ref', '-d', MIRRORED_HEAD] });
}

interface Fetch {
  readonly gitDir: string;
  /** The source in words, for messages; without credentials. */
  readonly what: string;
  readonly access: Access;
  readonly limits: FetchLimits;
  /** In addition to those that every fetch has. */
  readonly options: readonly string[];
  readonly refspecs: readonly string[];
  readonly config?: readonly ConfigEntry[];
}

/** One `git fetch`. Throws `repository_unreachable` where the mirror would become larger than it may. */
async function fetchInto(
  git: Git,
  { gitDir, what, access, limits, options, refspecs, config = [] }: Fetch,
  signal: AbortSignal,
): Promise<{ readonly ending: Ending; readonly stderr: string }> {
  const packs = join(gitDir, 'objects', 'pack');
  const exceeded = new AbortController();
  const checkSize = async () => {
    if ((await folderSize(packs)) > limits.maxBytes) exceeded.abort();
  };
  const timer = setInterval(checkSize, WATCH_MS).unref();
  try {
    const fetched = await git.run({
      args: [
        // Progress makes a git whose starter was killed notice that nobody reads any more: it ends by SIGPIPE.
        ...['fetch', '--progress', '--force', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
        ...['--update-shallow', ...options, '--', access.address, ...refspecs],
      ],
      ...access,
      gitDir,
      config: [...access.config, ...config],
      timeoutMs: limits.fetchTimeoutMs,
      maxBytes: 16 * 1024 * 1024,
      signal: AbortSignal.any([signal, exceeded.signal]),
    });
    await checkSize();
    exceeded.signal.throwIfAborted();
    return fetched;
  } catch (error) {
    throw exceeded.signal.aborted ? toTooLarge(what, limits.maxBytes) : error;
  } finally {
    clearInterval(timer);
  }
}

function toTooLarge(what: string, maxBytes: number): CausewayError {
  const limit = `${Math.round(maxBytes / 1024 ** 2)} MiB`;
  return new CausewayError(
    'repository_unreachable',
    `${what} is larger than ${limit}, which is the limit for one repository.`,
  );
}

/**
 * Fetches a commit that no branch or tag leads to, such as the head of a fork's pull request, by its full sha in lower case; false where
 * the source does not give it out. Call under the mirror's lock. Throws `repository_unreachable`.
 */
export async function fetchCommit(
  git: Git,
  job: { readonly gitDir: string; readonly sha: string; readonly remote: Remote; readonly limits: FetchLimits },
  signal: AbortSignal,
): Promise<boolean> {
  const { gitDir, sha, remote, limits } = job;
  if (!existsSync(gitDir)) return false;
  // Another process may have fetched it while this one waited for the lock.
  if (await hasCommit(git, job, signal)) return true;
  // Such as `20240131T121314567`, which may be part of a ref's name.
  const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
  const refspecs = [`${sha}:${FETCHED_COMMITS}${stamp}-${sha}`];
  const { ending, stderr } = await fetchInto(git, { gitDir, ...remote, limits, options: [], refspecs }, signal);
  if (!isSuccess(ending) && REFUSED.test(stderr)) return false;
  if (!isSuccess(ending)) throw toUnreachable(remote.what, ending, stderr);
  await dropOldestCommits(git, gitDir, signal);
  await consolidatePacks(git, gitDir, signal);
  return hasCommit(git, job, signal);
}

async function hasCommit(
  git: Git,
  { gitDir, sha }: { readonly gitDir: string; readonly sha: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { ending } = await git.run({ gitDir, ...briefly(signal), args: ['cat-file', '-e', `${sha}^{commit}`] });
  return isSuccess(ending);
}

/** Their objects stay: readers at work lose nothing. */
async function dropOldestCommits(git: Git, gitDir: string, signal: AbortSignal): Promise<void> {
  const call = { gitDir, ...briefly(signal) };
  const listed = await git.run({ ...call, args: ['for-each-ref', '--format=%(refname)', FETCHED_COMMITS] });
  const names = listed.stdout.toString('utf8').split('\n').filter(Boolean).sort();
  const input = names.slice(0, -MOST_FETCHED_COMMITS).map((name) => `delete ${name}\n`);
  if (input.length > 0) await git.run({ ...call, args: ['update-ref', '--stdin'], input: input.join('') });
}

/** Joins small packs once there are many. Every object stays, so that readers at work lose nothing; not to succeed is no harm. */
async function consolidatePacks(git: Git, gitDir: string, signal: AbortSignal): Promise<void> {
  const packs = (await namesIn(join(gitDir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length < MANY_PACKS) return;
  const args = ['repack', '--geometric=2', '-d', '-q'];
  await git.run({ gitDir, ...briefly(signal), args, timeoutMs: 600_000 });
}

/**
 * Removes what a killed process left of this mirror: half made copies, lock files, unfinished packs.
 * Call under the mirror's lock, where nobody else can own them.
 */
export async function clearLeftovers(gitDir: string): Promise<void> {
  const inFolder = async (folder: string, isLeft: (name: string) => boolean, recursive = false) =>
    (await namesIn(folder, recursive)).filter(isLeft).map((name) => join(folder, name));
  const isLock = (name: string) => name.endsWith('.lock');
  const left = [
    ...(await inFolder(dirname(gitDir), (name) => name.startsWith(`${basename(gitDir)}${PARTIAL}`))),
    ...(await inFolder(join(gitDir, 'objects', 'pack'), isUnfinished)),
    ...(await inFolder(gitDir, isLock)),
    ...(await inFolder(join(gitDir, 'refs'), isLock, true)),
  ];
  for (const path of left) await rm(path, { recursive: true, force: true });
}

function isUnfinished(name: string): boolean {
  return name.startsWith('tmp_') || name.startsWith('.tmp-') || name.endsWith('.lock') || name.endsWith('.keep');
}

/** Bytes of an object folder: packs, and loose objects too, of which a repository may have nothing else. */
export async function objectsSize(objects: string): Promise<number> {
  let total = 0;
  for (const name of await namesIn(objects)) {
    if (name === 'pack' || /^[0-9a-f]{2}$/.test(name)) total += await folderSize(join(objects, name));
  }
  return total;
}

/** Bytes of the files directly in `folder`; 0 where it is absent. */
export async function folderSize(folder: string): Promise<number> {
  let total = 0;
  for (const name of await namesIn(folder)) {
    // Files come and go while git works.
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile()) total += found.size;
  }
  return total;
}

/** Names in a folder; none where it cannot be read. */
async function namesIn(folder: string, recursive = false): Promise<readonly string[]> {
  return await readdir(folder, { recursive }).catch(() => []);
}

function isSuccess(ending: Ending): boolean {
  return ending.kind === 'exited' && ending.code === 0;
}

function briefly(signal: AbortSignal) {
  return { timeoutMs: 30_000, maxBytes: 1024 * 1024, signal };
}
