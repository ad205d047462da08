// A fix that lies within the diff of the pull request stands there as suggestions, once; a person commits them. Else it stands in the comment.
import { expect, it } from 'vitest';
import { fileAt } from '../../support/github-desk.ts';
import { MENDED_FILE, MENDED_LINE } from '../../support/github-model.ts';
import { BESIDE_THE_BUG, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();

const GREEN = { green: ['test'] };
const MENDED = (BESIDE_THE_BUG[MENDED_FILE] ?? '').replace(/^.*COUPONS\.get\(code\);$/m, MENDED_LINE);

it('are one review that a person commits, and then the file is as the change has it', async () => {
  const desk = await stage.desk('corner/within', GREEN);
  const { number, sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: COUPONS });
  const [review, ...more] = desk.reviews(number);
  expect(more).toEqual([]);
  expect(review).toMatchObject({ state: 'COMMENTED', commitSha: sha, minimized: null });
  expect(review?.body).toContain('1 suggestion to fix the failing checks');
  const [suggestion, ...others] = desk.suggestions(number);
  expect(others).toEqual([]);
  expect(suggestion).toMatchObject({ path: MENDED_FILE, line: 14, side: 'RIGHT' });
  expect(suggestion?.body).toBe(['```suggestion', MENDED_LINE, '```'].join('\n'));
  expect(desk.comments(number)).toHaveLength(1);
  if (suggestion === undefined) throw new Error('there is no suggestion');
  const committed = await stage.double.people.commitSuggestion(desk.name, suggestion, 'mara');
  expect(`${await fileAt(stage, desk.name, `${committed}:${MENDED_FILE}`)}\n`).toBe(MENDED);
  await desk.run(committed, { test: 'success' });
  expect(desk.reviews(number).map(({ minimized }) => minimized?.toUpperCase())).toEqual(['RESOLVED']);
  expect(desk.comments(number).map(({ minimized }) => minimized?.toUpperCase())).toEqual(['RESOLVED']);
  expect([desk.pulls(), desk.suggestions(number).length]).toEqual([[], 1]);
});

it('are not made again by another red check of the same commit', async () => {
  const desk = await stage.desk('corner/once', GREEN);
  const { number, sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: COUPONS });
  await desk.run(sha, { nightly: COUPONS }, { workflow: 'Nightly' });
  expect([desk.reviews(number).length, desk.suggestions(number).length]).toEqual([1, 1]);
});

it('are none where the fix lies outside of the diff, which the comment has then', async () => {
  const desk = await stage.desk('corner/outside', GREEN);
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect([desk.reviews(number), desk.suggestions(number)]).toEqual([[], []]);
  const [comment, ...more] = desk.comments(number);
  expect(more).toEqual([]);
  expect(comment?.text).toContain(`+${MENDED_LINE}`);
});

it.each(['draft', 'fork'] as const)('come to a %s when `/analyse` asks for them, with nothing pushed', async (kind) => {
  const desk = await stage.desk(`corner/${kind}`, GREEN);
  const { number, sha } = await (kind === 'fork'
    ? desk.forkPull(BESIDE_THE_BUG)
    : desk.pull({ files: BESIDE_THE_BUG, draft: true }));
  await desk.run(sha, { test: COUPONS });
  expect([desk.begun(), desk.comments(number), desk.reviews(number)]).toEqual([[], [], []]);
  const branches = await heads(desk.name);
  await desk.say(number, 'per', '/analyse');
  expect(stage.model.askedAt(sha)).toHaveLength(1);
  expect(desk.reviews(number)).toMatchObject([{ state: 'COMMENTED', commitSha: sha }]);
  expect(desk.suggestions(number)).toMatchObject([{ path: MENDED_FILE, line: 14 }]);
  expect(desk.comments(number)).toHaveLength(1);
  expect([desk.pulls(), kind === 'fork' ? stage.writes('ola/fork') : [], await heads(desk.name)]).toEqual([
    [],
    [],
    branches,
  ]);
});

it('are none, and no comment, where the configuration says that nothing is commented unasked', async () => {
  const desk = await stage.desk('corner/quiet', { config: 'comments: asked\n', green: ['test'] });
  const { number, sha } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(sha, { test: COUPONS });
  expect([desk.comments(number), desk.reviews(number)]).toEqual([[], []]);
  expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
});

async function heads(name: string): Promise<string> {
  return stage.double.git(name, 'for-each-ref', 'refs/heads');
}
