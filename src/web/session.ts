// Sessions: started by a sign-in, found by their cookie, ended by their limits or by the person; and the checks of
// every form.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { sanitiseLine } from 'causeway-visible-text';
import type { MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Account, type BrowserSession, isRecent, isSameSecret, isSessionAlive } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import { WebRefusal } from './layout.ts';
import type { PageContext, SignedIn, WebDeps, WebEnv } from './web-deps.ts';

/** The session's cookie, and the one that ties a sign-in to the browser that started it. */
type CookieKind = 'session' | 'sign_in';

/** Seconds. */
const COOKIE_AGES: Readonly<Record<CookieKind, number>> = { session: 7 * 24 * 3_600, sign_in: 10 * 60 };
const TOUCH_MS = 60_000;
const SESSION_VALUE = /^[\w-]{43}$/;
const FORGED = 'This form did not come from a page of this service. Open the page again and send it from there.';
const DEFAULT_PATH = '/';
const MAX_RETURN_PATH = 1_000;
const LOCAL_BASE = 'http://causeway.invalid';

/**
 * Starts a session in this browser. An earlier one ends, so that no value from before the sign-in is valid after it.
 */
export async function startSession(c: PageContext, deps: WebDeps, account: Account): Promise<void> {
  const earlier = await findSession(deps, readCookie(c, deps, 'session'));
  const now = deps.now().toISOString();
  if (earlier !== null) await deps.store.endSession(earlier.session.id, earlier.account.id, now);
  const value = randomBytes(32).toString('base64url');
  const client = sanitiseLine(c.req.header('User-Agent') ?? '', 200);
  const session: BrowserSession = {
    id: createId('ses'),
    accountId: account.id,
    startedAt: now,
    lastSeenAt: now,
    client,
  };
  await deps.store.addSession(session, hashValue(value));
  writeCookie(c, deps, 'session', value);
}

export async function endSession(c: PageContext, deps: WebDeps): Promise<void> {
  const { session, account } = c.get('signedIn');
  await deps.store.endSession(session.id, account.id, deps.now().toISOString());
  clearCookie(c, deps, 'session');
}

/** The session of a cookie as the store knows it now; null: none, or it has ended. */
export async function findSession(deps: WebDeps, cookie: string): Promise<SignedIn | null> {
  const found = SESSION_VALUE.test(cookie) ? await deps.store.findSessionByHash(hashValue(cookie)) : null;
  if (found === null || !isSessionAlive(found.session, deps.now())) return null;
  // Made from the session, so that pages in several tabs have the same.
  const formToken = createHmac('sha256', deps.key).update(`form ${found.session.id}`).digest('base64url');
  return { ...found, formToken };
}

/** Admits people with a session and sends others to the sign-in. Every form must come from a page of ours. */
export function requireSession(deps: WebDeps): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    if (!isReading(c)) requireOwnPage(c.req.raw, deps.baseUrl());
    const signedIn = await findSession(deps, readCookie(c, deps, 'session'));
    if (signedIn === null) {
      if (isReading(c)) return c.redirect(getSignInAddress(c), 303);
      const message = 'You are signed out, and nothing was changed. Sign in and send it again.';
      throw new WebRefusal(401, message, { next: { href: '/sign-in', text: 'Sign in' } });
    }
    await recordSessionUse(deps, signedIn.session);
    c.set('signedIn', signedIn);
    const signal = AbortSignal.any([c.req.raw.signal, c.env.stopping]);
    c.set('asking', { account: signedIn.account, reach: null, signal });
    const { allowed, retryAfter } = deps.limiter.take(signedIn.account.id, 'page', deps.now());
    if (allowed) return next();
    const headers = { 'Retry-After': String(retryAfter) };
    throw new WebRefusal(429, `Too many requests: wait ${retryAfter} s.`, { headers });
  };
}

/**
 * For credentials: a sign-in that is too old must be repeated, and returns here; after a form to `page`, since the
 * form's data is lost.
 */
