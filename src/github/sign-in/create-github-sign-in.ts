// Signing in with GitHub (PKCE): the browser's code is exchanged for a person, whose token is revoked at once.
import { z } from 'zod';
import { readLimited } from '../../core/abortable.ts';
import { type GithubSignIn, SignInRefused } from '../../core/account/index.ts';
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/project/index.ts';
import type { InstallationStore } from '../../db/index.ts';
import { type Log, registerSecret } from '../../log.ts';
import { sendUnwatched, type WatchCall } from '../clients/index.ts';
import { createOwnerRule, hasNext, type OwnerRuleOptions } from '../projects/index.ts';

export interface GithubSignInOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com, without a slash at its end. */
  readonly webUrl: string;
  readonly userAgent: string;
  readonly log: Log;
  readonly mayEnter: MayEnter;
  /** Instead of node's own, which follows HTTPS_PROXY and NO_PROXY. */
  readonly fetch?: typeof fetch;
  readonly watch?: WatchCall;
  /** For the code, for all questions together, and for revoking the token, each (default 10 s). */
  readonly deadlineMs?: number;
}

/** As the browser and the start of the sign-in gave it. */
type CodeExchange = Parameters<GithubSignIn['person']>[0];

/** An installation is about 2 KB, with all its permissions and events. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

const MAX_PAGES = 10;

const PAGE_SIZE = 100;

/** GitHub's user tokens live for 8 hours. The refresh token lives longer, but is not kept. */
const TOKEN_TTL_MS = 8 * 60 * 60_000;

const Refusal = z.object({ error: z.string() });

/** What may be in a header. */
const Token = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{8,512}$/) });

const User = z.object({ id: z.int().positive(), login: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) });

const Page = z.object({ installations: z.array(z.object({ id: z.int().positive() })) });

export function createGithubSignIn(options: GithubSignInOptions): GithubSignIn {
  const { clientId, webUrl, deadlineMs = 10_000 } = options;
  const limit = (signal: AbortSignal) => ({ signal, deadline: AbortSignal.timeout(deadlineMs) });
  return {
    address: ({ state, challenge, redirectUri }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return `${webUrl}/login/oauth/authorize?${query}`;
    },
    person: async (exchange, signal) => {
      const token = await exchangeSignInCode(options, exchange, limit(signal));
      try {
        const { person, installationIds } = await readPerson(options, token, limit(signal));
        if (await options.mayEnter(person, installationIds, signal)) return person;
        throw notAllowed(person);
      } finally {
        // Also where the person has left meanwhile.
        await revokeUserToken(options, token, limit(new AbortController().signal));
      }
    },
  };
}

/**
 * Throws SignInRefused where GitHub does not take the code, and `github_failed` with the repair for everything else.
 */
async function exchangeSignInCode(
  options: GithubSignInOptions,
  exchange: CodeExchange,
  limits: SignInSignals,
): Promise<string> {
  const { clientId, clientSecret, webUrl } = options;
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    code: exchange.code,
    redirect_uri: exchange.redirectUri,
    code_verifier: exchange.verifier,
  });
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const path = '/login/oauth/access_token';
  const answer = await request(
    options,
    { url: `${webUrl}${path}`, method: 'POST', path, headers, body: `${form}` },
    limits,
  );
  if (answer.kind === 'none') throw unusable(answer.reason);
  registerTokens(answer.data);
  const refusal = Refusal.safeParse(answer.data);
  if (refusal.success && answer.status < 500) throw createSignInRefusal(refusal.data.error, exchange.redirectUri);
  const token = Token.safeParse(answer.data);
  if (answer.status !== 200 || !token.success) throw unusable(describeAnswer(answer));
  return token.data.access_token;
}

/** Before anything else is done with the answer: these must never be shown. */
function registerTokens(data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  for (const name of ['access_token', 'refresh_token']) {
    const value: unknown = Reflect.get(data, name);
    if (typeof value === 'string') registerSecret(value, TOKEN_TTL_MS);
  }
}

