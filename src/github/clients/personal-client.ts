// GitHub with a personal token or none, for the command line: a deadline on every call, and errors that say what to do.
import { Octokit } from '@octokit/rest';
import { CausewayError } from '../../core/errors.ts';
import { readRetryAfter } from '../../core/retry-after.ts';
import { isUsedUp, readAnswer, readReset } from './failures.ts';

export interface GithubOptions {
  readonly token: string | null;
  /** Base address of the API, such as https://api.github.com, without a trailing slash. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly userAgent: string;
  /** Instead of Node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly now?: () => Date;
}

/** What a person may see who asks at the command line; the App's own clients are `GithubClients`. */
export interface PersonalClient {
  readonly octokit: Octokit;
  readonly options: GithubOptions;
  /** Makes one call. `what` names in an error what was requested, such as `the issue`. */
  call<T>(what: string, signal: AbortSignal, request: (signal: AbortSignal) => Promise<{ data: T }>): Promise<T>;
}

/** Octokit has no deadline of its own; GitHub ends its requests after 10 s. */
const DEADLINE_MS = 20_000;

export function createPersonalClient(options: GithubOptions): PersonalClient {
  const { apiUrl, token, userAgent, fetch } = options;
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const octokit = new Octokit({
    ...(token !== null && { auth: token }),
    baseUrl: apiUrl,
    userAgent,
    log,
    request: { log, ...(fetch !== undefined && { fetch }) },
  });
  return {
    octokit,
    options,
    call: async (what, signal, request) => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
      try {
        const { data } = await request(deadline);
        // Octokit returns an empty text for a body that broke off.
        deadline.throwIfAborted();
        // A sign-in page or a proxy's notice arrives as 200 with text.
        if (typeof data === 'object' && data !== null) return data;
        const message = `${apiUrl} does not answer as GitHub's API does: check GHE_HOST.`;
        throw new CausewayError('repository_unreachable', message);
      } catch (error) {
        signal.throwIfAborted();
        throw describeApiFailure(error, options, what);
      }
    },
  };
}

/** The error to throw for a failed call; our own errors stay as they are. */
export function describeApiFailure(cause: unknown, options: GithubOptions, what: string): CausewayError {
  if (cause instanceof CausewayError) return cause;
  const answer = readAnswer(cause) ?? readGraphqlAnswer(cause);
  const limit = answer === null ? null : describeRateLimit(answer, options);
  if (limit !== null) return new CausewayError('repository_unreachable', limit, { cause });
  const hasToken = options.token !== null;
  switch (answer?.status) {
    case 401:
    case 403:
      return new CausewayError('usage', describeClientRefusal(answer, what, hasToken), { cause });
    case 404: {
      const message = hasToken
        ? `GitHub has nothing at this address (404), or the token in GITHUB_TOKEN may not read ${what}.`
        : 'GitHub has nothing public at this address (404). If it is private, set GITHUB_TOKEN.';
      return new CausewayError('absent', message, { cause });
    }
    case 410:
      return new CausewayError('absent', `GitHub has deleted ${what} (410): paste what you have of it.`, { cause });
    case 451:
      return new CausewayError('absent', `GitHub withholds ${what} for legal reasons (451).`, { cause });
    default: {
      const lead =
        answer === null ? `Can't reach GitHub (${findNetworkReason(cause)}).` : `GitHub answered ${answer.status}.`;
      return new CausewayError('repository_unreachable', `${lead} Check the network, or GHE_HOST, then try again.`, {
        cause,
      });
    }
  }
}

type ErrorAnswer = NonNullable<ReturnType<typeof readAnswer>>;

/** What GraphQL says with status 200, by the type of its first error. */
const GRAPHQL_STATUSES: ReadonlyMap<string, number> = new Map([
  ['NOT_FOUND', 404],
  ['FORBIDDEN', 403],
  ['INSUFFICIENT_SCOPES', 403],
  ['RATE_LIMITED', 429],
]);

function readGraphqlAnswer(error: unknown): ErrorAnswer | null {
  if (!(error instanceof Error) || error.name !== 'GraphqlResponseError') return null;
  const { errors, headers } = error as Error & {
    readonly errors?: readonly { readonly type?: string }[];
    readonly headers?: ErrorAnswer['headers'];
  };
  const status = GRAPHQL_STATUSES.get(errors?.[0]?.type ?? '');
  return status === undefined ? null : { status, headers: headers ?? {}, data: null };
}

function describeClientRefusal({ status, headers }: ErrorAnswer, what: string, hasToken: boolean): string {
  if (!hasToken) return `GitHub does not show ${what} without a token (${status}): set GITHUB_TOKEN.`;
  if (status === 401) return 'GitHub refuses the token in GITHUB_TOKEN (401): it is wrong, expired or revoked.';
  if (headers['x-github-sso'] !== undefined) {
    return 'The organisation requires single sign-on (403): authorise the token in GITHUB_TOKEN for it.';
  }
  const needed = "it needs read access to the repository's issues and actions";
  return `The token in GITHUB_TOKEN may not read ${what} (403): ${needed}.`;
}

/** Null where the answer is about something else. Primary limits name their reset, secondary ones a wait. */
function describeRateLimit(
  { status, headers }: ErrorAnswer,
  { token, now = () => new Date() }: GithubOptions,
): string | null {
  if (status !== 403 && status !== 429) return null;
  const at = now();
  const wait = readRetryAfter(headers['retry-after'], at);
  const until = wait !== null ? new Date(at.getTime() + wait) : isUsedUp(headers) ? readReset(headers) : null;
  if (until === null && status !== 429) return null;
  const minutes = until === null ? 1 : Math.max(1, Math.ceil((until.getTime() - at.getTime()) / 60_000));
  const duration = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const when =
    until === null ? 'try again in a minute' : `it resets at ${until.toISOString().slice(11, 16)} UTC (in ${duration})`;
  const more = token === null ? ' With a token in GITHUB_TOKEN the limit is 5,000 calls an hour.' : '';
  return `GitHub's rate limit is used up: ${when}.${more}`;
}

function findNetworkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'timed out';
  if (error.cause instanceof Error) return findNetworkReason(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code || error.message.split('\n')[0] || error.name;
}
