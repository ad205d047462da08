// The configuration: what the environment says, and what is said of its faults.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { endpointConfig } from './support/endpoint-config.ts';
import { APP_ENVIRONMENT, APP_KEY, WEBHOOK_SECRET } from './support/new-key.ts';
import { temporaryFolder } from './support/service.ts';

describe('the configuration', () => {
  it('has a default for everything, and takes an empty variable for an absent one', () => {
    const config = readConfig({ PORT: '', HOST: ' ', RATE_LIMIT: '' });
    expect(config).toMatchObject({ host: '127.0.0.1', port: 3000, concurrency: 4, retentionDays: 90, projects: [] });
    expect(config.rateLimit).toEqual({ callsPerMinute: 600, creationsPerMinute: 60 });
    expect(config.investigationTimeoutMs).toBe(600_000);
    expect(config.dataDir).toMatch(/[\\/]data$/);
  });

  it('names every fault at once, each with its variable and its repair', () => {
    const environment = {
      PORT: '70000',
      CONCURRENCY: 'many',
      LOG_LEVEL: 'loud',
      WEBHOOK_PROXY_URL: 'ftp://x',
      ENCRYPTION_KEY: 'short',
    };
    expect(() => readConfig(environment)).toThrow(
      [
        'PORT is "70000": give a whole number from 0 to 65535.',
        'WEBHOOK_PROXY_URL is "ftp://x": give an address that begins with https:// or http://.',
        'ENCRYPTION_KEY must be 32 bytes as 64 hex digits or base64 ("openssl rand -hex 32" makes one).',
        'CONCURRENCY is "many": give a whole number from 1 to 64.',
        'LOG_LEVEL is "loud": give one of trace, debug, info, warn, error, fatal, silent.',
      ].join('\n'),
    );
  });

  it('reads a secret from the file that NAME_FILE names, and says which file cannot be read', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-config-'));
    const file = path.join(folder, 'token');
    writeFileSync(file, 'from-the-file\n');
    expect(readConfig({ GITHUB_TOKEN_FILE: file }).githubToken).toBe('from-the-file');
    rmSync(folder, { recursive: true });
    expect(() => readConfig({ GITHUB_TOKEN_FILE: file })).toThrow(`GITHUB_TOKEN_FILE names ${file}`);
  });

  it('keeps records in SQLite where no DATABASE_URL is set, and shows one that is without its password', () => {
    expect(readConfig({}).database).toEqual({ kind: 'sqlite' });
    const url = 'postgres://causeway:p%40ssword-of-ten@db.example.com:6432/records?sslmode=verify-full';
    const { database, secrets } = readConfig({ DATABASE_URL: url });
    const shown = 'postgres://causeway@db.example.com:6432/records';
    expect(database).toEqual({ kind: 'postgres', url, shown });
    expect(secrets).toEqual([url, 'p%40ssword-of-ten', 'p@ssword-of-ten']);
  });

  it.each([
    ['mysql://u:hidden@db/c', 'does not begin with postgres://'],
    ['postgres://u:hidden@db', 'names no database after the host'],
    ['postgres://u:hid/den@db/c', 'is not a valid address'],
    ['postgres://u:hidden%zz@db/c', 'has a "%" that encodes nothing'],
  ])('says of DATABASE_URL=%s what is wrong with it, and nothing of its password', (value, fault) => {
    const read = () => readConfig({ DATABASE_URL: value });
    expect(read).toThrow(`DATABASE_URL ${fault}`);
    expect(read).toThrow(
      /give an address such as postgres:\/\/causeway:PASSWORD@.*; without it records are kept in SQLite/,
    );
    expect(read).not.toThrow(/hid/);
  });

  it('takes a SESSION_SECRET of at least 32 characters, also from a file, and none for none', async () => {
    const enough = 's'.repeat(32);
    expect(readConfig({ SESSION_SECRET: enough })).toMatchObject({ sessionSecret: enough, secrets: [enough] });
    expect(readConfig({}).sessionSecret).toBeNull();
    expect(() => readConfig({ SESSION_SECRET: 's'.repeat(31), PORT: 'x' })).toThrow(
      /^PORT is "x".*\nSESSION_SECRET is too short: give at least 32 characters \("openssl rand -hex 32"/,
    );
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'secret');
    writeFileSync(file, `${enough}\n`);
    expect(readConfig({ SESSION_SECRET_FILE: file }).sessionSecret).toBe(enough);
  });

  it('splits PROJECTS as PATH is split, and takes RATE_LIMIT=off', () => {
    const config = readConfig({ PROJECTS: ['a', 'b'].join(path.delimiter), RATE_LIMIT: 'off' });
    expect(config).toMatchObject({ projects: ['a', 'b'], rateLimit: 'off' });
  });

  it('says that RATE_LIMIT may be off, and that LOCAL_MODE is 1 or 0', () => {
    expect(() => readConfig({ RATE_LIMIT: 'x', LOCAL_MODE: 'yes' })).toThrow(
      'LOCAL_MODE is "yes": give one of 0, 1.\nRATE_LIMIT is "x": give a whole number from 1 to 1000000, or off.',
    );
    expect(['1', '0', ''].map((value) => readConfig({ LOCAL_MODE: value }).localMode)).toEqual([true, false, false]);
  });

  it.each(['http://127.0.0.1:3000/?a=b', 'http://127.0.0.1:3000/#top', 'http://127.0.0.1:3000?'])(
    'takes no PUBLIC_URL with query or fragment: %s',
    (address) => {
      expect(() => readConfig({ PUBLIC_URL: address })).toThrow(
        `PUBLIC_URL is "${address}": give it without query and fragment.`,
      );
    },
  );

  it.each([
    ['DRY_RUN', '0', 'set MAX_MODE=observe'],
    ['GITHUB_API_URL', 'https://api.github.com', 'set GHE_HOST'],
    ['GITHUB_WEB_URL', 'https://github.com', 'set GHE_HOST'],
    ['METRICS_PORT', '9464', 'set METRICS_TOKEN'],
    ['METRICS_HOST', '0.0.0.0', 'set METRICS_TOKEN'],
  ])('starts with no %s, which is read no more, and names what replaced it', (name, value, replacement) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} is no longer read: ${replacement}`);
    expect(() => readConfig({ [name]: '' })).not.toThrow();
  });

  it('takes no notice of the GITHUB_API_URL that GitHub Actions sets', () => {
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_API_URL: 'https://api.github.com' };
    expect(readConfig(actions).githubApiUrl).toBe('https://api.github.com');
    expect(() => readConfig({ ...actions, DRY_RUN: '1' })).toThrow('DRY_RUN');
  });

  it('takes a METRICS_TOKEN that nobody guesses, and registers it as a secret', () => {
    const token = 'sixteen-letters!';
    const config = readConfig({ METRICS_TOKEN: token });
    expect([config.metricsToken, config.secrets]).toEqual([token, [token]]);
    expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN is too short: give at least 16');
  });

  it('has an example file whose every line may be used as it stands', () => {
    const text = readFileSync(path.join(import.meta.dirname, '..', '.env.example'), 'utf8');
    const used = text.replace(/^# (?=[A-Z_]+=)/gm, '');
    const environment = parseEnv(used);
    expect(Object.keys(environment)).toContain('PUBLIC_URL');
    expect(() => readConfig(environment)).not.toThrow();
    const { githubToken: _, environment: __, localMode: ___, ...defaults } = readConfig({});
    expect(readConfig(environment)).toMatchObject(defaults);
  });
});

describe('the model', () => {
  const model = (environment: Record<string, string>) => readConfig(environment).model;

  it('is none without key and address, without a name, or where MODEL says so; what is missing is hinted at', () => {
    expect(model({})).toEqual({ kind: 'none', hint: '' });
    expect(model({ MODEL: 'none', OPENAI_API_KEY: 'key' })).toEqual({ kind: 'none', hint: '' });
    expect(model({ MODEL: 'some-model' })).toMatchObject({
      kind: 'none',
      hint: expect.stringContaining('without a key'),
    });
    expect(model({ OPENAI_API_KEY: 'key' })).toMatchObject({ hint: expect.stringContaining('OPENAI_API_KEY is set') });
    expect(model({ OPENAI_BASE_URL: 'http://x' })).toMatchObject({ hint: expect.stringContaining('no MODEL') });
  });

  it('is an endpoint with a key, an address, or both', () => {
    const given = { name: 'm', timeoutMs: 600_000, idleMs: 120_000 };
    expect(model({ MODEL: 'm', OPENAI_API_KEY: 'key' })).toEqual(endpointConfig({ ...given, apiKey: 'key' }));
    expect(model({ MODEL: 'm', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/', MODEL_IDLE_S: '5' })).toEqual(
      endpointConfig({ ...given, baseUrl: 'http://127.0.0.1:1/v1', idleMs: 5_000 }),
    );
    expect(model({ MODEL: 'm', ANTHROPIC_API_KEY: 'key' })).toMatchObject({ anthropic: { apiKey: 'key' } });
    expect(model({ MODEL: 'm', MODEL_API: 'bedrock' })).toMatchObject({ api: 'bedrock' });
  });

  it('may be one of several, with an effort, headers and a command for its key', () => {
    const environment = {
      ...{ MODEL: 'm', MODELS: 'm, big small big', MODEL_EFFORT: 'High', MODEL_KEY_COMMAND: 'vault read key' },
      MODEL_HEADERS: 'X-Team: tools\n\nX-Token:  very-secret-value ',
    };
    const config = readConfig(environment);
    expect(config.model).toMatchObject({
      ...{ others: ['big', 'small'], effort: 'high', keyCommand: 'vault read key' },
      headers: [
        ['X-Team', 'tools'],
        ['X-Token', 'very-secret-value'],
      ],
    });
    expect(config.secrets).toContain('very-secret-value');
    const fault = () => readConfig({ MODEL_HEADERS: 'X-Team: tools\nvery-secret-value', MODEL_EFFORT: '9' });
    expect(fault).toThrow(/MODEL_HEADERS, line 2, is not a header[\s\S]*|MODEL_EFFORT is "9"/);
    expect(fault).not.toThrow(/very-secret-value/);
  });

  it('may be a script, named by its file', () => {
    expect(model({ MODEL: 'scripted:/srv/play.json' })).toEqual({ kind: 'scripted', file: '/srv/play.json' });
  });

  it('costs what the budgets say, in dollars and cents', () => {
    expect(readConfig({}).budget).toEqual({ run: 1, repository: 25, all: 200 });
    expect(readConfig({ BUDGET_RUN: '0.50', BUDGET_MONTH: '$1000' }).budget).toMatchObject({ run: 0.5, all: 1_000 });
    expect(() => readConfig({ BUDGET_RUN: 'much' })).toThrow(
      'BUDGET_RUN is "much": give US dollars, such as 25 or 0.50.',
    );
  });
});

describe('the GitHub App', () => {
  const credentialsOf = (changes: Record<string, string>) => {
    const { app } = readConfig({ ...APP_ENVIRONMENT, ...changes });
    if (app.kind !== 'given') throw new Error(JSON.stringify(app));
    return app.credentials;
  };

  it.each([
    ['as it is', APP_KEY],
    ['with \\n for its line feeds', APP_KEY.replaceAll('\n', '\\n')],
    ['in base64', Buffer.from(APP_KEY).toString('base64')],
  ])('takes its key %s', (_, value) => {
    expect(createPrivateKey(credentialsOf({ PRIVATE_KEY: value }).privateKey).asymmetricKeyType).toBe('rsa');
  });

  it('does not count as asked for where the files of its secrets are empty', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'empty');
    writeFileSync(file, '\n');
    expect(readConfig({ PRIVATE_KEY_FILE: file, WEBHOOK_SECRET_FILE: file }).app).toEqual({ kind: 'none' });
  });

  it('takes its key from PRIVATE_KEY_PATH and PRIVATE_KEY_FILE, and registers it as a secret', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'app.pem');
    writeFileSync(file, APP_KEY);
    for (const name of ['PRIVATE_KEY_PATH', 'PRIVATE_KEY_FILE']) {
      const environment = { ...APP_ENVIRONMENT, PRIVATE_KEY: '', [name]: file };
      expect(readConfig(environment)).toMatchObject({
        app: { kind: 'given' },
        secrets: expect.arrayContaining([APP_KEY.trim()]),
      });
    }
    expect(() => readConfig({ PRIVATE_KEY_PATH: '/no/such/file' })).toThrow('PRIVATE_KEY_PATH names /no/such/file');
  });

  it('takes no key of another kind', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(readConfig({ ...APP_ENVIRONMENT, PRIVATE_KEY: String(ec) }).app).toMatchObject({ kind: 'faulty' });
  });

  it('has two secrets during a rotation, the new one first', () => {
    const old = 'o'.repeat(32);
    expect(credentialsOf({}).webhookSecrets).toEqual([WEBHOOK_SECRET]);
    expect(credentialsOf({ WEBHOOK_SECRET_OLD: old }).webhookSecrets).toEqual([WEBHOOK_SECRET, old]);
  });

  it('registers every secret that it was given', () => {
    const given = {
      WEBHOOK_SECRET,
      GITHUB_CLIENT_SECRET: 'client',
      SESSION_SECRET: 's'.repeat(32),
      GITHUB_TOKEN: 'token',
    };
    expect(readConfig(given).secrets).toEqual(expect.arrayContaining(Object.values(given)));
  });

  it.each([
    [{}, 'https://api.github.com', 'https://github.com'],
    [{ GHE_HOST: 'git.example.com' }, 'https://git.example.com/api/v3', 'https://git.example.com'],
    [{ GHE_HOST: 'git.local:8080', GHE_PROTOCOL: 'http' }, 'http://git.local:8080/api/v3', 'http://git.local:8080'],
    [{ GHE_HOST: 'octo.ghe.com' }, 'https://api.octo.ghe.com', 'https://octo.ghe.com'],
  ])('is at the GitHub that %j names', (environment, githubApiUrl, githubWebUrl) => {
    expect(readConfig(environment)).toMatchObject({ githubApiUrl, githubWebUrl });
  });

  it('takes no address for GHE_HOST', () => {
    expect(() => readConfig({ GHE_HOST: 'https://git.example.com' })).toThrow('GHE_HOST is "https://git.example.com"');
  });

  it('may be held below fix by the operator', () => {
    expect(readConfig({}).maxMode).toBe('fix');
    expect(readConfig({ MAX_MODE: 'comment' }).maxMode).toBe('comment');
    expect(() => readConfig({ MAX_MODE: 'all' })).toThrow('MAX_MODE is "all": give one of observe, comment, fix.');
  });

  it('may be installed by ALLOWED_OWNERS', () => {
    expect(readConfig({ ALLOWED_OWNERS: 'octo, mara  per' }).allowedOwners).toEqual(['octo', 'mara', 'per']);
  });
});
