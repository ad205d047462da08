// Signing in: with GitHub (state, PKCE, one browser, once), or on this machine with a link from the terminal; and
// signing out.
import { createHash, randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import { type GithubSignIn, isSameSecret, SignInRefused } from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import type { Person } from '../core/project/index.ts';
import { takeFromQuota } from '../services/index.ts';
import { readForm, readPublicForm } from './forms.ts';
import { createPageHeaders, type Html, refuseAbsentPage, renderPage, WebRefusal } from './layout.ts';
import {
  clearCookie,
  endSession,
  findSession,
  hashValue,
  readCookie,
  requireOwnPage,
  startSession,
  toSafeReturnPath,
  writeCookie,
} from './session.ts';
import type { PageContext, SignInMethod, WebDeps } from './web-deps.ts';

/**
 * A minute, for all callers together: no account is known yet. Forms cost little; callbacks cost a write and requests
 * to GitHub.
 */
const LIMITS = { forms: 600, callbacks: 60, exchanges: 8 } as const;
/** How long to wait for one of the exchanges to end: each takes half a minute at most. */
const EXCHANGE_SECONDS = 10;
const LOCAL_CODE = /^[\w-]{22}$/;
const SIGN_IN_MS = 10 * 60_000;
const SIGN_IN_OVER =
  'This sign-in is no longer valid: it was started in another browser, took longer than 10 minutes, or was already used. Start again.';

/** What the browser keeps, sealed, while it is at GitHub. */
interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly returnPath: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The limits before the sign-in. Each refuses with 429. */
interface SignInLimiter {
  countForm(): void;
  countCallback(): void;
  exchange<T>(work: () => Promise<T>): Promise<T>;
}

export function createSignInLimiter(now: () => Date): SignInLimiter {
  let running = 0;
  return {
    countForm: createCounter(LIMITS.forms, now),
    countCallback: createCounter(LIMITS.callbacks, now),
    exchange: async (work) => {
      if (running >= LIMITS.exchanges) refuseForNow(EXCHANGE_SECONDS);
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    },
  };
}

function createCounter(quota: number, now: () => Date): () => void {
  let times: readonly number[] = [];
  return () => {
    const taken = takeFromQuota(times, quota, now().getTime());
    times = taken.times;
    if (!taken.allowed) refuseForNow(taken.resetSeconds);
  };
}

function refuseForNow(seconds: number): never {
  const message = `Too many people are signing in: wait ${seconds} s, and load this page again.`;
  throw new WebRefusal(429, message, { headers: { 'Retry-After': String(seconds) } });
}

/** GET /sign-in */
export async function getSignIn(c: PageContext, deps: WebDeps): Promise<Response> {
  const returnPath = toSafeReturnPath(c.req.query('return') ?? '');
  const isAgain = c.req.query('again') !== undefined;
  const signedIn = await findSession(deps, readCookie(c, deps, 'session'));
  if (signedIn !== null && !isAgain) return c.redirect(returnPath, 303);
  const { signInMethod: method } = deps;
  // Kept until the person comes back with the link from the terminal.
  const isReturning = method.kind === 'local' && c.req.query('return') !== undefined;
  if (isReturning) writeCookie(c, deps, 'sign_in', deps.seal.seal(returnPath, 'return'));
  const body = html`<h1>Sign in</h1>
${isAgain ? html`<p class="notice">Credentials are only shown to people who signed in within the last 30 minutes.</p>` : ''}
${renderMethod(method, returnPath)}`;
  const formTarget = method.kind === 'github' ? method.origin : '';
  const headers = createPageHeaders(deps.baseUrl().startsWith('https:'), formTarget);
  return renderPage(c, deps, { title: 'Sign in', body, headers });
}

function renderMethod(method: SignInMethod, returnPath: string): Html {
  if (method.kind === 'local') {
    return html`<p class="lead">On this machine you sign in with a link from the terminal. It works once.</p>
<p>Run this where Causeway is installed, and open the address that it prints:</p>
<pre tabindex="0"><code>${method.command}</code></pre>`;
  }
  if (method.signIn === null) {
    return html`<p class="lead">Sign-in is not set up yet: the client id and the client secret of the GitHub App are missing.</p>
<p>The operator sets <code>GITHUB_CLIENT_ID</code> and <code>GITHUB_CLIENT_SECRET</code>; both are on the page of the App on GitHub.</p>`;
  }
  return html`<p class="lead">Review findings, control running investigations and manage your credentials.</p>
<form method="post" action="/sign-in"><input type="hidden" name="return" value="${returnPath}">
<button class="primary">Sign in with GitHub</button></form>
<p class="hint">Causeway only reads your identity; GitHub's token isn't stored. What you see here follows your role in each repository.</p>`;
}

/** POST /sign-out: the session ends in the store, so that a copy of its cookie is worthless. */
export async function postSignOut(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  await endSession(c, deps);
  return c.redirect('/sign-in', 303);
}

/** GET /sign-in/local: changes nothing, so that a link preview does not use up the code. */
export function getLocalSignIn(c: PageContext, deps: WebDeps): Promise<Response> {
  const command = requireLocalCommand(deps);
  const code = c.req.query('code') ?? '';
  if (!LOCAL_CODE.test(code)) refuseUsedCode(command);
  const body = html`<h1>Sign in on this machine</h1>
<p class="lead">This signs you in as the owner of this machine's projects. The link works once.</p>
<form method="post" action="/sign-in/local"><input type="hidden" name="code" value="${code}">
<button class="primary" autofocus>Sign in</button></form>`;
  return renderPage(c, deps, { title: 'Sign in', body });
}

/** POST /sign-in/local */
export async function postLocalSignIn(c: PageContext, deps: WebDeps, limiter: SignInLimiter): Promise<Response> {
  const command = requireLocalCommand(deps);
  requireOwnPage(c.req.raw, deps.baseUrl());
  limiter.countForm();
  const code = (await readPublicForm(c)).text('code');
  const now = deps.now().toISOString();
  const account = LOCAL_CODE.test(code) ? await deps.store.useSignInCode(hashValue(code), now) : null;
  if (account === null) refuseUsedCode(command);
  await startSession(c, deps, account);
  return c.redirect(takeReturnPath(c, deps), 303);
}

/** A new code of 128 random bits, and what is stored of it. */
export function createSignInCode(): { readonly code: string; readonly hash: string } {
  const code = randomBytes(16).toString('base64url');
  return { code, hash: hashValue(code) };
}

function requireLocalCommand({ signInMethod }: WebDeps): string {
  return signInMethod.kind === 'local' ? signInMethod.command : refuseAbsentPage();
}

function refuseUsedCode(command: string): never {
  throw new WebRefusal(
    400,
    `This link was already used, has expired, or was replaced by a newer one. Get a new one with: ${command}`,
  );
}

function takeReturnPath(c: PageContext, deps: WebDeps): string {
  const cookie = readCookie(c, deps, 'sign_in');
  if (cookie === '') return toSafeReturnPath('');
  clearCookie(c, deps, 'sign_in');
  return toSafeReturnPath(openSealed(deps, cookie, 'return') ?? '');
}

/** Null where the cookie was not sealed by us for this purpose. */
function openSealed({ seal }: WebDeps, cookie: string, purpose: string): string | null {
  try {
    return cookie === '' ? null : seal.open(cookie, purpose);
  } catch {
    return null;
  }
}

/** POST /sign-in */
export async function postGithubSignIn(c: PageContext, deps: WebDeps, limiter: SignInLimiter): Promise<Response> {
  requireOwnPage(c.req.raw, deps.baseUrl());
  const signIn = requireGithub(deps);
  limiter.countForm();
  const form = await readPublicForm(c);
  const pending: PendingSignIn = {
    state: randomBytes(32).toString('base64url'),
    verifier: randomBytes(32).toString('base64url'),
    returnPath: toSafeReturnPath(form.text('return')),
    until: deps.now().getTime() + SIGN_IN_MS,
  };
  writeCookie(c, deps, 'sign_in', deps.seal.seal(JSON.stringify(pending), 'sign-in'));
  const challenge = createHash('sha256').update(pending.verifier).digest('base64url');
  return c.redirect(signIn.address({ state: pending.state, challenge, redirectUri: getRedirectUri(deps) }), 303);
}

/** GET /account/callback: where GitHub sends the browser back to. */
export async function getGithubCallback(c: PageContext, deps: WebDeps, limiter: SignInLimiter): Promise<Response> {
  const signIn = requireGithub(deps);
  const pending = requirePending(c, deps);
  limiter.countCallback();
  // Inside the limit, so that a person who has to wait can come back with the same address.
  const person = await limiter.exchange(async () => {
    await useUp(c, deps, pending);
    return fetchPerson(c, deps, signIn, pending);
  });
  const account = await deps.store.ensureAccount({
    login: person.login,
    githubId: person.id,
    signingSecret: deps.newSigningSecret(),
    now: deps.now().toISOString(),
  });
  await startSession(c, deps, account);
  return c.redirect(pending.returnPath, 303);
}

function requireGithub({ signInMethod }: WebDeps): GithubSignIn {
  return (signInMethod.kind === 'github' ? signInMethod.signIn : null) ?? refuseAbsentPage();
}

function getRedirectUri({ baseUrl }: WebDeps): string {
  return `${baseUrl()}/account/callback`;
}

/**
 * The sign-in that this browser started, if its state matches and it is not too old; otherwise neither GitHub nor the
 * store is called.
 */
function requirePending(c: PageContext, deps: WebDeps): PendingSignIn {
  const opened = openSealed(deps, readCookie(c, deps, 'sign_in'), 'sign-in');
  const pending = opened === null ? null : (JSON.parse(opened) as PendingSignIn);
  const isOwn = pending !== null && isSameSecret(c.req.query('state') ?? '', pending.state);
  if (isOwn && pending.until >= deps.now().getTime()) return pending;
  clearCookie(c, deps, 'sign_in');
  throw new WebRefusal(400, SIGN_IN_OVER);
}

async function useUp(c: PageContext, deps: WebDeps, { state, until }: PendingSignIn): Promise<void> {
  clearCookie(c, deps, 'sign_in');
  const times = { expiresAt: new Date(until).toISOString(), now: deps.now().toISOString() };
  if (!(await deps.store.useOnce(hashValue(state), times))) throw new WebRefusal(400, SIGN_IN_OVER);
}

/** Refusals are shown as they are: their text is ours, and names what the operator has to repair. */
async function fetchPerson(
  c: PageContext,
  deps: WebDeps,
  signIn: GithubSignIn,
  { verifier }: PendingSignIn,
): Promise<Person> {
  const answer = { code: requireCode(c), verifier, redirectUri: getRedirectUri(deps) };
  try {
    return await signIn.person(answer, AbortSignal.any([c.req.raw.signal, c.env.stopping]));
  } catch (error) {
    if (error instanceof SignInRefused) throw new WebRefusal(error.kind === 'person' ? 403 : 400, error.message);
    if (!(error instanceof CausewayError) || error.code !== 'github_failed') throw error;
    deps.log.warn({ err: error, requestId: c.get('requestId') }, 'GitHub did not answer for a sign-in');
    throw new WebRefusal(503, error.message);
  }
}

function requireCode(c: PageContext): string {
  const { code = '', error } = c.req.query();
  if (error === 'access_denied') throw new WebRefusal(403, 'Sign-in cancelled.');
  if (error !== undefined) {
    const name = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : '';
    const message = `GitHub ended the sign-in without naming you${name}, so you are not signed in. Start again. If it happens again, the operator should compare the page of the App on GitHub with GITHUB_CLIENT_ID and PUBLIC_URL.`;
    throw new WebRefusal(400, message);
  }
  if (code === '' || code.length > 200) throw new WebRefusal(400, SIGN_IN_OVER);
  return code;
}
