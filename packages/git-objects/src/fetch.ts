// A bare mirror of a remote, brought up to date as a whole or not at all, within limits of time and size.
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { toUnreachable } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import { readPlainFile } from './local.ts';
import { type ConfigEntry, type Ending, type Git, isSuccess, type Protocol } from './process.ts';
import { getObjectFormat, hasSameRefs, isEmpty, parseRemoteRefs, type Refs, readRefs } from './refs.ts';

/** What is mirrored, under its id. */
export interface MirroredProject {
  /** Names the mirror: letters, digits, `_` and `-`. */
  readonly id: string;
  /** As messages name it. */
  readonly name: string;
  /** A repository or bundle on this disk, or an http(s) address without credentials. */
  readonly source: { readonly path: string } | { readonly url: string };
}

/** Given to a remote of its own for each refresh. */
export interface RemoteAccess<P extends MirroredProject> {
  readonly credentials: Credentials<P>;
  /** Called with every credential before it is used, in each form in which git may print it. */
  readonly onSecret: (secret: string) => void;
}

/**
 * User name and password (or token) for the address of one project; null: it is read without. What it throws ends the
 * refresh.
 */
export type Credentials<P extends MirroredProject = MirroredProject> = (
  project: P,
  signal: AbortSignal,
) => Promise<{ readonly username: string; readonly password: string } | null>;

/** A source that git fetches from, and how it may reach it this time. */
export interface Remote {
  /** The repository as messages name it, without credentials. */
  readonly what: string;
  readonly address: string;
  readonly protocols: readonly Protocol[];
  readonly config: readonly ConfigEntry[];
  readonly secrets: readonly string[];
}

interface FetchLimits {
  readonly fetchTimeoutMs: number;
  readonly maxBytes: number;
}

interface MirrorJob {
  readonly gitDir: string;
  readonly remote: Remote;
  readonly limits: FetchLimits;
}

/** Follows a mirror's own name in the names of what exists only while it is worked on. */
export const PARTIAL = '.partial-';
/** In a mirror: the commit of the source's HEAD, which may be on no branch. */
const MIRRORED_HEAD = 'refs/causeway/head';
/** Commits that were fetched by their id. No refresh prunes here. */
const FETCHED_COMMITS = 'refs/causeway/fetched/';
// Each fetch adds one pack, and every lookup searches all of them; git itself suggests a gc at 50.
const MANY_PACKS = 40;
const WATCH_MS = 500;
const REFUSED = /not our ref|unadvertised object|couldn't find remote ref|want [0-9a-f]+ not valid/i;

/** The remote of a project that has an address. Throws `GitFailure`, and what `credentials` throws. */
export async function openRemote<P extends MirroredProject>(
  project: P,
  { credentials, onSecret }: RemoteAccess<P>,
  signal: AbortSignal,
): Promise<Remote> {
  const { source, name } = project;
  if ('path' in source) throw new TypeError('a folder is no remote');
  const address = parseRemote(source.url, name);
  const known = await credentials(project, signal);
  const remote = { what: `The repository of ${name} (${address})`, address, protocols: ['http', 'https'] as const };
  if (known === null) return { ...remote, config: [['http.followRedirects', 'initial']], secrets: [] };
  const basic = Buffer.from(`${known.username}:${known.password}`).toString('base64');
  onSecret(known.password);
  onSecret(basic);
  return {
    ...remote,
    // git sends extra headers to the target of a redirect, so none is followed with credentials.
    config: [
      ['http.extraHeader', `Authorization: Basic ${basic}`],
      ['http.followRedirects', 'false'],
    ],
    secrets: [known.password, basic],
  };
}

