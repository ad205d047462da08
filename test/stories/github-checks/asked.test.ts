// A person asks on a red pull request: where nothing begins unasked, beside what was said unasked, and to stop what nobody asked for.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minutesAgo, redActs } from '../../support/github-red-acts.ts';
import { openRedDesk, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-logs.ts';
import { type RedModel, redModel } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: RedModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await redModel();
  stage = await openGithubStage({ env: model.env });
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A shop that was green before, with a pull request. */
async function pulled(name: string, kind: 'ordinary' | 'draft' | 'fork' = 'ordinary') {
  const desk = await openRedDesk(stage, model, name);
  await desk.run(await desk.tip(), { test: 'success' }, { at: minutesAgo(3) });
  const acts = redActs(stage, desk);
  const { number, pull } = await (kind === 'fork' ? acts.forkPull() : desk.pull({ draft: kind === 'draft' }));
  return { desk, acts, number, sha: pull?.headSha ?? '' };
}

it.each(['draft', 'fork'] as const)(
  'begins on a %s when somebody with triage asks, and for nobody else',
  async (kind) => {
    const { desk, acts, number, sha } = await pulled(`corner/${kind}`, kind);
    await desk.run(sha, { test: COUPONS });
    expect(desk.checkRun(sha).words).toContain('/analyse');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
    await acts.say(number, 'ola', '/analyse');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
    const asked = await acts.say(number, 'per', '/analyse');
    expect(acts.reactions(asked)).toEqual(['eyes']);
    expect([desk.begun(), model.askedAt(sha).length]).toEqual([[], 1]);
    const [comment, ...more] = desk.comments(number);
    expect([comment?.text.includes('src/coupons.js'), more, acts.pulls()]).toEqual([true, [], []]);
  },
  60_000,
);

it('leaves one comment where there was one unasked', async () => {
  const { desk, acts, number, sha } = await pulled('corner/again');
  await desk.run(sha, { test: COUPONS });
  expect(desk.comments(number)).toHaveLength(1);
  const asked = await acts.say(number, 'per', '/analyse look at the basket as well');
  expect(acts.reactions(asked)).toEqual(['eyes']);
  expect([desk.begun().length, model.askedAt(sha).length]).toEqual([1, 2]);
  expect(model.askedAt(sha)[1]).toContain('look at the basket as well');
  const [comment, ...more] = desk.comments(number);
  expect([comment?.minimized, more]).toEqual([null, []]);
  expect(comment?.text).toContain('src/coupons.js');
}, 60_000);

it('lets what somebody asked for stand when red checks of the same commit end later', async () => {
  const { desk, acts, number, sha } = await pulled('corner/later', 'draft');
  await desk.run(sha, { test: COUPONS });
  await acts.say(number, 'per', '/analyse');
  const [before] = stage.ourComments(desk.name, number);
  const body = before?.body;
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  await desk.run(sha, { deliver: DELIVERY }, { workflow: 'Deliver' });
  expect([desk.begun(), model.askedAt(sha).length]).toEqual([[], 1]);
  expect(stage.ourComments(desk.name, number).map((one) => [one.id, one.body])).toEqual([[before?.id, body]]);
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('It was asked for in a comment on the pull request');
}, 60_000);

it('ends what runs unasked on `/analyse stop`, with no comment then, and begins nothing again at that commit', async () => {
  const { desk, acts, number, sha } = await pulled('corner/stopped');
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  const { people, state } = stage.double;
  const jobs = [
    { name: 'test', ...resultOf(COUPONS) },
    { name: 'deliver', ...resultOf(DELIVERY) },
  ];
  await people.reportWorkflowRun(desk.name, { sha, jobs });
  await asked;
  await stage.until('two questions', () => desk.begun().length === 2);
  expect(desk.checkRun(sha).status).toBe('in_progress');
  state.clock.advance(2_000);
  people.comment(desk.name, number, { by: 'per', body: '/analyse stop' });
  await stage.until('an end of the check run', () => desk.checkRun(sha).status === 'completed');
  release();
  await stage.rest();
  expect([desk.begun().length, desk.comments(number), acts.pulls()]).toEqual([2, [], []]);
  expect(desk.checkRun(sha).words).toContain('No result: ');
  await desk.run(sha, { nightly: COUPONS }, { workflow: 'Nightly' });
  expect([desk.begun().length, desk.comments(number)]).toEqual([2, []]);
}, 60_000);

it('is heard by nobody where a stranger says `/analyse stop`', async () => {
  const { desk, number, sha } = await pulled('corner/unheard');
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  const { people, state } = stage.double;
  await people.reportWorkflowRun(desk.name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
  await asked;
  state.clock.advance(2_000);
  people.comment(desk.name, number, { by: 'ola', body: '/analyse stop' });
  await stage.sender.settled();
  release();
  await stage.rest();
  expect(desk.comments(number)).toHaveLength(1);
}, 60_000);

it('speaks of the next commit unasked again, in the one comment that stands there', async () => {
  const { desk, acts, number, sha } = await pulled('corner/next', 'draft');
  await desk.run(sha, { test: COUPONS });
  await acts.say(number, 'per', '/analyse');
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  const next = await desk.push('coupons');
  await desk.run(next, { test: DELIVERY });
  expect(desk.begun()).toEqual([expect.stringContaining(DELIVERY.test)]);
  const shown = desk.checkRun(next);
  expect([shown.status, shown.buttons]).toEqual(['completed', ['Open fix']]);
  const [comment, ...more] = desk.comments(number);
  expect([comment?.text.includes('src/delivery.js'), more]).toEqual([true, []]);
}, 60_000);
