// Webhooks of subscriptions, against real receivers: signed or as a message, tried again, turned off, and to nobody
// who may not see them.
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { createSigningSecret } from '../../src/core/account/account.ts';
import { formatAddress, type SubscriptionFormat } from '../../src/core/account/subscription.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../../src/core/account/webhook.ts';
import { createSeal } from '../../src/db/seal.ts';
import { GithubFailure } from '../../src/github/clients/github-clients.ts';
import { createLog } from '../../src/log.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { isProjectVisible } from '../../src/services/access.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from '../../src/webhooks/deliver-webhook.ts';
import { migratedStore } from '../support/sqlite-template.ts';
import { acceptance, accepted, conclusion, githubGround, started } from '../support/store-samples.ts';
import { POLICY, publicAndCanary, type ReceiverOptions } from './public-and-canary.ts';

const SILENT = new GithubFailure({ kind: 'unsure', status: 502, retryAt: null }, 'GitHub answered 502.');
const JOB = { id: 'job_1', kind: 'webhook', attempt: 1 } as const;

interface SceneOptions extends ReceiverOptions {
  readonly format?: SubscriptionFormat;
  readonly types?: readonly WebhookType[];
  /** Absent: at the public receiver. */
  readonly url?: string;
  readonly handler?: Partial<WebhookHandlerOptions>;
}

