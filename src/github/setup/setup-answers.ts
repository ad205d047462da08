// What set-up answers with: pages with their headers, and plain words.
import { pageHeaders } from './setup-pages.ts';

const COOKIE = 'causeway_setup';
const HOUR_S = 3_600;

/** `formTarget`: an origin that the page's form goes to, besides our own. */
export function html(
  status: number,
  body: string,
  { cookie = '', formTarget = '' }: { readonly cookie?: string; readonly formTarget?: string } = {},
): Response {
  const headers = new Headers(pageHeaders(formTarget));
  if (cookie !== '') headers.set('Set-Cookie', cookie);
  return new Response(body, { status, headers });
}

export function plain(status: number, words: string): Response {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return new Response(`${words}\n`, { status, headers });
}

/** Comes back with a link from GitHub (Lax), to no script, for an hour. */
export function cookieFor(value: string, origin: string): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${HOUR_S}; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`;

export function cookieOf(request: Request): string {
  const pairs = (request.headers.get('Cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}
