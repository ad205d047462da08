// Octokit with a deadline on every call, quiet, and with failures in our words.
import { Octokit } from '@octokit/rest';
import { CausewayError } from '../core/errors.ts';
import { isUsedUp, readReset, readRetryAfter } from './clients/failures.ts';

export interface GithubOptions {
  readonly token: string | null;
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly now?: () => Date;
}

export interface GithubClient {
  readonly octokit: Octokit;
  readonly options: GithubOptions;
  /** Makes one call with its own deadline. `what` names in a failure what was requested, such as `the issue`. */
  call<T>(what: string, signal: AbortSignal, request: (signal: AbortSignal) => Promise<{ data: T }>): Promise<T>;
}

/** Octokit itself waits for ever; GitHub cuts its own requests after 10 s. */
const DEADLINE_MS = 20_000;

export function createGithubClient(options: GithubOptions): GithubClient {
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const octokit = new Octokit({
    ...(options.token === null ? {} : { auth: options.token }),
    baseUrl: options.apiUrl,
    userAgent: options.userAgent,
    log: silent,
    request: { log: silent, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) },
  });
  return {
    octokit,
    options,
    call: async (what, signal, request) => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
      try {
        const { data } = await request(deadline);
        // Octokit turns a body that broke off into an empty text.
        deadline.throwIfAborted();
        // A sign-in page or a proxy's notice arrives as 200 with text.
        if (typeof data === 'object' && data !== null) return data;
        throw new CausewayError(
          'repository_unreachable',
          `${options.apiUrl} does not answer as GitHub's API does: check GHE_HOST.`,
        );
      } catch (error) {
        signal.throwIfAborted();
        throw apiFailure(error, context(options, what));
      }
    },
  };
}

/** What a failure's words depend on. */
export function context(options: GithubOptions, what: string) {
  return { what, hasToken: options.token !== null, now: (options.now ?? (() => new Date()))() };
}

function ignore(): void {}

interface CallContext {
  /** What was requested, such as `the issue`. */
  readonly what: string;
  readonly hasToken: boolean;
  readonly now: Date;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

/** The error to throw for a call that failed; our own errors stay as they are. */
export function apiFailure(error: unknown, context: CallContext): unknown {
  if (error instanceof CausewayError) return error;
  const answer = answerOf(error);
  if (answer === null) return unreachable(`Can't reach GitHub (${words(error)}).`, error);
  return refusal(answer, context, error) ?? unreachable(`GitHub answered ${answer.status}.`, error);
}

function refusal(answer: Answer, context: CallContext, cause: unknown): CausewayError | null {
  const { what, hasToken } = context;
  const limit = rateLimit(answer, context);
  if (limit !== null) return new CausewayError('repository_unreachable', limit, { cause });
  switch (answer.status) {
    case 401:
      return new CausewayError(
        'usage',
        hasToken
          ? 'GitHub refuses the token in GITHUB_TOKEN (401): it is wrong, expired or revoked.'
          : `GitHub shows ${what} to nobody without a token (401): set GITHUB_TOKEN.`,
        { cause },
      );
    case 403:
      return new CausewayError('usage', forbidden(answer, context), { cause });
    case 404:
      return new CausewayError(
        'absent',
        hasToken
          ? `GitHub knows no such address (404), or the token in GITHUB_TOKEN may not read ${what}.`
          : `GitHub shows no such address (404): check it, or, if it is private, set GITHUB_TOKEN to a token that may read it.`,
        { cause },
      );
    case 410:
      return new CausewayError('absent', `GitHub has deleted ${what} (410): paste what you have of it.`, { cause });
    case 451:
      return new CausewayError('absent', `GitHub withholds ${what} for legal reasons (451).`, { cause });
    default:
      return null;
  }
}

function forbidden(answer: Answer, { what, hasToken }: CallContext): string {
  if (answer.headers['x-github-sso'] !== undefined) {
    return 'The organisation asks for single sign-on (403): authorise the token in GITHUB_TOKEN for it.';
  }
  return hasToken
    ? `The token in GITHUB_TOKEN may not read ${what} (403): it needs read access to the repository's issues and actions.`
    : `GitHub shows ${what} to nobody without a token (403): set GITHUB_TOKEN.`;
}

/** Null where the answer is about something else. Primary limits name their reset, secondary ones a wait. */
function rateLimit({ status, headers }: Answer, { hasToken, now }: CallContext): string | null {
  if (status !== 403 && status !== 429) return null;
  const wait = readRetryAfter(headers['retry-after'], now);
  const until = wait !== null ? new Date(now.getTime() + wait) : isUsedUp(headers) ? readReset(headers) : null;
  if (until === null && status !== 429) return null;
  const when =
    until === null
      ? 'try again in a minute'
      : `it opens again at ${until.toISOString().slice(11, 16)} UTC (in ${minutes(until.getTime() - now.getTime())})`;
  const more = hasToken ? '' : ' A token in GITHUB_TOKEN has a limit of its own, 5,000 calls an hour.';
  return `GitHub's rate limit is used up: ${when}.${more}`;
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.ceil(ms / 60_000));
  return count === 1 ? '1 minute' : `${count} minutes`;
}

function unreachable(message: string, cause: unknown): CausewayError {
  return new CausewayError(
    'repository_unreachable',
    `${message} Check the network, or GHE_HOST and GITHUB_API_URL, then try again.`,
    {
      cause,
    },
  );
}

/** What GitHub answered; null where no answer came. Octokit gives a network fault the status 500, without a response. */
function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null || !('status' in response) || !('headers' in response))
    return null;
  return response as Answer;
}

function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.cause instanceof Error) return words(error.cause);
  return code || error.message.split('\n')[0] || error.name;
}
