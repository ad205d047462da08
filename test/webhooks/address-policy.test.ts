// Which addresses a callback may connect to: rules by kind, tables of the registries (IANA special-purpose, RFC 6890), and CALLBACK_ALLOW.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAddress, parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { checkCallbackUrl } from '../../src/webhooks/callback-url.ts';

const STRICT = { allow: parseCallbackAllow(''), localMode: false };
const LOCAL = { allow: parseCallbackAllow(''), localMode: true };
const OPEN = { allow: parseCallbackAllow('0.0.0.0/0 ::/0 inner.corp'), localMode: true };

function ruleOf(ip: string, policy = STRICT, host = 'hooks.example'): string {
  const verdict = judgeAddress(ip, policy, host);
  return verdict.ok ? 'ok' : verdict.rule;
}

const BAD: readonly (readonly [rule: string, addresses: readonly string[]])[] = [
  [
    'loopback',
    ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001'],
  ],
  [
    'private',
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', '100.127.255.255', 'fc00::1', 'fdff::1'],
  ],
  ['link-local', ['169.254.0.1', '169.254.169.254', '169.254.170.2', 'fe80::1', 'febf::1', '::ffff:169.254.169.254']],
  ['link-local', ['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '::169.254.169.254', '2001:0:1:2:3:4:5601:5601']],
  ['metadata', ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254', '199.36.153.8']],
  ['metadata', ['64:ff9b::6464:64c8', '::ffff:168.63.129.16', '161.26.0.10', '166.9.1.1']],
  [
    'special',
    ['0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
  ],
  ['special', ['198.18.0.1', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '192.0.0.1']],
  [
    'special',
    ['::', '::127.0.0.1', '::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  ],
  [
    'special',
    ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:808:808::1', '2001:db8::1', '2001:2::1', '2001:10::1'],
  ],
  [
    'special',
    ['2001:20::1', '2001:4:112::1', '2620:4f:8000::1', '3ffe::1', '3fff::1', 'fec0::1', 'ff02::1', '100::1', '5f00::1'],
  ],
  ['special', ['4000::1', '1::1', 'e000::1', '2001:1ff::1']],
  [
    'special',
    [
      '',
      'hooks.example',
      '127.1',
      '0177.0.0.1',
      '2130706433',
      'fe80::1%eth0',
      '::1%lo',
      '1.2.3.4.5',
      '::ffff:010.8.8.8',
    ],
  ],
];

const GOOD = [
  '1.1.1.1',
  '8.8.8.8',
  '140.82.112.3',
  '100.63.255.255',
  '100.128.0.1',
  '168.63.129.17',
  '2606:4700::1111',
];

describe('an address', () => {
  it.each(BAD)('is refused as %s: %j', (rule, addresses) => {
    expect(addresses.map((ip) => [ip, ruleOf(ip)])).toEqual(addresses.map((ip) => [ip, rule]));
  });

  it.each([...GOOD, '::ffff:8.8.8.8', '2a00:1450:4001::1', '2001:4860:4860::8888'])(
    'of the public internet is accepted: %s',
    (ip) => {
      expect(judgeAddress(ip, STRICT, 'hooks.example')).toEqual({ ok: true, opened: false });
    },
  );

  it('is opened by its network or by the name it was reached by, and says so', () => {
    expect(judgeAddress('10.1.2.3', OPEN, 'hooks.example')).toEqual({ ok: true, opened: true });
    const byName = { allow: parseCallbackAllow('inner.corp'), localMode: false };
    expect(ruleOf('10.1.2.3', byName, 'inner.corp')).toBe('ok');
    expect(ruleOf('10.1.2.3', byName, 'other.corp')).toBe('private');
  });

  it('that is link-local or a metadata service is opened by nothing, in no spelling', () => {
    const never = BAD.filter(([rule]) => rule === 'link-local' || rule === 'metadata').flatMap(([, all]) => all);
    expect(never.filter((ip) => judgeAddress(ip, OPEN, 'inner.corp').ok)).toEqual([]);
  });

  it('of loopback is open in local mode by its own name or literal only, not by a name that a outsider points there', () => {
    expect(ruleOf('127.0.0.1', LOCAL, 'localhost')).toBe('ok');
    expect(ruleOf('::1', LOCAL, 'app.localhost')).toBe('ok');
    expect(ruleOf('127.0.0.1', LOCAL, '127.0.0.1')).toBe('ok');
    expect(ruleOf('127.0.0.1', LOCAL, 'rebind.example')).toBe('loopback');
    expect(ruleOf('10.0.0.1', LOCAL, 'localhost')).toBe('private');
    expect(ruleOf('0.0.0.0', LOCAL, '0.0.0.0')).toBe('special');
  });

  it('says how an exception is opened, where one can be', () => {
    expect(judgeAddress('10.0.0.1', STRICT, 'x.example')).toMatchObject({
      detail: expect.stringContaining('the operator can open it'),
    });
    expect(judgeAddress('fe80::1', STRICT, 'x.example')).toMatchObject({
      detail: expect.stringContaining('cannot open it'),
    });
  });

  it('counts the same whether it is written as IPv4 or mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(judgeAddress(`::ffff:${ip}`, STRICT, 'x.example')).toEqual(judgeAddress(ip, STRICT, 'x.example'));
      }),
    );
  });

  it('of IPv6 is never accepted outside 2000::/3', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const outside = fc.oneof(fc.integer({ min: 0, max: 0x1fff }), fc.integer({ min: 0x4000, max: 0xffff }));
    const isMapped = (groups: readonly number[]) => groups.slice(0, 6).join() === '0,0,0,0,0,65535';
    fc.assert(
      fc.property(outside, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
        fc.pre(!isMapped([first, ...rest]));
        const ip = [first, ...rest].map((part) => part.toString(16)).join(':');
        expect(judgeAddress(ip, STRICT, 'x.example').ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

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
const NEIGHBOURS = [
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
    expect(NEIGHBOURS.filter((ip) => !accepted(ip))).toEqual([]);
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

function opens(text: string, ip: string): boolean {
  const verdict = judgeAddress(ip, { allow: parseCallbackAllow(text), localMode: false }, 'hooks.example');
  return verdict.ok && verdict.opened;
}

describe('CALLBACK_ALLOW', () => {
  it('takes hosts, addresses and networks, separated by commas or white space', () => {
    const allow = parseCallbackAllow(' Hooks.Corp.internal, bücher.example\n10.0.0.0/8,,[::1] fd00::/8\t192.168.1.7 ');
    expect([...allow.hosts]).toEqual(['hooks.corp.internal', 'xn--bcher-kva.example']);
    expect(allow.ranges.map(([address, bits]) => `${address}/${bits}`)).toEqual([
      '10.0.0.0/8',
      '::1/128',
      'fd00::/8',
      '192.168.1.7/32',
    ]);
  });

  it('opens nothing when it is empty', () => {
    expect(parseCallbackAllow(' , ')).toEqual({ hosts: new Set(), ranges: [] });
  });

  it('reads an IPv4-mapped address as the IPv4 address that it is', () => {
    expect(opens('::ffff:10.1.2.3', '10.1.2.3')).toBe(true);
    expect(opens('10.0.0.0/8', '::ffff:10.1.2.3')).toBe(true);
    expect(opens('10.0.0.0/8', '11.1.2.3')).toBe(false);
    expect(opens('0.0.0.0/0', '2606:4700::1')).toBe(false);
  });

  it.each([
    ['https://hooks.example', 'host name without scheme'],
    ['hooks.example:8080', 'host name without scheme'],
    ['hooks.example/path', 'host name without scheme'],
    ['*.corp.example', 'host name without scheme'],
    ['user@hooks.example', 'host name without scheme'],
    ['hooks.example.', 'host name without scheme'],
    ['127.1', 'host name without scheme'],
    ['0x7f000001', 'host name without scheme'],
    ['fe80::1%eth0', 'host name without scheme'],
    ['10.0.0.0/33', 'from 0 to 32'],
    ['10.0.0.0/', 'from 0 to 32'],
    ['10.0.0.0/8/9', 'from 0 to 32'],
    ['fd00::/129', 'from 0 to 128'],
    ['10.1.2.3/8', 'write 10.0.0.0/8'],
    ['::ffff:10.0.0.0/8', 'write IPv4 networks as such: 10.0.0.0'],
    ['169.254.0.0/16', 'cannot be opened'],
    ['169.254.169.254', 'cannot be opened'],
    ['fe80::/10', 'cannot be opened'],
    ['100.100.100.200', 'cannot be opened'],
    ['fd00:ec2::254', 'cannot be opened'],
  ])('refuses %s, saying what to write', (entry, repair) => {
    const act = () => parseCallbackAllow(`ok.example ${entry}`);
    expect(act).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(act).toThrow(`CALLBACK_ALLOW: "${entry}" cannot be used`);
    expect(act).toThrow(repair);
  });
});