/** The repository in one file at `path` (gitformat-bundle(5)); null where it is none. */
export async function openBundle(path: string, what: string): Promise<Remote | null> {
  if (!(await stat(path).catch(() => null))?.isFile()) return null;
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
  if (!/^# v[23] git bundle\n/.test(buffer.toString('latin1'))) return null;
  return { what, address: resolve(path), protocols: ['file'], config: [], secrets: [] };
}

function parseRemote(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new GitFailure(
      'unreachable',
      `The address of ${name} is not an http or https address. Give one such as https://github.com/owner/name, or the path of a folder.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new GitFailure(
      'unreachable',
      `The address of ${name} contains a user name or password. Remove it: it would be stored on disk and in logs.`,
    );
  }
  return url.href;
}

/**
 * Makes the mirror at `gitDir` equal to its remote; `replace`: copies it again. Call under the mirror's lock.
 * Throws `empty` or `GitFailure`.
 */
export async function refreshMirror(
  git: Git,
  job: MirrorJob & { readonly replace: boolean },
  signal: AbortSignal,
): Promise<{ readonly refs: Refs; readonly isChanged: boolean }> {
  const { gitDir, remote } = job;
  const listed = await listRemote(git, job, signal);
  requireCommits(listed, remote.what);
  const before = job.replace ? null : await readMirror(git, gitDir, signal);
  if (before !== null && hasSameRefs(before, listed)) return { refs: before, isChanged: false };
  if (before === null) {
    await createMirror(git, job, listed, signal);
  } else {
    await fetchRefs(git, job, { refs: listed, isShallow: before.shallow !== '' }, signal);
    await consolidatePacks(git, gitDir, signal);
  }
  const refs = await readMirror(git, gitDir, signal);
  if (refs !== null) return { refs, isChanged: true };
  throw new GitFailure('unreachable', `${remote.what} was fetched, but the copy cannot be read. Check the disk.`);
}

/** Throws `empty` where there is no commit. */
export function requireCommits(refs: Refs, what: string): void {
  if (!isEmpty(refs)) return;
  throw new GitFailure('empty', `${what} has no commit yet. Add a first commit to it, then try again.`, {
    what,
  });
}

async function listRemote(git: Git, { gitDir, remote }: MirrorJob, signal: AbortSignal): Promise<Refs> {
  const { ending, stdout, stderr } = await git.run({
    args: ['ls-remote', '--symref', '--', remote.address],
    folder: dirname(gitDir),
    // Not a repository on purpose: one around the data folder must have no say.
    variables: { GIT_DIR: `${gitDir}${PARTIAL}none` },
    protocols: remote.protocols,
    config: remote.config,
    secrets: remote.secrets,
    timeoutMs: 120_000,
    maxBytes: 256 * 1024 * 1024,
    signal,
  });
  if (!isSuccess(ending)) throw toUnreachable(remote.what, ending, stderr);
  return parseRemoteRefs(stdout.toString('utf8'));
}

/** The refs of a mirror; null if there is none that git can read. */
async function readMirror(git: Git, gitDir: string, signal: AbortSignal): Promise<Refs | null> {
  if (!existsSync(gitDir)) return null;
  return await readRefs(git, { gitDir, shallow: await readPlainFile(join(gitDir, 'shallow')) }, signal);
}

/** Made next to its place and moved there: a killed process never leaves half a mirror. */
async function createMirror(git: Git, job: MirrorJob, refs: Refs, signal: AbortSignal): Promise<void> {
  const partial = await mkdtemp(`${job.gitDir}${PARTIAL}`);
  try {
    const { ending, stderr } = await git.run({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${getObjectFormat(refs)}`, '--', partial],
      folder: partial,
      ...limitBriefly(signal),
    });
    if (!isSuccess(ending)) throw toUnreachable(job.remote.what, ending, stderr);
    await fetchRefs(git, { ...job, gitDir: partial }, { refs, isShallow: false }, signal);
    await rm(job.gitDir, { recursive: true, force: true });
    await rename(partial, job.gitDir);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function fetchRefs(
  git: Git,
  job: MirrorJob,
  { refs, isShallow }: { readonly refs: Refs; readonly isShallow: boolean },
  signal: AbortSignal,
): Promise<void> {
  const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  if (refs.head !== '') refspecs.push(`+HEAD:${MIRRORED_HEAD}`);
  const options = ['--prune', ...(isShallow ? ['--unshallow'] : [])];
  const { ending, stderr } = await runFetch(git, job, { options, refspecs }, signal);
  if (!isSuccess(ending)) throw toUnreachable(job.remote.what, ending, stderr);
  const call = { gitDir: job.gitDir, ...limitBriefly(signal) };
  await git.run({ ...call, args: ['symbolic-ref', 'HEAD', refs.headBranch === '' ? MIRRORED_HEAD : refs.headBranch] });
  if (refs.head === '') await git.run({ ...call, args: ['update-ref', '-d', MIRRORED_HEAD] });
}

