// The same thing told twice is done once, however it is told.

import { randomUUID } from 'node:crypto';
import { type DeliveryOutcome, type ListedDelivery, postDelivery, signDelivery } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel();
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A signed delivery, with the body of one that GitHub made. */
function send(
  like: ListedDelivery,
  more: { guid?: string; event?: string; body?: string } = {},
): Promise<DeliveryOutcome> {
  const { app } = stage.double;
  const letter = { guid: like.guid, event: like.event, body: JSON.stringify(like.request.payload), ...more };
  return postDelivery(app.webhookUrl ?? '', signDelivery(app, letter), letter.body);
}

async function lastDelivery(action: string): Promise<ListedDelivery> {
  await stage.double.webhooks.settled();
  const found = stage.double.webhooks.deliveries(stage.double.app.id).find((one) => one.action === action);
  if (found === undefined) throw new Error(`no delivery "${action}"`);
  return found;
}

async function expectOneOfEach(desk: Desk): Promise<void> {
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length, desk.reactions()]).toEqual([1, 1, ['eyes']]);
  expect(desk.writes().filter((write) => write === 'mutation createCommitOnBranch')).toHaveLength(1);
  expect(desk.writes().filter((write) => write.endsWith('/pulls'))).toHaveLength(1);
}

it('makes one of everything of two labels within the same second', async () => {
  const desk = await openDesk(stage, 'corner/two-labels');
  desk.label('mara', 'analyse');
  desk.label('mara', 'analyze');
  await expectOneOfEach(desk);
});

it('makes one of everything of a delivery that comes twenty times at once, and again later', async () => {
  const desk = await openDesk(stage, 'corner/parallel');
  stage.double.webhooks.outage(true);
  desk.label('mara');
  const label = await lastDelivery('labeled');
  stage.double.webhooks.outage(false);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(label)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  await expectOneOfEach(desk);
  const writes = desk.writes().length;
  stage.double.webhooks.redeliver(label.id);
  await stage.rest();
  expect(desk.writes()).toHaveLength(writes);
});

it('does nothing for a body that is sent again under another id, or under the name of another event', async () => {
  const desk = await openDesk(stage, 'corner/replayed');
  desk.label('mara');
  await expectOneOfEach(desk);
  const writes = desk.writes().length;
  const questions = model.endpoint.requests.length;
  const label = await lastDelivery('labeled');
  const replays = await Promise.all([
    send(label, { guid: randomUUID() }),
    send(label, { guid: randomUUID(), event: 'issue_comment' }),
    send(label, { guid: randomUUID(), event: 'push' }),
    send(label, { guid: randomUUID(), event: 'installation' }),
  ]);
  expect(replays.map(({ statusCode }) => statusCode)).toEqual([202, 400, 400, 400]);
  await stage.rest();
  expect(desk.writes()).toHaveLength(writes);
  expect(model.endpoint.requests).toHaveLength(questions);
});

it('refuses a body that nobody signed, and does nothing', async () => {
  const desk = await openDesk(stage, 'corner/forged');
  const { app } = stage.double;
  stage.double.webhooks.outage(true);
  desk.label('mara');
  const label = await lastDelivery('labeled');
  stage.double.webhooks.outage(false);
  const body = JSON.stringify(label.request.payload);
  const letter = { guid: label.guid, event: label.event, body };
  const forged = signDelivery({ ...app, webhookSecret: 'development' }, letter);
  expect((await postDelivery(app.webhookUrl ?? '', forged, body)).statusCode).toBe(401);
  const { 'x-hub-signature-256': _, ...unsigned } = signDelivery(app, letter);
  expect((await postDelivery(app.webhookUrl ?? '', unsigned, body)).statusCode).toBe(401);
  expect((await send(label, { body: `${body} ` })).statusCode).toBe(202);
  await expectOneOfEach(desk);
});

it('says 👀 on a label and on a command of the same second', async () => {
  const desk = await openDesk(stage, 'corner/same-second');
  // GitHub's times have no part of a second: its clock stands, so that both fall into one.
  const { clock } = stage.double.state;
  const { now: running } = clock;
  const moment = clock.now();
  Object.assign(clock, { now: () => moment });
  desk.label('mara');
  await stage.until('👀', () => desk.reactions().includes('eyes'));
  const command = desk.say('mara', '/analyse Mind the capitals.');
  Object.assign(clock, { now: running });
  await desk.pull();
  await stage.rest();
  expect(desk.reactions(command)).toEqual(['eyes']);
});
