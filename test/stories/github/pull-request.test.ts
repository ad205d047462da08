// A command on somebody's pull request: its failed checks are looked at, and what comes of it is said there.
import { expect, it } from 'vitest';
import { openDesk } from '../../support/github-desk.ts';
import { openGithubStage } from '../../support/github-stage.ts';

it('gets 👀 once and one comment about its failed check; "fix" of what has no change looks anew, and opens nothing', async () => {
  await using stage = await openGithubStage();
  const desk = await openDesk(stage, 'corner/shop');
  const { people } = stage.double;
  const sha = await people.push(desk.name, { by: 'mara', branch: 'feature', files: { 'notes.md': 'Notes\n' } });
  const { number } = await people.openPull(desk.name, { by: 'mara', title: 'Feature', head: 'feature' });
  const summary = "TypeError: Cannot destructure property 'percent'\n    at discountFor (src/coupons.js:14:11)";
  await people.reportCheck(desk.name, { sha, name: 'test', conclusion: 'failure', output: { title: 'Red', summary } });
  await stage.rest();

  const asked = people.comment(desk.name, number, { by: 'per', body: '/analyse' });
  const said = await stage.until('the result', () =>
    stage.ourComments(desk.name, number).find(({ body }) => body.includes('src/coupons.js')),
  );
  await stage.rest();
  expect(asked.reactions.map(({ content }) => content)).toEqual(['eyes']);
  expect(stage.writes(desk.name).filter((write) => write.includes('/reactions'))).toHaveLength(1);
  expect(stage.ourComments(desk.name, number)).toEqual([said]);
  expect(said.body.split('\n')[0]).not.toMatch(/\/analyse fix|opens a pull request/);

  const anew = people.comment(desk.name, number, { by: 'mara', body: '/analyse fix' });
  await stage.until('the 👀', () => anew.reactions.length > 0);
  await stage.rest();
  expect(anew.reactions.map(({ content }) => content)).toEqual(['eyes']);
  expect(stage.ourComments(desk.name, number)).toHaveLength(1);
  expect(desk.pulls()).toEqual([]);
});
