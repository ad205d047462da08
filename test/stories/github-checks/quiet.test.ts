// Where nobody is to be disturbed: old commits, forks, people without write, drafts, branches of their own. A check run at most.
import { expect, it } from 'vitest';
import { CHANGED_TESTS, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

it('says nothing of a commit that another has taken the place of while its jobs ended', async () => {
  const desk = await stage.desk('corner/superseded');
  const { people } = stage.double;
  const { number, sha: old } = await desk.pull();
  const run = await people.startRun(desk.name, { sha: old, jobs: ['lint', 'test'] });
  await people.finishJob(desk.name, run, 'lint', resultOf(COUPONS));
  const sha = await desk.push('coupons');
  await people.finishJob(desk.name, run, 'test', resultOf(COUPONS));
  await stage.rest();
  expect([desk.writes(), desk.begun(), await desk.failures()]).toEqual([[], [], []]);
  await desk.run(sha, { lint: 'success', test: 'success' });
  expect([desk.writes(), desk.comments(number)]).toEqual([[], []]);
});

it('brings the check run of an old commit to its end when somebody pushes amid the analysis, and comments on neither', async () => {
  const desk = await stage.desk('corner/pushed-amid');
  const { number, sha: old } = await desk.pull();
  const { release } = await desk.runHeld(old, { test: COUPONS });
  await stage.until('our check run', () => desk.checkRuns(old)[0]?.status === 'in_progress');
  await desk.push('coupons');
  await stage.until('its end', () => desk.checkRuns(old)[0]?.status === 'completed');
  await release();
  const shown = desk.checkRun(old);
  expect(shown.words).toContain('A newer commit replaced this one');
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(desk.comments(number)).toEqual([]);
});

it('judges the pull request of a fork in the check run, and neither asks nor comments before somebody says so', async () => {
  const desk = await stage.desk('corner/forked');
  const { number, sha } = await desk.forkPull(CHANGED_TESTS, { branch: 'coupons', title: 'Coupons' });
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('The pull request comes from a fork. Someone with triage access or above can');
  expect([shown.buttons, desk.begun(), desk.comments(number)]).toEqual([[], [], []]);
  expect([desk.writesBeside(), stage.writes('ola/forked')]).toEqual([[], []]);
});

it('waits for a word of somebody with triage where the author of a pull request may not write', async () => {
  const desk = await stage.desk('corner/outsider');
  const sha = await desk.push('coupons');
  const { number } = await stage.double.people.openPull(desk.name, { by: 'per', title: 'Mine', head: 'coupons' });
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('The author has no write access');
  expect([shown.buttons, desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], [], []]);
});

it('leaves a draft alone but for its check run, and looks into it as soon as it is ready', async () => {
  const desk = await stage.desk('corner/draft');
  const { number, sha } = await desk.pull({ draft: true });
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).words).toContain('The pull request is a draft. /analyse starts an analysis.');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
  stage.double.people.markReady(desk.name, number, 'mara');
  await stage.rest();
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
  expect(desk.checkRun(sha).words).not.toContain('draft');
});

it('comments on nothing that became a draft again while it was looked into', async () => {
  const desk = await stage.desk('corner/draft-again');
  const { number, sha } = await desk.pull();
  const { release } = await desk.runHeld(sha, { test: COUPONS });
  stage.double.people.convertToDraft(desk.name, number, 'mara');
  await release();
  expect([desk.checkRun(sha).status, desk.comments(number)]).toEqual(['completed', []]);
});

it('tells of a push to a branch without a pull request in the check run and the ledger alone', async () => {
  const desk = await stage.desk('corner/branch');
  const sha = await desk.push('experiment');
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('The branch has no pull request, so no analysis starts automatically.');
  expect([desk.begun(), desk.writesBeside(), shown.buttons]).toEqual([[], [], []]);
  expect((await desk.failures()).map(({ hits, state }) => [hits, state])).toEqual([[1, 'open']]);
});
