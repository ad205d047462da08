// What an unsuccessful answer of GitHub means: later, gone, refused or unsure, each with the repair. And rate limits.
import type { Octokit } from '@octokit/rest';
import { GITHUB_HOLDS, type Holds } from '../../core/holds.ts';
import { readRetryAfter } from '../../core/retry-after.ts';
import { GithubFailure, type GithubFailureKind } from './github-clients.ts';

/** What was called, without any value that was sent. */
export interface GithubCall {
  /** Such as `GET /repos/{owner}/{repo}`. */
  readonly route: string;
  /** `token`: one that somebody gave, whose job or command ends and does not wait. */
  readonly as: 'app' | 'installation' | 'anonymous' | 'token';
  /** The holder of the rate limit, such as `installation 7`. */
  readonly holder: string;
  /** What GitHub counts separately. A secondary limit holds for all of them. */
  readonly resource: 'core' | 'graphql' | 'search';
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly now: Date;
  readonly holds: Holds;
}

type AnswerHeaders = Readonly<Record<string, string | number | undefined>>;
export type GithubReply = Awaited<ReturnType<Octokit['request']>>;
type FailureAnswer = Pick<GithubReply, 'status' | 'headers' | 'data'>;
export type OctokitRequest = Required<Octokit['request']['endpoint']['DEFAULTS']>;

const MAX_SAID_CHARACTERS = 500;

/** For a limit that names no time, as GitHub's documentation asks; and for credentials that it rejects. */
const DEFAULT_WAIT_MS = 60_000;
/** A clock that is slightly off, or a nonsense header, must make us neither call without a pause nor never again. */
const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/** Throws `busy` while a limit holds. Jobs wait in the queue until its `retryAt`. */
export function checkLimit({ holds, holder, resource, now, as }: GithubCall): void {
  const limits = [holds.until(nameLimit(holder)), holds.until(nameLimit(holder, resource))];
  const until = Math.max(...limits.map((limit) => limit?.getTime() ?? 0));
  if (until <= now.getTime()) return;
  const retryAt = new Date(until);
  throw new GithubFailure({ kind: 'busy', status: null, retryAt }, describeLimitUntil(retryAt, as));
}

/** Keeps a refusal with these headers as a limit, and returns its end. */
function holdLimit(headers: AnswerHeaders, { holds, holder, resource, now }: GithubCall): Date {
  const wait = readRetryAfter(headers['retry-after'], now);
  const reset = wait === null && isUsedUp(headers) ? readReset(headers) : null;
  const ms = wait ?? (reset === null ? DEFAULT_WAIT_MS : reset.getTime() - now.getTime());
  const until = new Date(now.getTime() + Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, ms)));
  // The hourly quota is counted for each resource, a secondary limit for all of them.
  holds.hold(reset === null ? nameLimit(holder) : nameLimit(holder, resource), until);
  return until;
}

function nameLimit(holder: string, resource = ''): string {
  return `${GITHUB_HOLDS}${holder} ${resource}`.trimEnd();
}

function describeLimitUntil(until: Date, as: GithubCall['as']): string {
  const minute = until.toISOString().slice(0, 16).replace('T', ' ');
  const next = as === 'token' ? 'run it again then' : 'work continues by itself then';
  return `GitHub's rate limit is used up until ${minute} UTC; ${next}.`;
}

/** What follows a fault of GitHub or the network. */
function describeAgain({ as }: Pick<GithubCall, 'as'>): string {
  return as === 'token' ? 'Run it again later' : 'Causeway tries again';
}

/** Whether the hourly quota is used up. */
export function isUsedUp(headers: AnswerHeaders): boolean {
  return String(headers['x-ratelimit-remaining'] ?? '').trim() === '0';
}

/** When the next hour of the quota begins; null where GitHub does not say. */
export function readReset(headers: AnswerHeaders): Date | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000;
  return Number.isFinite(reset) ? new Date(reset) : null;
}

/** What to throw for a request that failed: for an answer that says no, or for a network that gave none. */
export function toGithubFailure(error: unknown, call: GithubCall): GithubFailure {
  if (error instanceof GithubFailure) return error;
  const answer = readAnswer(error);
  if (answer !== null) return createRefusalFailure(answer, call);
  const [reason, cause] = findFailureReason(error);
  const repair = `${describeAgain(call)}; GHE_HOST names the host, if it is not github.com`;
  return new GithubFailure(
    { kind: 'unsure', status: null, retryAt: null, route: call.route },
    `GitHub gave no answer to "${call.route}" (${reason}). ${repair}.`,
    cause === undefined ? {} : { cause },
  );
}

/** The answer that an error of Octokit carries. It gives a network fault the status 500, without a response. */
export function readAnswer(error: unknown): FailureAnswer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null) return null;
  return 'status' in response && 'headers' in response ? (response as FailureAnswer) : null;
}

