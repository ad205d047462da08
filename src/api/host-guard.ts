// Loopback only, in earnest: a name that an attacker lets point here (DNS rebinding) and other sites' pages are refused.
import type { IncomingMessage } from 'node:http';
import type { WireRefusal } from './wire-refusal.ts';

const NOT_LOOPBACK: WireRefusal = {
  status: 421,
  detail: 'This service answers to loopback names only: use http://127.0.0.1 or http://localhost with its port.',
};
const FOREIGN_PAGE: WireRefusal = { status: 421, detail: 'Pages of other sites may not call this service.' };
const NO_HOST: WireRefusal = { status: 400, detail: 'Send the header Host exactly once.' };

/** HTTP/1.1 wants one Host; of two, a proxy before us might have judged the other. */
export function hostRefusal({ rawHeaders }: IncomingMessage): WireRefusal | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1 ? null : NO_HOST;
}

export function loopbackRefusal({ headers }: IncomingMessage): WireRefusal | null {
  if (!isLoopbackAuthority(headers.host ?? '')) return NOT_LOOPBACK;
  if (headers.origin !== undefined && !isLoopbackAuthority(headers.origin.replace(/^https?:\/\//, ''))) {
    return FOREIGN_PAGE;
  }
  // A link on another site may lead here; its scripts, forms and images may not.
  const crossSite = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
  return crossSite ? FOREIGN_PAGE : null;
}

function isLoopbackAuthority(authority: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(authority);
}
