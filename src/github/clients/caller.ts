// One way of calling GitHub: Octokit with our credentials, a deadline, a check of every answer, and failures in our words.
import { Octokit } from '@octokit/rest';
import { type GithubCaller, GithubFailure } from './github-clients.ts';
import { disbelieved, mayAsk } from './hold-back.ts';
import type { Patience } from './patience.ts';
import { type Answer, type Asked, failureOf, unreadable, unsureFailure } from './read-failure.ts';
import { graphqlFailure } from './read-graphql.ts';
import { resourceOf, routeOf } from './route.ts';
import { openAnswers, wholeAnswers } from './whole-answer.ts';

export interface Credential {
  readonly as: Asked['as'];
  /** For the Authorization header; null: none is sent. */
  header(signal: AbortSignal): Promise<string | null>;
  /** GitHub answered 401 (at `date`) to this header. True where another is worth one more try. */
  renew(header: string | null, date: string | undefined): boolean;
}

export interface CallerOptions {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly userAgent: string;
  readonly fetch: typeof fetch;
  readonly deadlineMs: number;
  readonly now: () => Date;
  /** Absent: nobody looks. */
  readonly watch?: (route: string, send: () => Promise<Reply>) => Promise<Reply>;
  readonly patience: Patience;
  /** Aborts when the clients are disposed. */
  readonly lifetime: AbortSignal;
}

type Reply = Awaited<ReturnType<Octokit['request']>>;
type Request = Required<Octokit['request']['endpoint']['DEFAULTS']>;
type Send = (request: Request) => Promise<Reply> | Reply;

export function createCaller(options: CallerOptions, credential: Credential): GithubCaller {
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const { apiUrl, userAgent } = options;
  // The innermost place: what is wrapped around it later could not change the request any more.
  const hook = (send: Send, request: Request) => authorised(send, request, { options, credential });
  const authStrategy = () => Object.assign(async () => ({ type: 'causeway' }), { hook });
  const octokit = new Octokit({ baseUrl: apiUrl, userAgent, authStrategy, log: silent, request: { log: silent } });
  return {
    async call(request, signal) {
      const deadline = AbortSignal.any([signal, options.lifetime, AbortSignal.timeout(options.deadlineMs)]);
      try {
        return await request(octokit, { signal: deadline });
      } catch (error) {
        signal.throwIfAborted();
        options.lifetime.throwIfAborted();
        throw deadline.aborted && !(error instanceof GithubFailure) ? tooLate(options.deadlineMs, error) : error;
      }
    },
  };
}

interface Way {
  readonly options: CallerOptions;
  readonly credential: Credential;
}

/** A refused token did nothing, so that one more try with a new one makes two of nothing. */
async function authorised(send: Send, request: Request, way: Way): Promise<Reply> {
  const { credential, options } = way;
  mayAsk(request, options);
  // A caller who forgot to hand the deadline on does not wait for ever either.
  const signal = request.request.signal ?? AbortSignal.any([options.lifetime, AbortSignal.timeout(options.deadlineMs)]);
  const header = await credential.header(signal);
  const first = await attempt(send, withHeader(request, { header, signal, way }), way);
  if (first.ok) return first.answer;
  if (first.failure.status !== 401) throw first.failure;
  if (!credential.renew(header, first.date)) {
    disbelieved(credential.as, options);
    throw first.failure;
  }
  const renewed = await credential.header(signal);
  mayAsk(request, options);
  const second = await attempt(send, withHeader(request, { header: renewed, signal, way }), way);
  if (second.ok) return second.answer;
  if (second.failure.status === 401) disbelieved(credential.as, options);
  throw second.failure;
}

function withHeader(
  request: Request,
  { header, signal, way }: { readonly header: string | null; readonly signal: AbortSignal; readonly way: Way },
): Request {
  const get = way.options.fetch;
  const isOpen = request.request['parseSuccessResponseBody'] === false;
  return {
    ...request,
    headers: { ...request.headers, ...(header === null ? {} : { authorization: header }) },
    request: { ...request.request, signal, fetch: isOpen ? openAnswers(get) : wholeAnswers(get) },
  };
}

