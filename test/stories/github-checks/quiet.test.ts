// Where nobody is to be disturbed: old commits, forks, people without write, drafts, branches of their own. A check run at most.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHANGED_TESTS, openRedDesk, resultOf } from '../../support/github-red-desk.ts';
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

it('says nothing of a commit that another has taken the place of while its jobs ended', async () => {
  const desk = await openRedDesk(stage, model, 'corner/superseded');
  const { people } = stage.double;
  const { number, pull } = await desk.pull();
  const old = pull?.headSha ?? '';
  const run = await people.startRun(desk.name, { sha: old, jobs: ['lint', 'test'] });
  await people.finishJob(desk.name, run, 'lint', resultOf(COUPONS));
  const sha = await desk.push('coupons');
  await people.finishJob(desk.name, run, 'test', resultOf(COUPONS));
  await stage.rest();
  expect([desk.writes(), desk.begun(), desk.failures()]).toEqual([[], [], []]);
  await desk.run(sha, { lint: 'success', test: 'success' });
  expect([desk.writes(), desk.comments(number)]).toEqual([[], []]);
}, 60_000);

it('brings the check run of an old commit to its end when somebody pushes amid the analysis, and comments on neither', async () => {
  const desk = await openRedDesk(stage, model, 'corner/pushed-amid');
  const { people } = stage.double;
  const { number, pull } = await desk.pull();
  const old = pull?.headSha ?? '';
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  await people.reportWorkflowRun(desk.name, { sha: old, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
  await asked;
  await stage.until('our check run', () => desk.checkRuns(old)[0]?.status === 'in_progress');
  await desk.push('coupons');
  await stage.until('its end', () => desk.checkRuns(old)[0]?.status === 'completed');
  release();
  await stage.rest();
  const shown = desk.checkRun(old);
  expect(shown.words).toContain('Another commit has taken the place of this one');
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(desk.comments(number)).toEqual([]);
}, 60_000);

it('judges the pull request of a fork in the check run, and neither asks nor comments before somebody says so', async () => {
  const desk = await openRedDesk(stage, model, 'corner/forked');
  const { people } = stage.double;
  await people.fork(desk.name, 'ola');
  const sha = await people.push('ola/forked', { by: 'ola', branch: 'coupons', files: CHANGED_TESTS });
  const made = { by: 'ola', title: 'Coupons', head: 'coupons', headRepository: 'ola/forked' };
  const { number } = await people.openPull(desk.name, made);
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('The pull request comes from a fork: /analyse by somebody with triage or better');
  expect([shown.buttons, desk.begun(), desk.comments(number)]).toEqual([[], [], []]);
  expect([desk.writesBeside(), stage.writes('ola/forked')]).toEqual([[], []]);
}, 60_000);

it('waits for a word of somebody with triage where the author of a pull request may not write', async () => {
  const desk = await openRedDesk(stage, model, 'corner/outsider');
  await desk.push('coupons');
  const { number, pull } = await stage.double.people.openPull(desk.name, { by: 'per', title: 'Mine', head: 'coupons' });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('Its author may not write here');
  expect([shown.buttons, desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], [], []]);
}, 60_000);

it('leaves a draft alone but for its check run, and looks into it as soon as it is ready', async () => {
  const desk = await openRedDesk(stage, model, 'corner/draft');
  const { number, pull } = await desk.pull({ draft: true });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).words).toContain('The pull request is a draft: /analyse starts one.');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
  expect(desk.checkRun(sha).words).not.toContain('draft');
}, 60_000);

it('comments on nothing that became a draft again while it was looked into', async () => {
  const desk = await openRedDesk(stage, model, 'corner/draft-again');
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  await stage.double.people.reportWorkflowRun(desk.name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
  await asked;
  stage.double.people.convertToDraft(desk.name, number, 'mara');
  release();
  await stage.rest();
  expect([desk.checkRun(sha).status, desk.comments(number)]).toEqual(['completed', []]);
}, 60_000);

it('tells of a push to a branch without a pull request in the check run and the ledger alone', async () => {
  const desk = await openRedDesk(stage, model, 'corner/branch');
  const sha = await desk.push('experiment');
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('The branch has no pull request: no analysis begins there unasked.');
  expect([desk.begun(), desk.writesBeside(), shown.buttons]).toEqual([[], [], []]);
  expect(desk.failures().map(({ hits, state }) => [hits, state])).toEqual([[1, 'open']]);
}, 60_000);
