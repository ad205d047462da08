// A person asks on a red pull request: where nothing begins unasked, beside what was said unasked, and to stop what nobody asked for.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';

const stage = redStage();

/** A shop that was green before, with a pull request. */
async function pulled(name: string, kind: 'ordinary' | 'draft' | 'fork' = 'ordinary') {
  const desk = await stage.desk(name, { green: ['test'] });
  const { number, sha } = await (kind === 'fork' ? desk.forkPull() : desk.pull({ draft: kind === 'draft' }));
  return { desk, number, sha };
}

it.each(['draft', 'fork'] as const)(
  'begins on a %s when somebody with triage asks, and for nobody else',
  async (kind) => {
    const { desk, number, sha } = await pulled(`corner/${kind}`, kind);
    await desk.run(sha, { test: COUPONS });
    expect(desk.checkRun(sha).words).toContain('/analyse');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
    await desk.say(number, 'ola', '/analyse');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
    const asked = await desk.say(number, 'per', '/analyse');
    expect(desk.reactions(asked)).toEqual(['eyes']);
    expect([desk.begun(), stage.model.askedAt(sha).length]).toEqual([[], 1]);
    const [comment, ...more] = desk.comments(number);
    expect([comment?.text.includes('src/coupons.js'), more, desk.pulls()]).toEqual([true, [], []]);
  },
);

it('leaves one comment where there was one unasked', async () => {
  const { desk, number, sha } = await pulled('corner/again');
  await desk.run(sha, { test: COUPONS });
  expect(desk.comments(number)).toHaveLength(1);
  const asked = await desk.say(number, 'per', '/analyse retry look at the basket as well');
  expect(desk.reactions(asked)).toEqual(['eyes']);
  expect([desk.begun().length, stage.model.askedAt(sha).length]).toEqual([1, 2]);
  expect(stage.model.askedAt(sha)[1]).toContain('look at the basket as well');
  const [comment, ...more] = desk.comments(number);
  expect([comment?.minimized, more]).toEqual([null, []]);
  expect(comment?.text).toContain('src/coupons.js');
});

it('lets what somebody asked for stand when red checks of the same commit end later', async () => {
  const { desk, number, sha } = await pulled('corner/later', 'draft');
  await desk.run(sha, { test: COUPONS });
  await desk.say(number, 'per', '/analyse');
  const [before] = stage.ourComments(desk.name, number);
  const body = before?.body;
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  await desk.run(sha, { deliver: DELIVERY }, { workflow: 'Deliver' });
  expect([desk.begun(), stage.model.askedAt(sha).length]).toEqual([[], 1]);
  expect(stage.ourComments(desk.name, number).map((one) => [one.id, one.body])).toEqual([[before?.id, body]]);
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('An analysis was requested in a comment on the pull request');
});

it('ends what runs unasked on `/analyse stop`, with no comment then, and begins nothing again at that commit', async () => {
  const { desk, number, sha } = await pulled('corner/stopped');
  const { people, state } = stage.double;
  const { release } = await desk.runHeld(sha, { test: COUPONS, deliver: DELIVERY });
  await stage.until('two questions', () => desk.begun().length === 2);
  expect(desk.checkRun(sha).status).toBe('in_progress');
  state.clock.advance(2_000);
  people.comment(desk.name, number, { by: 'per', body: '/analyse stop' });
  await stage.until('an end of the check run', () => desk.checkRun(sha).status === 'completed');
  await release();
  expect([desk.begun().length, desk.comments(number), desk.pulls()]).toEqual([2, [], []]);
  expect(desk.checkRun(sha).words).toContain('No result: ');
  await desk.run(sha, { nightly: COUPONS }, { workflow: 'Nightly' });
  expect([desk.begun().length, desk.comments(number)]).toEqual([2, []]);
});

it('is heard by nobody where a stranger says `/analyse stop`', async () => {
  const { desk, number, sha } = await pulled('corner/unheard');
  const { people, state } = stage.double;
  const { release } = await desk.runHeld(sha, { test: COUPONS });
  state.clock.advance(2_000);
  people.comment(desk.name, number, { by: 'ola', body: '/analyse stop' });
  await stage.double.webhooks.settled();
  await release();
  expect(desk.comments(number)).toHaveLength(1);
});

it('speaks of the next commit unasked again, in the one comment that stands there', async () => {
  const { desk, number, sha } = await pulled('corner/next', 'draft');
  await desk.run(sha, { test: COUPONS });
  await desk.say(number, 'per', '/analyse');
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  const next = await desk.push('coupons');
  await desk.run(next, { test: DELIVERY });
  expect(desk.begun()).toEqual([expect.stringContaining(DELIVERY.test)]);
  const shown = desk.checkRun(next);
  expect([shown.status, shown.buttons]).toEqual(['completed', ['Open fix']]);
  const [comment, ...more] = desk.comments(number);
  expect([comment?.text.includes('src/delivery.js'), more]).toEqual([true, []]);
});