export function requireRecentSignIn(deps: WebDeps, page: string): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    if (isRecent(c.get('signedIn').session, deps.now())) return next();
    if (isReading(c)) return c.redirect(`${getSignInAddress(c)}&again=1`, 303);
    const href = `/sign-in?again=1&return=${encodeURIComponent(page)}`;
    const message = 'This needs a recent sign-in, and nothing was changed. Sign in again and repeat it.';
    throw new WebRefusal(403, message, { next: { href, text: 'Sign in again' } });
  };
}

function getSignInAddress(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url);
  return `/sign-in?return=${encodeURIComponent(`${pathname}${search}`)}`;
}

function isReading(c: PageContext): boolean {
  return c.req.method === 'GET' || c.req.method === 'HEAD';
}

async function recordSessionUse({ store, now, log }: WebDeps, { id, lastSeenAt }: BrowserSession): Promise<void> {
  if (now().getTime() - Date.parse(lastSeenAt) < TOUCH_MS) return;
  await store
    .touchSession(id, now().toISOString())
    .catch((error: unknown) => log.warn({ err: error, sessionId: id }, 'the use of a session was not recorded'));
}

/** No salt or stretching: the values have 128 random bits or more. */
export function hashValue(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Refuses a form that another site's page has sent, or no page at all. */
export function requireOwnPage(request: Request, baseUrl: string): void {
  const site = request.headers.get('Sec-Fetch-Site');
  const origin = request.headers.get('Origin');
  // A page cannot set what the browser says here; a request with neither header is sent by no browser's form.
  const isOwnSite = site === null || site === 'same-origin';
  // In local mode both names of this machine are its own.
  const isOwnOrigin = origin === new URL(baseUrl).origin || origin === new URL(request.url).origin;
  if (!isOwnSite || !(origin === null ? site === 'same-origin' : isOwnOrigin)) throw new WebRefusal(403, FORGED);
}

export function requireFormToken(given: string, expected: string): void {
  if (!isSameSecret(given, expected)) throw new WebRefusal(403, FORGED);
}

export function readCookie(c: PageContext, deps: WebDeps, kind: CookieKind): string {
  return getCookie(c, getCookieName(deps, kind)) ?? '';
}

export function writeCookie(c: PageContext, deps: WebDeps, kind: CookieKind, value: string): void {
  setCookie(c, getCookieName(deps, kind), value, { ...getCookieAttributes(deps), maxAge: COOKIE_AGES[kind] });
}

export function clearCookie(c: PageContext, deps: WebDeps, kind: CookieKind): void {
  deleteCookie(c, getCookieName(deps, kind), getCookieAttributes(deps));
}

/**
 * `__Host-`: only for this host, never over plain http. Without TLS the port is part of the name, since cookies ignore
 * ports.
 */
function getCookieName({ baseUrl }: WebDeps, kind: CookieKind): string {
  const { protocol, port } = new URL(baseUrl());
  return protocol === 'https:' ? `__Host-causeway_${kind}` : `causeway_${kind}_${port || '80'}`;
}

/** Lax, not Strict: GitHub's redirect comes from another site, and so does every link in a comment. */
function getCookieAttributes({ baseUrl }: WebDeps) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: baseUrl().startsWith('https:') } as const;
}

/**
 * The path to open after signing in: always a page of this service; the first page where the given one leads elsewhere.
 */
export function toSafeReturnPath(given: string): string {
  if (!given.startsWith('/') || given.length > MAX_RETURN_PATH || /[\\\p{Cc}]/u.test(given)) return DEFAULT_PATH;
  if (!URL.canParse(given, LOCAL_BASE)) return DEFAULT_PATH;
  const url = new URL(given, LOCAL_BASE);
  if (url.origin !== LOCAL_BASE || url.pathname.startsWith('//')) return DEFAULT_PATH;
  if (/^\/(?:sign-in|sign-out|account\/callback|assets)(?:\/|$)/.test(url.pathname)) return DEFAULT_PATH;
  return `${url.pathname}${url.search}${url.hash}`;
}
