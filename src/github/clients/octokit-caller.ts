// One way of calling GitHub: Octokit with our credentials, paced writes, a deadline for each request, and every answer checked.
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { untilAborted } from '../../core/until-aborted.ts';
import {
  type Answer,
  type CallFacts,
  toFailure,
  toGraphqlFailure,
  unreadableFailure,
  unsureFailure,
} from './failures.ts';
import { type GithubCaller, GithubFailure, sendUnwatched, type WatchCall } from './github-clients.ts';
import type { RateLimitGate, Resource } from './rate-limit-gate.ts';

export interface Credential {
  readonly as: CallFacts['as'];
  /** Whose limits count, such as `installation 7`. */
  readonly holder: string;
  prove(): Promise<Proof>;
}

export interface Proof {
  /** Authorization header; null: none is sent. */
  readonly authorization: string | null;
  /** GitHub answered 401 at `date`. Another proof that is worth one more try; null: there is none. */
  renew(date: string | undefined): Promise<Proof | null>;
}

export interface CallerOptions {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly userAgent: string;
  readonly fetch: typeof fetch;
  readonly deadlineMs: number;
  readonly now: () => Date;
  readonly watch?: WatchCall | undefined;
  /** Aborts when the clients are disposed. */
  readonly lifetime: AbortSignal;
}

type Request = Required<Octokit['request']['endpoint']['DEFAULTS']>;
type Reply = Awaited<ReturnType<Octokit['request']>>;
type Send = (request: Request) => Promise<Reply> | Reply;

const PacedOctokit = Octokit.plugin(throttling);

