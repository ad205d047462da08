// What an analysis reads is what stood there when it was asked for: nothing that was edited, or said, afterwards.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectLeastTokens, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { openShop } from '../../support/github-shop.ts';
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

/** Seconds pass on GitHub: its times have no smaller part. */
function later(): void {
  stage.double.state.clock.advance(2_000);
}

it('reads neither title, body nor comments as they were edited after the trigger, and says what it left out', async () => {
  const desk = await openDesk(stage, 'corner/edited');
  const { people } = stage.double;
  desk.say('mara', 'It worked before the winter sale.');
  const edited = desk.say('ola', 'Try the other branch.');
  later();
  // Meanwhile nothing arrives: the edits are there before the delivery is.
  stage.double.webhooks.outage(true);
  desk.label('mara');
  later();
  people.edit(desk.name, desk.number, { by: 'ola', title: 'EDITED title', body: 'EDITED body' });
  people.editComment(desk.name, edited.id, { by: 'ola', body: 'EDITED comment' });
  desk.say('ola', 'LATER comment');
  await stage.double.webhooks.settled();
  stage.double.webhooks.outage(false);
  const labelled = stage.double.webhooks.deliveries(stage.double.app.id).find(({ action }) => action === 'labeled');
  stage.double.webhooks.redeliver(labelled?.id ?? 0);
  await desk.pull();
  await stage.rest();
  const told = model.told('Repository corner/edited ').join('\n');
  expect(told).toContain('The shop has gone down since we updated to 1.3.0');
  expect(told).toContain('Cannot destructure property');
  expect(told).toContain('It worked before the winter sale.');
  expect(told).toContain('A comment by ola was edited after the request, and is left out');
  expect(told).not.toMatch(/EDITED|LATER|Try the other branch/);
});

it('reads the comment that asked as it was sent, whatever it says now', async () => {
  const desk = await openDesk(stage, 'corner/asked');
  stage.double.webhooks.outage(true);
  const asked = desk.say('per', '/analyse Mind the capitals.');
  later();
  stage.double.people.editComment(desk.name, asked.id, { by: 'ola', body: '/analyse EDITED guidance' });
  await stage.double.webhooks.settled();
  stage.double.webhooks.outage(false);
  const created = stage.double.webhooks.deliveries(stage.double.app.id).find(({ action }) => action === 'created');
  stage.double.webhooks.redeliver(created?.id ?? 0);
  await desk.comment('Cause found');
  const told = model.told('Repository corner/asked ').join('\n');
  expect(told).toContain('Mind the capitals.');
  expect(told).not.toContain('EDITED');
});

it('reads text files attached on GitHub, also of a private repository, and asks no other host for anything', async () => {
  let asked = 0;
  const foreign = createServer((_request, response) => {
    asked += 1;
    response.end('FOREIGN words');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/user-attachments/files/1/trace.log`;
  for (const name of ['corner/attached', 'corner/attached-privately']) {
    await openShop(stage.double, { name, isPrivate: name.endsWith('privately') });
    const { people } = stage.double;
    const log = people.attach(name, { fileName: 'server.log', body: 'ATTACHED words of the log\n' });
    const image = people.attach(name, { fileName: 'shot.png', body: 'PICTURE', type: 'image/png' });
    const title = 'Checkout stops';
    const { number } = people.openIssue(name, { by: 'mara', title, body: `[log](${log}) ![](${image}) ${elsewhere}` });
    people.label(name, number, 'analyse', 'per');
    const told = await stage.until('a question', () => model.told(`Repository ${name} `)[0]);
    expect(told).toContain('ATTACHED words of the log');
    expect(told).toContain('[Attached file shot.png was not read');
    expect(told).not.toMatch(/PICTURE|FOREIGN/);
  }
  await stage.rest();
  expect(asked).toBe(0);
  foreign.close();
  expectLeastTokens(stage);
});
