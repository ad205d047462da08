// The webhook job, against real receivers: what is sent, what is recorded, when it comes back.
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { createSigningSecret } from '../../src/core/account/account.ts';
import type { FailedInvestigation, Webhook } from '../../src/core/account/webhook.ts';
import type { JobResult } from '../../src/core/queue.ts';
import { createLog, listRegisteredSecrets, registerSecret } from '../../src/log.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from '../../src/webhooks/deliver-webhook.ts';
import { type MemoryWebhookStore, memoryWebhookStore } from '../support/memory-webhook-store.ts';
import { until } from '../support/patience.ts';
import { POLICY, publicAndCanary } from './public-and-canary.ts';

const FAILED: FailedInvestigation = {
  investigationId: 'inv_1',
  projectId: 'prj_1',
  reference: 'ticket 7 😀\u2028',
  reason: { code: 'revision_not_found', detail: 'There is no "v9" in the repository; name a branch, tag or sha.' },
};
const JOB = { id: 'job_1', kind: 'webhook', subject: 'evt_1', attempt: 1 } as const;
const NOW = new Date();

interface Scene {
  readonly store: MemoryWebhookStore;
  readonly secret: string;
  readonly logged: readonly string[];
  run(): Promise<JobResult>;
  dead(error: unknown): Promise<void>;
  webhook(): Promise<Webhook>;
}

function scene(url: string, options: Partial<WebhookHandlerOptions> = {}, webhook: Partial<Webhook> = {}): Scene {
  const store = memoryWebhookStore();
  const secret = createSigningSecret();
  const logged: string[] = [];
  store.signWith(secret);
  const initial: Webhook = {
    id: 'evt_1',
    type: 'issue.failed',
    accountId: 'acc_1',
    investigationId: 'inv_1',
    subscriptionId: null,
    projectId: null,
    isExample: false,
    url,
    state: 'pending',
    attempts: 0,
    attemptsBefore: 0,
    lastError: '',
    createdAt: '2026-11-20T12:00:00.000Z',
  };
  store.add({ ...initial, ...webhook }, FAILED);
  const handler = createWebhookHandler({
    store,
    policy: POLICY,
    log: createLog({ level: 'debug', destination: { write: (line) => logged.push(line) } }),
    now: () => NOW,
    random: () => 0.5,
    version: '1.2.3',
    ...options,
  });
  return {
    store,
    secret,
    logged,
    run: () => handler.handle(JOB, new AbortController().signal),
    dead: (error) => handler.dead(JOB, error),
    webhook: async () => (await store.findWebhook('evt_1')) ?? Promise.reject(new Error('gone')),
  };
}

function laterBy(seconds: number): JobResult {
  return { kind: 'later', runAt: new Date(NOW.getTime() + seconds * 1_000).toISOString() };
}

