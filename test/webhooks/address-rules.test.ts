// Which addresses a callback may connect to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAddress } from '../../src/webhooks/address-rules.ts';
import { parseCallbackAllow } from '../../src/webhooks/callback-policy.ts';

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

  it('of loopback is open in local mode by its own name or literal only, not by a name that a stranger points there', () => {
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
