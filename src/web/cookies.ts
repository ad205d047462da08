// The two cookies: the session's, and the one that ties a sign-in to the browser that began it.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { WebDeps, WebEnv } from './web-deps.ts';

type CookieKind = 'session' | 'sign_in';

/** Seconds. */
const LASTS: Readonly<Record<CookieKind, number>> = { session: 7 * 24 * 3_600, sign_in: 10 * 60 };

export function cookieOf(c: Context<WebEnv>, deps: Pick<WebDeps, 'baseUrl'>, kind: CookieKind): string {
  return getCookie(c, nameOf(deps, kind)) ?? '';
}

export function giveCookie(c: Context<WebEnv>, deps: Pick<WebDeps, 'baseUrl'>, kind: CookieKind, value: string): void {
  setCookie(c, nameOf(deps, kind), value, { ...attributesOf(deps), maxAge: LASTS[kind] });
}

export function takeCookie(c: Context<WebEnv>, deps: Pick<WebDeps, 'baseUrl'>, kind: CookieKind): void {
  deleteCookie(c, nameOf(deps, kind), attributesOf(deps));
}

/** `__Host-`: of this host alone, never from plain http. Without TLS the port is part of the name, since cookies know no ports. */
function nameOf({ baseUrl }: Pick<WebDeps, 'baseUrl'>, kind: CookieKind): string {
  const { protocol, port } = new URL(baseUrl());
  return protocol === 'https:' ? `__Host-causeway_${kind}` : `causeway_${kind}_${port || '80'}`;
}

/** Lax, not Strict: GitHub's redirect comes from another site, and so does every link in a comment. */
function attributesOf({ baseUrl }: Pick<WebDeps, 'baseUrl'>) {
  const secure = baseUrl().startsWith('https:');
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
}
