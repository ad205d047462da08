// What became of a verdict on a red check: confirmed or refuted by what followed, with or without an Issue.
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, type RedDesk, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { lookNow, readOutcomes } from './look-now.ts';

const stage = redStage();

async function verdicts({ name }: RedDesk) {
  await lookNow(stage, name);
  const all = await readOutcomes(stage, name);
  return all.filter(({ kind }) => kind === 'verdict').map(({ state, judgement }) => [state, judgement]);
}

it('is refuted where the code was to blame and the check passed at the same commit', async () => {
  const desk = await stage.desk('corner/refuted');
  const { sha } = await desk.pull();
  const run = await desk.run(sha, { test: COUPONS });
  expect(await verdicts(desk)).toEqual([['pending', null]]);
  const { people } = stage.double;
  await people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
  await people.finishJob(desk.name, run, 'test', resultOf('success'));
  expect(await verdicts(desk)).toEqual([['rerun_green', 'wrong']]);
});

it('is confirmed where the author fixed it, once however often it is looked at', async () => {
  const desk = await stage.desk('corner/confirmed');
  const { sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const mended = await desk.push('coupons', { files: { 'NOTES.md': 'mended\n' } });
  await desk.run(mended, { test: 'success' });
  for (const _ of [1, 2]) expect(await verdicts(desk)).toEqual([['fixed_later', 'right']]);
});

it('is confirmed on the default branch by a revert of the commit that broke it', async () => {
  const desk = await stage.desk('corner/taken-back');
  const { people } = stage.double;
  const before = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'fine\n' } });
  await desk.run(before, { test: 'success' });
  const broken = await people.push(desk.name, { by: 'mara', files: BESIDE_THE_BUG });
  await desk.run(broken, { test: COUPONS });
  const message = `Revert "Change files"\n\nThis reverts commit ${broken}.`;
  const revert = await people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'fine again\n' }, message });
  await desk.run(revert, { test: 'success' });
  expect(await verdicts(desk)).toEqual([['commit_reverted', 'right']]);
});
