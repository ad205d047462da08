// Webhooks as GitHub sends them: signed, in order, to whom they concern, once, and listed so that they can be asked for again.
import { Webhooks } from '@octokit/webhooks';
import {
  type AppInstallation,
  type GithubDouble,
  type ListedDelivery,
  publishedExamples,
  startGithubDouble,
  type WebhookSender,
} from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { openReceiver, type Receiver } from './receiver.ts';

const SECRET = 'a secret of the App';
const issue = { action: 'labeled', issue: { number: 4 }, repository: { id: 70 } };

interface Ground extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly receiver: Receiver;
  readonly installation: AppInstallation;
  readonly sender: WebhookSender;
  /** Announces an event to the installation, and waits until it was delivered. */
  announce(event: string, payload: object): Promise<void>;
  /** Of the App. */
  listed(): readonly ListedDelivery[];
}

/** An App with `issues` and `push`, installed with the permission for the first alone. */
async function openGround(change: Partial<AppInstallation> = {}): Promise<Ground> {
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(await openReceiver());
  const double = opening.use(
    await startGithubDouble({
      app: {
        webhookSecret: SECRET,
        webhookUrl: receiver.url,
        permissions: { issues: 'write', metadata: 'read' },
        events: ['issues', 'push'],
      },
    }),
  );
  const { webhooks: sender, state, app, people } = double;
  app.webhookUrl = null;
  const installation = Object.assign(people.install('octo'), change);
  await sender.settled();
  const before = sender.deliveries(app.id).length;
  app.webhookUrl = receiver.url;
  const opened = opening.move();
  return {
    ...{ double, receiver, installation, sender },
    announce: async (event, payload) => {
      state.emit(event, payload, installation.id);
      await sender.settled();
    },
    listed: () => sender.deliveries(app.id).slice(0, sender.deliveries(app.id).length - before),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe('a delivery', () => {
  it('is signed with the secret of the App over the bytes that are sent, and says what GitHub says', async () => {
    await using ground = await openGround();
    const { id } = ground.installation;
    await ground.announce('issues', { ...issue, note: 'ümläut 🐛' });
    const [{ headers, body }] = ground.receiver.deliveries as [{ headers: Record<string, string>; body: string }];
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
      'x-github-hook-installation-target-id': String(ground.double.app.id),
      'x-github-hook-installation-target-type': 'integration',
    });
    expect(Number(headers['x-github-hook-id'])).toBeGreaterThan(0);
    expect(JSON.parse(body)).toMatchObject({ ...issue, note: 'ümläut 🐛', installation: { id } });
  });

  it('shows what was so when it happened, in the order in which it happened', async () => {
    await using ground = await openGround();
    const changing = { ...issue, at: 0 };
    for (changing.at = 1; changing.at <= 20; changing.at++)
      ground.double.state.emit('issues', changing, ground.installation.id);
    await ground.sender.settled();
    expect(ground.receiver.deliveries.map(({ body }) => JSON.parse(body).at)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it('is listed with what was sent and answered', async () => {
    await using ground = await openGround();
    const { state } = ground.double;
    state.clock.advance(3_600_000);
    ground.receiver.answerWith(202);
    const before = state.clock.now().toISOString();
    await ground.announce('issues', issue);
    expect(ground.listed()).toMatchObject([
      {
        redelivery: false,
        status: 'OK',
        statusCode: 202,
        event: 'issues',
        action: 'labeled',
        installationId: ground.installation.id,
        repositoryId: 70,
        url: ground.receiver.url,
        request: { headers: { 'x-github-event': 'issues' }, payload: issue },
      },
    ]);
    const at = ground.listed()[0]?.deliveredAt ?? '';
    expect(at >= before && at <= state.clock.now().toISOString()).toBe(true);
    expect(ground.sender.deliveries(8)).toEqual([]);
  });
});

describe('an event is sent', () => {
  it.each([
    ['that was not subscribed to', 'label', {}],
    ['for which the permission was not granted', 'push', {}],
    ['of a suspended installation', 'issues', { suspendedAt: '2026-02-02T00:00:00Z' }],
  ])('not when it is one %s', async (_, event, change) => {
    await using ground = await openGround(change);
    await ground.announce(event, { repository: { id: 70 } });
    expect(ground.receiver.deliveries).toEqual([]);
    expect(ground.listed()).toEqual([]);
  });

  it('about check runs to whoever may write them, subscribed or not', async () => {
    await using ground = await openGround({ permissions: { checks: 'write' } });
    await ground.announce('check_run', { action: 'requested_action' });
    expect(ground.receiver.deliveries).toHaveLength(1);
  });

  it('about installations always, even one that is gone by then', async () => {
    await using ground = await openGround();
    const { id, appId } = ground.installation;
    ground.double.state.installations.delete(id);
    await ground.announce('installation', { action: 'deleted', installation: { id, app_id: appId } });
    expect(ground.listed()).toMatchObject([{ event: 'installation', action: 'deleted', installationId: id }]);
    expect(ground.receiver.deliveries).toHaveLength(1);
  });

  it('never when the double does not know which permission it takes', async () => {
    await using ground = await openGround();
    expect(() => ground.double.state.emit('discussion', {}, ground.installation.id)).toThrow('"discussion"');
  });
});

describe('a delivery that fails', () => {
  it('is not tried again by itself, and is sent again under its guid when asked for', async () => {
    await using ground = await openGround();
    const { receiver, sender } = ground;
    receiver.answerWith(503);
    await ground.announce('issues', issue);
    const [failed] = ground.listed();
    expect(failed).toMatchObject({ status: 'Invalid HTTP Response: 503', statusCode: 503 });
    receiver.answerWith(202);
    sender.redeliver(failed?.id ?? 0);
    await sender.settled();
    const [again, ...before] = ground.listed();
    expect(before).toEqual([failed]);
    expect(again).toMatchObject({ guid: failed?.guid, redelivery: true, statusCode: 202 });
    expect(again?.id).not.toBe(failed?.id);
    const [first, second] = receiver.deliveries;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['x-github-delivery']).toBe(first?.headers['x-github-delivery']);
    expect(receiver.deliveries).toHaveLength(2);
  });

  it('during an outage is listed, arrives nowhere, and can be asked for afterwards', async () => {
    await using ground = await openGround();
    const { receiver, sender } = ground;
    sender.outage(true);
    for (let at = 0; at < 3; at++) await ground.announce('issues', issue);
    expect(receiver.deliveries).toEqual([]);
    expect(ground.listed().map(({ statusCode }) => statusCode)).toEqual([502, 502, 502]);
    sender.outage(false);
    for (const { id } of ground.listed()) sender.redeliver(id);
    await sender.settled();
    expect(receiver.deliveries).toHaveLength(3);
  });

  it('follows no redirect, and is listed where nobody listens or no address is set', async () => {
    await using ground = await openGround();
    const { app } = ground.double;
    ground.receiver.answerWith(307);
    await ground.announce('issues', issue);
    app.webhookUrl = 'http://127.0.0.1:1/';
    await ground.announce('issues', issue);
    app.webhookUrl = null;
    await ground.announce('issues', issue);
    expect(ground.listed().map(({ status, statusCode }) => [status, statusCode])).toEqual([
      ['no webhook address', 0],
      ['failed to connect to host', 502],
      ['Invalid HTTP Response: 307', 307],
    ]);
    expect(ground.receiver.deliveries).toHaveLength(1);
  });

  it('of which there is no record cannot be asked for', async () => {
    await using ground = await openGround();
    expect(() => ground.sender.redeliver(1)).toThrow('no delivery 1');
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
    await using ground = await openGround();
    const { statusCode } = await ground.sender.postExample('star.created');
    const [delivery] = ground.receiver.deliveries;
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
    expect(() => ground.sender.postExample('star.exploded')).toThrow('"star.exploded"');
  });
});