interface SignedInPerson {
  readonly person: Person;
  /** GitHub's numbers: of the first thousand at most. */
  readonly installationIds: readonly number[];
}

/**
 * Who the person is, and which installations of the App they can reach. Throws `github_failed` where GitHub gives no
 * usable answer.
 */
async function readPerson(options: GithubSignInOptions, token: string, limits: SignInSignals): Promise<SignedInPerson> {
  const get = async (path: string, query = '') => {
    const url = `${options.apiUrl}${path}${query}`;
    const headers = { ...API_HEADERS, authorization: `Bearer ${token}` };
    const answer = await request(options, { url, method: 'GET', path, headers, body: null }, limits);
    if (answer.kind === 'answer' && answer.status === 200 && answer.data !== undefined) return answer;
    throw unusable(answer.kind === 'none' ? answer.reason : describeAnswer(answer));
  };
  const user = User.safeParse((await get('/user')).data);
  if (!user.success) throw unusable(UNEXPECTED);
  const installationIds: number[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { data, link } = await get('/user/installations', `?per_page=${PAGE_SIZE}&page=${page}`);
    const listed = Page.safeParse(data);
    if (!listed.success) throw unusable(UNEXPECTED);
    installationIds.push(...listed.data.installations.map(({ id }) => id));
    if (!hasNext(link)) break;
  }
  const { id, login } = user.data;
  return { person: { id, login }, installationIds };
}

/** Never throws: a token that GitHub does not revoke ends by itself within 8 hours, and is kept nowhere. */
async function revokeUserToken(options: GithubSignInOptions, token: string, limits: SignInSignals): Promise<void> {
  const { clientId, clientSecret, apiUrl, log } = options;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await request(
    options,
    {
      url: `${apiUrl}/applications/${encodeURIComponent(clientId)}/token`,
      method: 'DELETE',
      path: '/applications/{client_id}/token',
      headers: { ...API_HEADERS, authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: token }),
    },
    limits,
  );
  // 404: it is already invalid.
  if (answer.kind === 'answer' && (answer.status === 204 || answer.status === 404)) return;
  const reason = answer.kind === 'answer' ? `status ${answer.status}` : answer.reason;
  log.warn(
    { reason },
    'GitHub did not revoke the token of a sign-in; it ends by itself within 8 hours and is kept nowhere',
  );
}

const API_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

interface SignInRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As it is documented, such as `/user/installations`: without any value. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface SignInSignals {
  /** The caller's own: its reason is thrown. */
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
}

/** `data`: undefined where the body is no JSON. `link`: the header, "" for none. */
interface AnsweredSignIn {
  readonly kind: 'answer';
  readonly status: number;
  readonly data: unknown;
  readonly link: string;
}

/** `reason` fits in brackets and quotes nothing of GitHub's. */
type SignInAnswer = AnsweredSignIn | { readonly kind: 'none'; readonly reason: string };

/**
 * Bounded in time and size. No redirect is followed: what is sent contains secrets. Throws only the signal's reason.
 */
async function request(
  options: GithubSignInOptions,
  sent: SignInRequest,
  limits: SignInSignals,
): Promise<SignInAnswer> {
  const { fetch: send = fetch, watch = sendUnwatched, userAgent } = options;
  const { url, method, path, body } = sent;
  const signal = AbortSignal.any([limits.signal, limits.deadline]);
  const headers = { ...sent.headers, 'user-agent': userAgent };
  try {
    // The limits of the person's own token do not count for the App.
    const response = await watch({ route: `${method} ${path}`, holder: 'person' }, () =>
      send(url, { method, headers, body, redirect: 'manual', signal }),
    );
    const { bytes, isWhole } = await readLimited(response.body, MAX_ANSWER_BYTES, signal);
    if (!isWhole) {
      await response.body?.cancel();
      return { kind: 'none', reason: `more than ${MAX_ANSWER_BYTES / 1024} KiB` };
    }
    const data = parseSignInJson(new TextDecoder().decode(bytes));
    return { kind: 'answer', status: response.status, data, link: response.headers.get('link') ?? '' };
  } catch (error) {
    limits.signal.throwIfAborted();
    return { kind: 'none', reason: limits.deadline.aborted ? 'timed out' : findCode(error) };
  }
}

function parseSignInJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Such as ECONNRESET. */
function findCode(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.cause instanceof Error) return findCode(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}

const UNEXPECTED = 'unexpected data';

function describeAnswer({ status, data }: AnsweredSignIn): string {
  if (status !== 200) return `status ${status}`;
  return data === undefined ? 'a page instead of data' : UNEXPECTED;
}

/** The cause is left out, since it may quote what was sent. */
function unusable(reason: string): CausewayError {
  const repair = 'If that does not help, the operator should check GHE_HOST and any proxy in between';
  const message = `GitHub gave no usable answer (${reason}): sign in again in a minute. ${repair}.`;
  return new CausewayError('github_failed', message);
}

/** GitHub names what it refuses; its own sentences are not shown. */
function createSignInRefusal(error: string, redirectUri: string): CausewayError {
  switch (error) {
    case 'bad_verification_code':
    case 'invalid_grant':
      return new SignInRefused('code', 'The sign-in took too long or was used before: sign in again.');
    case 'unverified_user_email':
      return new SignInRefused(
        'person',
        'GitHub wants your e-mail address verified first: do that in its settings, then sign in again.',
      );
    case 'incorrect_client_credentials':
    case 'Not Found':
      return describeMisconfiguration(
        'GitHub does not accept the credentials of this service',
        "set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to those on the App's page on GitHub",
      );
    case 'redirect_uri_mismatch':
      return describeMisconfiguration(
        `GitHub does not send people back to ${redirectUri}`,
        `add it as a "Callback URL" on the App's page on GitHub, or correct PUBLIC_URL`,
      );
    default:
      return describeMisconfiguration(
        'GitHub refused the sign-in for an unknown reason: sign in again. If that does not help',
        "compare the App's page on GitHub with GITHUB_CLIENT_ID and PUBLIC_URL",
        ', ',
      );
  }
}

function describeMisconfiguration(fault: string, repair: string, separator = ': '): CausewayError {
  return new CausewayError('github_failed', `${fault}${separator}the operator should ${repair}.`);
}

function notAllowed({ login }: Person): SignInRefused {
  const message = [
    `You are signed in to GitHub as ${login}, but there is nothing for you here yet.`,
    'Get access to a repository that Causeway watches, or install its App on repositories of your own;',
    'if that does not help, ask the operator to add you or your organisation to ALLOWED_OWNERS. Then sign in again.',
  ];
  return new SignInRefused('person', message.join(' '));
}

/**
 * `installationIds`: those that GitHub lists for the person. Throws `github_failed` where GitHub does not say who owns
 * the App.
 */
type MayEnter = (person: Person, installationIds: readonly number[], signal: AbortSignal) => Promise<boolean>;

interface MayEnterOptions extends OwnerRuleOptions {
  readonly store: Pick<InstallationStore, 'listInstallations'>;
}

/** Suspended installations do not count: their projects are hidden. */
export function createMayEnter({ store, ...rule }: MayEnterOptions): MayEnter {
  const isAllowed = createOwnerRule(rule);
  return async (person, installationIds, signal) => {
    const own = new Set(installationIds);
    const reached = (await store.listInstallations()).filter(({ id, isSuspended }) => !isSuspended && own.has(id));
    try {
      for (const owner of [person, ...reached.map((installation) => installation.owner)]) {
        if (await isAllowed(owner, signal)) return true;
      }
      return false;
    } catch (cause) {
      signal.throwIfAborted();
      const message = 'GitHub does not say at the moment who owns the App: sign in again in a minute.';
      throw new CausewayError('github_failed', message, { cause });
    }
  };
}
