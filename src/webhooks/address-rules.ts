// Whether a callback may connect to an address: only the public internet, but for what the operator has opened.
import { type AddressKind, isNeverOpened, isWithin, kindOf, parseAddress } from './address-kind.ts';
import type { CallbackPolicy } from './callback-policy.ts';

export type AddressVerdict =
  /** `opened`: by `CALLBACK_ALLOW` or local mode; http and any port are allowed too. */
  | { readonly ok: true; readonly opened: boolean }
  /** `detail` reads on from the name of what was refused. */
  | { readonly ok: false; readonly rule: Exclude<AddressKind, 'public'>; readonly detail: string };

const NAMES: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  private: 'an address of a private network',
  loopback: 'a loopback address',
  'link-local': 'a link-local address',
  metadata: 'an internal service of a cloud host',
  special: 'an address that is not of the public internet',
};

/**
 * Judges one address, whatever its spelling, as reached by `host` (the name or literal of the URL, lower case).
 * Anything that cannot be read as an address is `special`.
 */
export function judgeAddress(ip: string, policy: CallbackPolicy, host: string): AddressVerdict {
  const address = parseAddress(ip);
  if (address === null) return refusal('special');
  const kind = kindOf(address);
  if (isNeverOpened(kind)) return refusal(kind);
  if (policy.allow.hosts.has(host) || isWithin(address, policy.allow.ranges)) return { ok: true, opened: true };
  // Only by its own name: any other name that leads to loopback is a stranger's way into this machine.
  const isOwn = isLocalhost(host) || parseAddress(host) !== null;
  if (kind === 'loopback' && policy.localMode && isOwn) return { ok: true, opened: true };
  return kind === 'public' ? { ok: true, opened: false } : refusal(kind);
}

/** `localhost` and the names below it, which mean loopback everywhere (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function refusal(rule: Exclude<AddressKind, 'public'>): AddressVerdict {
  const repair = isNeverOpened(rule)
    ? 'CALLBACK_ALLOW cannot open it'
    : 'the operator can open it by naming the host or its network in CALLBACK_ALLOW';
  return { ok: false, rule, detail: `leads to ${NAMES[rule]} (rule "${rule}"); ${repair}.` };
}
