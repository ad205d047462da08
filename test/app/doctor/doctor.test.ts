// `causeway doctor` over a GitHub and a model that answer: what it finds of each fault, and what it says puts it right.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { App } from 'causeway-github-double';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AskedBehaviour, fails, stallsAfter } from '../../../packages/models/test/model-endpoint.ts';
import { call } from '../../../packages/models/test/played.ts';
import { judgeFree } from '../../../src/app/doctor/doctor.ts';
import { runProbes, warn } from '../../../src/app/doctor/probe.ts';
import { runCommand } from '../../../src/app/run-command.ts';
import { createSeal } from '../../../src/db/seal.ts';
import { openSqliteStore } from '../../../src/db/sqlite.ts';
import { createJobTable } from '../../../src/queue/job-table.ts';
import { startBuildServer } from '../../support/build-host.ts';
import { OWNER } from '../../support/github-stage.ts';
import { APP_KEY } from '../../support/new-key.ts';
import { plays } from '../../support/played-model.ts';
import { scriptedTerminal } from '../../support/scripted-terminal.ts';
import { type DoctorGround, delivered, doctorGround, examine, MODEL_KEY } from './doctor-ground.ts';

let ground: DoctorGround;
let answer: AskedBehaviour;

beforeEach(async () => {
  const notes = [call('read_note', { note: 'first' }), call('read_note', { note: 'second' })];
  answer = plays([{ calls: notes }, { say: 'river bridge' }]);
  ground = await doctorGround((...asked) => answer(...asked));
});
afterEach(() => ground[Symbol.asyncDispose]());

