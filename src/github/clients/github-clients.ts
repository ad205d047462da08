// How GitHub is called: always with the least token for the purpose, a deadline, no retries of Octokit's own, and failures in our words.
import type { Octokit } from '@octokit/rest';
import { CausewayError } from '../../core/errors.ts';
import type { GithubSource } from '../../core/project.ts';

/**
 * What a token of one repository may do; metadata read besides. `git`: contents read. `read`: contents, issues, pull requests, checks,
 * statuses and actions read. `talk`: issues and pull requests write. `push`: contents and pull requests write. `check`: checks write.
 * What the installation was not granted is left out.
 */
export type TokenUse = 'git' | 'read' | 'talk' | 'push' | 'check';

/** Who we are on GitHub. */
export interface AppIdentity {
  readonly appId: number;
  readonly slug: string;
  readonly owner: { readonly id: number; readonly login: string };
  /** `slug[bot]`. */
  readonly botLogin: string;
  /** GitHub's number of that user. */
  readonly botId: number;
}

/** A repository by GitHub's numbers, whatever it is called. */
type RepositoryNumbers = Pick<GithubSource, 'repositoryId' | 'installationId'>;

export interface GithubClients extends Disposable {
  /** As the App itself (a JWT). */
  readonly app: GithubCaller;
  identity(signal: AbortSignal): Promise<AppIdentity>;
  /** All repositories of an installation, metadata read alone: to list them. */
  installation(installationId: number): GithubCaller;
  repository(source: RepositoryNumbers, use: TokenUse): GithubCaller;
  /** A token with which git reads that one repository. */
  gitToken(source: RepositoryNumbers, signal: AbortSignal): Promise<string>;
}

export interface GithubCaller {
  /**
   * One call with a deadline. `options` goes into the request as `request`: `octokit.rest.issues.get({…, request: options})`, or for GraphQL
   * `octokit.graphql(query, {…, request: options})`. Throws GithubFailure, and the signal's reason.
   */
  call<T>(request: (octokit: Octokit, options: CallOptions) => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * `busy`: a limit; nothing happened, call again at `retryAt`. `gone`: not there, or not for us any more (404, 410, 451, a lost or suspended
 * installation). `refused`: GitHub understood and said no (401, 403, 409, 422, GraphQL errors). `unsure`: no answer, or 5xx: it may have happened.
 */
export type GithubFailureKind = 'busy' | 'gone' | 'refused' | 'unsure';

export class GithubFailure extends CausewayError {
  readonly kind: GithubFailureKind;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** Where `busy`: when to call again. */
  readonly retryAt: Date | null;
  readonly #said: string;

  constructor(
    failure: {
      readonly kind: GithubFailureKind;
      readonly status: number | null;
      readonly retryAt: Date | null;
      readonly said?: string;
    },
    message: string,
    options?: ErrorOptions,
  ) {
    super('github_failed', message, options);
    this.kind = failure.kind;
    this.status = failure.status;
    this.retryAt = failure.retryAt;
    this.#said = failure.said ?? '';
  }

  /** GitHub's own words (at most 500 characters), for code that decides by them; "" for none. Never logged, and not to be shown: they may quote what was sent. */
  get said(): string {
    return this.#said;
  }
}
