// What sort of address an IP address is, whatever its spelling: the public internet, or something that only we can reach.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and the number of leading bits that count. */
export type AddressRange = readonly [Address, number];

export type AddressKind = 'public' | 'private' | 'loopback' | 'link-local' | 'metadata' | 'special';

/**
 * Services of cloud hosts that answer every machine of theirs with credentials or configuration. Most lie in link-local space; these do not:
 * Alibaba (100.100.100.200), Azure (168.63.129.16), Oracle (192.0.0.192), AWS (fd00:ec2::/32), Google (fd20:ce::254; 199.36.153.0/24 is its
 * private door to its own API), IBM (161.26.0.0/16 and 166.8.0.0/14, reachable only from inside).
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

/** The only IPv6 space given out for the public internet, and the part of it that 6bone gave back (RFC 3701), which ipaddr.js calls unicast. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
const SIXBONE = ipaddr.parseCIDR('3ffe::/16');

/** IPv6 networks whose addresses carry an IPv4 address, and the byte where it begins (in Teredo it is inverted). */
const CARRIERS: readonly { readonly range: AddressRange; readonly at: number; readonly inverted: boolean }[] = [
  { range: ipaddr.parseCIDR('::/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('64:ff9b::/96'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('64:ff9b:1::/48'), at: 12, inverted: false },
  { range: ipaddr.parseCIDR('2002::/16'), at: 2, inverted: false },
  { range: ipaddr.parseCIDR('2001::/32'), at: 12, inverted: true },
];

/** The address of a usual spelling (no zone id), an IPv4-mapped one as the IPv4 address that it is; null where it is none. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  if (isIP(text) !== 6 || text.includes('%')) return null;
  // Spelled anew without dots: ipaddr.js takes `::8.8.8.8`, which is a plain IPv6 address, for the mapped `::ffff:8.8.8.8`.
  return ipaddr.process(new URL(`http://[${text}]/`).hostname.slice(1, -1));
}

/** Whether the address lies in one of the ranges; families never match each other. */
export function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** An IPv6 address that carries a link-local or metadata IPv4 address counts as that one. */
export function kindOf(address: Address): AddressKind {
  if (isWithin(address, METADATA)) return 'metadata';
  return address instanceof ipaddr.IPv4 ? kindOfIpv4(address) : kindOfIpv6(address);
}

/** Kinds that no exception opens: they hand out credentials of the machine that asks. */
export function isNeverOpened(kind: AddressKind): kind is 'link-local' | 'metadata' {
  return kind === 'link-local' || kind === 'metadata';
}

function kindOfIpv4(address: ipaddr.IPv4): AddressKind {
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

function kindOfIpv6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (range === 'linkLocal') return 'link-local';
  if (range === 'uniqueLocal') return 'private';
  const carried = carriedIpv4(address);
  if (carried !== null) {
    const kind = kindOf(carried);
    return isNeverOpened(kind) ? kind : 'special';
  }
  return range === 'unicast' && isWithin(address, [GLOBAL_IPV6]) && !isWithin(address, [SIXBONE])
    ? 'public'
    : 'special';
}

function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const carrier = CARRIERS.find(({ range }) => isWithin(address, [range]));
  if (carrier === undefined) return null;
  const octets = address.toByteArray().slice(carrier.at, carrier.at + 4);
  return new ipaddr.IPv4(carrier.inverted ? octets.map((octet) => octet ^ 255) : octets);
}
