// Red on the base as well: not the change's doing where the cause is the same, its doing where it is another, and unknown where nobody knows.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRedDesk } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS } from '../../support/github-red-logs.ts';
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

it('says that it is red on main as well where the cause is the same, in the check run and nowhere else', async () => {
  const desk = await openRedDesk(stage, model, 'corner/same');
  await desk.run(await desk.tip(), { test: COUPONS });
  const [asked, written] = [desk.begun().length, desk.writesBeside().length];
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Red on main as well, not your change');
  expect(shown.words).toContain('test is red on the base as well, for the same cause');
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(desk.comments(number)).toEqual([]);
  expect([desk.begun().length, desk.writesBeside().length]).toEqual([asked, written]);
  expect(desk.failures().map(({ hits }) => hits)).toEqual([2]);
}, 60_000);

it('knows that it was red on the base before, though the failure came back there under another check', async () => {
  const desk = await openRedDesk(stage, model, 'corner/elsewhere');
  await desk.run(await desk.tip(), { nightly: COUPONS });
  const asked = desk.begun().length;
  const { number, pull } = await desk.pull();
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  const shown = desk.checkRun(pull?.headSha ?? '');
  expect(shown.title).toBe('Red on main as well, not your change');
  expect(shown.words).toContain('The same failure is open on the default branch');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], asked]);
}, 60_000);

it('takes it for the change where a check of that name is red on main for another cause', async () => {
  const desk = await openRedDesk(stage, model, 'corner/other-cause');
  await desk.run(await desk.tip(), { test: BASKET });
  const asked = desk.begun().length;
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('test is red on the base too, for another cause');
  expect(desk.begun()).toHaveLength(asked + 1);
  expect(desk.comments(number)).toHaveLength(1);
}, 60_000);

it('says that it is green on main where it is', async () => {
  const desk = await openRedDesk(stage, model, 'corner/green-base');
  await desk.run(await desk.tip(), { test: 'success' });
  expect(desk.writes()).toEqual([]);
  const { number, pull } = await desk.pull();
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  expect(desk.checkRun(pull?.headSha ?? '').words).toContain('test is green on the base');
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, 1]);
}, 60_000);

it('takes the change for the cause where no check ever ran on main, and the change touches what fails', async () => {
  const desk = await openRedDesk(stage, model, 'corner/unknown-base');
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('The change touches test/coupons.test.js, where it fails');
  expect(shown.words).not.toMatch(/on the base|on main/);
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, 1]);
}, 60_000);

it('leaves open whose it is where no check ever ran on main, and the change touches something else', async () => {
  const desk = await openRedDesk(stage, model, 'corner/untied');
  const { number, pull } = await desk.pull({ files: { 'N.md': 'Notes\n' } });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Cause found: /);
  expect(shown.words).toContain(
    'Whether test is red on the base as well is not known, and nothing ties it to the change',
  );
  expect([desk.comments(number), desk.begun().length]).toEqual([[], 1]);
}, 60_000);
