// The log of one Actions job: a redirect to a storage host, which must never see our token.
import type { Octokit } from '@octokit/rest';
import type { ShortenLog } from '../core/check.ts';
import { CausewayError } from '../core/errors.ts';
import { type GithubProject, getRepository } from '../core/project.ts';
import { MAX_REPORT_BYTES } from '../core/report.ts';
import { type GithubClients, GithubFailure } from './clients/github-clients.ts';
import { apiFailure, context, type GithubClient, type GithubOptions } from './github-client.ts';

interface JobOf {
  readonly owner: string;
  readonly repo: string;
  readonly jobId: number;
}

/** For the whole download: logs have up to some 100 MB, and a storage host may drip. */
const DEADLINE_MS = 90_000;

/** A renamed repository answers with one redirect before the one to the storage. */
const MOST_REDIRECTS = 3;

/** The log's last `bytes` as text, said if cut. Throws `absent` where GitHub no longer keeps it. */
export async function readJobLog(
  client: GithubClient,
  job: JobOf,
  bytes: number,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    const { octokit, options } = client;
    const address = await findLogAddress(octokit, options, job, deadline);
    return await downloadLog(options, { address, read: (chunks) => keepLast(chunks, bytes) }, deadline);
  } catch (error) {
    signal.throwIfAborted();
    const known = apiFailure(error, context(client.options, 'the log'));
    throw toExpired(known) ?? known;
  }
}

/** Where the log is stored: an address that needs no token, for a minute. */
async function findLogAddress(
  octokit: Octokit,
  { apiUrl }: Pick<GithubOptions, 'apiUrl'>,
  job: JobOf,
  signal: AbortSignal,
): Promise<string> {
  let address = `${apiUrl}/repos/${job.owner}/${job.repo}/actions/jobs/${job.jobId}/logs`;
  for (let hop = 0; hop < MOST_REDIRECTS; hop++) {
    const { headers } = await octokit.request(`GET ${address}`, { request: { redirect: 'manual', signal } });
    if (headers.location === undefined) break;
    const next = new URL(headers.location, address);
    if (!isApi(next, apiUrl)) return checkProtocol(next, apiUrl).href;
    address = next.href;
  }
  throw new CausewayError('repository_unreachable', 'GitHub named no place where the log is stored: try again.');
}

/** Only the API itself gets the token. An Enterprise server may keep its logs under other paths of its own host. */
function isApi(address: URL, apiUrl: string): boolean {
  const base = new URL(apiUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  return address.origin === base.origin && /^\/(repos|repositories)\//.test(address.pathname.slice(prefix.length));
}

function checkProtocol(address: URL, apiUrl: string): URL {
  if (address.protocol === 'https:' || address.protocol === new URL(apiUrl).protocol) return address;
  throw new CausewayError('repository_unreachable', `GitHub names ${address.origin} for the log, which is not https.`);
}

/** The last `bytes`, said if cut. */
async function keepLast(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  const tail = new Tail(bytes);
  for await (const chunk of chunks) tail.push(chunk);
  return tail.text();
}

/** What `read` makes of the bytes that are stored there, as they come. Throws `absent` where they are no longer kept. */
async function downloadLog(
  options: Pick<GithubOptions, 'userAgent' | 'fetch'>,
  {
    address,
    read,
  }: { readonly address: string; readonly read: (chunks: AsyncIterable<Uint8Array>) => Promise<string> },
  signal: AbortSignal,
): Promise<string> {
  const get = options.fetch ?? fetch;
  const answer = await get(address, { headers: { 'user-agent': options.userAgent }, signal });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    const status = answer.status;
    if (status === 404 || status === 410) throw describeExpired();
    throw new CausewayError('repository_unreachable', `The host that stores the log answered ${status}: try again.`);
  }
  return await read(answer.body);
}

/** GitHub says 410, and for logs of old runs 404, for a log that it has deleted. */
function toExpired(error: unknown): CausewayError | null {
  if (!(error instanceof CausewayError) || !(error.cause instanceof Error) || !('status' in error.cause)) return null;
  return error.cause.status === 410 ? describeExpired() : null;
}

function describeExpired(): CausewayError {
  return new CausewayError(
    'absent',
    'GitHub no longer keeps the log (90 days unless set otherwise): re-run the job and give its new address.',
  );
}

/** What a report may hold, in bytes of UTF-8. */
export const REPORT_BYTES = MAX_REPORT_BYTES;

/** Takes bytes of any number and keeps the last ones, in memory of twice the limit. */
class Tail {
  readonly #limit: number;
  #kept: Uint8Array[] = [];
  #length = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    this.#kept.push(chunk);
    this.#length += chunk.byteLength;
    if (this.#length > this.#limit * 2) this.#trim();
  }

  /** The last whole lines, after words for what was left out. */
  text(): string {
    this.#trim();
    const all = Buffer.concat(this.#kept);
    if (this.#dropped === 0) return all.toString();
    const from = all.indexOf(0x0a) + 1;
    return `[The first ${this.#dropped + from} bytes of this log were left out]\n${all.subarray(from).toString()}`;
  }

  #trim(): void {
    if (this.#length <= this.#limit) return;
    const all = Buffer.concat(this.#kept);
    this.#dropped += all.length - this.#limit;
    this.#kept = [all.subarray(all.length - this.#limit)];
    this.#length = this.#limit;
  }
}

const CHECK_DEADLINE_MS = 60_000;

interface LogDeps extends Pick<GithubOptions, 'apiUrl' | 'userAgent' | 'fetch'> {
  readonly clients: Pick<GithubClients, 'repository'>;
}

interface WantedLog {
  readonly project: GithubProject;
  readonly jobId: number;
  readonly bytes: number;
  /** How a log that is longer is made so long; absent: its last bytes are kept. */
  readonly shorten?: ShortenLog;
}

/** The log in so many bytes. Throws GithubFailure at a limit. */
export async function checkLog(deps: LogDeps, wanted: WantedLog, signal: AbortSignal): Promise<string> {
  try {
    return await readCheckLog(deps, wanted, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GithubFailure && error.kind === 'busy') throw error;
    return `[${explainNoLog(error)}]`;
  }
}

/** The same, that throws whatever keeps it from being read: GithubFailure, CausewayError, and what the network did. */
export async function readCheckLog(
  deps: LogDeps,
  { project, jobId, bytes, shorten = keepLast }: WantedLog,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CHECK_DEADLINE_MS)]);
  const job = { ...getRepository(project), jobId };
  const address = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, options) => findLogAddress(octokit, deps, job, options.signal), signal);
  return await downloadLog(deps, { address, read: (chunks) => shorten(chunks, bytes, deadline) }, deadline);
}

/** Why there is none, for people. The error's own text may name hosts and settings. */
export function explainNoLog(error: unknown): string {
  const isAbsent = error instanceof CausewayError && error.code === 'absent';
  if (isAbsent || (error instanceof GithubFailure && error.status === 410))
    return 'GitHub no longer keeps the log: run the job again to have it read.';
  return "The log couldn't be read from GitHub.";
}