function findFailureReason(error: unknown): readonly [reason: string, cause: unknown] {
  if (!(error instanceof Error)) return ['unknown reason', undefined];
  if (error.name === 'TimeoutError') return ['timed out', undefined];
  if (error.cause instanceof Error) return findFailureReason(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return [code || error.name, error];
}

/** What is wrong with an answer that Octokit took for a success; null: nothing. */
export function findFailure(answer: GithubReply, request: OctokitRequest, call: GithubCall): GithubFailure | null {
  const { status, data } = answer;
  const { redirect, parseSuccessResponseBody } = request.request;
  if (status >= 300) return redirect === 'manual' ? null : createRefusalFailure(answer, call);
  if (status === 204 || status === 205 || parseSuccessResponseBody === false) return null;
  if (typeof data === 'object' && data !== null) {
    return call.resource === 'graphql' ? describeGraphqlErrors(answer, call) : null;
  }
  // Accepted for later needs no body; a proxy's page or half a JSON is never an answer.
  return status === 202 && data === '' ? null : makeFailure(classifyNoApi(status, call), answer, call);
}

interface FailureVerdict {
  readonly kind: GithubFailureKind;
  readonly message: string;
  readonly retryAt?: Date;
  readonly permission?: string;
}

function makeFailure(verdict: FailureVerdict, answer: FailureAnswer, call: GithubCall): GithubFailure {
  const { kind, message, retryAt = null, permission = '' } = verdict;
  return new GithubFailure(
    { kind, status: answer.status, retryAt, said: readSaid(answer.data), permission, route: call.route },
    message,
  );
}

/** A failure for an answer of 300 or more. */
function createRefusalFailure(answer: FailureAnswer, call: GithubCall): GithubFailure {
  return makeFailure(classifyRefusal(answer, call), answer, call);
}

function classifyRefusal(answer: FailureAnswer, call: GithubCall): FailureVerdict {
  const { status, headers } = answer;
  const { route, now } = call;
  const said = readSaid(answer.data);
  if (status >= 500) {
    const meaning = `an error on its side, possibly after the work was done. ${describeAgain(call)}`;
    return { kind: 'unsure', message: `GitHub answered "${route}" with ${status}: ${meaning}.` };
  }
  if (/^text\/html\b/i.test(String(headers['content-type'] ?? ''))) return classifyNoApi(status, call);
  if (isLimit(answer, said, now)) return classifyLimit(headers, call);
  switch (status) {
    case 401:
      return classifyRejection(call);
    case 403:
      return classifyForbidden(answer, said, call);
    case 404:
    case 410:
    case 451:
      return { kind: 'gone', message: describeAbsence(status, call) };
    default:
      return { kind: 'refused', message: `GitHub did not accept "${route}" (${status}): ${describeStatus(status)}` };
  }
}

function classifyLimit(headers: AnswerHeaders, call: GithubCall): FailureVerdict {
  const retryAt = holdLimit(headers, call);
  return { kind: 'busy', message: describeLimitUntil(retryAt, call.as), retryAt };
}

/** A failure for a GraphQL answer with `errors`, which always has status 200; null where it has none. */
function describeGraphqlErrors(answer: FailureAnswer, call: GithubCall): GithubFailure | null {
  const errors = readErrorList(answer.data);
  return errors.length === 0 ? null : makeFailure(classifyGraphqlErrors(errors, answer, call), answer, call);
}

function classifyGraphqlErrors(
  errors: readonly unknown[],
  { data, headers }: FailureAnswer,
  call: GithubCall,
): FailureVerdict {
  const { route } = call;
  const types = new Set(errors.map((error) => readTextProperty(error, 'type')));
  if (types.has('RATE_LIMITED') || /secondary rate limit/i.test(readSaid(data))) return classifyLimit(headers, call);
  if (errors.some(isServerError)) {
    const message = `GitHub failed while it worked on "${route}", which may have happened. ${describeAgain(call)}.`;
    return { kind: 'unsure', message };
  }
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES')) {
    return { kind: 'refused', message: describeMissingPermission(call) };
  }
  if (types.has('NOT_FOUND')) {
    const message = `GitHub does not show this App what "${route}" refers to: it was deleted, or access was lost.`;
    return { kind: 'gone', message };
  }
  const reason = types.has('STALE_DATA') ? 'what it builds on was changed meanwhile.' : describeStatus(422);
  return { kind: 'refused', message: `GitHub did not accept "${route}": ${reason}` };
}

/**
 * GitHub does not always send a header with a limit; the quota can be used up by the very call that lacked a
 * permission.
 */
function isLimit({ status, headers }: FailureAnswer, said: string, now: Date): boolean {
  if (status !== 403 && status !== 429) return false;
  if (FORBIDDEN.test(said) || /suspended/i.test(said)) return false;
  if (status === 429 || isUsedUp(headers) || readRetryAfter(headers['retry-after'], now) !== null) return true;
  return /rate limit|abuse/i.test(said);
}

/** GitHub's short sentence with its error messages or codes; never the whole body. */
function readSaid(data: unknown): string {
  const errors = readErrorList(data).map((error) => `${readMessage(error)} ${readTextProperty(error, 'code')}`);
  const parts = [readMessage(data), ...errors].map((part) => part.trim()).filter(Boolean);
  return parts.join('; ').replace(/\s+/g, ' ').slice(0, MAX_SAID_CHARACTERS);
}

