// The merge queue tries a pull request on a branch of its own: what breaks there is told on the pull request, and on no other.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHANGED_TESTS, openRedDesk } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-logs.ts';
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

it('speaks on the pull request that the queue tried', async () => {
  const desk = await openRedDesk(stage, model, 'corner/queue');
  const { people } = stage.double;
  const { number, pull } = await desk.pull();
  await desk.run(pull?.headSha ?? '', { test: 'success' });
  const group = await people.enqueue(desk.name, number, 'mara');
  await desk.run(group.sha, { test: COUPONS }, { branch: group.branch, event: 'merge_group' });
  const shown = desk.checkRun(group.sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.title).toMatch(/^Your change: /);
  expect(desk.checkRuns(pull?.headSha ?? '')).toEqual([]);
  const [told = ''] = desk.begun();
  expect(told).toContain(`of pull request #${number} into "main"`);
  expect(told).toContain('in the merge queue');
  const [comment, ...more] = desk.comments(number);
  expect([more, desk.begun().length]).toEqual([[], 1]);
  expect(comment?.text).toContain('src/coupons.js');
  await people.leaveQueue(desk.name, group, 'failed');
  await stage.rest();
  expect(desk.comments(number).map(({ minimized }) => minimized)).toEqual([null]);
}, 60_000);

it('lets no fork speak on another’s pull request by the name of its branch', async () => {
  const desk = await openRedDesk(stage, model, 'corner/queue-forged');
  const { people } = stage.double;
  const { number, pull } = await desk.pull();
  await people.fork(desk.name, 'ola');
  const branch = `gh-readonly-queue/main/pr-${number}-${pull?.baseSha}`;
  const sha = await people.push('ola/queue-forged', { by: 'ola', branch, files: CHANGED_TESTS });
  const made = { by: 'ola', title: 'Mine', head: branch, headRepository: 'ola/queue-forged' };
  const forged = await people.openPull(desk.name, made);
  await desk.run(sha, { test: COUPONS }, { branch, event: 'pull_request' });
  expect(desk.checkRun(sha).words).toContain('The pull request comes from a fork');
  expect([desk.begun(), desk.comments(number), desk.comments(forged.number), desk.writesBeside()]).toEqual([
    [],
    [],
    [],
    [],
  ]);
}, 60_000);
