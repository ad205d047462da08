// Chance: what passes and fails at one commit is called so, costs no model, and takes back what was said of it.
import type { ActionsRun } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { type RedDesk, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';

const stage = redStage();

/** A person runs it again at the same commit. */
async function again(desk: RedDesk, run: ActionsRun, end: 'success' | typeof COUPONS): Promise<void> {
  const { people } = stage.double;
  await people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
  await people.finishJob(desk.name, run, 'test', resultOf(end));
  await stage.rest();
}

it('calls it flaky where it passed at the same commit before, with no question and no comment', async () => {
  const desk = await stage.desk('corner/passed-before');
  const { number, sha } = await desk.pull();
  const run = await desk.run(sha, { test: 'success' });
  expect(desk.writes()).toEqual([]);
  await again(desk, run, COUPONS);
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe(`Flaky: it also passed on this commit: ${COUPONS.test}`);
  expect(shown.words).toContain('next: re-run it');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
});

it('takes its comment back when it passes on a re-run, and its check run says that it was chance', async () => {
  const desk = await stage.desk('corner/passed-after');
  const { number, sha } = await desk.pull();
  const run = await desk.run(sha, { test: COUPONS });
  const before = desk.comments(number);
  expect([before.length, before[0]?.minimized]).toEqual([1, null]);
  await again(desk, run, 'success');
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe(`Flaky: ${COUPONS.test} passed on a re-run of this commit`);
  expect(shown.status).toBe('completed');
  // GitHub keeps the mark in the code.
  expect(shown.run.annotations.map(({ title }) => title)).toEqual([`test failed: ${COUPONS.test}`]);
  const [comment, ...more] = desk.comments(number);
  expect(more).toEqual([]);
  expect(comment?.minimized?.toUpperCase()).toBe('RESOLVED');
  expect(comment?.text.trim().split('\n')).toHaveLength(1);
  expect(desk.begun()).toHaveLength(1);
  expect((await desk.failures()).map(({ hits, flaky_hits }) => [hits, flaky_hits])).toEqual([[1, 1]]);
});

it('posts no comment where it passes on a re-run while the cause is still looked for', async () => {
  const desk = await stage.desk('corner/passed-meanwhile');
  const { number, sha } = await desk.pull();
  const { people } = stage.double;
  const { run, release } = await desk.runHeld(sha, { test: COUPONS });
  await people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
  await people.finishJob(desk.name, run, 'test', resultOf('success'));
  await stage.until('the check run', () => desk.checkRuns(sha)[0]?.title.startsWith('Flaky'));
  await release();
  expect(desk.checkRun(sha).title).toBe(`Flaky: ${COUPONS.test} passed on a re-run of this commit`);
  expect(desk.checkRun(sha).status).toBe('completed');
  expect(desk.comments(number)).toEqual([]);
});

it('knows a failure by then that was chance three times, and asks nobody about it', async () => {
  const desk = await stage.desk('corner/thrice');
  for (const branch of ['first', 'second', 'third']) {
    const { sha } = await desk.pull({ branch });
    await again(desk, await desk.run(sha, { test: DELIVERY }), 'success');
  }
  // What passed when it was run again is not mended: it is still the same failure elsewhere.
  expect(desk.begun()).toHaveLength(1);
  const { number, sha } = await desk.pull({ branch: 'fourth' });
  await desk.run(sha, { test: DELIVERY });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Flaky: seen 3 times before on 3 other pull requests/);
  expect(shown.words).toContain('3 of them passed on a re-run');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], 1]);
  expect((await desk.failures()).map(({ hits, flaky_hits }) => [hits, flaky_hits])).toEqual([[4, 3]]);
});
