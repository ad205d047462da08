// Sessions: begun by a sign-in, found again by their cookie, ended by their limits or by the person.
import { createHash, randomBytes } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { type Account, isRecent, isSessionAlive, type Session } from '../core/account.ts';
import { newId } from '../core/ids.ts';
import { inertLine } from '../core/inert-text.ts';

import { cookieOf, giveCookie, takeCookie } from './cookies.ts';
import { formTokenOf, requireOwnPage } from './form-token.ts';
import { WebRefusal } from './refusal.ts';
import type { SignedIn, WebDeps, WebEnv } from './web-deps.ts';

const FORM = /^[\w-]{43}$/;
const SIGN_IN = { href: '/sign-in', text: 'Sign in' };

/** A new session for this browser; one that it had ends, so that no value of before the sign-in is worth anything after it. */
export async function beginSession(c: Context<WebEnv>, deps: WebDeps, account: Account): Promise<void> {
  const earlier = await sessionOf(deps, cookieOf(c, deps, 'session'));
  const now = deps.now().toISOString();
  if (earlier !== null) await deps.store.endSession(earlier.session.id, earlier.account.id, now);
  const value = randomBytes(32).toString('base64url');
  const client = inertLine(c.req.header('User-Agent') ?? '', 200);
  const session: Session = { id: newId('ses'), accountId: account.id, startedAt: now, lastSeenAt: now, client };
  await deps.store.addSession(session, hashOf(value));
  giveCookie(c, deps, 'session', value);
}

export async function endSession(c: Context<WebEnv>, deps: WebDeps): Promise<void> {
  const { session, account } = c.get('signedIn');
  await deps.store.endSession(session.id, account.id, deps.now().toISOString());
  takeCookie(c, deps, 'session');
}

/** The session behind a cookie as the store knows it now; null: none, or it is over. */
export async function sessionOf(
  deps: Pick<WebDeps, 'store' | 'now' | 'key'>,
  cookie: string,
): Promise<SignedIn | null> {
  const found = FORM.test(cookie) ? await deps.store.sessionByHash(hashOf(cookie)) : null;
  if (found === null || !isSessionAlive(found.session, deps.now())) return null;
  return { ...found, formToken: formTokenOf(deps, found.session.id) };
}

/** Lets in who signed in, and knows them from then on; others are sent to the sign-in. Every form must come from a page of ours. */
export function requireSession(deps: WebDeps): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    if (!isReading(c)) requireOwnPage(c.req.raw, deps.baseUrl());
    const signedIn = await sessionOf(deps, cookieOf(c, deps, 'session'));
    if (signedIn === null) {
      if (isReading(c)) return c.redirect(signInAddress(c), 303);
      throw new WebRefusal(
        401,
        'You are signed out, and nothing was changed. Sign in, and send it again.',
        {},
        SIGN_IN,
      );
    }
    await noteUse(deps, signedIn.session);
    c.set('signedIn', signedIn);
    const signal = AbortSignal.any([c.req.raw.signal, c.env.stopping]);
    c.set('asking', { account: signedIn.account, reach: null, signal });
    const { allowed, retryAfter } = deps.limiter.take(signedIn.account.id, 'page', deps.now());
    if (!allowed) {
      throw new WebRefusal(429, `Too many requests: wait ${retryAfter} s.`, { 'Retry-After': String(retryAfter) });
    }
    return next();
  };
}

/**
 * For what hands out keys: who signed in a while ago does so again, and comes back; after a form to `page`, since what was sent is gone.
 */
export function requireRecentSignIn(deps: Pick<WebDeps, 'now'>, page: string): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    if (isRecent(c.get('signedIn').session, deps.now())) return next();
    if (isReading(c)) return c.redirect(`${signInAddress(c)}&again=1`, 303);
    const wayOn = { href: `/sign-in?again=1&return=${encodeURIComponent(page)}`, text: 'Sign in again' };
    const words = 'This needs a recent sign-in, and nothing was changed. Sign in again, and send it anew.';
    throw new WebRefusal(403, words, {}, wayOn);
  };
}

function signInAddress(c: Context<WebEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  return `/sign-in?return=${encodeURIComponent(`${pathname}${search}`)}`;
}

function isReading(c: Context<WebEnv>): boolean {
  return c.req.method === 'GET' || c.req.method === 'HEAD';
}

const TOUCH_MS = 60_000;

async function noteUse({ store, now, log }: WebDeps, { id, lastSeenAt }: Session): Promise<void> {
  if (now().getTime() - Date.parse(lastSeenAt) < TOUCH_MS) return;
  await store
    .touchSession(id, now().toISOString())
    .catch((error: unknown) => log.warn({ err: error, sessionId: id }, 'use of a session was not written'));
}

/** No salt or stretching: 256 random bits cannot be guessed. */
export function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
