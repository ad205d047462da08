// Values of variables: which of them are secret, and that those are found in every form in which they come back.
import { describe, expect, it } from 'vitest';
import { type Given, giveVariables, parseMonitoringConfig } from '../../src/mcp/config.ts';

/** Made at run time: the tree holds nothing that looks like a secret. */
const TOKEN = ['planted', 'value', '0815', 'fedcba'].join('-');

function give(entry: Record<string, unknown>, environment: Record<string, string>): Given {
  const config = parseMonitoringConfig(JSON.stringify({ servers: { p: entry } }));
  const given = giveVariables(config, environment).get('p');
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

  it('is found when it comes back in parts: the password alone, a line alone, inside a string of JSON', () => {
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
