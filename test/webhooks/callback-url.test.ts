// Which callback addresses are accepted by their text.
import { describe, expect, it } from 'vitest';
import { createSigningSecret, createToken } from '../../src/core/account/account.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { checkCallbackUrl } from '../../src/webhooks/callback-url.ts';

const STRICT = { allow: parseCallbackAllow(''), localMode: false };
const LOCAL = { allow: parseCallbackAllow(''), localMode: true };
const OPENED = { allow: parseCallbackAllow('127.0.0.2/32 inner.corp 10.0.0.0/8 fd00::/8'), localMode: false };

function ruleOf(url: string, policy = STRICT): string {
  const verdict = checkCallbackUrl(url, policy);
  return verdict.ok ? 'ok' : verdict.rules.join(' ');
}

function targetOf(url: string): string {
  const verdict = checkCallbackUrl(url, STRICT);
  return verdict.ok ? verdict.target : verdict.detail;
}

const REFUSED: readonly (readonly [rule: string, urls: readonly string[]])[] = [
  [
    'loopback',
    ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '017700000001', '127.0.0.1.', '0x7f.1'],
  ],
  ['loopback', ['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]']],
  ['loopback', ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]']],
  ['special', ['0', '0.0.0.0', '[::]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]']],
  ['special', ['[2001:0:7f00:1::]', '[fec0::1]', '[3ffe::1]', '255.255.255.255', '[ff02::1]']],
  ['private', ['10.0.0.1', '192.168.1.1', '0xa000001', '[fd00::1]', '100.64.0.1']],
  ['link-local', ['169.254.169.254', '169.254.170.2', '0xa9fea9fe', '[fe80::1]', '[::ffff:169.254.169.254]']],
  ['metadata', ['100.100.100.200', '168.63.129.16', '[fd00:ec2::254]', '[fd20:ce::254]']],
  [
    'name',
    ['localhost', 'LOCALHOST', 'LOCALHOST.', 'x.localhost', 'ip6-localhost', 'ip6-loopback', 'ｌｏｃａｌｈｏｓｔ'],
  ],
  [
    'name',
    ['intranet', 'hooks.example.', 'printer.local', 'metadata.google.internal', 'box.home.arpa', 'a.corp', 'x.lan'],
  ],
  ['name', ['a..example', `${'a'.repeat(64)}.example`, 'a!b.example', `${'a.'.repeat(127)}example`]],
  [
    'url',
    [
      '[fe80::1%25eth0]',
      '[fe80::1%eth0]',
      '[::1',
      '256.256.256.256',
      '127.0.0.1.5',
      'ex%ample.com',
      'a%00b.example',
      'hooks.example:65536',
      'hooks.example:x',
    ],
  ],
  [
    'port',
    [
      'hooks.example:22',
      'hooks.example:25',
      'hooks.example:0',
      'hooks.example:80',
      'hooks.example:8080',
      '8.8.8.8:8444',
    ],
  ],
  ['credentials', ['user:password@hooks.example', 'user@hooks.example', '@hooks.example', ':@hooks.example']],
  ['credentials loopback', ['good.example@127.0.0.1']],
];

