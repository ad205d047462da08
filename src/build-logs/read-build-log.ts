// The log of a build at another CI than Actions: only of hosts that the operator named, and only of a build that says
// that it built this commit of this repository. A status may name any address, also a build of someone else.
import {
  type BuildRequest,
  type CheckOutput,
  ChecksBusy,
  type ReadBuildLog,
  type ShortenLog,
} from '../core/check/index.ts';
import { readRetryAfter } from '../core/retry-after.ts';
import type { Log } from '../log.ts';
import { BuildFault, type BuildFaultCode, createBuildClient } from './client.ts';
import type { BuildHost } from './config.ts';
import { BUILD_READERS, type Build, type BuiltFrom } from './providers.ts';

export interface BuildLogOptions {
  /** By origin. */
  readonly hosts: ReadonlyMap<string, BuildHost>;
  /** Of GitHub for people: the addresses of its repositories have this host. */
  readonly webUrl: string;
  readonly userAgent: string;
  readonly shortenLog: ShortenLog;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

/** For all requests of one build. */
const DEADLINE_MS = 90_000;
const LONGEST_ADDRESS = 2_000;
/** A build that has just ended may not have its log yet, and a host may be down: so long it is tried again. */
const PATIENCE_MS = 10 * 60_000;
const RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 300_000;

export function createBuildLogs(options: BuildLogOptions): ReadBuildLog {
  return async (request, signal) => {
    const asked = findHost(options.hosts, request);
    if (asked === null) return null;
    try {
      return await readBuild(options, asked, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]));
    } catch (error) {
      signal.throwIfAborted();
      const fault = toBuildFault(error);
      throwIfEarly(options, request, fault);
      const { origin } = asked.host;
      options.log.warn({ origin, code: fault.code, detail: fault.message }, 'failed to read the log of a build');
      return { log: '', noLog: explainFault(asked.host, fault.code) };
    }
  };
}

/** The same origin as a whole: scheme, host and port. A user in front of the host is not a part of it. */
function findHost(hosts: BuildLogOptions['hosts'], request: BuildRequest): AskedBuild | null {
  const url = request.url.length > LONGEST_ADDRESS ? null : URL.parse(request.url);
  const host = url === null || url.username + url.password !== '' ? undefined : hosts.get(url.origin);
  return url === null || host === undefined ? null : { host, url, request };
}

/** A connection that breaks off in the middle of an answer is a TypeError of fetch, and the deadline a DOMException. */
function toBuildFault(error: unknown): BuildFault {
  if (error instanceof BuildFault) return error;
  if (error instanceof TypeError || error instanceof DOMException)
    return new BuildFault('busy', 'the answer broke off');
  throw error;
}

interface AskedBuild {
  readonly host: BuildHost;
  readonly url: URL;
  readonly request: BuildRequest;
}

async function readBuild(
  { webUrl, userAgent, shortenLog }: BuildLogOptions,
  { host, url, request }: AskedBuild,
  signal: AbortSignal,
): Promise<Pick<CheckOutput, 'log' | 'noLog' | 'results'>> {
  const build = await BUILD_READERS[host.kind](host, url, createBuildClient(host, signal, userAgent));
  requireOwnBuild(build.from, { host, request, github: new URL(webUrl).hostname });
  const parts = await build.open();
  if (parts.length === 0) throw new BuildFault('no_log', 'no job of it failed');
  const texts: string[] = [];
  for (const { name, log } of parts) {
    const text = await shortenLog(log, Math.floor(request.bytes / parts.length), signal);
    texts.push(name === '' || parts.length === 1 ? text : addHeading(name, text));
  }
  const results = await readBuildResults(build, signal);
  return { log: texts.join('\n'), noLog: '', ...(results.length > 0 && { results }) };
}

/** As Actions marks the beginning of a step. */
function addHeading(name: string, text: string): string {
  return `##[group]Run ${name.replace(/\s+/g, ' ').slice(0, 200)}\n##[endgroup]\n${text}`;
}

/** They add to the log: a build may have no such report, or its format be unknown. */
async function readBuildResults({ readResults: read }: Build, signal: AbortSignal) {
  try {
    return (await read?.()) ?? [];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BuildFault) return [];
    throw error;
  }
}

/**
 * The token may read builds of every project of that CI, so a build counts only where it names this repository and this
 * commit, and checks out nothing else than the libraries that the operator has named.
 */
function requireOwnBuild(
  from: readonly BuiltFrom[],
  { host, request, github }: Pick<AskedBuild, 'host' | 'request'> & { readonly github: string },
): void {
  const own = request.repository.toLowerCase();
  const named = from.map(({ sha, repositories }) => ({
    isCommit: sha.toLowerCase() === request.sha.toLowerCase(),
    names: repositories.map((address) => readRepository(address, github)),
  }));
  const isOwn = named.some(
    ({ isCommit, names }) => isCommit && names.length > 0 && names.every((name) => name === own),
  );
  if (!isOwn) throw new BuildFault('other', 'another repository or commit');
  const allowed = [own, ...host.libraries];
  if (!named.every(({ names }) => names.length > 0 && names.every((name) => allowed.includes(name)))) {
    throw new BuildFault('library', 'a repository that is not among its libraries');
  }
}

/** `owner/name` in lower case of an address that git takes; "" where it is none of that GitHub. */
export function readRepository(address: string, github: string): string {
  const scp = /^(?:[\w.-]{1,100}@)?([\w.-]{1,253}):(?!\/\/)(.{1,300})$/.exec(address);
  const url = URL.parse(scp === null ? address : `ssh://${scp[1]}/${scp[2]}`);
  if (url?.hostname.toLowerCase() !== github.toLowerCase()) return '';
  const [, path = ''] = /^\/([\w.-]{1,100}\/[\w.-]{1,100}?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  return path.toLowerCase();
}

function throwIfEarly({ now }: BuildLogOptions, { endedAt }: BuildRequest, { code, retryAfter }: BuildFault): void {
  const at = now();
  const mayComeYet = code === 'busy' || code === 'gone';
  if (!mayComeYet || !(at.getTime() - Date.parse(endedAt) < PATIENCE_MS)) return;
  const wait = Math.max(RETRY_MS, Math.min(readRetryAfter(retryAfter, at) ?? 0, LONGEST_RETRY_MS));
  throw new ChecksBusy(
    'The log of a build is not available yet. It is requested again.',
    new Date(at.getTime() + wait),
  );
}

const NAMES = { buildkite: 'Buildkite', circleci: 'CircleCI', jenkins: 'Jenkins' } as const;

/** For people on GitHub: names no host and no setting. */
function explainFault({ kind }: BuildHost, code: BuildFaultCode): string {
  const name = NAMES[kind];
  switch (code) {
    case 'address':
      return `The address of this check names no build of ${name} in a known form.`;
    case 'other':
      return `The build of ${name} names another repository or commit, so its log is not read.`;
    case 'library':
      return `The build of ${name} checks out another repository that the operator has not named, so its log is not read.`;
    case 'no_log':
      return `No job of the build of ${name} failed.`;
    case 'gone':
      return `${name} has no such build, or its log is gone.`;
    case 'refused':
      return `${name} does not let Causeway read this build.`;
    case 'storage':
      return `${name} stores the log at a place that the operator has not named.`;
    case 'redirect':
    case 'busy':
    case 'invalid':
      return `The log could not be read from ${name}.`;
  }
}
