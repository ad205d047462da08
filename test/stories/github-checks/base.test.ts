// Red on the base as well: not the change's doing where the cause is the same, its doing where it is another, and unknown where nobody knows.
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, type Failing } from '../../support/github-red-model.ts';

const stage = redStage();

it('says that it is red on main as well where the cause is the same, in the check run and nowhere else', async () => {
  const desk = await stage.desk('corner/same');
  await desk.run(await desk.tip(), { test: COUPONS });
  const [asked, written] = [desk.begun().length, desk.writesBeside().length];
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Broken on main, not your change');
  expect(shown.words).toContain('test fails on the base too, for the same reason');
  expect([shown.status, shown.conclusion, shown.buttons]).toEqual(['completed', 'neutral', []]);
  expect(desk.comments(number)).toEqual([]);
  expect([desk.begun().length, desk.writesBeside().length]).toEqual([asked, written]);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([2]);
});

it('leaves open whose it is where the test fails on main too, but with fewer errors, and the change touches it', async () => {
  const desk = await stage.desk('corner/more');
  await desk.run(await desk.tip(), { test: COUPONS });
  const asked = desk.begun().length;
  const more = { ...COUPONS, error: [...COUPONS.error, 'RangeError: no coupon may take more than all'] };
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: more });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Broken on main, but with more errors here');
  expect(shown.words).toContain("1 check failed, can't tell whether because of this change");
  expect(shown.words).toContain('fails on the base too, for the same reason, but with errors here that are not there');
  expect(shown.words).toContain('next: compare its errors with');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], asked]);
  const shelf = 'export const shelf = [];\n';
  const beside = await desk.pull({ branch: 'shelf', files: { 'src/shelf.js': shelf } });
  await desk.run(beside.sha, { test: more });
  expect(desk.checkRun(beside.sha).title).toBe('Broken on main, not your change');
});

it('knows that it was red on the base before, though the failure came back there under another check', async () => {
  const desk = await stage.desk('corner/elsewhere');
  await desk.run(await desk.tip(), { nightly: COUPONS });
  const asked = desk.begun().length;
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Broken on main, not your change');
  expect(shown.words).toContain('the default branch has the same failure');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], asked]);
});

it('takes it for the change where a check of that name is red on main for another cause', async () => {
  const desk = await stage.desk('corner/other-cause');
  await desk.run(await desk.tip(), { test: BASKET });
  const asked = desk.begun().length;
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('test fails on the base too, for another reason');
  expect(desk.begun()).toHaveLength(asked + 1);
  expect(desk.comments(number)).toHaveLength(1);
});

it('says that it is green on main where it is', async () => {
  const desk = await stage.desk('corner/green-base');
  await desk.run(await desk.tip(), { test: 'success' });
  expect(desk.writes()).toEqual([]);
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).words).toContain('test passes on the base');
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, 1]);
});

it('takes the change for the cause where no check ever ran on main, and the change touches what fails', async () => {
  const desk = await stage.desk('corner/unknown-base');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('the change touches test/coupons.test.js, where the check fails');
  expect(shown.words).not.toMatch(/on the base|on main/);
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, 1]);
});

it('takes the change for the cause where it touches what the failing test is for, though the log names the test alone', async () => {
  const desk = await stage.desk('corner/tested');
  const { number, sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: inTestAlone('test/coupons.test.js') });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('the change touches src/coupons.js, which test/coupons.test.js tests');
  expect(shown.words).not.toContain('nothing ties it to the change');
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, 1]);
});

/** A failed assertion, whose only own frame is the test itself. */
function inTestAlone(path: string): Failing {
  const frame = `    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/${path}:15:10)`;
  const error = ['AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:', '', '0 !== 100', '', frame];
  return { test: 'all of it', at: `${path}:14:1`, error };
}

it('leaves open whose it is where no check ever ran on main, and the change touches something else', async () => {
  const desk = await stage.desk('corner/untied');
  const shelf = 'export const shelf = [];\n';
  const { number, sha } = await desk.pull({ files: { 'src/shelf.js': shelf, 'src/stock.js': shelf } });
  await desk.run(sha, { test: COUPONS });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Cause found: /);
  expect(shown.words).toContain('No CI result for test on the base branch, and no direct link to the changed files');
  expect([desk.comments(number), desk.begun().length]).toEqual([[], 1]);
});
