// The configuration of monitoring servers, and the variables that they are given.
import { describe, expect, it } from 'vitest';
import { type Given, parseMonitoringConfig, resolveVariables } from '../../src/mcp-client/config.ts';
import { open, program } from './doubles.ts';

function faultOf(servers: unknown): string {
  try {
    parseMonitoringConfig(typeof servers === 'string' ? servers : JSON.stringify({ servers }));
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage' });
    return (error as Error).message;
  }
  throw new Error('accepted');
}

describe('the configuration of monitoring servers', () => {
  it('serves no one and offers nothing that is not named', () => {
    const { servers } = parseMonitoringConfig('{"servers": {"prometheus": {"command": "npx"}}}');
    expect(servers).toEqual([
      {
        name: 'prometheus',
        reach: { kind: 'program', command: 'npx', args: [], env: [] },
        projects: [],
        tools: [],
        callTimeoutMs: 20_000,
        maxResultBytes: 12_000,
        allowPublic: false,
        allowUntrustedReports: false,
      },
    ]);
  });

  it.each([
    ['not JSON', '{"servers": {"a": "top-secret', /not JSON.*Correct it/],
    ['an unknown key', { grafana: { command: 'x', tool: ['a'] } }, /server "grafana": unknown "tool"; .*tools/],
    ['neither program nor address', { grafana: {} }, /server "grafana": give either command .* or url/],
    ['both', { grafana: { command: 'x', url: 'http://h' } }, /either command/],
    ['headers beside a program', { g: { command: 'x', headers: { a: 'b' } } }, /headers go with url/],
    ['a relative program', { g: { command: './server.js' } }, /server "g", command: .*absolute path/],
    ['a value instead of a name', { g: { command: 'x', env: ['TOKEN=top-secret'] } }, /"g", env.0: list the names/],
    ["a secret of Causeway's own", { g: { command: 'x', env: ['WEBHOOK_SECRET'] } }, /Causeway's own secrets/],
    ['a password in the address', { g: { url: 'https://u:top-secret@h/' } }, /write headers/],
    ['another scheme', { g: { url: 'file:///etc/top-secret' } }, /https:\/\/ or http:\/\//],
    ['a name that is none', { Grafana_1: { command: 'x' } }, /"Grafana_1".*a-z, 0-9 and -/],
    ['a wildcard for projects', { g: { command: 'x', projects: ['acme/*'] } }, /no wildcards/],
    ['a tool named twice', { g: { command: 'x', tools: ['a', 'a'] } }, /each tool once/],
    ['a header with a line end', { g: { url: 'http://h', headers: { A: 'a\r\nB: top-secret' } } }, /one line/],
    ['a deadline out of range', { g: { command: 'x', callTimeoutS: 0 } }, /"g", callTimeoutS: /],
  ])('refuses %s and says what to do', (_, servers, words) => {
    const fault = faultOf(servers);
    expect(fault).toMatch(words);
    expect(fault).toMatch(/^MCP_CONFIG: /);
    expect(fault).not.toContain('top-secret');
  });

  it('tells all faults at once', () => {
    expect(faultOf({ a: { command: 'x', callTimeoutS: 'long' }, b: {} }).split('\n')).toHaveLength(2);
  });

  it('refuses to start without a variable that is named, and names it', () => {
    const entry = {
      url: 'http://127.0.0.1:1',
      headers: { Authorization: 'Bearer $GRAFANA_TOKEN', X: ['$', '{TENANT}'].join('') },
    };
    const named = (): unknown => open({ grafana: entry, other: program('plain', { env: ['PROMETHEUS_URL'] }) });
    expect(named).toThrow(
      /"grafana" names the variable GRAFANA_TOKEN,.*\n.*"grafana" .*TENANT.*\n.*"other" names the variable PROMETHEUS_URL/,
    );
  });

  it('refuses to start with a value that no header may hold, without showing it', () => {
    const value = ['two', 'lines'].join('\n');
    const named = (): unknown =>
      open({ g: { url: 'http://127.0.0.1:1', headers: { A: '$TOKEN' } } }, { environment: { TOKEN: value } });
    expect(named).toThrow(/"g" puts the variable TOKEN into a header/);
    expect(named).not.toThrow(/lines/);
  });
});

/** Made at run time: the tree holds nothing that looks like a secret. */
const TOKEN = ['planted', 'value', '0815', 'fedcba'].join('-');

function give(entry: Record<string, unknown>, environment: Record<string, string>): Given {
  const config = parseMonitoringConfig(JSON.stringify({ servers: { p: entry } }));
  const given = resolveVariables(config, environment).get('p');
  if (!given) throw new Error('nothing given');
  return given;
}

function isSecret(name: string, value: string): boolean {
  return give({ command: 'x', env: [name] }, { [name]: value }).withoutSecrets(`<${value}>`) === '<[redacted]>';
}

describe('the value of a variable', () => {
  it.each([
    ['an address', 'PROMETHEUS_URL', 'http://prometheus.internal:9090/prom'],
    ['a host', 'PROM', 'prometheus.internal:9090'],
    ['a path', 'CA_FILE', '/etc/ssl/certs/ca.pem'],
    ['a word', 'NODE_ENV', 'production'],
    ['a region', 'REGION', 'eu-central-1'],
    ['a number', 'TIMEOUT', '1000000000'],
  ])('is no secret where it is %s', (_, name, value) => {
    expect(isSecret(name, value)).toBe(false);
  });

  it.each([
    ['its name says so', 'GRAFANA_PASSWORD', 'production'],
    ['it is none of the plain kinds', 'GRAFANA', TOKEN],
    ['it is an address with a password', 'PROM', `http://me:${TOKEN}@prometheus.internal`],
    ['it is an address with a question', 'PROM', `http://prometheus.internal/?k=${TOKEN}`],
  ])('is secret where %s', (_, name, value) => {
    expect(isSecret(name, value)).toBe(true);
  });

  it('is found when it comes back in parts: the password only, a line only, inside a string of JSON', () => {
    const address = give({ command: 'x', env: ['PROM'] }, { PROM: `http://me:${TOKEN}%21@prometheus.internal` });
    expect(address.withoutSecrets(`login ${TOKEN}!`)).toBe('login [redacted]');
    const key = `first ${TOKEN}\nsecond "${TOKEN}"`;
    const { withoutSecrets } = give({ command: 'x', env: ['KEY'] }, { KEY: key });
    expect(withoutSecrets(`second "${TOKEN}"`)).toBe('[redacted]');
    expect(withoutSecrets(JSON.stringify({ key }))).toBe('{"key":"[redacted]"}');
  });

  it('is put into headers where it is named, and found with and without its scheme', () => {
    const headers = { Authorization: 'Bearer $TOKEN', 'X-Scope-OrgID': ['$', '{TENANT}-eu'].join('') };
    const given = give({ url: 'http://127.0.0.1:1', headers }, { TOKEN: `${TOKEN}\n`, TENANT: 'production' });
    expect(given.headers).toEqual({ Authorization: `Bearer ${TOKEN}`, 'X-Scope-OrgID': 'production-eu' });
    expect(given.withoutSecrets(`Bearer ${TOKEN} or ${TOKEN} in production`)).toBe(
      '[redacted] or [redacted] in production',
    );
  });
});
