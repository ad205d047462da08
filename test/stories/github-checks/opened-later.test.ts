// A branch that is red before anybody opens a pull request from it: shown at once, looked into when there is one.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

it('is looked into, and told once, when its pull request is opened, with no further check', async () => {
  const desk = await stage.desk('corner/later', { green: ['test'] });
  const written = desk.writesBeside();
  const sha = await desk.push('coupons');
  await desk.run(sha, { test: COUPONS });
  expect(desk.checkRun(sha).words).toContain('The branch has no pull request');
  expect([desk.begun(), desk.writesBeside()]).toEqual([[], written]);
  const { number } = await stage.double.people.openPull(desk.name, {
    ...{ by: 'mara', title: 'Coupons in lower case', head: 'coupons' },
  });
  await stage.rest();
  expect(desk.begun()).toHaveLength(1);
  expect(desk.onlyComment(number).body).toContain('src/coupons.js');
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.title).toMatch(/^Your change: /);
  expect((await desk.failures()).map(({ hits, state }) => [hits, state])).toEqual([[1, 'open']]);
});
