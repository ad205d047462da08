// Webhooks as GitHub sends them: signed, in order, to whom they concern, once, and listed so that they can be asked for again.
import { Webhooks } from '@octokit/webhooks';
import { describe, expect, it } from 'vitest';
import { webhookReceiver } from '../../../test/support/webhook-receiver.ts';
import type { App, Installation, State } from '../src/state.ts';
import { publishedExamples } from '../src/webhooks/examples.ts';
import { webhookSender } from '../src/webhooks/sender.ts';

const SECRET = 'a secret of the App';
const issue = { action: 'labeled', issue: { number: 4 }, repository: { id: 70 } };

function stateWith(webhookUrl: string | null, change: Partial<Installation> = {}) {
  let id = 100;
  const app: App = {
    id: 7,
    slug: 'causeway',
    name: 'Causeway',
    ownerId: 1,
    botId: 2,
    clientId: 'Iv1.x',
    clientSecret: 'x',
    privateKey: '',
    publicKey: '',
    webhookSecret: SECRET,
    webhookUrl,
    callbackUrls: [],
    permissions: { issues: 'write' },
    events: ['issues', 'push'],
    createdAt: '2026-01-01T00:00:00Z',
  };
  const installation: Installation = {
    id: 30,
    appId: 7,
    accountId: 1,
    selection: 'all',
    repositoryIds: new Set(),
    permissions: { issues: 'write', metadata: 'read' },
    events: ['issues', 'push'],
    suspendedAt: null,
    suspendedById: null,
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    ...change,
  };
  const state: State = {
    urls: { api: 'http://127.0.0.1:1', web: 'http://127.0.0.1:1', storage: 'http://127.0.0.1:1' },
    clock: { now: () => new Date('2026-03-04T05:06:07Z'), advance: () => {} },
    nextId: () => ++id,
    folder: '',
    accounts: new Map(),
    apps: new Map([[app.id, app]]),
    installations: new Map([[installation.id, installation]]),
    repositories: new Map(),
    redirects: new Map(),
    tokens: new Map(),
    attachments: new Map(),
    signed: new Set(),
    sink: { emit: () => {} },
  };
  return { state, app, installation };
}

describe('a delivery', () => {
  it('is signed with the secret of the App over the bytes that are sent, and says what GitHub says', async () => {
    await using receiver = await webhookReceiver();
    const { state } = stateWith(receiver.url);
    await using sender = webhookSender(state);
    sender.emit('issues', { ...issue, note: 'ümläut 🐛' }, 30);
    await sender.settled();
    const [{ headers, body }] = receiver.deliveries as [{ headers: Record<string, string>; body: string }];
    expect(await new Webhooks({ secret: SECRET }).verify(body, headers['x-hub-signature-256'] ?? '')).toBe(true);
    expect(await new Webhooks({ secret: 'another secret' }).verify(body, headers['x-hub-signature-256'] ?? '')).toBe(
      false,
    );
    expect(headers['x-hub-signature']).toMatch(/^sha1=[0-9a-f]{40}$/);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'x-github-delivery': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      'x-github-event': 'issues',
      'x-github-hook-installation-target-id': '7',
      'x-github-hook-installation-target-type': 'integration',
    });
    expect(Number(headers['x-github-hook-id'])).toBeGreaterThan(0);
    expect(JSON.parse(body)).toMatchObject({ ...issue, note: 'ümläut 🐛', installation: { id: 30 } });
  });

  it('shows what was so when it happened, in the order in which it happened', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url).state);
    const changing = { ...issue, at: 0 };
    for (changing.at = 1; changing.at <= 20; changing.at++) sender.emit('issues', changing, 30);
    await sender.settled();
    expect(receiver.deliveries.map(({ body }) => JSON.parse(body).at)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it('is listed with what was sent and answered', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url).state);
    sender.emit('issues', issue, 30);
    receiver.answerWith(202);
    await sender.settled();
    expect(sender.deliveries(7)).toMatchObject([
      {
        deliveredAt: '2026-03-04T05:06:07.000Z',
        redelivery: false,
        status: 'OK',
        statusCode: 202,
        event: 'issues',
        action: 'labeled',
        installationId: 30,
        repositoryId: 70,
        url: receiver.url,
        request: { headers: { 'x-github-event': 'issues' }, payload: issue },
      },
    ]);
    expect(sender.deliveries(8)).toEqual([]);
  });
});

