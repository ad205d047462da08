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
  /** `rules`: every one that is broken, one word each; `detail` says each in a sentence, with its repair. */
  | { readonly ok: false; readonly rules: readonly string[]; readonly detail: string };

/** One broken rule; `detail` reads on from the name of the field. */
interface Fault {
  readonly rule: string;
  readonly detail: string;
}

const MAX_LENGTH = 2_048;
/** Our own tokens and signing secrets: an address is stored and shown as it was given. */
const OWN_SECRET = /cwy_[0-9A-Za-z]{30}|whsec_[0-9A-Za-z+/_-]{24}/;
const PORTS: readonly string[] = ['', '443', '8443'];
const OPENED_BY_HOST = 'the operator can open an exception by naming the host in CALLBACK_ALLOW';
const NEVER_OPENED = 'CALLBACK_ALLOW opens no exception from it';

/** What a URL parser would drop or take for something else. */
const FOREIGN_CHARACTERS = /[\p{Cc}\p{Z}\\]/gu;
/** Scheme, authority, path and query, as they are written. */
const PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)[^?#]*([^#]*)/i;

/** Endings of names that mean something only inside a network; the public DNS does not serve them (RFC 6761, 6762, 7686, 8375; ICANN on .internal, .corp, .home). */
const INNER_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/**
 * Checks a callback address without asking the network: a name that does not resolve yet is accepted. A refusal names every rule
 * that is broken, and how `CALLBACK_ALLOW` opens an exception where it can; an address that is too long is not read any further.
 */
export function checkCallbackUrl(text: string, policy: CallbackPolicy): UrlVerdict {
  if (text.length > MAX_LENGTH) {
    return refusal([never('length', `is longer than ${MAX_LENGTH} characters: shorten it`)]);
  }
  const faults: Fault[] = [];
  // The rest is judged as it would be once this is mended.
  const readable = text.toWellFormed().replace(FOREIGN_CHARACTERS, encodeURIComponent);
  if (readable !== text) {
    faults.push(
      never('characters', 'holds white space, a control character or a backslash, which must be percent-encoded'),
    );
  }
  const [, scheme = '', authority = '', query = ''] = PARTS.exec(readable) ?? [];
  faults.push(...schemeFaults(readable));
  if (OWN_SECRET.test(text) || OWN_SECRET.test(percentDecoded(text))) {
    faults.push(never('secret', 'holds a token or signing secret of Causeway, which belongs in no address: revoke it'));
  }
  if (readable.includes('#')) faults.push(never('fragment', 'holds a fragment (#…), which must be left out'));
  if (authority === '') return refusal(faults);
  if (authority.includes('@'))
    faults.push(never('credentials', 'holds a user name or password, which must be left out'));
  const isHttp = /^https?$/i.test(scheme);
  const url = URL.parse(isHttp ? readable : readable.replace(scheme, 'https'));
  if (url === null) {
    faults.push(never('url', 'is not a valid URL: its host or its port (1 to 65535) cannot be read'));
    return refusal(faults);
  }
  faults.push(...hostFaults(url, policy));
  return faults.length > 0 ? refusal(faults) : { ok: true, url, target: url.pathname + encoded(query) };
}

/** The host of a URL as a name or an address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function schemeFaults(text: string): readonly Fault[] {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return [never('url', 'must be an absolute URL such as https://host/path')];
  if (!/^https?:/i.test(text)) return [never('scheme', 'must begin with https://')];
  return PARTS.test(text) ? [] : [never('url', 'must name a host as in https://host/path')];
}

function hostFaults(url: URL, policy: CallbackPolicy): readonly Fault[] {
  const host = hostOf(url);
  if (parseAddress(host) === null) {
    const opened = policy.allow.hosts.has(host) || (policy.localMode && isLocalhost(host));
    return [...(opened ? [] : nameFaults(host)), ...doorFaults(url, opened)];
  }
  const verdict = judgeAddress(host, policy, host);
  return verdict.ok ? doorFaults(url, verdict.opened) : [verdict, ...doorFaults(url, false)];
}

function nameFaults(host: string): readonly Fault[] {
  if (host.endsWith('.')) return [never('name', 'has a host name that ends in a dot, which must be left out')];
  if (!isHostName(host)) return [never('name', 'has a host name that cannot be in the DNS: correct it')];
  if (!host.includes('.')) {
    return [exceptable('name', 'has a host name of a single label, which only an inner network knows')];
  }
  return INNER_NAMES.test(host) ? [exceptable('name', 'has a host name that only an inner network knows')] : [];
}

function doorFaults(url: URL, opened: boolean): readonly Fault[] {
  const faults: Fault[] = [];
  if (!opened && url.protocol !== 'https:') faults.push(exceptable('https', 'must begin with https://'));
  if (url.port === '0') faults.push(never('port', 'has port 0, to which nobody can connect: use port 443 or 8443'));
  else if (!opened && !PORTS.includes(url.port)) faults.push(exceptable('port', 'must use port 443 or 8443'));
  return faults;
}

/** Read as any receiver would; what is no escape stays. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The query byte for byte, but for what is not ASCII, which no request line can hold: that as percent-encoded UTF-8. */
function encoded(query: string): string {
  return query.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function exceptable(rule: string, what: string): Fault {
  return { rule, detail: `${what} (rule "${rule}"); ${OPENED_BY_HOST}.` };
}

function never(rule: string, what: string): Fault {
  return { rule, detail: `${what} (rule "${rule}"); ${NEVER_OPENED}.` };
}

function refusal(faults: readonly Fault[]): UrlVerdict {
  const detail = `callbackUrl ${faults.map((fault) => fault.detail).join(' It ')}`;
  return { ok: false, rules: faults.map(({ rule }) => rule), detail };
}
