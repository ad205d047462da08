// Octokit with our credentials, paced writes, a deadline for each request, and every answer checked.
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { untilAborted } from '../../core/abortable.ts';
import type { Holds } from '../../core/holds.ts';
import {
  checkLimit,
  findFailure,
  type GithubCall,
  type GithubReply,
  type OctokitRequest,
  toGithubFailure,
} from './failures.ts';
import { type GithubCaller, sendUnwatched, type WatchCall } from './github-clients.ts';

export interface OctokitOptions {
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Of every request (default 20 s): GitHub ends its own after 10 s. */
  readonly deadlineMs?: number;
  readonly now: () => Date;
  readonly watch?: WatchCall;
  /** Where rate limits are kept. */
  readonly holds: Holds;
  /** Aborts when the clients are disposed. */
  readonly lifetime: AbortSignal;
}

export type Authenticate = (send: Octokit['request'], request: OctokitRequest) => Promise<GithubReply>;

interface Credential {
  readonly as: GithubCall['as'];
  /** The holder of the rate limit, such as `installation 7`. */
  readonly holder: string;
  /** Adds the authorization to a request and sends it. */
  readonly hook: Authenticate;
  /** False: writes are not spaced out, as for tokens, which notify no one. */
  readonly isPaced?: boolean;
}

const PacedOctokit = Octokit.plugin(throttling);
const SILENT = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog };

/** Octokit as one credential. A request waits for its turn first; only then is the token used and the time counted. */
export function createOctokit(options: OctokitOptions, credential: Credential): Octokit {
  const { apiUrl, userAgent } = options;
  const describe = (request: OctokitRequest) => describeGithubCall(request, options, credential);
  const octokit = new PacedOctokit({
    baseUrl: apiUrl,
    userAgent,
    log: SILENT,
    request: { log: SILENT },
    // Octokit puts this hook inside those of its plugins, so that it runs when a request's turn has come.
    authStrategy: () =>
      Object.assign(async () => ({ type: 'causeway' }), {
        hook: (send: Octokit['request'], request: OctokitRequest) => {
          request.request.signal?.throwIfAborted();
          const call = describe(request);
          checkLimit(call);
          const sendOnce = createFetch(options, call, request);
          return credential.hook(send, { ...request, request: { ...request.request, fetch: sendOnce } });
        },
      }),
    throttle: {
      enabled: (credential.isPaced ?? true) && hasSecondaryLimits(apiUrl),
      // Without it all installations would share one lane.
      id: credential.holder,
      // The plugin would wait inside the process; the job queue waits instead.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
  octokit.hook.wrap('request', async (send, request) => {
    const call = describe(request as OctokitRequest);
    // What would be refused takes no turn.
    checkLimit(call);
    const reply = await Promise.resolve(send(request)).catch((error: unknown) => {
      throw toGithubFailure(error, call);
    });
    const failure = findFailure(reply, request as OctokitRequest, call);
    if (failure !== null) throw failure;
    return reply;
  });
  return octokit;
}

/** Calls through an Octokit until the caller's signal, or the end of the clients. */
export function createCaller(octokit: Octokit, lifetime: AbortSignal): GithubCaller {
  return {
    call: async (request, signal) => {
      const either = AbortSignal.any([signal, lifetime]);
      either.throwIfAborted();
      return await untilAborted(request(octokit, { signal: either }), either);
    },
  };
}

/** GitHub asks for a second between writes; an Enterprise Server has no such limit unless its operator sets one. */
function hasSecondaryLimits(apiUrl: string): boolean {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' || hostname.endsWith('.ghe.com');
}

/**
 * fetch with a deadline, which Octokit has none of. Bodies are read to their end, since Octokit takes one that breaks
 * off for an empty text; `parseSuccessResponseBody: false` asks for the stream instead.
 */
function createFetch(options: OctokitOptions, { route, holder }: GithubCall, request: OctokitRequest): typeof fetch {
  const { fetch: get = fetch, watch = sendUnwatched, deadlineMs = 20_000, lifetime } = options;
  const isStreamed = request.request['parseSuccessResponseBody'] === false;
  return (input, init = {}) =>
    watch({ route, holder }, async () => {
      const signal = AbortSignal.any([init.signal ?? lifetime, AbortSignal.timeout(deadlineMs)]);
      const response = await followRedirects(get, String(input), { ...init, signal });
      if (isStreamed || response.body === null) return response;
      const { status, statusText, headers, url } = response;
      const copy = new Response(await response.arrayBuffer(), { status, statusText, headers });
      return Object.defineProperty(copy, 'url', { value: url });
    });
}

/**
 * Reads follow every redirect (fetch drops the token when the host changes), writes only that of a renamed repository.
 */
async function followRedirects(get: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  if (init.redirect !== undefined || init.method === 'GET' || init.method === 'HEAD') return await get(url, init);
  const response = await get(url, { ...init, redirect: 'manual' });
  if (response.status !== 307 && response.status !== 308) return response;
  const next = new URL(response.headers.get('location') ?? '', url);
  if (next.origin !== new URL(url).origin) return response;
  await response.body?.cancel();
  return await get(next, { ...init, redirect: 'manual' });
}

/** `route` has nothing of what was put into the address, and no query. */
function describeGithubCall(
  { method, url }: OctokitRequest,
  options: OctokitOptions,
  { as, holder }: Credential,
): GithubCall {
  const { apiUrl, webUrl, now, holds } = options;
  const address = url.startsWith(apiUrl) ? url.slice(apiUrl.length) : url.replace(/^https?:\/\/[^/]*/, '');
  const path = address.split(/[?#{]\?|[?#]/)[0] ?? '';
  const resource = path.endsWith('/graphql') ? 'graphql' : path.startsWith('/search/') ? 'search' : 'core';
  return { route: `${method} ${path}`, as, holder, resource, apiUrl, webUrl, now: now(), holds };
}

function ignoreLog(): void {}