describe('a webhook', () => {
  it('is signed with a secret that no log shows from then on, whatever other secrets become known', async () => {
    const { run, secret } = scene('https://receiver.example/');
    await run();
    const ran = Date.now();
    await until(() => Date.now() > ran);
    registerSecret('another secret of ours');
    expect(listRegisteredSecrets()).toContain(secret);
  });

  it('is sent as type, timestamp and data, and verified by two independent libraries', async () => {
    await using receiver = await publicAndCanary();
    const { run, secret, webhook } = scene(`http://127.0.0.2:${receiver.port}/hook?token='t%7e'`);
    expect(await run()).toEqual({ kind: 'done' });
    const [request] = receiver.requests();
    const body = request?.body.toString('utf8') ?? '';
    const headers = { ...request?.headers };
    new Standard(secret).verify(body, headers);
    new Svix(secret).verify(body, headers);
    expect(JSON.parse(body)).toEqual({ type: 'issue.failed', timestamp: '2026-11-20T12:00:00.000Z', data: FAILED });
    expect(request?.target).toBe("/hook?token='t%7e'");
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Causeway/1.2.3',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(NOW.getTime() / 1_000)),
    });
    expect(await webhook()).toMatchObject({ state: 'delivered', attempts: 1, lastError: '' });
  });

  it('has two signatures during a rotation and one after it', async () => {
    await using receiver = await publicAndCanary();
    const { run, store, secret } = scene(`http://127.0.0.2:${receiver.port}/`);
    const newer = createSigningSecret();
    store.signWith(newer, secret);
    await run();
    const [request] = receiver.requests();
    const [body, headers] = [request?.body.toString('utf8') ?? '', { ...request?.headers }];
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const each of [newer, secret]) new Standard(each).verify(body, headers);

    const later = scene(`http://127.0.0.2:${receiver.port}/`);
    later.store.signWith(newer);
    await later.run();
    const second = { ...receiver.requests()[1]?.headers };
    expect(second['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(() => new Standard(secret).verify(body, second)).toThrow();
  });

  it('keeps its id over all attempts and says in words why the last one failed', async () => {
    let answers = 0;
    await using receiver = await publicAndCanary({
      answer: (_request, response) => {
        answers += 1;
        response.writeHead(answers === 1 ? 503 : 200, { 'retry-after': '60' }).end('inner text of the receiver');
      },
    });
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`);
    expect(await run()).toEqual(laterBy(60));
    expect(await webhook()).toMatchObject({
      state: 'pending',
      attempts: 1,
      lastError: expect.stringMatching(/^status_503: /),
    });
    expect((await webhook()).lastError).not.toContain('inner text');
    expect(await run()).toEqual({ kind: 'done' });
    expect(await webhook()).toMatchObject({ state: 'delivered', attempts: 2, lastError: '' });
    expect(receiver.requests().map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1']);
  });

  it('notes of each attempt when it was made and how long it took, of one that was not sent no time at all', async () => {
    let answers = 0;
    await using receiver = await publicAndCanary({
      answer: (_request, response) => void response.writeHead([503, 410][answers++] ?? 200).end(),
    });
    let clock = NOW.getTime();
    const { run, store } = scene(`http://127.0.0.2:${receiver.port}/`, { now: () => new Date(clock) });
    await run();
    clock += 5_000;
    await run();
    const [second, first] = await store.listAttempts('evt_1');
    expect(first).toMatchObject({ number: 1, at: NOW.toISOString(), ok: false, error: expect.stringContaining('503') });
    expect(second).toMatchObject({ number: 2, at: new Date(clock).toISOString(), ok: false });
    for (const each of [first, second]) expect(each?.ms).toBeGreaterThan(0);
    const refused = scene(`http://127.0.0.2:${receiver.port}/`, {
      policy: { ...POLICY, allow: parseCallbackAllow('') },
    });
    await refused.run();
    const broken = scene(`http://127.0.0.2:${receiver.port}/`);
    await broken.dead(new Error('database is locked'));
    for (const { store: unsent } of [refused, broken]) {
      expect(await unsent.listAttempts('evt_1')).toMatchObject([{ at: NOW.toISOString(), ok: false, ms: 0 }]);
    }
  });

  it('stops where the receiver says 410', async () => {
    await using receiver = await publicAndCanary({ answer: (_request, response) => response.writeHead(410).end() });
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`);
    expect(await run()).toEqual({ kind: 'done' });
    expect(await webhook()).toMatchObject({ state: 'stopped', attempts: 1 });
  });

  it('is dead after the tenth attempt', async () => {
    await using receiver = await publicAndCanary({ answer: (_request, response) => response.writeHead(500).end() });
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`, {}, { attempts: 9 });
    expect(await run()).toEqual({ kind: 'done' });
    expect(await webhook()).toMatchObject({
      state: 'dead',
      attempts: 10,
      lastError: expect.stringMatching(/^status_500/),
    });
  });

  it('that is sent again has the ten attempts before it again', async () => {
    await using receiver = await publicAndCanary({ answer: (_request, response) => response.writeHead(500).end() });
    const { run, store, webhook } = scene(`http://127.0.0.2:${receiver.port}/`, {}, { state: 'dead', attempts: 10 });
    expect(await store.resendWebhook('evt_1', 'acc_1', NOW.toISOString())).toBe(true);
    const waits: JobResult[] = [];
    for (let attempt = 11; attempt <= 20; attempt++) waits.push(await run());
    expect(waits.slice(0, 2)).toEqual([laterBy(5), laterBy(300)]);
    expect(waits.map(({ kind }) => kind)).toEqual([...Array.from({ length: 9 }, () => 'later'), 'done']);
    expect(await webhook()).toMatchObject({ state: 'dead', attempts: 20 });
  });

  it('is not sent where it was erased, delivered, stopped or never was', async () => {
    await using receiver = await publicAndCanary();
    const url = `http://127.0.0.2:${receiver.port}/`;
    const erased = scene(url);
    erased.store.erase('evt_1');
    const ended = (['delivered', 'stopped', 'dead'] as const).map((state) => scene(url, {}, { state }));
    const unknown = scene(url, { store: memoryWebhookStore() });
    for (const each of [erased, ...ended, unknown]) expect(await each.run()).toEqual({ kind: 'done' });
    expect(receiver.connections()).toBe(0);
    expect(await erased.webhook()).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it('is dead at once where its address is no longer allowed', async () => {
    await using receiver = await publicAndCanary();
    const policy = { allow: parseCallbackAllow(''), localMode: false };
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`, { policy }, { attempts: 2 });
    expect(await run()).toEqual({ kind: 'done' });
    expect(await webhook()).toMatchObject({
      state: 'dead',
      lastError: expect.stringMatching(/^refused_address: .*loopback/),
    });
    expect(receiver.connections()).toBe(0);
  });

  it('is tried again where its name leads to a bad address, since a name can come to lead elsewhere', async () => {
    const url = 'https://rebind.example/';
    const { run, webhook } = scene(url, { resolver: async () => ['8.8.8.8', '127.0.0.1'] });
    expect(await run()).toEqual(laterBy(5));
    expect(await webhook()).toMatchObject({
      state: 'pending',
      attempts: 1,
      lastError: expect.stringMatching(/^refused_address: /),
    });
    // Where an inner name leads is no one's business.
    expect((await webhook()).lastError).not.toContain('127.0.0.1');
  });

  it('is tried again where its name does not resolve yet', async () => {
    const { run, webhook } = scene('https://soon.example/', { resolver: () => [] });
    expect(await run()).toEqual(laterBy(5));
    expect((await webhook()).lastError).toMatch(/^dns: /);
  });

  it('reaches a receiver on this machine in local mode', async () => {
    await using receiver = await publicAndCanary();
    const policy = { allow: parseCallbackAllow(''), localMode: true };
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`, { policy });
    await run();
    expect((await webhook()).state).toBe('delivered');
  });

  it('is never sent unsigned', async () => {
    await using receiver = await publicAndCanary();
    const { run, store } = scene(`http://127.0.0.2:${receiver.port}/`);
    store.signWith();
    await expect(run()).rejects.toThrow('webhook-secret rotate');
    expect(receiver.connections()).toBe(0);
  });

  it('is dead, and says so, when its job is given up', async () => {
    const { dead, webhook, logged } = scene('https://hooks.example/');
    await dead(new Error('database is locked'));
    expect(await webhook()).toMatchObject({ state: 'dead', lastError: expect.stringMatching(/^internal: /) });
    expect((await webhook()).lastError).not.toContain('database');
    expect(logged.join()).toContain('database is locked');
  });

  it('leaves neither its address nor its secret in the log', async () => {
    await using receiver = await publicAndCanary({ answer: (_request, response) => response.writeHead(500).end() });
    const { run, logged, secret } = scene(`http://127.0.0.2:${receiver.port}/private-path?token=private-token`);
    await run();
    const secretLines: string[] = [];
    expect(logged).not.toEqual([]);
    expect(logged.join()).not.toMatch(/private-path|private-token/);
    createLog({ level: 'info', destination: { write: (line) => void secretLines.push(line) } }).info(`key ${secret}`);
    expect([...logged, ...secretLines].join()).not.toContain(secret);
    expect(secretLines.join()).toContain('key [redacted]');
  });
});

describe('the schedule under a clock that jumps', () => {
  it('makes ten attempts, one at a time, and loses none', async () => {
    let inFlight = 0;
    let most = 0;
    await using receiver = await publicAndCanary({
      answer: (_request, response) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        response.writeHead(500).end(() => {
          inFlight -= 1;
        });
      },
    });
    let clock = NOW.getTime();
    const jumps: Readonly<Record<number, number>> = { 3: -3_600_000, 5: 86_400_000, 7: -3_600_000 };
    const { run, webhook } = scene(`http://127.0.0.2:${receiver.port}/`, { now: () => new Date(clock) });
    let runs = 0;
    for (let due = clock; ; runs += 1) {
      clock = Math.max(clock, due) + (jumps[runs] ?? 0);
      const result = await run();
      if (result.kind === 'done') break;
      due = Date.parse(result.runAt);
      expect(due).toBeGreaterThan(clock);
    }
    expect([runs + 1, receiver.requests().length, most]).toEqual([10, 10, 1]);
    expect(await webhook()).toMatchObject({ state: 'dead', attempts: 10 });
  });
});
