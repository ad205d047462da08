// Octokit with a deadline on every call, quiet, and with failures in our words.
import { Octokit } from '@octokit/rest';
import { CausewayError } from '../core/errors.ts';
import { apiFailure } from './api-failure.ts';

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
  /** Makes one call with its own deadline. `what` names in a failure what was asked for, such as `the issue`. */
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