type Attempt =
  | { readonly ok: true; readonly answer: Reply }
  | { readonly ok: false; readonly failure: GithubFailure; readonly date: string | undefined };

async function attempt(send: Send, request: Request, { options, credential }: Way): Promise<Attempt> {
  const { apiUrl, webUrl, now, patience, watch = unwatched } = options;
  const route = routeOf(request, apiUrl);
  const resource = resourceOf(request, apiUrl);
  const asked: Asked = { route, as: credential.as, apiUrl, webUrl, now: now(), patience, resource };
  try {
    const answer = await watch(route, async () => send(request));
    const failure = faultOf(answer, request, asked);
    if (failure !== null) return { ok: false, failure, date: answer.headers.date };
    patience.answered();
    return { ok: true, answer };
  } catch (error) {
    const answer = answerOf(error);
    if (answer === null) return { ok: false, failure: unanswered(error, asked), date: undefined };
    return { ok: false, failure: failureOf(answer, asked), date: String(answer.headers['date'] ?? '') };
  }
}

/** What is wrong with an answer that Octokit took for a success; null: nothing. */
function faultOf(answer: Reply, request: Request, asked: Asked): GithubFailure | null {
  const { status, data } = answer;
  if (status >= 300) return request.request['redirect'] === 'manual' ? null : failureOf(answer, asked);
  if (status === 204 || status === 205 || request.method === 'HEAD') return null;
  if (request.request['parseSuccessResponseBody'] === false) return null;
  if (typeof data === 'object' && data !== null && !(data instanceof ArrayBuffer)) {
    return request.url.endsWith('/graphql') ? graphqlFailure(answer, asked) : null;
  }
  return mayBeText(answer, request, asked) ? null : unreadable(status, asked);
}

/** Text is an answer where it was asked for, or where a redirect led to a storage host; a page or half a JSON never is. */
function mayBeText(answer: Reply, request: Request, { apiUrl }: Asked): boolean {
  const type = String(answer.headers['content-type'] ?? '');
  // Accepted for later, which needs no words.
  if (answer.status === 202 && answer.data === '') return true;
  if (/^text\/html\b/i.test(type) || /^application\/json\b/i.test(type)) return false;
  const accept = String(request.headers.accept ?? '');
  const wantsText = Boolean(request.mediaType?.format) || (accept !== '' && !/json/.test(accept));
  return wantsText || new URL(answer.url || apiUrl).origin !== new URL(apiUrl).origin;
}

/** Octokit gives a network fault the status 500, without a response. */
function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null) return null;
  if (!('status' in response) || !('headers' in response)) return null;
  return response as Answer;
}

/** What the credential could not get is told as it is; everything else is a network that gave no answer. */
function unanswered(error: unknown, { route }: Asked): GithubFailure {
  if (error instanceof GithubFailure) return error;
  const [words, cause] = innermost(error);
  return unsureFailure(
    null,
    `GitHub gave no answer to "${route}" (${words}). It is tried again; GITHUB_API_URL names where it is asked.`,
    cause,
  );
}

function innermost(error: unknown): readonly [words: string, cause: unknown] {
  if (!(error instanceof Error)) return ['no reason named', undefined];
  if (error.name === 'TimeoutError') return ['not in time', undefined];
  if (error.cause instanceof Error) return innermost(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return [code || error.name, error];
}

/** Before the request was sent: while its token was waited for. */
function tooLate(deadlineMs: number, cause: unknown): GithubFailure {
  return unsureFailure(null, `GitHub did not answer within ${deadlineMs / 1_000} s. It is tried again.`, cause);
}

function ignore(): void {}

function unwatched(_: string, send: () => Promise<Reply>): Promise<Reply> {
  return send();
}
