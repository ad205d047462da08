// The log of one Actions job, or an artifact: a redirect to a storage host, which must never see our token.
import type { Octokit } from '@octokit/rest';
import type { ShortenLog } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { type GithubProject, getRepository } from '../../core/project/index.ts';
import { type GithubClients, GithubFailure, ReadsSpent } from './github-clients.ts';
import { describeApiFailure, type GithubOptions, type PersonalClient } from './personal-client.ts';

interface JobPlace {
  readonly owner: string;
  readonly repo: string;
  readonly jobId: number;
}

/** For a whole download: logs have up to 100 MB, and a storage host may send them slowly. */
const DEADLINE_MS = 90_000;
/** A renamed repository answers with one redirect before the one to the storage. */
const MAX_REDIRECTS = 3;

/** The log in at most that many bytes, read with a personal token. Throws `absent` where GitHub no longer has it. */
export async function readJobLog(
  { octokit, options, shortenLog = keepEnd }: PersonalClient & { readonly shortenLog?: ShortenLog },
  { bytes, ...job }: JobPlace & { readonly bytes: number },
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    const address = await findStored(octokit, options, formatLogPath(job), deadline);
    return await shortenLog(await openStored(options, address, deadline), bytes, deadline);
  } catch (error) {
    signal.throwIfAborted();
    const isExpired = error instanceof Error && 'status' in error && error.status === 410;
    throw isExpired ? createExpiredError() : describeApiFailure(error, options, 'the log');
  }
}

interface LogDeps extends Pick<GithubOptions, 'apiUrl' | 'userAgent' | 'fetch'> {
  readonly clients: Pick<GithubClients, 'repository'>;
}

interface LogRequest {
  readonly project: GithubProject;
  readonly jobId: number;
  readonly bytes: number;
  /** How a longer log is shortened; absent: its end is kept. */
  readonly shorten?: ShortenLog;
}

/** The log in at most that many bytes, read by the App. Throws GithubFailure, CausewayError and network errors. */
export async function readCheckLog(
  deps: LogDeps,
  { project, jobId, bytes, shorten = keepEnd }: LogRequest,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const path = formatLogPath({ ...getRepository(project), jobId });
  return await shorten(await openPath(deps, project, path, deadline), bytes, deadline);
}

/** The zip archive of an artifact; null: it is longer than `most` bytes. Throws like `readCheckLog`. */
export async function downloadArtifact(
  deps: LogDeps,
  { project, id, most }: { readonly project: GithubProject; readonly id: number; readonly most: number },
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const { owner, repo } = getRepository(project);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of await openPath(deps, project, `${owner}/${repo}/actions/artifacts/${id}/zip`, deadline)) {
    bytes += part.byteLength;
    if (bytes > most) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function formatLogPath({ owner, repo, jobId }: JobPlace): string {
  return `${owner}/${repo}/actions/jobs/${jobId}/logs`;
}

async function openPath(deps: LogDeps, project: GithubProject, path: string, signal: AbortSignal) {
  const address = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, request) => findStored(octokit, deps, path, request.signal), signal);
  return await openStored(deps, address, signal);
}

/** The same, or in brackets why there is none. Throws GithubFailure only at a rate limit. */
export async function readLogOrReason(deps: LogDeps, request: LogRequest, signal: AbortSignal): Promise<string> {
  try {
    return await readCheckLog(deps, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GithubFailure && error.kind === 'busy' && !(error instanceof ReadsSpent)) throw error;
    return `[${explainNoLog(error)}]`;
  }
}

/** Why there is no log, for people: the error's own text may name hosts and settings. */
export function explainNoLog(error: unknown): string {
  if (error instanceof ReadsSpent) return 'This job may read no more of GitHub, so the log was not read.';
  const isAbsent = error instanceof CausewayError && error.code === 'absent';
  if (isAbsent || (error instanceof GithubFailure && error.status === 410))
    return 'GitHub no longer keeps the log. Re-run the job to have it read.';
  return "The log couldn't be read from GitHub.";
}

/** Where it is stored: an address that needs no token, for a minute. Only the API itself gets the token. */
async function findStored(
  octokit: Octokit,
  { apiUrl }: Pick<GithubOptions, 'apiUrl'>,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  let address = `${apiUrl}/repos/${path}`;
  for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
    const { headers } = await octokit.request(`GET ${address}`, { request: { redirect: 'manual', signal } });
    if (headers.location === undefined) break;
    const next = new URL(headers.location, address);
    if (!isApi(next, apiUrl)) return requireHttps(next, apiUrl).href;
    address = next.href;
  }
  throw new CausewayError('repository_unreachable', 'GitHub named no place where the file is stored: try again.');
}

/** An Enterprise server may store its logs under other paths of its own host. */
function isApi(address: URL, apiUrl: string): boolean {
  const base = new URL(apiUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  return address.origin === base.origin && /^\/(repos|repositories)\//.test(address.pathname.slice(prefix.length));
}

function requireHttps(address: URL, apiUrl: string): URL {
  if (address.protocol === 'https:' || address.protocol === new URL(apiUrl).protocol) return address;
  throw new CausewayError('repository_unreachable', `GitHub names ${address.origin} for the file, which is not https.`);
}

/** The bytes as they arrive. Throws `absent` where they are gone. */
async function openStored(
  { fetch: get = fetch, userAgent }: Pick<GithubOptions, 'userAgent' | 'fetch'>,
  address: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const answer = await get(address, { headers: { 'user-agent': userAgent }, signal });
  if (answer.ok && answer.body !== null) return answer.body;
  await answer.body?.cancel();
  const { status } = answer;
  if (status === 404 || status === 410) throw createExpiredError();
  throw new CausewayError('repository_unreachable', `The host that stores the file answered ${status}: try again.`);
}

function createExpiredError(): CausewayError {
  return new CausewayError(
    'absent',
    'GitHub no longer keeps the log (90 days unless set otherwise): re-run the job and give its new address.',
  );
}

/** The last whole lines within `bytes`, after a note about what was cut, in memory of at most twice that size. */
async function keepEnd(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  let end = Buffer.alloc(0);
  let total = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const flush = () => {
    end = Buffer.concat([end, ...pending]);
    end = Buffer.from(end.subarray(Math.max(0, end.length - bytes)));
    pending = [];
    pendingBytes = 0;
  };
  for await (const chunk of chunks) {
    total += chunk.byteLength;
    pendingBytes += chunk.byteLength;
    pending.push(chunk);
    if (pendingBytes > bytes) flush();
  }
  flush();
  if (total <= bytes) return end.toString();
  const from = end.indexOf(0x0a) + 1;
  return `[The first ${total - bytes + from} bytes of this log were left out]\n${end.subarray(from).toString()}`;
}