/** Octokit as one credential. Its requests go through the gate, then wait for their turn, and only then is the token used and the time counted. */
export function createOctokit(options: CallerOptions, credential: Credential, gate: RateLimitGate): Octokit {
  const { apiUrl, userAgent } = options;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  // Octokit puts the hook of its authentication inside those of its plugins, so that this runs when a request's turn has come.
  const way = { options, credential, gate };
  const hook = (send: Send, request: Request) => sendAuthorised(send, request, way);
  const octokit = new PacedOctokit({
    ...{ baseUrl: apiUrl, userAgent, log, request: { log } },
    authStrategy: () => Object.assign(async () => ({ type: 'causeway' }), { hook }),
    throttle: {
      enabled: hasSecondaryLimits(apiUrl),
      // Without it all installations would share one lane.
      id: credential.holder,
      // The plugin would wait inside the process: the gate decides, and the queue waits. It also knows fewer forms of a limit.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
  octokit.hook.wrap('request', (send, request) => sendChecked(send as Send, request as Request, way));
  return octokit;
}

export function createCaller(octokit: Octokit, lifetime: AbortSignal): GithubCaller {
  return {
    call: async (request, signal) => {
      const either = AbortSignal.any([signal, lifetime]);
      either.throwIfAborted();
      // A write that is given up while it waits for its turn is never sent: its signal is looked at then.
      return await untilAborted(request(octokit, { signal: either }), either);
    },
  };
}

/** GitHub asks for a second between writes; its Enterprise Server has no such limit unless its operator sets one, and is not slowed down. */
function hasSecondaryLimits(apiUrl: string): boolean {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' || hostname.endsWith('.ghe.com');
}

interface Way {
  readonly options: CallerOptions;
  readonly credential: Credential;
  readonly gate: RateLimitGate;
}

/** The outermost step: what would be refused takes no turn, and every failure leaves in our words. */
async function sendChecked(send: Send, request: Request, way: Way): Promise<Reply> {
  const call = describeCall(request, way);
  way.gate.check(call.resource);
  const answer = await Promise.resolve(send(request)).catch((error: unknown) => {
    throw describeError(error, call);
  });
  const failure = findFault(answer, request, call);
  if (failure !== null) throw failure;
  way.gate.noteAnswer();
  return answer;
}

/** A request that was answered 401 did nothing, so one more try with another token repeats no write. */
async function sendAuthorised(send: Send, request: Request, way: Way): Promise<Reply> {
  const proof = await way.credential.prove();
  try {
    return await sendOnce(send, request, proof, way);
  } catch (error) {
    const isRejected = statusOf(error) === 401;
    const renewed = isRejected ? await proof.renew(answerOf(error)?.headers['date']?.toString()) : null;
    if (renewed !== null) return await sendLast(send, request, renewed, way);
    if (isRejected) noteRejection(way);
    throw error;
  }
}

async function sendLast(send: Send, request: Request, proof: Proof, way: Way): Promise<Reply> {
  try {
    return await sendOnce(send, request, proof, way);
  } catch (error) {
    if (statusOf(error) === 401) noteRejection(way);
    throw error;
  }
}

/** A rejected installation's token ends its job; as the App, every other call would be rejected too. */
function noteRejection({ credential, gate }: Way): void {
  if (credential.as === 'app') gate.reject();
}

/** Octokit itself would wait for ever; the deadline counts from the moment of sending. */
async function sendOnce(send: Send, request: Request, { authorization }: Proof, way: Way): Promise<Reply> {
  const { options, credential, gate } = way;
  const { route, resource } = describeCall(request, way);
  const given = request.request.signal ?? options.lifetime;
  given.throwIfAborted();
  gate.check(resource);
  const signal = AbortSignal.any([given, AbortSignal.timeout(options.deadlineMs)]);
  const isStreamed = request.request['parseSuccessResponseBody'] === false;
  const sent = {
    ...request,
    headers: { ...request.headers, ...(authorization === null ? {} : { authorization }) },
    request: { ...request.request, signal, fetch: createSafeFetch(options.fetch, isStreamed) },
  };
  const { watch = sendUnwatched } = options;
  return await watch({ route, holder: credential.holder }, async () => await send(sent));
}

/**
 * fetch as GitHub needs it. Bodies are read to their end, since Octokit takes one that breaks off for an empty text. Reads follow every
 * redirect (fetch drops the token when the host changes); writes only those that mean the same request on the same host.
 */
function createSafeFetch(get: typeof fetch, isStreamed: boolean): typeof fetch {
  return async (input, init = {}) => {
    const response = await fetchFollowing(get, String(input), init);
    if (isStreamed) return response;
    const { status, statusText, headers, url } = response;
    const bytes = await response.arrayBuffer();
    const copy = new Response(response.body === null ? null : bytes, { status, statusText, headers });
    Object.defineProperty(copy, 'url', { value: url });
    return copy;
  };
}

async function fetchFollowing(get: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  if (init.redirect !== undefined) return get(url, init);
  if (init.method === 'GET' || init.method === 'HEAD') return get(url, { ...init, redirect: 'follow' });
  const response = await get(url, { ...init, redirect: 'manual' });
  // A renamed repository answers a write with one of these.
  if (response.status !== 307 && response.status !== 308) return response;
  const next = new URL(response.headers.get('location') ?? '', url);
  if (next.origin !== new URL(url).origin) return response;
  await response.body?.cancel();
  return get(next, { ...init, redirect: 'manual' });
}

function describeCall(request: Request, { options, credential, gate }: Way): CallFacts {
  const { apiUrl, webUrl, now } = options;
  const { method, url } = request;
  const address = url.startsWith(apiUrl) ? url.slice(apiUrl.length) : url.replace(/^https?:\/\/[^/]*/, '');
  // Nothing of what was put in, and no query.
  const path = address.split(/[?#{]\?|[?#]/)[0] ?? '';
  const resource: Resource = path.endsWith('/graphql') ? 'graphql' : path.startsWith('/search/') ? 'search' : 'core';
  return { route: `${method} ${path}`, as: credential.as, apiUrl, webUrl, now: now(), gate, resource };
}

/** What is wrong with an answer that Octokit took for a success; null: nothing. */
function findFault(answer: Reply, request: Request, call: CallFacts): GithubFailure | null {
  const { status, data } = answer;
  if (status >= 300) return request.request['redirect'] === 'manual' ? null : toFailure(answer, call);
  if (status === 204 || status === 205 || request.method === 'HEAD') return null;
  if (request.request['parseSuccessResponseBody'] === false) return null;
  if (typeof data === 'object' && data !== null && !(data instanceof ArrayBuffer)) {
    return call.resource === 'graphql' ? toGraphqlFailure(answer, call) : null;
  }
  return mayBeText(answer, request, call) ? null : unreadableFailure(status, call);
}

/** Text is an answer where it was asked for, or where a redirect led to a storage host; a page or half a JSON never is. */
function mayBeText(answer: Reply, request: Request, { apiUrl }: CallFacts): boolean {
  const type = String(answer.headers['content-type'] ?? '');
  // Accepted for later, which needs no body.
  if (answer.status === 202 && answer.data === '') return true;
  if (/^text\/html\b/i.test(type) || /^application\/json\b/i.test(type)) return false;
  const accept = String(request.headers.accept ?? '');
  const wantsText = Boolean(request.mediaType?.format) || (accept !== '' && !/json/.test(accept));
  return wantsText || new URL(answer.url || apiUrl).origin !== new URL(apiUrl).origin;
}

/** Our own failures and the reason of an aborted caller stay; the rest is an answer that says no, or a network that gave none. */
function describeError(error: unknown, call: CallFacts): unknown {
  if (error instanceof GithubFailure) return error;
  const answer = answerOf(error);
  if (answer !== null) return toFailure(answer, call);
  const [reason, cause] = findReason(error);
  const repair = 'Causeway tries again; GHE_HOST names the host, if it is not github.com';
  return unsureFailure(null, `GitHub gave no answer to "${call.route}" (${reason}). ${repair}.`, cause);
}

/** The answer that an error of Octokit carries. It gives a network fault the status 500, without a response. */
function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null) return null;
  return 'status' in response && 'headers' in response ? (response as Answer) : null;
}

function statusOf(error: unknown): number | null {
  return answerOf(error)?.status ?? null;
}

function findReason(error: unknown): readonly [reason: string, cause: unknown] {
  if (!(error instanceof Error)) return ['unknown reason', undefined];
  if (error.name === 'TimeoutError') return ['timed out', undefined];
  if (error.cause instanceof Error) return findReason(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return [code || error.name, error];
}

function ignore(): void {}
