// One check is red on the base, and here for more than that: what fails here alone comes first, and only that is the change's.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, type Failing, testsLog } from '../../support/github-red-model.ts';

const stage = redStage();

const failing = (...tests: readonly Failing[]) =>
  ({ conclusion: 'failure', failedStep: 'npm test', log: testsLog(tests) }) as const;

it('shows what fails here alone, and what fails on main as well in one folded line', async () => {
  const desk = await stage.desk('corner/own-first');
  await desk.run(await desk.tip(), { test: BASKET });
  const asked = desk.begun().length;
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: failing(BASKET, COUPONS) });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain('1 check failed because of this change');
  expect(shown.words).toContain('1 other test fails on the base too, not because of this change');
  expect(shown.words).not.toContain('quantityOf is not defined');
  expect(shown.words.match(/a basket counts what is in it/g)).toHaveLength(1);
  expect(shown.places.join()).not.toContain('basket');
  expect([desk.comments(number).length, desk.begun().length]).toEqual([1, asked + 1]);
  const { title, words } = shown;
  await desk.run(sha, { test: failing(BASKET, COUPONS) });
  expect(desk.checkRun(sha)).toMatchObject({ title, words });
});

it('does not call it the change’s where fewer tests fail than on main', async () => {
  const desk = await stage.desk('corner/mended-in-part');
  await desk.run(await desk.tip(), { test: failing(BASKET, DELIVERY) });
  const [asked, written] = [desk.begun().length, desk.writesBeside().length];
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: BASKET });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Broken on main, not your change');
  expect(shown.words).toContain('a basket counts what is in it” failed there already');
  expect([desk.comments(number), desk.begun().length, desk.writesBeside().length]).toEqual([[], asked, written]);
});
