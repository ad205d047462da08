// What an answer of GitHub that is no success means: later, gone, refused or unsure, each with the repair.
import { GithubFailure, type GithubFailureKind } from './github-clients.ts';
import { describeLimit, isUsedUp, type RateLimitGate, type Resource, readRetryAfter } from './rate-limit-gate.ts';

/** What was called, without any value that was sent. */
export interface CallFacts {
  /** Such as `GET /repos/{owner}/{repo}`. */
  readonly route: string;
  readonly as: 'app' | 'installation' | 'anonymous';
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly now: Date;
  readonly gate: RateLimitGate;
  readonly resource: Resource;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

const MAX_SAID_CHARACTERS = 500;

/** A failure for an answer of 300 or more. */
export function toFailure(answer: Answer, call: CallFacts): GithubFailure {
  const { status, headers } = answer;
  const said = readSaid(answer.data);
  const fail = (kind: GithubFailureKind, message: string, retryAt: Date | null = null) =>
    new GithubFailure({ kind, status, retryAt, said, route: call.route }, message);
  if (status >= 500) {
    const meaning = 'an error on its side, possibly after the work was done. Causeway tries again';
    return fail('unsure', `GitHub answered "${call.route}" with ${status}: ${meaning}.`);
  }
  if (isPage(answer)) return fail('unsure', describeForeignAnswer(status, call));
  if (isLimit(answer, said, call.now)) {
    const until = call.gate.close(headers, call.resource);
    return fail('busy', describeLimit(until), until);
  }
  if (status === 404 || status === 410 || status === 451) return fail('gone', describeAbsence(status, call));
  if (status === 403 && /suspended/i.test(said)) {
    return fail('gone', "The installation is suspended (403): unsuspend it in its owner's GitHub Apps settings.");
  }
  if (status === 401) return fail('refused', describeRejection(call));
  if (status === 403) return fail('refused', describeForbidden(answer, said, call));
  return fail('refused', `GitHub did not accept "${call.route}" (${status}): ${describeStatus(status)}`);
}

/** For an answer that says success and is unreadable, and for no answer at all. */
export function unsureFailure(status: number | null, message: string, cause?: unknown): GithubFailure {
  return new GithubFailure({ kind: 'unsure', status, retryAt: null }, message, cause === undefined ? {} : { cause });
}

/** For a success that is not in the form of GitHub's API. */
export function unreadableFailure(status: number, call: CallFacts): GithubFailure {
  return unsureFailure(status, describeForeignAnswer(status, call));
}

/** A failure for a GraphQL answer with `errors`, which has status 200 whatever went wrong; null where it has none. */
export function toGraphqlFailure(answer: Answer, call: CallFacts): GithubFailure | null {
  const errors = readErrors(answer.data);
  if (errors.length === 0) return null;
  const { route } = call;
  const said = readSaid(answer.data);
  const fail = (kind: GithubFailureKind, message: string, retryAt: Date | null = null) =>
    new GithubFailure({ kind, status: answer.status, retryAt, said, route }, message);
  const types = new Set(errors.map((error) => readText(error, 'type')));
  if (types.has('RATE_LIMITED') || /secondary rate limit/i.test(said)) {
    const until = call.gate.close(answer.headers, call.resource);
    return fail('busy', describeLimit(until), until);
  }
  if (errors.some(isServerError)) {
    return fail(
      'unsure',
      `GitHub failed while it worked on "${route}", which may have happened. Causeway tries again.`,
    );
  }
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES')) {
    return fail('refused', describeMissingPermission(route));
  }
  if (types.has('NOT_FOUND')) {
    const reason = 'it was deleted, or access was lost';
    return fail('gone', `GitHub does not show this App what "${route}" refers to: ${reason}.`);
  }
  const reason = types.has('STALE_DATA') ? 'what it builds on was changed meanwhile' : describeStatus(422).slice(0, -1);
  return fail('refused', `GitHub did not accept "${route}": ${reason}.`);
}

/** GitHub does not always send a header with a limit, and the quota can be used up by the very call that lacked a permission. */
function isLimit({ status, headers }: Answer, said: string, now: Date): boolean {
  if (status !== 403 && status !== 429) return false;
  if (/not accessible by integration|suspended/i.test(said)) return false;
  if (status === 429 || isUsedUp(headers) || readRetryAfter(headers['retry-after'], now) !== null) return true;
  return /rate limit|abuse/i.test(said);
}

