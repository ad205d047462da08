// A fix that lies within the diff of the pull request stands there as suggestions, once; a person commits them. Else it stands in the comment.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gitText } from '../../github-double/git/run-git.ts';
import { repository } from '../../github-double/lookup.ts';
import { fileAt } from '../../support/github-desk.ts';
import { MENDED_FILE, MENDED_LINE } from '../../support/github-model.ts';
import { BESIDE_THE_BUG, minutesAgo, redActs } from '../../support/github-red-acts.ts';
import { openRedDesk } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-logs.ts';
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

/** A shop that was green before. */
async function greenShop(name: string) {
  const desk = await openRedDesk(stage, model, name);
  await desk.run(await desk.tip(), { test: 'success' }, { at: minutesAgo(3) });
  return { desk, acts: redActs(stage, desk) };
}

const MENDED = (BESIDE_THE_BUG[MENDED_FILE] ?? '').replace(/^.*COUPONS\.get\(code\);$/m, MENDED_LINE);

it('are one review that a person commits, and then the file is as the change has it', async () => {
  const { desk, acts } = await greenShop('corner/within');
  const { number, pull } = await desk.pull({ files: BESIDE_THE_BUG });
  const sha = pull?.headSha ?? '';
  await desk.run(sha, { test: COUPONS });
  const [review, ...more] = acts.reviews(number);
  expect(more).toEqual([]);
  expect(review).toMatchObject({ state: 'COMMENTED', commitSha: sha, minimized: null });
  expect(review?.body).toContain('One suggestion that mends the red checks');
  const [suggestion, ...others] = acts.suggestions(number);
  expect(others).toEqual([]);
  expect(suggestion).toMatchObject({ path: MENDED_FILE, line: 14, side: 'RIGHT' });
  expect(suggestion?.body).toBe(['```suggestion', MENDED_LINE, '```'].join('\n'));
  expect(desk.comments(number)).toHaveLength(1);
  if (suggestion === undefined) throw new Error('there is no suggestion');
  const committed = await stage.double.people.commitSuggestion(desk.name, suggestion, 'mara');
  expect(`${await fileAt(stage, desk.name, `${committed}:${MENDED_FILE}`)}\n`).toBe(MENDED);
  await desk.run(committed, { test: 'success' });
  expect(acts.reviews(number).map(({ minimized }) => minimized?.toUpperCase())).toEqual(['RESOLVED']);
  expect(desk.comments(number).map(({ minimized }) => minimized?.toUpperCase())).toEqual(['RESOLVED']);
  expect([acts.pulls(), acts.suggestions(number).length]).toEqual([[], 1]);
}, 60_000);

it('are not made again by another red check of the same commit', async () => {
  const { desk, acts } = await greenShop('corner/once');
  const { number, pull } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  await desk.run(pull?.headSha ?? '', { nightly: COUPONS }, { workflow: 'Nightly' });
  expect([acts.reviews(number).length, acts.suggestions(number).length]).toEqual([1, 1]);
}, 60_000);

it('are none where the fix lies outside of the diff, which the comment has then', async () => {
  const { desk, acts } = await greenShop('corner/outside');
  const { number, pull } = await desk.pull();
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  expect([acts.reviews(number), acts.suggestions(number)]).toEqual([[], []]);
  const [comment, ...more] = desk.comments(number);
  expect(more).toEqual([]);
  expect(comment?.text).toContain(`+${MENDED_LINE}`);
}, 60_000);

it.each(['draft', 'fork'] as const)(
  'come to a %s when `/analyse` asks for them, with nothing pushed',
  async (kind) => {
    const { desk, acts } = await greenShop(`corner/${kind}`);
    const { number, pull } = await (kind === 'fork'
      ? acts.forkPull(BESIDE_THE_BUG)
      : desk.pull({ files: BESIDE_THE_BUG, draft: true }));
    const sha = pull?.headSha ?? '';
    await desk.run(sha, { test: COUPONS });
    expect([desk.begun(), desk.comments(number), acts.reviews(number)]).toEqual([[], [], []]);
    const branches = await heads(desk.name);
    await acts.say(number, 'per', '/analyse');
    expect(model.askedAt(sha)).toHaveLength(1);
    expect(acts.reviews(number)).toMatchObject([{ state: 'COMMENTED', commitSha: sha }]);
    expect(acts.suggestions(number)).toMatchObject([{ path: MENDED_FILE, line: 14 }]);
    expect(desk.comments(number)).toHaveLength(1);
    expect([acts.pulls(), kind === 'fork' ? stage.writes('ola/fork') : [], await heads(desk.name)]).toEqual([
      [],
      [],
      branches,
    ]);
  },
  60_000,
);

it('are none, and no comment, where the configuration says that nothing is commented unasked', async () => {
  const desk = await openRedDesk(stage, model, 'corner/quiet', { config: 'comments: asked\n' });
  await desk.run(await desk.tip(), { test: 'success' }, { at: minutesAgo(3) });
  const acts = redActs(stage, desk);
  const { number, pull } = await desk.pull({ files: BESIDE_THE_BUG });
  await desk.run(pull?.headSha ?? '', { test: COUPONS });
  expect([desk.comments(number), acts.reviews(number)]).toEqual([[], []]);
  expect(desk.checkRun(pull?.headSha ?? '').title).toMatch(/^Your change: /);
}, 60_000);

async function heads(name: string): Promise<string> {
  return gitText(repository(stage.double.state, name).gitDir, ['for-each-ref', 'refs/heads']);
}