/** `errors` of a REST refusal or of a GraphQL answer. */
function readErrorList(data: unknown): readonly unknown[] {
  if (typeof data !== 'object' || data === null || !('errors' in data)) return [];
  return Array.isArray(data.errors) ? data.errors : [data.errors];
}

function readMessage(value: unknown): string {
  return typeof value === 'string' ? value : readTextProperty(value, 'message');
}

function readTextProperty(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}

/** Timeouts and internal errors have no type, or one that says so; a mistake in the query has `extensions.code`. */
function isServerError(error: unknown): boolean {
  const type = readTextProperty(error, 'type');
  if (type !== '') return /^(INTERNAL|SERVICE_UNAVAILABLE|TIMEOUT)/.test(type);
  const extensions: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'extensions') : null;
  return readTextProperty(extensions, 'code') === '';
}

function classifyNoApi(status: number, { route, apiUrl, as }: GithubCall): FailureVerdict {
  const repair = `check GHE_HOST and any proxy in between. ${describeAgain({ as })}`;
  const message = `${apiUrl} did not answer "${route}" as GitHub's API does (${status}): ${repair}.`;
  return { kind: 'unsure', message };
}

function describeAbsence(status: number, { route, as }: GithubCall): string {
  if (status === 451) return `GitHub withholds what "${route}" asks for for legal reasons (451).`;
  if (as === 'token' && status === 404) {
    return `GitHub shows this token nothing for "${route}" (404): it does not exist, or the token may not read it.`;
  }
  if (status === 410) return `What "${route}" asks for was deleted or is switched off (410).`;
  return as === 'app'
    ? `GitHub has nothing for "${route}" (404): the App was uninstalled there, or APP_ID names another App.`
    : `GitHub does not show this App what "${route}" asks for (404): it was deleted, or the App has lost access to it.`;
}

function classifyRejection({ as, route, webUrl, now }: GithubCall): FailureVerdict {
  if (as === 'token') {
    const message = `GitHub does not accept the token (401): it is mistyped, has expired or was revoked.`;
    return { kind: 'refused', message };
  }
  if (as !== 'app') {
    const repair = 'check that the App is still installed there';
    const message = `GitHub rejects the installation's token for "${route}" (401), even a new one: ${repair}.`;
    return { kind: 'refused', message };
  }
  const settings = `the App's settings (${webUrl}/settings/apps, or those of its organisation)`;
  const message = [
    'GitHub rejected the credentials of the App (401): check that APP_ID and PRIVATE_KEY belong together,',
    `that the key is still listed in ${settings}, and that the clock of this machine is right.`,
  ].join(' ');
  // Credentials can be corrected: what needs them waits in the queue.
  return { kind: 'busy', message, retryAt: new Date(now.getTime() + DEFAULT_WAIT_MS) };
}

/** How GitHub says that the token lacks a permission. */
export const FORBIDDEN = /not accessible by (?:integration|personal access token)/i;

function classifyForbidden({ headers }: FailureAnswer, said: string, { route, as }: GithubCall): FailureVerdict {
  if (/suspended/i.test(said)) {
    const message = "The installation is suspended (403): unsuspend it in its owner's GitHub Apps settings.";
    return { kind: 'gone', message };
  }
  if (!FORBIDDEN.test(said)) {
    const reason = 'a rule of the repository or its organisation forbids it, or it is archived';
    const message = `GitHub did not allow "${route}" (403): ${reason}.`;
    return { kind: 'refused', message };
  }
  // `issues=write; pull_requests=write` are alternatives, `contents=write,workflows=write` are needed together.
  const header = String(headers['x-accepted-github-permissions'] ?? '');
  const readable = header.replaceAll(/\s/g, '').replaceAll('=', ': ').replaceAll(',', ' and ').replaceAll(';', ', or ');
  const needed = readable.replace(/[^\w:, ]/g, '').slice(0, 200);
  if (needed === '') return { kind: 'refused', message: describeMissingPermission({ route, as }) };
  if (as === 'token') {
    const message = `The token may not do "${route}" (403): it needs the permission ${needed}.`;
    return { kind: 'refused', message, permission: needed };
  }
  const repair = `Grant it in the App's settings under "Permissions", then accept it at the installation`;
  return {
    kind: 'refused',
    permission: needed,
    message: `The App may not do "${route}" (403): it needs the permission ${needed}. ${repair}.`,
  };
}

function describeMissingPermission({ route, as }: Pick<GithubCall, 'route' | 'as'>): string {
  if (as === 'token') return `The token may not do "${route}" (403): it needs a permission that it lacks.`;
  const reason = 'a permission that it needs was not granted, or never will be (workflow files)';
  return `The App may not do "${route}" (403): ${reason}. Compare the App's permissions with app.yml.`;
}

function describeStatus(status: number): string {
  if (status === 409) return 'it conflicts with what is there now.';
  if (status === 422) return 'it is not valid for what is there now.';
  if (status < 400) return 'it has moved; Causeway learns the new name from a "repository" event, or within hours.';
  return 'the request itself is wrong, which is a bug in Causeway or a GitHub version that it does not know.';
}