/** One `git fetch`. Throws `GitFailure` where the mirror would become larger than it may. */
async function runFetch(
  git: Git,
  { gitDir, remote, limits }: MirrorJob,
  { options, refspecs }: { readonly options: readonly string[]; readonly refspecs: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly ending: Ending; readonly stderr: string }> {
  const exceeded = new AbortController();
  const checkSize = async () => {
    if ((await readFolderSize(join(gitDir, 'objects', 'pack'))) > limits.maxBytes) exceeded.abort();
  };
  const timer = setInterval(checkSize, WATCH_MS).unref();
  try {
    const fetched = await git.run({
      args: [
        // With progress on, git notices that its parent was killed: it ends by SIGPIPE.
        ...['fetch', '--progress', '--force', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
        ...['--update-shallow', ...options, '--', remote.address, ...refspecs],
      ],
      gitDir,
      protocols: remote.protocols,
      config: remote.config,
      secrets: remote.secrets,
      timeoutMs: limits.fetchTimeoutMs,
      maxBytes: 16 * 1024 * 1024,
      signal: AbortSignal.any([signal, exceeded.signal]),
    });
    await checkSize();
    exceeded.signal.throwIfAborted();
    return fetched;
  } catch (error) {
    if (!exceeded.signal.aborted) throw error;
    const limit = `${Math.round(limits.maxBytes / 1024 ** 2)} MiB`;
    throw new GitFailure('too_large', `${remote.what} is larger than ${limit}, which is the limit for one repository.`);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Fetches a commit that no branch or tag leads to, such as the head of a fork's pull request, by its full sha in lower
 * case; false where the source refuses it. Call under the mirror's lock. Throws `GitFailure`.
 */
export async function fetchCommit(
  git: Git,
  job: MirrorJob & { readonly sha: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { gitDir, sha } = job;
  if (!existsSync(gitDir)) return false;
  const hasCommit = async () => {
    const args = ['cat-file', '-e', `${sha}^{commit}`];
    return isSuccess((await git.run({ gitDir, ...limitBriefly(signal), args })).ending);
  };
  // Another process may have fetched it while this one waited for the lock.
  if (await hasCommit()) return true;
  const refspecs = [`${sha}:${FETCHED_COMMITS}${sha}`];
  const { ending, stderr } = await runFetch(git, job, { options: [], refspecs }, signal);
  if (!isSuccess(ending) && REFUSED.test(stderr)) return false;
  if (!isSuccess(ending)) throw toUnreachable(job.remote.what, ending, stderr);
  await consolidatePacks(git, gitDir, signal);
  return await hasCommit();
}

/**
 * Joins small packs once there are many. Every object stays, so that concurrent readers lose nothing; a failure does no
 * harm.
 */
async function consolidatePacks(git: Git, gitDir: string, signal: AbortSignal): Promise<void> {
  const packs = (await listFileNames(join(gitDir, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length < MANY_PACKS) return;
  const args = ['repack', '--geometric=2', '-d', '-q'];
  await git.run({ gitDir, ...limitBriefly(signal), args, timeoutMs: 600_000 });
}

/**
 * Removes what a killed process left of this mirror: half made copies, lock files, unfinished packs. Call under the
 * mirror's lock.
 */
export async function clearLeftovers(gitDir: string): Promise<void> {
  const find = async (folder: string, isLeft: (name: string) => boolean, recursive = false) =>
    (await listFileNames(folder, recursive)).filter(isLeft).map((name) => join(folder, name));
  const isLock = (name: string) => name.endsWith('.lock');
  const left = [
    ...(await find(dirname(gitDir), (name) => name.startsWith(`${basename(gitDir)}${PARTIAL}`))),
    ...(await find(join(gitDir, 'objects', 'pack'), (name) => /^\.?tmp[-_]|\.(?:lock|keep)$/.test(name))),
    ...(await find(gitDir, isLock)),
    ...(await find(join(gitDir, 'refs'), isLock, true)),
  ];
  for (const path of left) await rm(path, { recursive: true, force: true });
}

/** Bytes of the objects of a mirror: all packs, as a fetch writes no loose ones. */
export async function readMirrorSize(gitDir: string): Promise<number> {
  return await readFolderSize(join(gitDir, 'objects', 'pack'));
}

/** Bytes of the files directly in `folder`; 0 where it is absent. */
export async function readFolderSize(folder: string): Promise<number> {
  let total = 0;
  for (const name of await listFileNames(folder)) {
    // Files come and go while git works.
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile()) total += found.size;
  }
  return total;
}

/** Names in a folder; none where it cannot be read. */
async function listFileNames(folder: string, recursive = false): Promise<readonly string[]> {
  return await readdir(folder, { recursive }).catch(() => []);
}

function limitBriefly(signal: AbortSignal) {
  return { timeoutMs: 30_000, maxBytes: 1024 * 1024, signal };
}
