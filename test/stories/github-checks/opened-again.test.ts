// A pull request that is closed and opened again at the same commit: what was found there counts again, and nobody pays for it twice.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

it('is open again with what was found, which others are led to', async () => {
  const desk = await stage.desk('corner/again');
  const { number, sha } = await desk.pull({ branch: 'first' });
  await desk.run(sha, { test: COUPONS });
  const comment = desk.onlyComment(number);
  const states = async () => (await desk.failures()).map(({ state, opening }) => [state, opening]);
  stage.double.people.close(desk.name, number, 'mara');
  await stage.rest();
  expect(await states()).toEqual([['closed', 1]]);
  stage.double.people.reopen(desk.name, number, 'mara');
  await stage.rest();
  expect(await states()).toEqual([['open', 1]]);
  expect(desk.onlyComment(number).id).toBe(comment.id);
  const other = await desk.pull({ branch: 'second' });
  await desk.run(other.sha, { test: COUPONS });
  const shown = desk.checkRun(other.sha);
  expect(shown.words).toMatch(new RegExp(`First seen .* in #${number}, 2 times in total\\.`));
  expect(shown.summary.links).toContainEqual(expect.stringMatching(`/pull/${number}#issuecomment-${comment.id}$`));
  expect(desk.begun()).toHaveLength(1);
  expect(desk.comments(other.number)).toEqual([]);
});
