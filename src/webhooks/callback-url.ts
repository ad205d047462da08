// Whether a callback address may be used, as far as its text shows: checked when it is given and before each attempt.
import { type CallbackPolicy, isHostName, isLocalhost, judgeAddress, parseAddress } from './address-policy.ts';

export type UrlVerdict =
  | {
      readonly ok: true;
      readonly url: URL;
      /**
       * Path and query for the request line; the query byte for byte, since `URL` would rewrite some of its characters.
       */
      readonly target: string;
    }
  /** `rules`: every broken rule, one word each; `detail` has a sentence for each, with its repair. */
  | { readonly ok: false; readonly rules: readonly string[]; readonly detail: string };

/** One broken rule; `detail` continues a sentence that begins with the name of the field. */
interface CallbackUrlFault {
  readonly rule: string;
  readonly detail: string;
}

const MAX_LENGTH = 2_048;
/** Our own tokens and signing secrets: an address is stored and shown as it was given. */
const OWN_SECRET = /cwy_[0-9A-Za-z]{30}|whsec_[0-9A-Za-z+/_-]{24}/;
const PORTS: readonly string[] = ['', '443', '8443'];

/** Characters that a URL parser would drop or misread. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Z}\\]/gu;
/** Scheme, authority, path and query, as they are written. */
const PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)[^?#]*([^#]*)/i;

/**
 * Endings that mean something only inside a network; the public DNS does not serve them (RFC 6761, 6762, 7686, 8375;
 * ICANN on .internal, .corp, .home).
 */
const INNER_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/**
 * Checks a callback address without using the network: a name that does not resolve yet is accepted. A refusal names
 * every broken rule, and how `CALLBACK_ALLOW` opens an exception where it can; an address that is too long is not read
 * any further. `field`: what it is called where it was given.
 */
export function checkCallbackUrl(text: string, policy: CallbackPolicy, field = 'callbackUrl'): UrlVerdict {
  const verdict = checkUrl(text, policy);
  return verdict.ok ? verdict : { ...verdict, detail: `${field} ${verdict.detail}` };
}

function checkUrl(text: string, policy: CallbackPolicy): UrlVerdict {
  if (text.length > MAX_LENGTH) {
    return refuseUrl([describeUrlFault('length', `is longer than ${MAX_LENGTH} characters: shorten it`)]);
  }
  // The other rules are applied to the text as it would be once its characters are corrected.
  const readable = text.toWellFormed().replace(UNSAFE_CHARACTERS, encodeURIComponent);
  const [, scheme = '', authority = '', query = ''] = PARTS.exec(readable) ?? [];
  const faults = [...findTextFaults(text, readable)];
  if (authority === '') return refuseUrl(faults);
  if (authority.includes('@')) {
    faults.push(describeUrlFault('credentials', 'contains a user name or password, which must be left out'));
  }
  const isHttp = /^https?$/i.test(scheme);
  const url = URL.parse(isHttp ? readable : readable.replace(scheme, 'https'));
  if (url === null) {
    faults.push(describeUrlFault('url', 'is not a valid URL: its host or its port (1 to 65535) cannot be read'));
    return refuseUrl(faults);
  }
  faults.push(...findHostFaults(url, policy));
  return faults.length > 0 ? refuseUrl(faults) : { ok: true, url, target: url.pathname + encodeQuery(query) };
}

/** The host of a URL as a name, or as an address without brackets. */
export function readHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function findTextFaults(text: string, readable: string): readonly CallbackUrlFault[] {
  const faults: CallbackUrlFault[] = [];
  if (readable !== text) {
    faults.push(
      describeUrlFault(
        'characters',
        'contains white space, a control character or a backslash, which must be percent-encoded',
      ),
    );
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(readable)) {
    faults.push(describeUrlFault('url', 'must be an absolute URL such as https://host/path'));
  } else if (!/^https?:/i.test(readable)) {
    faults.push(describeUrlFault('scheme', 'must begin with https://'));
  } else if (!PARTS.test(readable)) {
    faults.push(describeUrlFault('url', 'must name a host as in https://host/path'));
  }
  if (OWN_SECRET.test(text) || OWN_SECRET.test(decodePercents(text))) {
    const what = 'contains a token or signing secret of Causeway, which must not be in a URL: revoke it';
    faults.push(describeUrlFault('secret', what));
  }
  if (readable.includes('#'))
    faults.push(describeUrlFault('fragment', 'contains a fragment (#…), which must be left out'));
  return faults;
}

function findHostFaults(url: URL, policy: CallbackPolicy): readonly CallbackUrlFault[] {
  const host = readHost(url);
  if (parseAddress(host) === null) {
    const isOpened = policy.allow.hosts.has(host) || (policy.localMode && isLocalhost(host));
    return [...(isOpened ? [] : findNameFaults(host)), ...findPortFaults(url, isOpened)];
  }
  const verdict = judgeAddress(host, policy, host);
  return verdict.ok ? findPortFaults(url, verdict.opened) : [verdict, ...findPortFaults(url, false)];
}

function findNameFaults(host: string): readonly CallbackUrlFault[] {
  if (host.endsWith('.')) {
    return [describeUrlFault('name', 'has a host name that ends in a dot, which must be left out')];
  }
  if (!isHostName(host)) return [describeUrlFault('name', 'has a host name that cannot be in the DNS: correct it')];
  if (!host.includes('.')) {
    return [describeOpenable('name', 'has a host name of a single label, which only an internal network resolves')];
  }
  return INNER_NAMES.test(host)
    ? [describeOpenable('name', 'has a host name that only an internal network resolves')]
    : [];
}

function findPortFaults(url: URL, isOpened: boolean): readonly CallbackUrlFault[] {
  const faults: CallbackUrlFault[] = [];
  if (!isOpened && url.protocol !== 'https:') faults.push(describeOpenable('https', 'must begin with https://'));
  if (url.port === '0') {
    faults.push(describeUrlFault('port', 'has port 0, which accepts no connections: use port 443 or 8443'));
  } else if (!isOpened && !PORTS.includes(url.port)) {
    faults.push(describeOpenable('port', 'must use port 443 or 8443'));
  }
  return faults;
}

/** As any receiver would decode it; text that is not an escape is kept. */
function decodePercents(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/**
 * The query byte for byte, with everything outside ASCII as percent-encoded UTF-8, since a request line cannot hold it.
 */
function encodeQuery(query: string): string {
  return query.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function describeOpenable(rule: string, what: string): CallbackUrlFault {
  const repair = 'the operator can open an exception by naming the host in CALLBACK_ALLOW';
  return { rule, detail: `${what} (rule "${rule}"); ${repair}.` };
}

function describeUrlFault(rule: string, what: string): CallbackUrlFault {
  return { rule, detail: `${what} (rule "${rule}"); CALLBACK_ALLOW cannot open an exception from it.` };
}

function refuseUrl(faults: readonly CallbackUrlFault[]): UrlVerdict {
  const detail = faults.map((fault) => fault.detail).join(' It ');
  return { ok: false, rules: faults.map(({ rule }) => rule), detail };
}
