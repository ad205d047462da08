// How much may be written: the operator's ceiling, a repository that is only watched, a house that is paused.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { heldOf, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  model = opened.use(await shopModel());
  stage = opened.use(await openGithubStage({ env: model.env }));
});

afterAll(() => opened.disposeAsync());

it('writes nothing at all where it only observes, and keeps what it would have written', async () => {
  const desk = await openDesk(stage, 'corner/observed', { config: 'mode: observe\n' });
  desk.label('mara');
  await stage.until('what would have been posted', async () => (await heldOf(stage.dataDir, 1))?.pullRequest);
  desk.say('mara', '/analyse fix');
  desk.say('per', '/analyse fix');
  await stage.rest();
  expect([desk.ours(), desk.reactions(), desk.pulls(), desk.writes()]).toEqual([[], [], [], []]);
  const held = await heldOf(stage.dataDir, 1);
  expect(held?.comment).toContain('Cause found, with a fix');
  expect(held?.pullRequest).toContain('Fixes #1.');

  // Nor does a file with a fault, if it can still be read that it wants to be observed.
  const faulty = await openDesk(stage, 'corner/observed-badly', { config: 'mode: observe\nlabls: []\n' });
  faulty.label('mara');
  await stage.until('a question', () => model.told('Repository corner/observed-badly ').length > 2);
  await stage.rest();
  expect(faulty.writes()).toEqual([]);
});

it('stays below the ceiling of the operator, whatever the file says', async () => {
  await using model = await shopModel();
  await using stage = await openGithubStage({ env: { ...model.env, MAX_MODE: 'comment' } });
  const desk = await openDesk(stage, 'corner/low', { config: 'mode: fix\n' });
  desk.label('mara');
  await desk.comment('no pull request, see the reason below');
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 0]);

  await stage.service().end('SIGTERM');
  await stage.restart({ MAX_MODE: 'observe' });
  const dry = await openDesk(stage, 'corner/dry', { config: 'mode: fix\n' });
  dry.label('mara');
  await stage.until('what would have been posted', async () => (await heldOf(stage.dataDir, 2))?.pullRequest);
  await stage.rest();
  expect([dry.ours(), dry.reactions(), dry.writes()]).toEqual([[], [], []]);
});

it('writes and asks nothing while it is paused, keeps what comes in, and goes on when it is resumed', async () => {
  const desk = await openDesk(stage, 'corner/paused');
  const asked = model.endpoint.requests.length;
  const isPaused = async () => {
    const text = await (await fetch(`${stage.service().address}/readyz`)).text();
    return text.includes('paused: reports are stored');
  };
  await stage.command('pause');
  // The service looks every second.
  await stage.until('the pause', isPaused);
  try {
    desk.label('mara');
    const refused = desk.say('per', '/analyse fix');
    await stage.rest();
    expect([desk.ours(), desk.reactions(), desk.reactions(refused), desk.writes()]).toEqual([[], [], [], []]);
    expect(model.endpoint.requests).toHaveLength(asked);
  } finally {
    await stage.command('resume');
  }
  await stage.until('the end of the pause', async () => !(await isPaused()));
  // It looks once a minute whether it may; a person who asks again need not wait for that.
  stage.double.state.clock.advance(2_000);
  desk.say('mara', '/analyse retry');
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
});

it('starts with GitHub out of reach, says so, and works once it is back', async () => {
  await using model = await shopModel();
  await using stage = await openGithubStage({
    env: model.env,
    prepare: ({ faults }) => faults.add({ path: /^\/app(?:\/|$)/, times: 2, fault: { kind: 'reset', when: 'before' } }),
  });
  const ready = await stage.until('/readyz', async () => {
    const text = await (await fetch(`${stage.service().address}/readyz`)).text();
    return text.includes('does not answer') && text;
  });
  expect(ready).toContain('github');
  expect((await fetch(`${stage.service().address}/healthz`)).status).toBe(200);
  const desk = await openDesk(stage, 'corner/late');
  desk.label('mara');
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 1]);
});

it('asks for what GitHub could not deliver while it was away', async () => {
  const desk = await openDesk(stage, 'corner/missed');
  await stage.rest();
  await stage.service().end('SIGTERM');
  desk.label('mara');
  await stage.double.webhooks.settled();
  await stage.restart();
  await desk.pull();
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length, desk.reactions()]).toEqual([1, 1, ['eyes']]);
});
