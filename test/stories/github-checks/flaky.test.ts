// Chance: what passes and fails at one commit is called so, costs no model, and takes back what was said of it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WorkflowRun } from '../../github-double/state-checks.ts';
import { openRedDesk, type RedDesk, resultOf } from '../../support/github-red-desk.ts';
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

/** A person runs it again at the same commit. */
async function again(desk: RedDesk, run: WorkflowRun, end: 'success' | typeof COUPONS): Promise<void> {
  const { people } = stage.double;
  await people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
  await people.finishJob(desk.name, run, 'test', resultOf(end));
  await stage.rest();
}

it('calls it flaky where it passed at the same commit before, with no question and no comment', async () => {
  const desk = await openRedDesk(stage, model, 'corner/passed-before');
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  const run = await desk.run(sha, { test: 'success' });
  expect(desk.writes()).toEqual([]);
  await again(desk, run, COUPONS);
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Flaky: it passed at this very commit as well');
  expect(shown.words).toContain('next: run it again');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
}, 60_000);

it('takes its comment back when it passes on a re-run, and its check run says that it was chance', async () => {
  const desk = await openRedDesk(stage, model, 'corner/passed-after');
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  const run = await desk.run(sha, { test: COUPONS });
  const before = desk.comments(number);
  expect([before.length, before[0]?.minimized]).toEqual([1, null]);
  await again(desk, run, 'success');
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Flaky: it has passed at this commit since');
  expect(shown.status).toBe('completed');
  const [comment, ...more] = desk.comments(number);
  expect(more).toEqual([]);
  expect(comment?.minimized?.toUpperCase()).toBe('RESOLVED');
  expect(comment?.text.trim().split('\n')).toHaveLength(1);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.failures().map(({ hits, flaky_hits }) => [hits, flaky_hits])).toEqual([[1, 1]]);
}, 60_000);

it('posts no comment where it passes on a re-run while the cause is still looked for', async () => {
  const desk = await openRedDesk(stage, model, 'corner/passed-meanwhile');
  const { number, pull } = await desk.pull();
  const sha = pull?.headSha ?? '';
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  const run = await stage.double.people.reportWorkflowRun(desk.name, {
    sha,
    jobs: [{ name: 'test', ...resultOf(COUPONS) }],
  });
  await asked;
  await stage.double.people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
  await stage.double.people.finishJob(desk.name, run, 'test', resultOf('success'));
  await stage.until('the check run', () => desk.checkRuns(sha)[0]?.title.startsWith('Flaky'));
  release();
  await stage.rest();
  expect(desk.checkRun(sha).title).toBe('Flaky: it has passed at this commit since');
  expect(desk.checkRun(sha).status).toBe('completed');
  expect(desk.comments(number)).toEqual([]);
}, 60_000);

it('knows a failure by then that was chance three times, and asks nobody about it', async () => {
  const desk = await openRedDesk(stage, model, 'corner/thrice');
  for (const branch of ['first', 'second', 'third']) {
    const { pull } = await desk.pull({ branch });
    await again(desk, await desk.run(pull?.headSha ?? '', { test: DELIVERY }), 'success');
  }
  // What passed when it was run again is not mended: it is still the same failure elsewhere.
  expect(desk.begun()).toHaveLength(1);
  const { number, pull } = await desk.pull({ branch: 'fourth' });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: DELIVERY });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Flaky: seen 3 times before on 3 other pull requests/);
  expect(shown.words).toContain('3 of them passed when run again');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], 1]);
  expect(desk.failures().map(({ hits, flaky_hits }) => [hits, flaky_hits])).toEqual([[4, 3]]);
}, 60_000);