/** GitHub's short sentence with its error messages or codes; never the whole body. */
function readSaid(data: unknown): string {
  const errors = readErrors(data).map((error) => `${readMessage(error)} ${readText(error, 'code')}`);
  const parts = [readMessage(data), ...errors].map((part) => part.trim()).filter(Boolean);
  return parts.join('; ').replace(/\s+/g, ' ').slice(0, MAX_SAID_CHARACTERS);
}

/** `errors` of a REST refusal or of a GraphQL answer. */
function readErrors(data: unknown): readonly unknown[] {
  if (typeof data !== 'object' || data === null || !('errors' in data)) return [];
  return Array.isArray(data.errors) ? data.errors : [data.errors];
}

function readMessage(value: unknown): string {
  return typeof value === 'string' ? value : readText(value, 'message');
}

function readText(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}

/** Timeouts and internal errors have no type, or one that says so; a mistake in the query has `extensions.code`. */
function isServerError(error: unknown): boolean {
  const type = readText(error, 'type');
  if (type !== '') return /^(INTERNAL|SERVICE_UNAVAILABLE|TIMEOUT)/.test(type);
  const extensions: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'extensions') : null;
  return readText(extensions, 'code') === '';
}

function isPage({ headers }: Answer): boolean {
  return /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
}

function describeForeignAnswer(status: number, { route, apiUrl }: CallFacts): string {
  const repair = 'check GHE_HOST and any proxy in between. Causeway tries again';
  return `${apiUrl} did not answer "${route}" as GitHub's API does (${status}): ${repair}.`;
}

function describeAbsence(status: number, { route, as }: CallFacts): string {
  if (status === 451) return `GitHub withholds what "${route}" asks for for legal reasons (451).`;
  if (status === 410) return `What "${route}" asks for was deleted or is switched off (410).`;
  return as === 'app'
    ? `GitHub has nothing for "${route}" (404): the App was uninstalled there, or APP_ID names another App.`
    : `GitHub does not show this App what "${route}" asks for (404): it was deleted, or the App has lost access to it.`;
}

function describeRejection({ as, route, webUrl }: CallFacts): string {
  if (as === 'app') {
    const settings = `the App's settings (${webUrl}/settings/apps, or those of its organisation)`;
    return `GitHub rejected the credentials of the App (401): check that APP_ID and PRIVATE_KEY belong together, that the key is still listed in ${settings}, and that the clock of this machine is right.`;
  }
  return `GitHub rejects the installation's token for "${route}" (401), even a new one: check that the App is still installed there.`;
}

function describeForbidden(answer: Answer, said: string, { route }: CallFacts): string {
  if (!/not accessible by integration/i.test(said)) {
    return `GitHub did not allow "${route}" (403): a rule of the repository or its organisation forbids it, or it is archived.`;
  }
  const needed = describePermissions(String(answer.headers['x-accepted-github-permissions'] ?? ''));
  if (needed === '') return describeMissingPermission(route);
  const repair = `Grant it in the App's settings under "Permissions", then accept it at the installation`;
  return `The App may not do "${route}" (403): it needs the permission ${needed}. ${repair}.`;
}

function describeMissingPermission(route: string): string {
  const reason = 'a permission that it needs was not granted, or never will be (workflow files)';
  return `The App may not do "${route}" (403): ${reason}. Compare the App's permissions with app.yml.`;
}

/** `issues=write; pull_requests=write` are alternatives, `contents=write,workflows=write` are needed together. */
function describePermissions(header: string): string {
  const readable = header.replaceAll(/\s/g, '').replaceAll('=', ': ').replaceAll(',', ' and ').replaceAll(';', ', or ');
  return readable.replace(/[^\w:, ]/g, '').slice(0, 200);
}

function describeStatus(status: number): string {
  if (status === 409) return 'it conflicts with what is there now.';
  if (status === 422) return 'it is not valid for what is there now.';
  if (status < 400) return 'it has moved; Causeway learns the new name from a "repository" event, or within hours.';
  return 'the request itself is wrong, which is a bug in Causeway or a GitHub version that it does not know.';
}
