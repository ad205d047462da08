// Where a project's source comes from: which refs it has now, and how git may reach it.
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { Project } from '../core/project.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../log.ts';
import type { ConfigEntry, Protocol } from './environment.ts';
import { toUnreachable } from './failure.ts';
import { locateRepository, writeStandIn } from './local.ts';
import { PARTIAL } from './refresh.ts';
import { brokenRefs, isEmpty, parseRemoteRefs, type Refs, readLocalRefs, withoutBroken } from './refs.ts';
import type { Git } from './run.ts';

/** User name and password (or token) for the address of one project; null: it is read without. What it throws ends the refresh. */
export type Credentials = (
  project: Project,
  signal: AbortSignal,
) => Promise<{ readonly username: string; readonly password: string } | null>;

/** How git may reach the source in this one fetch. */
export interface Access {
  readonly address: string;
  readonly protocols: readonly Protocol[];
  readonly config: readonly ConfigEntry[];
  readonly secrets: readonly string[];
}

export interface Upstream extends AsyncDisposable {
  /** Without those whose object is not there: one broken ref must not keep the others from being read. */
  readonly refs: Refs;
  /** The default branch (or "HEAD") where its own commit is not there; "" where all is well. */
  readonly brokenDefault: string;
  readonly access: Access;
  /** The object folder of a source on this disk; "" for a remote. */
  readonly objects: string;
  /** The repository in words, for messages; without credentials. */
  readonly what: string;
}

/** A source with an address, before anything was asked of it. */
export interface Remote {
  readonly access: Access;
  /** The repository in words, for messages; without credentials. */
  readonly what: string;
}

/** Null for a source on this disk. Throws `repository_unreachable`. */
export async function openRemote(
  { source, name, ...project }: Project,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Remote | null> {
  if (source.kind === 'path') return null;
  const url = parseUrl(source.url, name);
  const known = await credentials({ ...project, source, name }, signal);
  return { what: `The repository of ${name} (${url})`, access: toAccess(url, known) };
}

/** Asks the source for its refs. `gitDir` is the mirror, next to which a stand-in is put. Throws `repository_unreachable`. */
export async function openUpstream(
  git: Git,
  project: Project,
  { gitDir, credentials }: { readonly gitDir: string; readonly credentials: Credentials },
  signal: AbortSignal,
): Promise<Upstream> {
  const { source, name } = project;
  if (source.kind === 'path') return openPath(git, { path: source.path, name, gitDir }, signal);
  const remote = await openRemote(project, credentials, signal);
  if (remote === null) throw new TypeError('a source with an address is a remote');
  return listRemote(git, { ...remote, gitDir }, signal);
}

/** A source that says itself which refs it has: a remote, or a bundle. */
async function listRemote(
  git: Git,
  at: { readonly what: string; readonly access: Access; readonly gitDir: string },
  signal: AbortSignal,
): Promise<Upstream> {
  const { what, access } = at;
  const { ending, stdout, stderr } = await git.run({
    args: ['ls-remote', '--symref', '--', access.address],
    folder: dirname(at.gitDir),
    // Not a repository on purpose: none around the data folder may have a say.
    variables: { GIT_DIR: `${at.gitDir}${PARTIAL}none` },
    ...access,
    timeoutMs: 120_000,
    maxBytes: 256 * 1024 * 1024,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) throw toUnreachable(what, ending, stderr);
  return {
    refs: parseRemoteRefs(stdout.toString('utf8')),
    brokenDefault: '',
    access,
    objects: '',
    what,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function openPath(
  git: Git,
  at: { readonly path: string; readonly name: string; readonly gitDir: string },
  signal: AbortSignal,
): Promise<Upstream> {
  const what = `The repository of ${at.name} (${at.path})`;
  if (await isBundle(at.path)) {
    const access: Access = { address: resolve(at.path), protocols: ['file'], config: [], secrets: [] };
    return listRemote(git, { what, access, gitDir: at.gitDir }, signal);
  }
  const local = await locateRepository(git, { path: at.path, what }, signal);
  const refs = await readLocalRefs(git, { gitDir: local.gitDir, shallow: local.shallow }, signal);
  if (refs === null) {
    throw new CausewayError(
      'repository_unreachable',
      `${what} could not be read: its refs are damaged. "git fsck" there says more.`,
    );
  }
  const standIn = await mkdtemp(`${at.gitDir}${PARTIAL}`);
  await writeStandIn(standIn, local, refs);
  const broken = await brokenRefs(git, { gitDir: standIn, refs }, signal);
  const sound = withoutBroken(refs, broken);
  if (broken.size > 0 && isEmpty(sound)) {
    throw new CausewayError(
      'repository_unreachable',
      `${what} could not be read: the commits of all its branches and tags are missing. "git fsck" there says more.`,
    );
  }
  if (broken.size > 0) await writeStandIn(standIn, local, sound);
  return {
    refs: sound,
    brokenDefault: broken.has('HEAD') ? refs.headBranch.replace(/^refs\/heads\//, '') || 'HEAD' : '',
    access: { address: standIn, protocols: ['file'], config: [], secrets: [] },
    objects: local.objects,
    what,
    [Symbol.asyncDispose]: () => rm(standIn, { recursive: true, force: true }),
  };
}

/** A whole repository in one file (gitformat-bundle(5)). */
async function isBundle(path: string): Promise<boolean> {
  if (!(await stat(path).catch(() => null))?.isFile()) return false;
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return /^# v[23] git bundle\n/.test(buffer.toString('latin1'));
}

function parseUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new CausewayError(
      'repository_unreachable',
      `The address of ${name} is not an http or https address. Give one such as https://github.com/owner/name, or the path of a folder.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new CausewayError(
      'repository_unreachable',
      `The address of ${name} holds a user name or password. Take it out of the address: it would end up on disk and in logs.`,
    );
  }
  return url.href;
}

function toAccess(url: string, known: Awaited<ReturnType<Credentials>>): Access {
  const protocols: readonly Protocol[] = ['http', 'https'];
  if (known === null) return { address: url, protocols, config: [['http.followRedirects', 'initial']], secrets: [] };
  const basic = Buffer.from(`${known.username}:${known.password}`).toString('base64');
  registerSecret(known.password, TOKEN_LASTS_MS);
  registerSecret(basic, TOKEN_LASTS_MS);
  return {
    address: url,
    protocols,
    // git sends an extra header to whatever host a redirect names, so with credentials none is followed.
    config: [
      ['http.extraHeader', `Authorization: Basic ${basic}`],
      ['http.followRedirects', 'false'],
    ],
    secrets: [known.password, basic],
  };
}
