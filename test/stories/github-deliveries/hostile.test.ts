// Deliveries as nobody should send them, to the running service: slow ones, the same one at once, strange JSON, old secrets.

import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type DeliveryOutcome, postDelivery, signDelivery } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveWithoutWorker } from '../../support/github-no-worker.ts';
import { openShop, reportBug, SHOP_NAME } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage, storedQueue } from '../../support/github-stage.ts';

let stage: GithubStage;
/** A body that GitHub made: a stranger's comment. */
let body: string;

beforeAll(async () => {
  stage = await openGithubStage({ prepare: (double) => openShop(double) });
  const number = await reportBug(stage.double);
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: 'It happens to me.' });
  await stage.rest();
  const comment = stage.double.webhooks.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  body = JSON.stringify(comment?.request.payload);
});

afterAll(() => stage[Symbol.asyncDispose]());

function send(made: { body: string; guid?: string; secret?: string; event?: string }): Promise<DeliveryOutcome> {
  const { app } = stage.double;
  const letter = { guid: made.guid ?? randomUUID(), event: made.event ?? 'issue_comment', body: made.body };
  const signer = { ...app, webhookSecret: made.secret ?? app.webhookSecret };
  return postDelivery(app.webhookUrl ?? '', signDelivery(signer, letter), made.body);
}

/** The same comment under another number: another meaning. */
function another(): string {
  const payload = JSON.parse(body);
  return JSON.stringify({ ...payload, comment: { ...payload.comment, id: stage.double.state.nextId() } });
}

async function expectAlive(): Promise<void> {
  expect((await fetch(`${stage.service().address}/healthz`)).status).toBe(200);
  expect((await fetch(`${stage.service().address}/healthz`)).status).toBe(200);
}

function slowSocket(url: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(
        `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
          `X-Hub-Signature-256: sha256=${randomBytes(32).toString('hex')}\r\nContent-Length: 5000\r\n\r\n{`,
      );
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

it('acknowledges what comes beside two hundred senders who send nothing for a long time', async () => {
  const url = new URL(stage.double.app.webhookUrl ?? '');
  const sockets = await Promise.all(Array.from({ length: 200 }, () => slowSocket(url)));
  const answers = await Promise.all(Array.from({ length: 20 }, () => send({ body: another() })));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
  for (const socket of sockets) socket.destroy();
  await stage.rest();
  await expectAlive();
});

it('stores a delivery once that arrives a hundred times at the same time', async () => {
  await stage.rest();
  await using receiving = await serveWithoutWorker(stage);
  const before = await storedQueue(stage.dataDir);
  const [guid, twin] = [randomUUID(), another()];
  const answers = await Promise.all(Array.from({ length: 100 }, () => send({ body: twin, guid })));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  const after = await storedQueue(stage.dataDir);
  expect(after.deliveries['waiting']).toBe((before.deliveries['waiting'] ?? 0) + 1);
  expect(after.jobs.filter(({ kind }) => kind === 'delivery').map(({ subject }) => subject)).toEqual([guid]);
  await receiving[Symbol.asyncDispose]();
  await stage.restart();
  await stage.rest();
  expect((await storedQueue(stage.dataDir)).deliveries['waiting']).toBeUndefined();
});

it('refuses signed JSON that GitHub does not send, in one sentence, and stores nothing of it', async () => {
  const before = (await storedQueue(stage.dataDir)).deliveries;
  const comment = JSON.stringify(JSON.parse(body).comment);
  const bodies = [
    ...['null', '1', '"x"', '[]', 'true', '', ' ', '{', '{}}', '{"a":1,}', '\uFEFF{}', `${'['.repeat(100_000)}`],
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ...[body.replace('{', '{"__proto__":{"admin":true},'), body.replace('{', '{"\\u005f_proto__":{},')],
    ...[body.replace(comment, '[]'), body.replace(comment, 'null'), '{"action":"created"}'],
  ];
  for (const one of bodies) {
    const { statusCode, body: answer } = await send({ body: one });
    const begin = one.slice(0, 40);
    expect({ begin, statusCode }).toEqual({ begin, statusCode: 400 });
    expect(JSON.parse(answer).detail).toMatch(/^The body is not .*\.$/);
  }
  await expectAlive();
  expect((await storedQueue(stage.dataDir)).deliveries).toEqual(before);
});

it('takes neither a strange name of an event nor of a delivery for one', async () => {
  const before = (await storedQueue(stage.dataDir)).deliveries;
  for (const event of ['constructor', '__proto__', 'error', '*', 'a'.repeat(10_000), 'toString', '']) {
    const { statusCode } = await send({ body: another(), event });
    expect({ event: event.slice(0, 20), statusCode }).toEqual({
      ...{ event: event.slice(0, 20), statusCode: expect.toBeOneOf([202, 400]) },
    });
  }
  for (const guid of ['', '../../etc', 'a b', `${'0'.repeat(101)}`]) {
    expect((await send({ body: another(), guid })).statusCode).toBe(400);
  }
  await expectAlive();
  expect((await storedQueue(stage.dataDir)).deliveries).toEqual(before);
});

it('believes both secrets while they are changed, and the old one no more afterwards', async () => {
  const old = stage.double.app.webhookSecret;
  const fresh = randomBytes(20).toString('hex');
  const code = async (secret: string) => (await send({ body: another(), secret })).statusCode;
  await stage.service().end('SIGTERM');
  await stage.restart({ WEBHOOK_SECRET: fresh, WEBHOOK_SECRET_OLD: old });
  expect([await code(old), await code(fresh), await code(randomBytes(20).toString('hex'))]).toEqual([202, 202, 401]);
  await stage.rest();
  await stage.service().end('SIGTERM');
  await stage.restart({ WEBHOOK_SECRET: fresh });
  expect([await code(old), await code(fresh)]).toEqual([401, 202]);
  stage.double.app.webhookSecret = fresh;
  await stage.rest();
});
