// "Open fix": whoever may write gets the change as a pull request into the branch that is red; nobody else, never twice, never on a fork.
import { expect, it } from 'vitest';
import { changedFiles } from '../../support/github-desk.ts';
import { type JobEnds, redStage } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';

const stage = redStage();

/** A shop whose pull request is red, and nobody but its change can have done it. */
async function redPull(name: string, jobs: JobEnds = { test: COUPONS }) {
  const desk = await stage.desk(name, { green: Object.keys(jobs) });
  const { number, sha } = await desk.pull();
  await desk.run(sha, jobs);
  return { desk, number, sha };
}

it('opens a pull request into the red branch, once, and says so without a button then', async () => {
  const { desk, number, sha } = await redPull('corner/pressed');
  expect([desk.checkRun(sha).buttons, desk.pulls()]).toEqual([['Open fix'], []]);
  await desk.press(sha, 'mara');
  const [pull, ...more] = desk.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull).toMatchObject({ baseRef: 'coupons', baseSha: sha, isDraft: true });
  expect(pull?.pull?.headRef).toMatch(new RegExp(`^causeway/pull-${number}-`));
  expect(await changedFiles(stage, desk.name, pull?.pull?.headSha ?? '')).toEqual(['M src/coupons.js']);
  expect(pull?.body).toContain(`For the failing checks of #${number}`);
  const shown = desk.checkRun(sha);
  expect([shown.buttons, shown.words.includes(`next: review #${pull?.number}`)]).toEqual([[], true]);
  expect(desk.comments(number)).toHaveLength(1);
  expect(desk.comments(number)[0]?.text).toContain(`#${pull?.number}`);
  // A page that was loaded before still has the button.
  await desk.press(sha, 'mara');
  await desk.press(sha, 'nora');
  expect([desk.pulls().length, desk.comments(number).length]).toEqual([1, 1]);
  expect(desk.begun()).toHaveLength(1);
});

it('opens nothing for those who may not write, for bots, and for a button that is not there', async () => {
  const { desk, sha } = await redPull('corner/refused');
  const { people } = stage.double;
  people.grant(desk.name, 'rita', 'read');
  const robot = people.otherApp('robot');
  people.grant(desk.name, 'robot[bot]', 'write');
  const written = desk.writes();
  for (const by of ['rita', 'per', 'ola', 'robot[bot]']) await desk.press(sha, by);
  expect(robot.slug).toBe('robot');
  for (const identifier of ['open_fix_2', 'open_fix_9', 'open', '']) await desk.press(sha, 'mara', identifier);
  expect([desk.pulls(), desk.writes()]).toEqual([[], written]);
  expect(desk.checkRun(sha).buttons).toEqual(['Open fix']);
});

it('opens one only, where two people press at once', async () => {
  const { desk, number, sha } = await redPull('corner/both');
  const { run } = desk.checkRun(sha);
  const { people, state } = stage.double;
  state.clock.advance(2_000);
  people.grant(desk.name, 'lena', 'write');
  await Promise.all(['mara', 'lena', 'mara'].map((by) => people.pressAction(desk.name, run, 'open_fix', by)));
  await stage.rest();
  expect([desk.pulls().length, desk.comments(number).length]).toEqual([1, 1]);
});

it('opens the same on `/analyse fix` by somebody with write, not by others', async () => {
  const { desk, number, sha } = await redPull('corner/said');
  const refused = await desk.say(number, 'per', '/analyse fix');
  expect([desk.pulls(), desk.reactions(refused)]).toEqual([[], ['confused']]);
  const asked = await desk.say(number, 'mara', '/analyse fix');
  expect(desk.reactions(asked)).toEqual(['eyes']);
  const [pull, ...more] = desk.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull).toMatchObject({ baseRef: 'coupons', isDraft: true });
  expect(desk.checkRun(sha).buttons).toEqual([]);
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
});

it('has one button for the pull request of a commit with two causes, and opens one', async () => {
  const { desk, number, sha } = await redPull('corner/two', { a: COUPONS, b: DELIVERY });
  expect(desk.begun()).toHaveLength(2);
  expect(desk.checkRun(sha).buttons).toEqual(['Open fix']);
  await desk.press(sha, 'mara');
  const [pull, ...more] = desk.pulls();
  expect(more).toEqual([]);
  expect(pull?.pull?.baseRef).toBe('coupons');
  expect(desk.comments(number)).toHaveLength(1);
});

it('takes the button off a commit that others have pushed upon', async () => {
  const { desk, sha } = await redPull('corner/late');
  await desk.push('coupons');
  await stage.rest();
  expect(desk.checkRun(sha).buttons).toEqual([]);
  // A page that was loaded before still has it.
  await desk.press(sha, 'mara');
  expect(desk.pulls()).toEqual([]);
});

it('has no button on a fork, and `/analyse fix` is met with a shrug there', async () => {
  const desk = await stage.desk('corner/afar', { green: ['test'] });
  const { number, sha } = await desk.forkPull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).buttons).toEqual([]);
  await desk.say(number, 'mara', '/analyse');
  expect(desk.checkRun(sha).buttons).toEqual([]);
  const asked = await desk.say(number, 'mara', '/analyse fix');
  expect([desk.reactions(asked), desk.pulls()]).toEqual([['confused'], []]);
  await desk.press(sha, 'mara');
  expect([desk.pulls(), stage.writes('ola/afar')]).toEqual([[], []]);
});
