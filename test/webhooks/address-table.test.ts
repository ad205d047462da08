// A table of addresses as the registries and other guards have them (IANA special-purpose, RFC 6890; the classes of Smokescreen): edges inside and outside.
import { describe, expect, it } from 'vitest';
import { judgeAddress } from '../../src/webhooks/address-rules.ts';
import { parseCallbackAllow } from '../../src/webhooks/callback-policy.ts';
import { checkCallbackUrl } from '../../src/webhooks/check-callback-url.ts';

const STRICT = { allow: parseCallbackAllow(''), localMode: false };

/** First and last address of each block that is not of the public internet. */
const CLOSED: readonly (readonly [block: string, first: string, last: string])[] = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private 10/8', '10.0.0.0', '10.255.255.255'],
  ['carrier NAT 100.64/10', '100.64.0.0', '100.127.255.255'],
  ['loopback 127/8', '127.0.0.0', '127.255.255.255'],
  ['link-local 169.254/16', '169.254.0.0', '169.254.255.255'],
  ['private 172.16/12', '172.16.0.0', '172.31.255.255'],
  ['IETF protocols 192.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['documentation 192.0.2/24', '192.0.2.0', '192.0.2.255'],
  ['6to4 relay 192.88.99/24', '192.88.99.0', '192.88.99.255'],
  ['private 192.168/16', '192.168.0.0', '192.168.255.255'],
  ['benchmarks 198.18/15', '198.18.0.0', '198.19.255.255'],
  ['documentation 198.51.100/24', '198.51.100.0', '198.51.100.255'],
  ['documentation 203.0.113/24', '203.0.113.0', '203.0.113.255'],
  ['multicast 224/4', '224.0.0.0', '239.255.255.255'],
  ['reserved 240/4 and broadcast', '240.0.0.0', '255.255.255.255'],
  ['unspecified and loopback', '::', '::1'],
  ['IPv4-compatible ::/96', '::2', '::ffff:ffff'],
  ['NAT64 64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['local NAT64 64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard 100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['Teredo 2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarks 2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHID 2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHIDv2 2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation 2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6bone 3ffe::/16', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation 3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing 5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Embedded schemes: public addresses inside of them are refused as well, for who translates them is not ours to know. */
const EMBEDDED = [
  '64:ff9b::ac1c:5',
  '64:ff9b::808:808',
  '2002:c000:201::1',
  '2002:808:808::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:0:1234:5678:9abc:def0:1234:5678',
];

/** Services of cloud hosts, in whichever block they stand. */
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

/** The neighbours of the blocks, and well-known resolvers. */
const OPEN = [
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0'],
  ...[
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
  ],
  ...['203.0.114.0', '223.255.255.255', '8.8.8.8', '1.1.1.1'],
  ...['2001:4860:4860::8888', '2606:4700:4700::1111', '2001:200::', '2003::', '2a00::', '2400::'],
];

const accepted = (ip: string) => judgeAddress(ip, STRICT, 'hooks.example').ok;

/** One IPv4 address in every spelling that some parser takes for it. */
function spellings(ip: string): readonly string[] {
  const parts = ip.split('.').map(Number);
  const number = parts.reduce((sum, part) => sum * 256 + part, 0);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  return [
    ip,
    String(number),
    hex(number),
    octal(number),
    parts.map(hex).join('.'),
    parts.map(octal).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    ip.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ip.replaceAll('.', '。'),
    `[::ffff:${ip}]`,
    `[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
    `[0:0:0:0:0:FFFF:${ip}]`,
  ];
}

describe('the table', () => {
  it.each(CLOSED)('keeps %s closed, from its first address to its last', (_block, first, last) => {
    expect([first, last].filter(accepted)).toEqual([]);
  });

  it('keeps closed what embeds an address, and every metadata service, whatever is opened', () => {
    const opened = { allow: parseCallbackAllow('0.0.0.0/0 ::/0'), localMode: true };
    expect(EMBEDDED.filter(accepted)).toEqual([]);
    expect(METADATA.filter((ip) => judgeAddress(ip, opened, 'hooks.example').ok)).toEqual([]);
  });

  it('leaves the neighbours of the blocks open', () => {
    expect(OPEN.filter((ip) => !accepted(ip))).toEqual([]);
  });
});

describe('a literal in a callback address', () => {
  const closed = CLOSED.filter(([, first]) => first.includes('.')).flatMap(([, first, last]) => [first, last]);

  it('is refused in each of fourteen spellings where its block is closed', () => {
    const hosts = [...closed, ...METADATA.filter((ip) => ip.includes('.'))].flatMap(spellings);
    expect(hosts.filter((host) => checkCallbackUrl(`https://${host}/`, STRICT).ok)).toEqual([]);
    expect(hosts.length).toBeGreaterThan(400);
  });

  it('is refused as IPv6 where its block is closed, with and without a zone', () => {
    const six = [
      ...CLOSED.filter(([, first]) => first.includes(':')).flatMap(([, first, last]) => [first, last]),
      ...EMBEDDED,
    ];
    const hosts = six.flatMap((ip) => [`[${ip}]`, `[${ip.toUpperCase()}]`, `[${ip}%25eth0]`]);
    expect(hosts.filter((host) => checkCallbackUrl(`https://${host}/`, STRICT).ok)).toEqual([]);
  });

  it('is accepted in every spelling of a public address that a URL can have', () => {
    const refused = spellings('8.8.8.8').filter((host) => !checkCallbackUrl(`https://${host}/`, STRICT).ok);
    expect(refused).toEqual([]);
  });
});
