// What CALLBACK_ALLOW may say.
import { describe, expect, it } from 'vitest';
import { isWithin, parseAddress } from '../../src/webhooks/address-kind.ts';
import { parseCallbackAllow } from '../../src/webhooks/callback-policy.ts';

function opens(text: string, ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isWithin(address, parseCallbackAllow(text).ranges);
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
