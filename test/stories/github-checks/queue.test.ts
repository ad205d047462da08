// The merge queue tries a pull request on a branch of its own: what breaks there is told on the pull request, and on no other.
import { expect, it } from 'vitest';
import { CHANGED_TESTS, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

it('speaks on the pull request that the queue tried', async () => {
  const desk = await stage.desk('corner/queue');
  const { people } = stage.double;
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: 'success' });
  const group = await people.enqueue(desk.name, number, 'mara');
  await desk.run(group.sha, { test: COUPONS }, { branch: group.branch, event: 'merge_group' });
  const shown = desk.checkRun(group.sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.title).toMatch(/^Your change: /);
  expect(desk.checkRuns(sha)).toEqual([]);
  const [told = ''] = desk.begun();
  expect(told).toContain(`of pull request #${number} into "main"`);
  expect(told).toContain('in the merge queue');
  const [comment, ...more] = desk.comments(number);
  expect([more, desk.begun().length]).toEqual([[], 1]);
  expect(comment?.text).toContain('src/coupons.js');
  await people.leaveQueue(desk.name, group, 'failed');
  await stage.rest();
  expect(desk.comments(number).map(({ minimized }) => minimized)).toEqual([null]);
});

it('lets no fork speak on another’s pull request by the name of its branch', async () => {
  const desk = await stage.desk('corner/queue-forged');
  const { number, pull } = await desk.pull();
  const branch = `gh-readonly-queue/main/pr-${number}-${pull?.baseSha}`;
  const forged = await desk.forkPull(CHANGED_TESTS, { branch, title: 'Mine' });
  await desk.run(forged.sha, { test: COUPONS }, { branch, event: 'pull_request' });
  expect(desk.checkRun(forged.sha).words).toContain('The pull request comes from a fork');
  expect([desk.begun(), desk.comments(number), desk.comments(forged.number), desk.writesBeside()]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});
