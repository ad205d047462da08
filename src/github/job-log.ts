// The log of one Actions job: a redirect to a storage host, which must never see our token.
import type { Octokit } from '@octokit/rest';
import { CausewayError } from '../core/errors.ts';
import { MAX_REPORT_BYTES } from '../core/report.ts';
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
    const address = await logAddress(octokit, options, job, deadline);
    return await downloadLog(options, { address, read: (chunks) => lastOf(chunks, bytes) }, deadline);
  } catch (error) {
    signal.throwIfAborted();
    const known = apiFailure(error, context(client.options, 'the log'));
    throw gone(known) ?? known;
  }
}

/** Where the log is stored: an address that shows it to whoever knows it, for a minute. */
export async function logAddress(
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
    if (!isApi(next, apiUrl)) return checked(next, apiUrl).href;
    address = next.href;
  }
  throw new CausewayError('repository_unreachable', 'GitHub named no place where the log is stored: try again.');
}

/** Only the API itself is asked with the token. An Enterprise server may keep its logs under other paths of its own host. */
function isApi(address: URL, apiUrl: string): boolean {
  const base = new URL(apiUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  return address.origin === base.origin && /^\/(repos|repositories)\//.test(address.pathname.slice(prefix.length));
}

function checked(address: URL, apiUrl: string): URL {
  if (address.protocol === 'https:' || address.protocol === new URL(apiUrl).protocol) return address;
  throw new CausewayError('repository_unreachable', `GitHub names ${address.origin} for the log, which is not https.`);
}

/** The last `bytes`, said if cut. */
export async function lastOf(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  const tail = new Tail(bytes);
  for await (const chunk of chunks) tail.push(chunk);
  return tail.text();
}

/** What `read` makes of the bytes that are stored there, as they come. Throws `absent` where they are no longer kept. */
export async function downloadLog(
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
    if (status === 404 || status === 410) throw expired();
    throw new CausewayError('repository_unreachable', `The host that stores the log answered ${status}: try again.`);
  }
  return await read(answer.body);
}

/** GitHub says 410, and for logs of old runs 404, for a log that it has deleted. */
function gone(error: unknown): CausewayError | null {
  if (!(error instanceof CausewayError) || !(error.cause instanceof Error) || !('status' in error.cause)) return null;
  return error.cause.status === 410 ? expired() : null;
}

function expired(): CausewayError {
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