describe('an event is sent', () => {
  it.each([
    ['that was not subscribed to', 'label', {}],
    ['for which the permission was not granted', 'push', {}],
    ['of a suspended installation', 'issues', { suspendedAt: '2026-02-02T00:00:00Z' }],
  ])('not when it is one %s', async (_, event, change) => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url, change).state);
    sender.emit(event, { repository: { id: 70 } }, 30);
    await sender.settled();
    expect(receiver.deliveries).toEqual([]);
    expect(sender.deliveries(7)).toEqual([]);
  });

  it('about check runs to whoever may write them, subscribed or not', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url, { permissions: { checks: 'write' } }).state);
    sender.emit('check_run', { action: 'requested_action' }, 30);
    await sender.settled();
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('about installations always, even one that is gone by then', async () => {
    await using receiver = await webhookReceiver();
    const { state } = stateWith(receiver.url);
    await using sender = webhookSender(state);
    state.installations.delete(30);
    sender.emit('installation', { action: 'deleted', installation: { id: 30, app_id: 7 } }, 30);
    await sender.settled();
    expect(sender.deliveries(7)).toMatchObject([{ event: 'installation', action: 'deleted', installationId: 30 }]);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('never when the double does not know which permission it takes', async () => {
    await using sender = webhookSender(stateWith(null).state);
    expect(() => sender.emit('discussion', {}, 30)).toThrow('"discussion"');
  });
});

describe('a delivery that fails', () => {
  it('is not tried again by itself, and is sent again under its guid when asked for', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url).state);
    receiver.answerWith(503);
    sender.emit('issues', issue, 30);
    await sender.settled();
    const [failed] = sender.deliveries(7);
    expect(failed).toMatchObject({ status: 'Invalid HTTP Response: 503', statusCode: 503 });
    receiver.answerWith(202);
    sender.redeliver(failed?.id ?? 0);
    await sender.settled();
    const [again, ...before] = sender.deliveries(7);
    expect(before).toEqual([failed]);
    expect(again).toMatchObject({ guid: failed?.guid, redelivery: true, statusCode: 202 });
    expect(again?.id).not.toBe(failed?.id);
    const [first, second] = receiver.deliveries;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['x-github-delivery']).toBe(first?.headers['x-github-delivery']);
    expect(receiver.deliveries).toHaveLength(2);
  });

  it('during an outage is listed, arrives nowhere, and can be asked for afterwards', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url).state);
    sender.outage(true);
    for (let at = 0; at < 3; at++) sender.emit('issues', issue, 30);
    await sender.settled();
    expect(receiver.deliveries).toEqual([]);
    expect(sender.deliveries(7).map(({ statusCode }) => statusCode)).toEqual([502, 502, 502]);
    sender.outage(false);
    for (const { id } of sender.deliveries(7)) sender.redeliver(id);
    await sender.settled();
    expect(receiver.deliveries).toHaveLength(3);
  });

  it('follows no redirect, and is listed where nobody listens or no address is set', async () => {
    await using receiver = await webhookReceiver();
    const { state, app } = stateWith(receiver.url);
    await using sender = webhookSender(state);
    receiver.answerWith(307);
    sender.emit('issues', issue, 30);
    await sender.settled();
    app.webhookUrl = 'http://127.0.0.1:1/';
    sender.emit('issues', issue, 30);
    await sender.settled();
    app.webhookUrl = null;
    sender.emit('issues', issue, 30);
    await sender.settled();
    expect(sender.deliveries(7).map(({ status, statusCode }) => [status, statusCode])).toEqual([
      ['no webhook address', 0],
      ['failed to connect to host', 502],
      ['Invalid HTTP Response: 307', 307],
    ]);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('of which there is no record cannot be asked for', async () => {
    await using sender = webhookSender(stateWith(null).state);
    expect(() => sender.redeliver(1)).toThrow('no delivery 1');
  });
});

describe('published examples', () => {
  it('have names of their own', () => {
    const names = publishedExamples().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(200);
    expect(names).toContain('issues.labeled');
    expect(names).toContain('push');
  });

  it('are sent signed, as they are, whatever the App subscribed to', async () => {
    await using receiver = await webhookReceiver();
    await using sender = webhookSender(stateWith(receiver.url).state);
    const { statusCode } = await sender.postExample('star.created');
    const [delivery] = receiver.deliveries;
    expect(statusCode).toBe(200);
    expect(delivery?.headers['x-github-event']).toBe('star');
    expect(
      await new Webhooks({ secret: SECRET }).verify(
        delivery?.body ?? '',
        delivery?.headers['x-hub-signature-256'] ?? '',
      ),
    ).toBe(true);
    expect(JSON.parse(delivery?.body ?? '')).toEqual(
      publishedExamples().find(({ name }) => name === 'star.created')?.payload,
    );
    expect(() => sender.postExample('star.exploded')).toThrow('"star.exploded"');
  });
});