/** A store of this key, as a start would leave it. */
async function makeStore(key: string): Promise<string> {
  mkdirSync(ground.dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(ground.dataDir, 'causeway.db');
  const seal = createSeal(Buffer.from(key, 'hex'));
  const store = await openSqliteStore({ file, seal, enqueuer: createJobTable() });
  const now = new Date().toISOString();
  await store.ensureAccount({ login: 'mara', githubId: 1, signingSecret: 'whsec_of-mara', now });
  await store[Symbol.asyncDispose]();
  return file;
}

const KEY = 'ab'.repeat(32);

describe('the doctor', () => {
  it('finds nothing wrong where nothing is, says what it cost, and leaves everything as it was', async () => {
    const prices = path.join(path.dirname(ground.dataDir), 'prices.json');
    writeFileSync(prices, JSON.stringify({ 'shop-1': { prompt: 10, cached: 1, completion: 100 } }));
    await makeStore(KEY);
    const found = await ground.examine({ MODEL_PRICES: prices, ENCRYPTION_KEY: KEY, MIRRORS_MAX_MB: '100' });
    expect(found.findings.filter(({ status }) => status !== 'ok')).toEqual([
      expect.objectContaining({
        check: 'public url',
        status: 'warn',
        found: expect.stringContaining('this machine only'),
      }),
    ]);
    expect(found.code).toBe(0);
    // 2,051 tokens at $10 a million, 2,050 of the cache at $1, 81 answered at $100.
    expect(found.of('model')).toContain('price: $0.030660 for both turns (per million tokens: $10 input, $1 cached');
    expect(ground.double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('prints one line a finding with its repair below, and exits with 1 where something does not work', async () => {
    answer = fails(401, 'no such key');
    const terminal = scriptedTerminal();
    const context = { io: terminal, environment: ground.env, now: () => new Date() };
    expect(await runCommand({ kind: 'doctor', json: false }, context, new AbortController().signal)).toBe(1);
    expect(terminal.printed.out).toMatch(/^ok {4}settings {7}Causeway .*, GitHub mode, MAX_MODE=fix$/m);
    expect(terminal.printed.out).toMatch(/^fail {2}model .*\n {21}→ .*check OPENAI_API_KEY/m);
    expect(terminal.printed.out).toMatch(/^1 failed, \d warnings?, \d+ ok\.$/m);
  });

  const app: readonly [what: string, change: (app: App) => Partial<App>, check: string, said: RegExp][] = [
    [
      'lacks a permission',
      (own) => ({ permissions: without(own.permissions, 'checks') }),
      'permissions',
      /fail: the App does not ask for checks: write → Add it in the App's settings/,
    ],
    [
      'has a permission that it does not need',
      (own) => ({ permissions: { ...own.permissions, secrets: 'read' } }),
      'permissions',
      /warn: the App has more permissions than it needs: secrets: read → Remove them/,
    ],
    [
      'is not told of an event',
      (own) => ({ events: own.events.filter((name) => name !== 'check_suite') }),
      'permissions',
      /fail: the App does not receive check_suite → Subscribe/,
    ],
    [
      'sends its deliveries elsewhere',
      () => ({ webhookUrl: 'https://old.example.com/api/github/webhooks' }),
      'webhook',
      /fail: GitHub sends deliveries to old\.example\.com, not to http:\S+ → Set the webhook URL/,
    ],
    [
      'sends its deliveries nowhere',
      () => ({ webhookUrl: null }),
      'webhook',
      /fail: GitHub sends deliveries nowhere → Set the webhook URL/,
    ],
    [
      'signs with no secret',
      () => ({ webhookSecret: '' }),
      'webhook',
      /fail: GitHub signs deliveries without a secret → Set the webhook secret/,
    ],
  ];
  it.each(app)('says what to do where the App %s', async (_, change, check, said) => {
    Object.assign(ground.double.app, change(ground.double.app));
    const found = await ground.examine();
    expect(found.of(check)).toMatch(said);
  });

  it('names the owner who has not accepted a permission, who suspended it, and who is not served', async () => {
    const { people, state } = ground.double;
    people.organization('rival', { owners: ['rex'] });
    people.install('rival', { by: 'rex' });
    const [own] = [...state.installations.values()];
    if (own === undefined) throw new Error('nothing is installed');
    own.permissions = without(own.permissions, 'pull_requests');
    const found = await ground.examine({ ALLOWED_OWNERS: `${OWNER}, absent-org` });
    expect(found.of('permissions')).toMatch(/fail: corner has not granted pull_requests: write → The owner accepts it/);
    expect(found.of('installations')).toMatch(/warn: ALLOWED_OWNERS names absent-org, without an installation/);
    expect(found.of('installations')).toMatch(/warn: rival installed the App, but is not allowed → Add its login/);
    people.suspend(own, 'nora');
    expect((await ground.examine()).of('installations')).toMatch(/warn: corner has suspended the App/);
    expect((await ground.examine({ ALLOWED_OWNERS: 'absent-org' })).of('installations')).toMatch(
      /fail: no allowed owner has installed the App → Install it: http/,
    );
  });

  it('asks for less where the service itself is held to comments', async () => {
    ground.double.app.permissions = { ...ground.double.app.permissions, contents: 'read', pull_requests: 'read' };
    expect((await ground.examine({ MAX_MODE: 'comment' })).of('permissions')).not.toContain('does not ask for');
    expect((await ground.examine()).of('permissions')).toContain(
      'does not ask for contents: write, pull_requests: write',
    );
  });

  const fared: readonly [statuses: readonly number[], said: RegExp][] = [
    [[202, 202], /ok: 2 of the last 2 deliveries arrived/],
    [[202, 500, 202], /warn: 2 of the last 3 deliveries arrived, the last one too → Missed ones are requested again/],
    [
      [401, 202],
      /fail: 1 of the last 2 deliveries arrived; the last one got 401 → Make WEBHOOK_SECRET equal to the secret/,
    ],
    [[503], /fail: 0 of the last 1 deliveries arrived; the last one got 503 → The proxy or this service failed/],
  ];
  it.each(fared)('reads from deliveries that got %j how the webhook fares', async (statuses, said) => {
    const { app, webhooks } = ground.double;
    const recent = statuses.map((status, index) => delivered(index + 1, status, index * 5));
    webhooks.setDeliveries(app, [...recent, delivered(99, 500, 3 * 24 * 60)]);
    expect((await ground.examine()).of('webhook')).toMatch(said);
  });

  it('knows a smee channel, and does not print it: whoever knows it reads every delivery', async () => {
    const channel = 'https://smee.io/Abc123SecretChannel';
    ground.double.app.webhookUrl = channel;
    const found = await ground.examine({ WEBHOOK_PROXY_URL: channel });
    expect(found.of('webhook')).toMatch(/warn: deliveries come through a smee channel → Use it for development only/);
    expect(found.printed).not.toContain('Abc123SecretChannel');
  });

  it('says of credentials that GitHub does not believe which are to be looked at, once', async () => {
    const found = await ground.examine({ PRIVATE_KEY_PATH: '', PRIVATE_KEY: APP_KEY });
    expect(found.code).toBe(1);
    expect(found.of('app')).toMatch(/fail: .* check that APP_ID and PRIVATE_KEY belong together/);
    expect((await ground.examine({ APP_ID: '1' })).of('app')).toMatch(/fail: .* APP_ID names another App/);
    expect(found.of('permissions')).toMatch(/^warn: skipped → Fix what "app" reports first/);
  });

  const models: readonly [what: string, behaviour: AskedBehaviour, said: RegExp][] = [
    [
      'refuses the key',
      fails(401, `Incorrect API key: ${MODEL_KEY}`),
      /fail: shop-1 cannot be asked in this way → .*does not accept the key \(401\): check OPENAI_API_KEY/,
    ],
    [
      'does not know the model',
      fails(404, 'The model `shop-1` does not exist'),
      /fail: shop-1 cannot be asked .*no such address or model \(404\): check OPENAI_BASE_URL and MODEL \(shop-1\)/,
    ],
    ['has no credit left', fails(402, 'pay first'), /fail: .*has no credit left/],
    ['is silent', stallsAfter(), /fail: shop-1 /],
  ];
  it.each(models)('says what to do where the endpoint %s', async (_, behaviour, said) => {
    answer = behaviour;
    const found = await ground.examine({ MODEL_IDLE_S: '1', MODEL_TIMEOUT_S: '1' });
    expect(found.of('model')).toMatch(said);
    expect(found.code).toBe(1);
  });

  it('warns of a clock that is more than 30 seconds off, although GitHub was asked with a corrected one', async () => {
    const found = await ground.examine({}, () => new Date(Date.now() + 3 * 60_000));
    expect(found.of('app')).toMatch(/^ok/);
    expect(found.of('clock')).toMatch(
      /fail: this machine's clock is 1(79|80|81) s ahead of GitHub → Synchronise it by NTP/,
    );
    expect((await ground.examine()).of('clock')).toMatch(/^ok: within 1 s of GitHub/);
  });

  it('tells a wrong key, a damaged file, a schema of another version and given-up jobs apart', async () => {
    const file = await makeStore(KEY);
    const wrong = await ground.examine({ ENCRYPTION_KEY: 'cd'.repeat(32) });
    expect(wrong.of('database')).toMatch(
      /ok: \S+causeway\.db answers → \nfail: the encryption key does not open the stored secrets → Restore encryption\.key/,
    );
    const database = new Sqlite(file);
    database.exec(
      "insert into jobs (id, kind, subject, group_key, state, run_at, attempts, failures, urgency) values ('j', 'run', 's', 'g', 'dead', '2026-01-01', 3, 3, 'person')",
    );
    expect((await ground.examine({ ENCRYPTION_KEY: KEY })).of('database')).toMatch(
      /warn: 1 job has failed for the last time .*"causeway redrive"/,
    );
    database.exec("insert into kysely_migration values ('9999-later', '2026-01-01')");
    expect((await ground.examine({ ENCRYPTION_KEY: KEY })).of('database')).toMatch(
      /fail: .*made by another version \(it has 9999-later\) → Start that version/,
    );
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    writeFileSync(file, 'this is no database at all, but it is long enough to be looked at as one. '.repeat(20));
    expect((await ground.examine({ ENCRYPTION_KEY: KEY })).of('database')).toMatch(
      /fail: failed → The database .*causeway\.db/,
    );
    rmSync(file);
  });

  it('names files of the data folder that others may read', async () => {
    mkdirSync(ground.dataDir, { mode: 0o700 });
    writeFileSync(path.join(ground.dataDir, 'encryption.key'), `${KEY}\n`);
    chmodSync(path.join(ground.dataDir, 'encryption.key'), 0o644);
    expect((await ground.examine()).of('data folder')).toMatch(
      /warn: other users have access to encryption\.key in \S+ → chmod go= \S+encryption\.key/,
    );
  });

  it('judges room on the disk', () => {
    expect(judgeFree(100 * 1024 ** 2).status).toBe('warn');
    expect(judgeFree(100 * 1024 ** 2 - 1)).toMatchObject({
      status: 'fail',
      found: '99 MiB free, 100 MiB required: the service is not ready',
      repair: expect.stringContaining('MIRRORS_MAX_MB'),
    });
    expect(judgeFree(1024 ** 3)).toMatchObject({ status: 'warn', found: '1 GiB free' });
    expect(judgeFree(10 * 1024 ** 3).status).toBe('ok');
  });

  it('says of an address whether it answers, is another program, or is not https', async () => {
    expect((await ground.examine({ PUBLIC_URL: 'http://127.0.0.1:48' })).of('public url')).toMatch(
      /warn: \S+ does not answer \(ECONNREFUSED\) → Start the service/,
    );
    expect((await ground.examine({ PUBLIC_URL: ground.double.webUrl })).of('public url')).toMatch(
      /fail: \S+\/healthz answered \d+, and not as Causeway does/,
    );
    expect((await ground.examine({ PUBLIC_URL: 'http://causeway.invalid' })).of('public url')).toMatch(
      /fail: http:\/\/causeway\.invalid is not https → Put a proxy/,
    );
    ground.double.problems.length = 0;
  });

  it('asks each monitoring server, and says which does not answer', async () => {
    const file = path.join(path.dirname(ground.dataDir), 'mcp.json');
    const entry = { url: 'http://127.0.0.1:48/mcp', projects: ['corner/shop'], tools: ['find'] };
    writeFileSync(file, JSON.stringify({ servers: { metrics: entry } }));
    expect((await ground.examine({ MCP_CONFIG: file })).of('monitoring')).toMatch(
      /fail: metrics: it could not be reached \(ECONNREFUSED\) → .*MCP_CONFIG/,
    );
    expect((await ground.examine({ MCP_CONFIG: '/nowhere.json' })).of('monitoring')).toMatch(
      /fail: \/nowhere\.json cannot be read/,
    );
  });

  it('tries the token of each other CI', async () => {
    await using jenkins = await startBuildServer();
    const file = path.join(path.dirname(ground.dataDir), 'ci-logs.json');
    const entry = { kind: 'jenkins', user: 'causeway', token: '$JENKINS_TOKEN' };
    writeFileSync(file, JSON.stringify({ origins: { [jenkins.origin]: entry } }));
    const settings = { CI_LOGS: file, JENKINS_TOKEN: 'canary-token-of-jenkins' };
    const of = async (more: object) => (await ground.examine({ ...settings, ...more })).of('CI logs');
    const who = '/me/api/json?tree=id';
    jenkins.answers.set(who, { body: { id: 'causeway' } });
    expect(await of({})).toMatch(/^ok: http:\S+ takes the token/);
    jenkins.answers.set(who, { status: 401 });
    expect(await of({})).toMatch(/^fail: http:\S+ refuses the token → .*CI_LOGS/);
    expect(await of({ JENKINS_TOKEN: '' })).toMatch(/fail: .*names the variable JENKINS_TOKEN, which is not set/);
  });

  it('takes secrets out of whatever a check says, and bounds each in time', async () => {
    const probes = [
      { check: 'told', ask: async () => [warn(`it said ${MODEL_KEY}`, `not ${MODEL_KEY}`)] },
      { check: 'hangs', boundMs: 10, ask: () => new Promise<never>(() => undefined) },
    ];
    expect(await runProbes(probes, [MODEL_KEY], new AbortController().signal)).toEqual([
      { check: 'told', status: 'warn', found: 'it said [redacted]', repair: 'not [redacted]' },
      expect.objectContaining({ check: 'hangs', status: 'fail', found: 'no result within 0.01 s' }),
    ]);
  });

  it('prints no secret, whatever went wrong', async () => {
    const { app: own } = ground.double;
    answer = fails(400, `bad request with ${MODEL_KEY} in it`);
    const found = await ground.examine({ GHE_HOST: '127.0.0.1:48' });
    for (const secret of [MODEL_KEY, own.webhookSecret, own.clientSecret, own.privateKey, 'PRIVATE KEY']) {
      expect(found.printed).not.toContain(secret);
    }
    expect(found.of('app')).toMatch(/fail: .*GHE_HOST/);
  });
});

describe('the doctor without a whole configuration', () => {
  it('names every fault of the settings, and what can be looked at all the same', async () => {
    const found = await examine({ PATH: process.env['PATH'] ?? '', PORT: 'eighty', BUDGET_RUN: 'much' });
    expect(found.of('settings').split('\n')).toEqual([
      expect.stringMatching(/^fail: .*PORT is "eighty"/),
      expect.stringMatching(/^fail: .*BUDGET_RUN is "much"/),
    ]);
    expect(found.of('git')).toMatch(/^ok: git \d/);
    expect(found.code).toBe(1);
  });

  it('says so of half an App, and of a machine without git', async () => {
    const found = await examine({ PATH: '/nowhere', APP_ID: '1', DATA_DIR: path.join(ground.dataDir, 'none') });
    expect(found.of('settings')).toMatch(/fail: .*PRIVATE_KEY is missing/);
    expect(found.of('git')).toMatch(/fail: git cannot be started → Install git/);
    expect(found.of('data folder')).toMatch(/warn: .* does not exist yet/);
  });
});

function without<T extends object>(all: T, name: string): T {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)) as T;
}
