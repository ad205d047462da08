// Which exceptions from the rules for callback addresses the operator has opened.
import ipaddr from 'ipaddr.js';
import { CausewayError } from '../core/errors.ts';
import { type Address, type AddressRange, isNeverOpened, kindOf, parseAddress } from './address-kind.ts';

/** Hosts (lower case, ASCII) and networks for which http, any port and an address that is not public are allowed. */
export interface CallbackAllow {
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly AddressRange[];
}

export interface CallbackPolicy {
  readonly allow: CallbackAllow;
  /** True: loopback (by literal or `localhost`) is allowed too, with http and on any port. */
  readonly localMode: boolean;
}

const HOST = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Whether the text (lower case, ASCII) can be a name in the DNS: labels of at most 63, together at most 253, no dot at the end. */
export function isHostName(text: string): boolean {
  return HOST.test(text);
}

/**
 * Reads `CALLBACK_ALLOW`: hosts, addresses and networks in CIDR form, separated by commas or white space; empty opens nothing.
 * Throws `usage`, naming the entry and its repair, for anything else and for link-local or metadata networks, which nothing opens.
 */
export function parseCallbackAllow(text: string): CallbackAllow {
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const range = rangeOf(entry);
    if (range === null) hosts.add(hostNameOf(entry));
    else ranges.push(range);
  }
  return { hosts, ranges };
}

function rangeOf(entry: string): AddressRange | null {
  const [, bare = entry] = /^\[(.*)\]$/.exec(entry) ?? [];
  const [text = '', bits, ...rest] = bare.split('/');
  const address = parseAddress(text);
  if (address === null) return null;
  const length = address.kind() === 'ipv4' ? 32 : 128;
  if (rest.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= length))) {
    throw nonsense(entry, `the number after "/" must be from 0 to ${length}`);
  }
  if (bits !== undefined && /^::ffff:/i.test(text)) throw nonsense(entry, `write IPv4 networks as such: ${address}`);
  const range: AddressRange = [address, bits === undefined ? length : Number(bits)];
  checkRange(entry, range);
  return range;
}

function checkRange(entry: string, [address, bits]: AddressRange): void {
  const first = firstOf(address, bits);
  if (first.toString() !== address.toString()) {
    throw nonsense(entry, `it has bits beyond its prefix; write ${first}/${bits}, or ${address} for the one address`);
  }
  if (isNeverOpened(kindOf(first))) {
    throw nonsense(entry, 'link-local and cloud metadata addresses cannot be opened; remove it');
  }
}

function firstOf(address: Address, bits: number): Address {
  const cidr = `${address}/${bits}`;
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
    : ipaddr.IPv6.networkAddressFromCIDR(cidr);
}

/** The host as a URL would spell it (IDN in ASCII, lower case). What a URL would read as an address must be written as one. */
function hostNameOf(entry: string): string {
  const host = URL.parse(`https://${entry}/`)?.host ?? '';
  if (!isHostName(host) || parseAddress(host) !== null || /[/?#@:\\]/.test(entry)) {
    throw nonsense(
      entry,
      'write a host name without scheme, port, path or wildcard (any port is opened with it), an address, or a network such as 10.0.0.0/8',
    );
  }
  return host;
}

function nonsense(entry: string, repair: string): CausewayError {
  return new CausewayError('usage', `CALLBACK_ALLOW: "${entry}" cannot be used: ${repair}.`);
}