describe('a callback address', () => {
  it.each(REFUSED)('is refused by exactly the rule "%s": %j', (rule, hosts) => {
    const urls = hosts.map((host) => `https://${host}/hook`);
    expect(urls.map((url) => [url, ruleOf(url)])).toEqual(urls.map((url) => [url, rule]));
  });

  it.each([
    ['url', ''],
    ['url', 'hooks.example/x'],
    ['url', '//hooks.example/x'],
    ['url', '/x'],
    ['url', 'https:hooks.example'],
    ['url', 'https:/hooks.example'],
    ['url', 'https:///hooks.example'],
    ['url', 'https://'],
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'ftp://hooks.example/'],
    ['scheme', 'gopher://hooks.example/'],
    ['scheme', 'data:text/plain,x'],
    ['scheme', 'javascript:alert(1)'],
    ['scheme', 'unix:/var/run/docker.sock'],
    ['scheme url', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/x'],
    ['name https', 'http://unix:/var/run/docker.sock:/x'],
    ['https', 'http://hooks.example/'],
    ['https', 'http://hooks.example:443/'],
    ['https', 'http://8.8.8.8/'],
    ['credentials loopback https', 'http://good@127.0.0.1/'],
    ['characters credentials loopback', 'https://hooks.example\\@127.0.0.1/'],
    ['characters url', 'https:\\\\hooks.example/'],
    ['characters', 'https://hooks.example/a\tb'],
    ['characters url', 'https://127.0\n.0.1/'],
    ['characters url', ' https://hooks.example/'],
    ['characters', 'https://hooks.example/\u2028'],
    ['characters', 'https://hooks.example/\0'],
    ['characters', 'https://hooks.example/\ud800'],
    ['fragment', 'https://hooks.example/#x'],
    ['fragment', 'https://hooks.example/?a=1#'],
    ['secret', `https://hooks.example/${createToken()}/x`],
    ['secret', `https://hooks.example/?key=${createToken().replace('_', '%5f')}`],
    ['secret', `https://hooks.example/?key=${createSigningSecret()}`],
  ])('is refused by exactly "%s": %j', (rule, url) => {
    expect(ruleOf(url)).toBe(rule);
  });

  it.each([
    'https://hooks.example/',
    'https://hooks.example',
    'HTTPS://Hooks.Example/x',
    'https://hooks.example:443/x',
    'https://hooks.example:8443/x',
    'https://does-not-resolve-yet.example/x?y=z',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/x',
  ])('is accepted: %s', (url) => {
    expect(ruleOf(url)).toBe('ok');
  });

  it('has at most 2,048 characters', () => {
    expect(ruleOf(`https://hooks.example/${'a'.repeat(2_026)}`)).toBe('ok');
    expect(ruleOf(`https://hooks.example/${'a'.repeat(2_027)}`)).toBe('length');
  });

  it('is refused by every rule that it breaks, each with its repair', () => {
    const verdict = checkCallbackUrl('https://u:p@example.com:22/#f', STRICT);
    expect(verdict).toEqual({
      ok: false,
      rules: ['fragment', 'credentials', 'port'],
      detail: [
        'callbackUrl contains a fragment (#…), which must be left out (rule "fragment"); CALLBACK_ALLOW cannot open an exception from it.',
        'It contains a user name or password, which must be left out (rule "credentials"); CALLBACK_ALLOW cannot open an exception from it.',
        'It must use port 443 or 8443 (rule "port"); the operator can open an exception by naming the host in CALLBACK_ALLOW.',
      ].join(' '),
    });
    expect(ruleOf('http://u@10.0.0.1:22/a b#f')).toBe('characters fragment credentials private https port');
    expect(ruleOf('ftp://u@intranet:22/#f')).toBe('scheme fragment credentials name port');
  });

  it('must be written without the dot that ends a full name', () => {
    const verdict = checkCallbackUrl('https://hooks.example./', STRICT);
    expect(verdict).toMatchObject({ rules: ['name'], detail: expect.stringContaining('ends in a dot') });
  });

  it('says the rule and what CALLBACK_ALLOW can do about it', () => {
    for (const url of [
      'https://localhost/',
      'https://10.0.0.1/',
      'http://hooks.example/',
      'https://hooks.example:22/',
    ]) {
      const verdict = checkCallbackUrl(url, STRICT);
      expect(verdict).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/rule ".+".*the operator can open.*CALLBACK_ALLOW/),
      });
    }
    for (const url of ['https://169.254.169.254/', 'ftp://hooks.example/', 'https://u@hooks.example/']) {
      const verdict = checkCallbackUrl(url, STRICT);
      expect(verdict).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/rule ".+".*CALLBACK_ALLOW (cannot|opens no)/),
      });
    }
  });

  it('keeps the query byte for byte, also where a URL parser would rewrite it', () => {
    const query = "?a='1'&b=%7e%7E+%20&&c=<\"|`{}^>&d[]=é?x=%zz&e=";
    expect(targetOf(`https://hooks.example/p/../a b${query}`.replace(' ', '%20'))).toBe(
      `/a%20b${query.replace('é', '%C3%A9')}`,
    );
    expect(targetOf('https://hooks.example?')).toBe('/?');
    expect(targetOf('https://hooks.example?x=😀')).toBe('/?x=%F0%9F%98%80');
  });
});

describe('an exception', () => {
  it.each([
    'http://inner.corp/',
    'http://INNER.corp:8080/x',
    'https://inner.corp:9/',
    'http://127.0.0.2:1234/',
    'http://10.9.8.7:80/',
    'http://[fd12::1]:8080/',
    'http://0x7f.0.0.2/',
    'http://[::ffff:127.0.0.2]:81/',
  ])('opens http and any port: %s', (url) => {
    expect(ruleOf(url, OPENED)).toBe('ok');
  });

  it.each([
    ['loopback https', 'http://127.0.0.1/'],
    ['name https', 'http://x.inner.corp/'],
    ['name https', 'http://inner.corp./'],
    ['port', 'http://inner.corp:0/'],
    ['credentials', 'http://u@inner.corp/'],
    ['fragment', 'http://inner.corp/#'],
    ['scheme', 'ftp://inner.corp/'],
    ['metadata https', 'http://[fd00:ec2::254]/'],
    ['https', 'http://hooks.example/'],
  ])('does not open "%s": %s', (rule, url) => {
    expect(ruleOf(url, OPENED)).toBe(rule);
  });
});

describe('local mode', () => {
  it.each([
    'http://localhost:1234/',
    'http://127.0.0.1:5678/x',
    'http://[::1]:80/',
    'https://app.localhost:3000/',
    'http://127.1:9/',
  ])('allows http to loopback on any port: %s', (url) => {
    expect(ruleOf(url, LOCAL)).toBe('ok');
    expect(ruleOf(url, STRICT)).not.toBe('ok');
  });

  it.each([
    ['special https port', 'http://0.0.0.0:3000/'],
    ['private https', 'http://192.168.0.1/'],
    ['name https port', 'http://localhost.:3000/'],
    ['https', 'http://hooks.example/'],
    ['link-local https', 'http://169.254.169.254/'],
  ])('does not open "%s": %s', (rule, url) => {
    expect(ruleOf(url, LOCAL)).toBe(rule);
  });
});
