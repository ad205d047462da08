// How GitHub is called: the least token for each purpose, a deadline, no repeated write, and failures with a repair.
import type { Octokit } from '@octokit/rest';
import { CausewayError } from '../../core/errors.ts';
import type { GithubSource } from '../../core/project/index.ts';
import type { Granted } from './permissions.ts';

/**
 * What a token of one repository may do, apart from reading its metadata. `git`: contents read. `read`: contents,
 * issues, pull requests, checks, statuses and actions read. `talk`: issues and pull requests write. `push`: contents
 * and pull requests write. `check`: checks write. `rerun`: actions write. What the installation was not granted is left out.
 */
export type TokenUse = 'git' | 'read' | 'talk' | 'push' | 'check' | 'rerun';

/** Who we are on GitHub. */
export interface AppIdentity {
  readonly appId: number;
  readonly slug: string;
  readonly owner: { readonly id: number; readonly login: string };
  /** `slug[bot]`. */
  readonly botLogin: string;
  /** GitHub's number of that user. */
  readonly botId: number;
  /** What it requests of every owner who installs it. */
  readonly permissions: Granted;
  /**
   * Whether others write as the same App and bot: with the token of a workflow we are GitHub Actions, whose other check
   * runs are what we read.
   */
  readonly isShared: boolean;
}

/** A repository by GitHub's numbers, which stay when it is renamed. */
type RepositoryNumbers = Pick<GithubSource, 'repositoryId' | 'installationId'>;

export interface GithubClients extends Disposable {
  /** As the App itself (a JWT). */
  readonly app: GithubCaller;
  identity(signal: AbortSignal): Promise<AppIdentity>;
  /** All repositories of an installation with nothing but their metadata, to list them. */
  installation(installationId: number): GithubCaller;
  repository(source: RepositoryNumbers, use: TokenUse): GithubCaller;
  /** A token with which git reads that one repository. */
  gitToken(source: RepositoryNumbers, signal: AbortSignal): Promise<string>;
}

export interface GithubCaller {
  /**
   * Calls GitHub. `options` goes into each request as `request`: `octokit.rest.issues.get({…, request: options})`, or
   * for GraphQL `octokit.graphql(query, {…, request: options})`. Throws GithubFailure, and the signal's reason.
   */
  call<T>(request: (octokit: Octokit, options: CallOptions) => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * Sends one request and observes its outcome. `route` contains no values of the request; `holder` names the rate
 * limit.
 */
export type WatchCall = <T extends { readonly status: number; readonly headers: object }>(
  call: { readonly route: string; readonly holder: string },
  send: () => Promise<T>,
) => Promise<T>;

/** A `WatchCall` that only sends. */
export const sendUnwatched: WatchCall = (_, send) => send();

/**
 * `busy`: a limit; nothing happened, call again at `retryAt`. `gone`: absent, or no longer accessible to us (404, 410,
 * 451, a removed or suspended installation). `refused`: GitHub understood and said no (401, 403, 409, 422, GraphQL
 * errors). `unsure`: no answer, or 5xx: it may have happened.
 */
export type GithubFailureKind = 'busy' | 'gone' | 'refused' | 'unsure';

interface FailureFacts {
  readonly kind: GithubFailureKind;
  /** HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** Where `busy`: when to call again. */
  readonly retryAt: Date | null;
  readonly said?: string;
  /** What it needs and was not granted, as GitHub names it, such as `contents: write`; absent: something else, or not known. */
  readonly permission?: string;
  /** The request that GitHub answered, or did not, such as `GET /repos/{owner}/{repo}`. */
  readonly route?: string;
}

export class GithubFailure extends CausewayError {
  readonly kind: GithubFailureKind;
  readonly status: number | null;
  readonly retryAt: Date | null;
  /** Tells a failure of the request itself from one of the token that it needed; null where it was none of one request. */
  readonly route: string | null;
  /** That was not granted, such as `contents: write`; "": it failed for something else, or GitHub does not say. */
  readonly permission: string;
  readonly #said: string;

  constructor(facts: FailureFacts, message: string, options?: ErrorOptions) {
    super('github_failed', message, options);
    this.kind = facts.kind;
    this.status = facts.status;
    this.retryAt = facts.retryAt;
    this.route = facts.route ?? null;
    this.permission = facts.permission ?? '';
    this.#said = facts.said ?? '';
  }

  /**
   * GitHub's own words (at most 500 characters), for code that decides by them. Never logged or shown: they may quote
   * what was sent.
   */
  get said(): string {
    return this.#said;
  }
}

/** A job of GitHub Actions has read as much as it may: for as long as it lives, what else it would read is not read. */
export class ReadsSpent extends GithubFailure {}

/** The failure that an error is, or was made of; null: it is none of GitHub's. */
export function findGithubFailure(error: unknown): GithubFailure | null {
  if (error instanceof GithubFailure) return error;
  return error instanceof CausewayError && error.cause instanceof GithubFailure ? error.cause : null;
}

/** Whether GitHub said no for good, so that trying again changes nothing. */
export function isFinal(error: unknown): error is GithubFailure {
  return error instanceof GithubFailure && (error.kind === 'gone' || error.kind === 'refused');
}

/** For an answer that says success and is not usable. */
export function unsureFailure(status: number | null, message: string): GithubFailure {
  return new GithubFailure({ kind: 'unsure', status, retryAt: null }, message);
}
