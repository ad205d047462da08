// Which addresses a callback may connect to: the public internet, and what the operator opens with CALLBACK_ALLOW.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CausewayError } from '../core/errors.ts';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and the number of leading bits that count. */
type AddressRange = readonly [IpAddress, number];

type AddressKind = 'public' | 'private' | 'loopback' | 'link-local' | 'metadata' | 'special';

export interface CallbackPolicy {
  readonly allow: CallbackAllow;
  /** Local mode also allows loopback (by literal or `localhost`), with http and on any port. */
  readonly localMode: boolean;
}

/** Hosts (lower case, ASCII) and networks for which http, any port and an address that is not public are allowed. */
export interface CallbackAllow {
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly AddressRange[];
}

type AddressVerdict =
  /** `opened`: by `CALLBACK_ALLOW` or local mode; http and any port are allowed too. */
  | { readonly ok: true; readonly opened: boolean }
  /** `detail` continues a sentence that begins with what was refused. */
  | { readonly ok: false; readonly rule: Exclude<AddressKind, 'public'>; readonly detail: string };

/**
 * Services of cloud hosts that hand credentials or configuration to every machine of theirs. Most are link-local; these
 * are not: Alibaba (100.100.100.200), Azure (168.63.129.16), Oracle (192.0.0.192), AWS (fd00:ec2::/32), Google
 * (fd20:ce::254, and 199.36.153.0/24 for its own API), IBM (161.26.0.0/16 and 166.8.0.0/14, reachable only from
 * inside).
 */
const METADATA: readonly AddressRange[] = [
  ipaddr.parseCIDR('100.100.100.200/32'),
  ipaddr.parseCIDR('168.63.129.16/32'),
  ipaddr.parseCIDR('192.0.0.192/32'),
  ipaddr.parseCIDR('199.36.153.0/24'),
  ipaddr.parseCIDR('161.26.0.0/16'),
  ipaddr.parseCIDR('166.8.0.0/14'),
  ipaddr.parseCIDR('fd00:ec2::/32'),
  ipaddr.parseCIDR('fd20:ce::254/128'),
];

/**
 * The only IPv6 space of the public internet, and the part that 6bone returned (RFC 3701), which ipaddr.js calls
 * unicast.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
const SIXBONE = ipaddr.parseCIDR('3ffe::/16');

/** IPv6 networks that embed an IPv4 address, and the byte where it begins (in Teredo it is inverted). */
const EMBEDDING: readonly { readonly range: AddressRange; readonly at: number; readonly inverted: boolean }[] = [
  { range: ipaddr.parseCIDR('::/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('64:ff9b::/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('64:ff9b:1::/48'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('2002::/16'), at: 2, inverted: false },
  { range: ipaddr.parseCIDR('2001::/32'), at: 12, inverted: true },
];

const KIND_NAMES: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  private: 'an address of a private network',
  loopback: 'a loopback address',
  'link-local': 'a link-local address',
  metadata: 'an internal service of a cloud host',
  special: 'an address outside the public internet',
};

const HOST = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Judges one address in any spelling, as reached by `host` (the name or literal of the URL, lower case).
 * Text that is not an address is `special`.
 */
export function judgeAddress(ip: string, policy: CallbackPolicy, host: string): AddressVerdict {
  const address = parseAddress(ip);
  if (address === null) return refuseAddress('special');
  const kind = classifyAddress(address);
  if (isNeverOpened(kind)) return refuseAddress(kind);
  if (policy.allow.hosts.has(host) || isInRanges(address, policy.allow.ranges)) return { ok: true, opened: true };
  // Any other name that resolves to loopback is an attempt to reach this machine through DNS.
  const isOwnName = isLocalhost(host) || parseAddress(host) !== null;
  if (kind === 'loopback' && policy.localMode && isOwnName) return { ok: true, opened: true };
  return kind === 'public' ? { ok: true, opened: false } : refuseAddress(kind);
}

/** The address of a usual spelling (no zone id), an IPv4-mapped one as IPv4; null for anything else. */
export function parseAddress(text: string): IpAddress | null {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  if (isIP(text) !== 6 || text.includes('%')) return null;
  // `URL` rewrites it without dots: ipaddr.js takes the plain IPv6 address `::8.8.8.8` for the mapped `::ffff:8.8.8.8`.
  return ipaddr.process(new URL(`http://[${text}]/`).hostname.slice(1, -1));
}

/** `localhost` and the names below it, which mean loopback everywhere (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Whether the text (lower case, ASCII) can be a name in the DNS: labels of at most 63, 253 in all, no dot at the end.
 */
export function isHostName(text: string): boolean {
  return HOST.test(text);
}

/**
 * Reads `CALLBACK_ALLOW`: hosts, addresses and networks in CIDR form, separated by commas or white space; empty opens
 * nothing. Throws `usage`, naming the entry and its repair, for anything else and for link-local or metadata networks,
 * which cannot be opened.
 */
export function parseCallbackAllow(text: string): CallbackAllow {
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const range = parseRange(entry);
    if (range === null) hosts.add(parseHostName(entry));
    else ranges.push(range);
  }
  return { hosts, ranges };
}

