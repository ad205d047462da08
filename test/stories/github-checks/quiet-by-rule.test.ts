// What a repository's own rules keep quiet: names, branches, modes, comments only where asked; and our own branches and checks.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

it('looks at no check that the configuration leaves out, and names it where another is red besides', async () => {
  const config = 'checks: { exclude: ["nightly *"] }\n';
  const desk = await stage.desk('corner/excluded', { config });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { 'nightly / long': BASKET, test: 'success' });
  expect([desk.writes(), desk.begun(), await desk.failures()]).toEqual([[], [], []]);
  await desk.run(sha, { build: COUPONS }, { workflow: 'Build' });
  const { words } = desk.checkRun(sha);
  expect(words).toContain('Also failing, not analysed:');
  expect(words).toContain('nightly / long: Excluded by the configuration of this repository');
  expect([desk.begun().length, desk.comments(number).length, (await desk.failures()).length]).toEqual([1, 1, 1]);
});

it('looks only at pull requests into the branches that the configuration names', async () => {
  const desk = await stage.desk('corner/branches', { config: 'checks: { branches: ["release/*"] }\n' });
  const early = await desk.pull();
  await desk.run(early.sha, { test: COUPONS });
  await desk.run(await desk.tip(), { test: COUPONS });
  expect([desk.writes(), desk.begun(), await desk.failures()]).toEqual([[], [], []]);
  await desk.push('release/1', { files: { 'R.md': 'release\n' } });
  const sha = await desk.push('late');
  const made = { by: 'mara', title: 'Late', head: 'late', base: 'release/1' };
  const { number } = await stage.double.people.openPull(desk.name, made);
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
  expect(desk.comments(number)).toHaveLength(1);
});

it('comments on nothing unasked with `comments: asked`; the check run has the whole of it', async () => {
  const desk = await stage.desk('corner/asked', { config: 'comments: asked\n' });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).places).toContain('src/coupons.js:14');
  expect([desk.begun().length, desk.comments(number), desk.checkRun(sha).buttons]).toEqual([1, [], ['Open fix']]);
});

it('writes nothing at all in mode `observe`', async () => {
  const desk = await stage.desk('corner/observed', { config: 'mode: observe\n' });
  const { sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect([desk.writes(), desk.checkRuns(sha)]).toEqual([[], []]);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([1]);
});

it('offers no pull request in mode `comment`, neither on a pull request nor for a red default branch', async () => {
  const desk = await stage.desk('corner/commented', { config: 'mode: comment\n' });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect([desk.checkRun(sha).buttons, desk.comments(number).length]).toEqual([[], 1]);
  await desk.run(await desk.tip(), { test: COUPONS });
  expect(desk.checkRun(await desk.tip()).buttons).toEqual([]);
  expect(stage.double.people.pulls(desk.name)).toHaveLength(1);
});

it('looks at no branch that is named as ours are', async () => {
  const desk = await stage.desk('corner/own-branch');
  const { sha } = await desk.pull({ branch: 'causeway/mine' });
  await desk.run(sha, { test: COUPONS });
  expect([desk.writes(), desk.begun(), await desk.failures()]).toEqual([[], [], []]);
});

it('takes its own check run for no check, whatever that says', async () => {
  const desk = await stage.desk('corner/own-check');
  const { sha } = await desk.pull();
  await stage.double.people.reportCheck(desk.name, { sha, name: 'Ours', app: 'causeway', conclusion: 'failure' });
  await stage.rest();
  expect([desk.writes(), desk.begun(), await desk.failures()]).toEqual([[], [], []]);
  await desk.run(sha, { test: COUPONS });
  const [first, ...more] = await desk.failures();
  expect([more, first?.hits]).toEqual([[], 1]);
  expect(desk.checkRuns(sha).map(({ run }) => run.name)).toEqual(['Ours', 'Causeway']);
});
