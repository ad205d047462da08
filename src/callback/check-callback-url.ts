// Whether a callback address may be used at all, as far as its text can tell: checked when it is given and before each attempt.
import { parseAddress } from './address-kind.ts';
import { isLocalhost, judgeAddress } from './address-rules.ts';
import { type CallbackPolicy, isHostName } from './callback-policy.ts';

export type UrlVerdict =
  | {
      readonly ok: true;
      readonly url: URL;
      /** Path and query for the request line; the query as it was given, since `URL` would rewrite some of its characters. */
      readonly target: string;
    }
  | { readonly ok: false; readonly rule: string; readonly detail: string };

type Refusal = Extract<UrlVerdict, { readonly ok: false }>;

const MAX_LENGTH = 2_048;
const PORTS: readonly string[] = ['', '443', '8443'];
const OPENED_BY_HOST = 'the operator can open an exception by naming the host in CALLBACK_ALLOW';
const NEVER_OPENED = 'CALLBACK_ALLOW opens no exception from it';

/** Endings of names that mean something only inside a network; the public DNS does not serve them (RFC 6761, 6762, 7686, 8375; ICANN on .internal, .corp, .home). */
const INNER_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/**
 * Checks a callback address without asking the network: a name that does not resolve yet is accepted.
 * `rule` is one word; `detail` names the rule, and how `CALLBACK_ALLOW` opens an exception where it can.
 */
export function checkCallbackUrl(text: string, policy: CallbackPolicy): UrlVerdict {
  const fault = spellingFault(text);
  if (fault !== null) return fault;
  const url = URL.parse(text);
  if (url === null) return refused('url', 'is not a valid URL: its host or its port (1 to 65535) cannot be read');
  const [, authority = '', query = ''] = /^https?:\/\/([^/?]*)[^?]*(.*)$/is.exec(text) ?? [];
  if (authority.includes('@')) {
    return refused('credentials', 'must not hold a user name or password');
  }
  const hostFault = checkHost(url, policy);
  if (hostFault !== null) return hostFault;
  return { ok: true, url, target: url.pathname + encoded(query) };
}

/** The host of a URL as a name or an address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function spellingFault(text: string): Refusal | null {
  if (text.length > MAX_LENGTH) return refused('length', `is longer than ${MAX_LENGTH} characters`);
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) {
    return refused(
      'characters',
      'holds white space, a control character or a backslash, which must be percent-encoded',
    );
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return refused('url', 'must be an absolute URL such as https://host/path');
  if (!/^https?:/i.test(text)) return refused('scheme', 'must begin with https://');
  if (!/^https?:\/\/[^/?#]/i.test(text)) return refused('url', 'must name a host as in https://host/path');
  if (text.includes('#')) return refused('fragment', 'holds a fragment (#…), which must be left out');
  return null;
}

function checkHost(url: URL, policy: CallbackPolicy): Refusal | null {
  const host = hostOf(url);
  let opened: boolean;
  if (parseAddress(host) === null) {
    opened = policy.allow.hosts.has(host) || (policy.localMode && isLocalhost(host));
    if (!opened) {
      const fault = nameFault(host);
      if (fault !== null) return fault;
    }
  } else {
    const verdict = judgeAddress(host, policy, host);
    if (!verdict.ok) return { ok: false, rule: verdict.rule, detail: `callbackUrl ${verdict.detail}` };
    opened = verdict.opened;
  }
  return doorFault(url, opened);
}

function nameFault(host: string): Refusal | null {
  if (host.endsWith('.')) return refused('name', 'has a host name that ends in a dot, which must be left out');
  if (!isHostName(host)) return refused('name', 'has a host name that cannot be in the DNS');
  if (!host.includes('.'))
    return exceptable('name', 'has a host name of a single label, which only an inner network knows');
  if (INNER_NAMES.test(host)) return exceptable('name', 'has a host name that only an inner network knows');
  return null;
}

function doorFault(url: URL, opened: boolean): Refusal | null {
  if (url.port === '0') return refused('port', 'has port 0, to which nobody can connect');
  if (opened) return null;
  if (url.protocol !== 'https:') return exceptable('https', 'must begin with https://');
  if (!PORTS.includes(url.port)) return exceptable('port', 'must use port 443 or 8443');
  return null;
}

/** The query byte for byte, but for what is not ASCII, which no request line can hold: that as percent-encoded UTF-8. */
function encoded(query: string): string {
  return query.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function exceptable(rule: string, what: string): Refusal {
  return { ok: false, rule, detail: `callbackUrl ${what} (rule "${rule}"); ${OPENED_BY_HOST}.` };
}

function refused(rule: string, what: string): Refusal {
  return { ok: false, rule, detail: `callbackUrl ${what} (rule "${rule}"); ${NEVER_OPENED}.` };
}
