// Who may have what: a triager gets an answer, a writer the pull request, everybody else nothing at all.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, expectLeastTokens, openDesk } from '../../support/github-desk.ts';
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

/** Not a word, no reaction, no write, no question to a model. */
async function expectNothing({ name, ours, reactions, writes }: Desk): Promise<void> {
  await stage.rest();
  expect([ours(), reactions(), writes()]).toEqual([[], [], []]);
  expect(model.told(`Repository ${name} `)).toEqual([]);
}

it('answers a triager with a comment alone, which says who can have the pull request', async () => {
  const desk = await openDesk(stage, 'corner/triaged');
  desk.label('per');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect(desk.reactions()).toEqual(['eyes']);
  expect(desk.headlines()).toEqual([
    expect.stringContaining('`/analyse fix` to open a pull request (write access required)'),
  ]);
  expect(desk.pulls()).toEqual([]);
  expect(desk.writes().filter((write) => !/\/(?:comments|reactions)(?:\/|$)/.test(write))).toEqual([]);

  const asked = desk.say('per', '/analyse fix');
  await stage.until('the reaction', () => desk.reactions(asked).length > 0);
  await stage.rest();
  expect(desk.reactions(asked)).toEqual(['confused']);
  await stage.until('why', () => desk.ours()[0]?.body.includes('needs write access to this repository'));
  expect([desk.pulls().length, desk.ours().length]).toEqual([0, 1]);

  const questions = model.told('Repository corner/triaged ').length;
  desk.say('mara', '/analyse fix');
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.body).toContain('Fixes #1.');
  expect(pull.body).toContain('requested by `mara`');
  expect(desk.headlines()).toEqual([expect.stringContaining('[#2](')]);
  // What stands is carried out, not found anew.
  expect(model.told('Repository corner/triaged ')).toHaveLength(questions);
  expectLeastTokens(stage);
});

it('does nothing for a label that an issue template set in the name of an outsider', async () => {
  const desk = await openDesk(stage, 'corner/template', { by: 'ola', labels: ['analyse'] });
  await expectNothing(desk);
  desk.say('ola', '/analyse');
  desk.say('ola', '/analyse fix');
  desk.say('ola', '/analyse stop');
  await expectNothing(desk);
});

it('does nothing for a person with read alone, whatever their role is called', async () => {
  const desk = await openDesk(stage, 'corner/readers');
  stage.double.people.grant(desk.name, 'rita', 'read');
  stage.double.people.grant(desk.name, 'rolf', 'read', 'write');
  desk.label('rita');
  desk.say('rolf', '/analyse');
  await expectNothing(desk);
});

it("takes an organisation's own role for what it is based on", async () => {
  const desk = await openDesk(stage, 'corner/custom');
  stage.double.people.grant(desk.name, 'tess', 'triage', 'Bug wrangler');
  desk.label('tess');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect(desk.pulls()).toEqual([]);
});

it('does nothing for a label of a bot, of our own App, or of a person who is gone by then', async () => {
  const desk = await openDesk(stage, 'corner/bots');
  const { people, app } = stage.double;
  const bot = `${people.otherApp('labeller').slug}[bot]`;
  const own = `${app.slug}[bot]`;
  people.grant(desk.name, own, 'write');
  people.grant(desk.name, 'gone', 'write');
  desk.label(bot);
  desk.label(own, 'analyze');
  desk.say(own, '/analyse');
  stage.double.webhooks.outage(true);
  people.unlabel(desk.name, desk.number, 'analyse', 'mara');
  desk.label('gone');
  await stage.double.webhooks.settled();
  people.deleteAccount('gone');
  stage.double.webhooks.outage(false);
  stage.double.webhooks.redeliver(stage.double.webhooks.deliveries(app.id)[0]?.id ?? 0);
  await stage.rest();
  expect(stage.double.webhooks.deliveries(app.id)[0]).toMatchObject({
    event: 'issues',
    action: 'labeled',
    statusCode: 202,
  });
  expect(desk.ours().map(({ body }) => body)).toEqual(['/analyse']);
  expect([desk.reactions(), desk.writes(), model.told('Repository corner/bots ')]).toEqual([[], [], []]);
});

it('asks anew before the pull request whether the person may write still', async () => {
  const desk = await openDesk(stage, 'corner/revoked');
  const { asked, release } = model.hold('Repository corner/revoked ');
  desk.label('mara');
  await asked;
  stage.double.people.grant(desk.name, 'mara', 'read');
  // What GitHub said a moment ago is remembered for a minute; a restart forgets it.
  await stage.service().end('SIGTERM');
  release();
  await stage.restart();
  const result = await desk.comment('no pull request, see the reason below');
  await stage.rest();
  expect(desk.shown(result.body).text).toContain('the person who requested it has no write access');
  expect([desk.pulls().length, desk.ours().length]).toEqual([0, 1]);
});