function parseRange(entry: string): AddressRange | null {
  const [, bare = entry] = /^\[(.*)\]$/.exec(entry) ?? [];
  const [text = '', bits, ...rest] = bare.split('/');
  const address = parseAddress(text);
  if (address === null) return null;
  const length = address.kind() === 'ipv4' ? 32 : 128;
  if (rest.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= length))) {
    throw createInvalidEntry(entry, `the number after "/" must be from 0 to ${length}`);
  }
  if (bits !== undefined && /^::ffff:/i.test(text))
    throw createInvalidEntry(entry, `write IPv4 networks as such: ${address}`);
  const prefix = bits === undefined ? length : Number(bits);
  checkRange(entry, address, prefix);
  return [address, prefix];
}

function checkRange(entry: string, address: IpAddress, prefix: number): void {
  const cidr = `${address}/${prefix}`;
  const first =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  if (first.toString() !== address.toString()) {
    throw createInvalidEntry(
      entry,
      `it has bits beyond its prefix; write ${first}/${prefix}, or ${address} for one address`,
    );
  }
  if (isNeverOpened(classifyAddress(first))) {
    throw createInvalidEntry(entry, 'link-local and cloud metadata addresses cannot be opened; remove it');
  }
}

/**
 * The host as a URL spells it (IDN in ASCII, lower case). What a URL would read as an address must be written as one.
 */
function parseHostName(entry: string): string {
  const host = URL.parse(`https://${entry}/`)?.host ?? '';
  if (!isHostName(host) || parseAddress(host) !== null || /[/?#@:\\]/.test(entry)) {
    throw createInvalidEntry(
      entry,
      'write a host name without scheme, port, path or wildcard (any port is opened with it), an address, or a network such as 10.0.0.0/8',
    );
  }
  return host;
}

function createInvalidEntry(entry: string, repair: string): CausewayError {
  return new CausewayError('usage', `CALLBACK_ALLOW: "${entry}" cannot be used: ${repair}.`);
}

function refuseAddress(rule: Exclude<AddressKind, 'public'>): AddressVerdict {
  const repair = isNeverOpened(rule)
    ? 'CALLBACK_ALLOW cannot open it'
    : 'the operator can open it by naming the host or its network in CALLBACK_ALLOW';
  return { ok: false, rule, detail: `leads to ${KIND_NAMES[rule]} (rule "${rule}"); ${repair}.` };
}

/** Kinds that no exception opens: they hand out credentials of the machine that asks. */
function isNeverOpened(kind: AddressKind): kind is 'link-local' | 'metadata' {
  return kind === 'link-local' || kind === 'metadata';
}

function isInRanges(address: IpAddress, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function classifyAddress(address: IpAddress): AddressKind {
  if (isInRanges(address, METADATA)) return 'metadata';
  return address instanceof ipaddr.IPv4 ? classifyIpv4(address) : classifyIpv6(address);
}

function classifyIpv4(address: ipaddr.IPv4): AddressKind {
  switch (address.range()) {
    case 'unicast':
      return 'public';
    case 'loopback':
      return 'loopback';
    case 'linkLocal':
      return 'link-local';
    case 'private':
    case 'carrierGradeNat':
      return 'private';
    default:
      return 'special';
  }
}

/** An address that embeds a link-local or metadata IPv4 address counts as that one. */
function classifyIpv6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (range === 'linkLocal') return 'link-local';
  if (range === 'uniqueLocal') return 'private';
  const embedded = readEmbeddedIpv4(address);
  if (embedded !== null) {
    const kind = classifyAddress(embedded);
    return isNeverOpened(kind) ? kind : 'special';
  }
  const isGlobal = range === 'unicast' && isInRanges(address, [GLOBAL_IPV6]) && !isInRanges(address, [SIXBONE]);
  return isGlobal ? 'public' : 'special';
}

function readEmbeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const network = EMBEDDING.find(({ range }) => isInRanges(address, [range]));
  if (network === undefined) return null;
  const octets = address.toByteArray().slice(network.at, network.at + 4);
  return new ipaddr.IPv4(network.inverted ? octets.map((octet) => octet ^ 255) : octets);
}
