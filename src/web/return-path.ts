// Where a person goes after signing in: a page of this service, whatever the address said.

const ANYWHERE = '/projects';
/** Longer ones are nobody's link. */
const LONGEST = 1_000;
const BASE = 'http://causeway.invalid';

/** The path to go on with; `/projects` where the given one leads elsewhere, or back to signing in. */
export function safeReturnPath(given: string): string {
  if (!given.startsWith('/') || given.length > LONGEST || /[\\\p{Cc}]/u.test(given)) return ANYWHERE;
  if (!URL.canParse(given, BASE)) return ANYWHERE;
  const url = new URL(given, BASE);
  if (url.origin !== BASE || url.pathname.startsWith('//')) return ANYWHERE;
  if (/^\/(?:sign-in|sign-out|account\/callback|assets)(?:\/|$)/.test(url.pathname)) return ANYWHERE;
  return url.pathname === '/' ? ANYWHERE : `${url.pathname}${url.search}${url.hash}`;
}