/** One subscription, and an Issue that was concluded since. */
async function scene({ format = 'standard', types = WEBHOOK_TYPES, url, handler, ...answer }: SceneOptions = {}) {
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(await publicAndCanary(answer));
  const store = opening.use(
    await migratedStore({ seal: createSeal(Buffer.alloc(32, 7)), enqueuer: createJobTable(), patienceMs: 50 }),
  );
  const base = await githubGround(store);
  const { account, project } = base;
  const target = url ?? `http://127.0.0.2:${receiver.port}/services/T0/B0/hardly-guessable?k='%7e'`;
  const [secret, now, logged] = [createSigningSecret(), new Date(), [] as string[]];
  await store.addSubscription({
    ...{ id: 'sub_1', accountId: account.id, projectId: null, types, origins: ['api'], format, url: target },
    ...{ address: formatAddress(new URL(target)), createdAt: now.toISOString() },
    secret: format === 'standard' ? secret : '',
  });
  let role: 'read' | 'none' | GithubFailure = 'read';
  const roleOf = async () => (role instanceof GithubFailure ? Promise.reject(role) : role);
  const deliver = createWebhookHandler({
    ...{ store, policy: POLICY, now: () => now, random: () => 0.5, version: '1' },
    log: createLog({ level: 'debug', destination: { write: (line) => logged.push(line) } }),
    canStillSee: (webhook, signal) =>
      isProjectVisible({ store, permissions: { roleOf } }, { ...webhook, projectId: webhook.projectId ?? '' }, signal),
    ...{ accountArea: 'https://causeway.example.com', githubUrl: 'https://github.test' },
    ...handler,
  });
  const { runId } = await accepted(store, acceptance(base));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), now.toISOString());
  const ids = async () =>
    (await store.database.read((reader) => reader.selectFrom('webhooks').select('id').orderBy('seq').execute())).map(
      ({ id }) => id,
    );
  const [event = ''] = await ids();
  const open = opening.move();
  return {
    ...{ store, account, project, issueId, secret, logged, receiver, ids, event },
    attempt: (subject = event) => deliver.handle({ ...JOB, subject }, new AbortController().signal),
    stopDuringAttempt: async () => {
      const stopping = new AbortController();
      const attempt = deliver.handle({ ...JOB, subject: event }, stopping.signal);
      await expect.poll(() => receiver.requests().length).toBe(1);
      stopping.abort();
      await expect(attempt).rejects.toThrow();
    },
    webhook: () => store.findWebhook(event),
    subscription: () => store.findSubscription('sub_1', account.id),
    role: (next: typeof role) => {
      role = next;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const answerWith = (status: number): ReceiverOptions => ({
  answer: (_, response) => void response.writeHead(status).end(),
});
const HASTY = { handler: { deadlineMs: 400 } };
const neverAnswer: SceneOptions = { answer: () => undefined, ...HASTY };

describe('a subscription in standard form', () => {
  it('is signed with its own secret, which two independent libraries verify, during a rotation as well', async () => {
    await using at = await scene();
    const newer = createSigningSecret();
    const rotation = { accountId: at.account.id, secret: newer, overlapUntil: '2100-01-01', now: '2026-11-20' };
    await at.store.rotateSubscriptionSecret('sub_1', rotation);
    expect(await at.attempt()).toEqual({ kind: 'done' });
    const [request] = at.receiver.requests();
    const [body, headers] = [request?.body.toString('utf8') ?? '', { ...request?.headers }];
    for (const each of [at.secret, newer]) {
      new Standard(each).verify(body, headers);
      new Svix(each).verify(body, headers);
    }
    expect(JSON.parse(body)).toEqual({
      ...{ type: 'issue.created', timestamp: expect.any(String), data: await at.store.findIssue(at.issueId) },
    });
    expect([request?.target, headers['webhook-id']]).toEqual(["/services/T0/B0/hardly-guessable?k='%7e'", at.event]);
    expect(await at.webhook()).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it.each([
    [answerWith(500), 'later', 'pending'],
    [answerWith(429), 'later', 'pending'],
    [neverAnswer, 'later', 'pending'],
    [answerWith(302), 'later', 'pending'],
  ] as const)('is tried again as webhooks of callers are', async (answer, kind, state) => {
    await using at = await scene(answer);
    expect((await at.attempt()).kind).toBe(kind);
    expect(await at.webhook()).toMatchObject({ state, attempts: 1 });
  });
});

describe.each(['slack', 'teams'] as const)('a subscription in the form of %s', (format) => {
  it('gets one unsigned message, with links to us and to GitHub', async () => {
    await using at = await scene({ format });
    await at.attempt();
    expect(await at.attempt()).toEqual({ kind: 'done' });
    const [request, ...more] = at.receiver.requests();
    expect(more).toEqual([]);
    const body = request?.body.toString('utf8') ?? '';
    expect(Object.keys({ ...request?.headers }).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    expect(body).toContain('octo/shop');
    expect(body).toContain(`https://causeway.example.com/issues/${at.issueId}`);
    expect(Object.keys(JSON.parse(body))).toContain(format === 'slack' ? 'blocks' : 'attachments');
  });

  it.each([
    ['an answer of 500', answerWith(500), 'pending'],
    ['an answer of 429', answerWith(429), 'pending'],
    ['an answer of 400', answerWith(400), 'pending'],
    ['no answer', neverAnswer, 'dead'],
    ['half an answer', { answer: (_, response) => response.writeHead(200).write('o'), ...HASTY }, 'dead'],
    ['a connection that is cut', { answer: (request) => request.socket.destroy() }, 'dead'],
    ['no HTTP', { raw: (socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n')) }, 'dead'],
  ] satisfies readonly (readonly [string, SceneOptions, string])[])(
    'is sent again only after a refusal: %s',
    async (_name, answer, state) => {
      await using at = await scene({ format, ...answer });
      expect((await at.attempt()).kind).toBe(state === 'dead' ? 'done' : 'later');
      const webhook = await at.webhook();
      expect(webhook).toMatchObject({ state, attempts: 1 });
      expect(webhook?.lastError.includes('may have arrived')).toBe(state === 'dead');
      await at.attempt();
      expect(at.receiver.connections()).toBe(state === 'dead' ? 1 : 2);
    },
  );

  it.each([
    ['no connection', 'http://127.0.0.2:9/x'],
    ['a name that does not resolve', 'https://soon.example/x'],
    ['a name that leads inside', 'https://inner.example/x'],
  ])('is sent again where it surely was not: %s', async (_name, url) => {
    const resolver = (host: string) => (host === 'inner.example' ? ['127.0.0.1'] : []);
    await using at = await scene({ format, url, handler: { resolver } });
    expect((await at.attempt()).kind).toBe('later');
    expect(await at.webhook()).toMatchObject({ state: 'pending', attempts: 1 });
    expect(at.receiver.canary()).toBe(0);
  });

  it('is sent once and known as delivered, though the database was locked when it was answered', async () => {
    let lock = () => {};
    await using at = await scene({ format, answer: (_, response) => [lock(), response.end('ok')] });
    const place = sql<{ readonly file: string }>`pragma database_list`;
    const [found] = (await at.store.database.read((reader) => place.execute(reader))).rows;
    using other = new DisposableStack();
    const connection = other.adopt(new Sqlite(found?.file ?? ''), (opened) => void opened.close());
    lock = () => {
      connection.exec('begin immediate');
      setTimeout(() => connection.exec('rollback'), 200);
    };
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect([await at.webhook(), at.receiver.requests().length]).toMatchObject([{ state: 'delivered', attempts: 1 }, 1]);
  });

  it('is not repeated after a stop in the middle, and can be sent again on request', async () => {
    await using at = await scene({ format, ...neverAnswer, handler: { deadlineMs: 60_000 } });
    await at.stopDuringAttempt();
    expect(await at.webhook()).toMatchObject({ state: 'sending', attempts: 0 });
    expect(await at.store.resendWebhook(at.event, at.account.id, '2026-11-20')).toBe(false);
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect(await at.webhook()).toMatchObject({ state: 'dead', lastError: expect.stringMatching(/^interrupted: /) });
    expect(at.receiver.requests()).toHaveLength(1);
    expect(await at.store.resendWebhook(at.event, at.account.id, '2026-11-20')).toBe(true);
    expect(await at.webhook()).toMatchObject({ state: 'pending' });
  });
});

describe('a subscription', () => {
  it('whose receiver says 410 is turned off, with everything else on its way to it', async () => {
    await using at = await scene(answerWith(410));
    await at.store.sendExample('sub_1', at.account.id, '2026-11-20T10:00:00.000Z');
    const [, example = ''] = await at.ids();
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect(await at.subscription()).toMatchObject({ disabled: { reason: 'gone' }, lastDelivery: { state: 'stopped' } });
    expect(await at.attempt(example)).toEqual({ kind: 'done' });
    expect([at.receiver.requests().length, await at.store.findWebhook(example)]).toEqual([1, null]);
  });

  it('that was deleted gets nothing of what was being tried again', async () => {
    await using at = await scene(answerWith(500));
    await at.attempt();
    await at.store.deleteSubscription('sub_1', at.account.id, '2026-11-20');
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect(at.receiver.requests()).toHaveLength(1);
  });

  it.each(WEBHOOK_TYPES)(
    'sends an example of %s that says that it is one, whoever sees which project',
    async (type) => {
      await using at = await scene({ types: [type] });
      at.role('none');
      await at.store.sendExample('sub_1', at.account.id, '2026-11-20T10:00:00.000Z');
      await at.attempt((await at.ids()).at(-1));
      const body = JSON.parse(at.receiver.requests()[0]?.body.toString('utf8') ?? '');
      expect(body).toMatchObject({ type, example: true });
      expect(JSON.stringify(body)).not.toContain(at.project.id);
    },
  );

  it('of an account without access gets nothing, and no list ever has it', async () => {
    await using at = await scene();
    at.role('none');
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect([at.receiver.connections(), await at.webhook()]).toEqual([0, null]);
    expect(await at.store.listWebhooks(at.account.id, 9)).toEqual([]);
  });

  it('waits, unseen, while GitHub does not say who has access, though its account was never seen there', async () => {
    await using at = await scene();
    at.role(SILENT);
    expect((await at.attempt()).kind).toBe('later');
    expect([at.receiver.connections(), await at.store.listWebhooks(at.account.id, 9)]).toEqual([0, []]);
    at.role('read');
    await at.attempt();
    expect(at.receiver.requests()).toHaveLength(1);
  });

  it('of an account that loses access between two attempts says why it ended', async () => {
    await using at = await scene(answerWith(500));
    await at.attempt();
    at.role('none');
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect(await at.webhook()).toMatchObject({ state: 'dead', lastError: expect.stringMatching(/^access_lost: /) });
    expect(at.receiver.requests()).toHaveLength(1);
  });

  it.each([
    ...['http://127.0.0.1:9/', 'http://[::ffff:127.0.0.1]/', 'http://169.254.169.254/latest', 'https://localhost/'],
    ...['https://0x7f000001/', 'https://inner/', 'ftp://hooks.example.org/', 'https://u:p@hooks.example.org/'],
  ])('to an address that is not allowed connects to nothing: %s', async (url) => {
    await using at = await scene({ url });
    expect(await at.attempt()).toEqual({ kind: 'done' });
    expect(await at.webhook()).toMatchObject({
      state: 'dead',
      lastError: expect.stringMatching(/^refused_address: The/),
    });
    expect([at.receiver.canary(), at.receiver.connections()]).toEqual([0, 0]);
  });

  it('follows no redirect to the canary', async () => {
    await using at = await scene({
      answer: (request, response) => {
        const location = `http://127.0.0.1:${request.socket.localPort}/`;
        response.writeHead(307, { location }).end();
      },
    });
    await at.attempt();
    expect([at.receiver.canary(), at.receiver.requests().length]).toEqual([0, 1]);
    expect((await at.webhook())?.lastError).toMatch(/^redirect: /);
  });

  it('leaves neither its address nor its secret in log, list or record', async () => {
    await using at = await scene(answerWith(500));
    await at.attempt();
    const [webhook, subscription] = [await at.webhook(), await at.subscription()];
    const attempts = await at.store.listAttempts(at.event);
    const said = [...at.logged, JSON.stringify([webhook, subscription, attempts])].join('\n');
    expect(said).not.toMatch(/guessable\?|T0\/B0/);
    expect(said).not.toContain(at.secret);
    expect(subscription?.address).toMatch(/^127\.0\.0\.2:\d+ ….{4}$/);
  });
});
