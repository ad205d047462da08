// People come first: their pull request, their closed or locked issue, the comment that they took away.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk } from '../../support/github-desk.ts';
import { MENDED_FILE, type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel();
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it("opens no rival to a person's open pull request for the issue, and says which one stands there", async () => {
  const desk = await openDesk(stage, 'corner/rival');
  const { people } = stage.double;
  await people.push(desk.name, { by: 'mara', branch: 'mend', files: { 'NOTES.md': 'at work\n' } });
  const theirs = await people.openPull(desk.name, { by: 'mara', title: 'Mend it', body: 'Fixes #1', head: 'mend' });
  desk.label('mara');
  await desk.comment('no pull request, see the reason below');
  await stage.rest();
  expect(desk.pulls()).toEqual([]);
  const [result] = desk.ours();
  expect(desk.shown(result?.body ?? '').text).toContain(`#${theirs.number} is already open for this issue`);
  expect(desk.writes().some((write) => write.includes('/git/refs') || write.startsWith('mutation'))).toBe(false);

  // Theirs is closed, and one of ours is wanted after all.
  people.close(desk.name, theirs.number, 'mara');
  stage.double.state.clock.advance(2_000);
  desk.say('mara', '/analyse fix');
  await desk.pull();
  await stage.rest();
  expect([desk.pulls().length, desk.ours().length]).toEqual([1, 1]);
});

it('opens none for an issue that was closed meanwhile, and says so', async () => {
  const desk = await openDesk(stage, 'corner/closed');
  const { asked, release } = model.hold('Repository corner/closed ');
  desk.label('mara');
  await asked;
  stage.double.people.close(desk.name, desk.number, 'mara');
  release();
  await desk.comment('no pull request');
  await stage.rest();
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).toContain('the issue has been closed');
  expect([desk.pulls().length, desk.ours().length]).toEqual([0, 1]);
});

it('says nothing on a locked issue, does not knock again and again, and opens the pull request that was asked for', async () => {
  const desk = await openDesk(stage, 'corner/locked');
  stage.double.people.lock(desk.name, desk.number);
  desk.label('mara');
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.body).toContain(`Fixes #${desk.number}.`);
  expect([desk.ours(), desk.pulls().length]).toEqual([[], 1]);
  const knocks = stage.double.requests.filter(({ status, path }) => status === 403 && path.includes('corner/locked/'));
  expect(knocks.length).toBeLessThan(10);
});

it('takes a closed pull request for an answer, until someone with write asks once more', async () => {
  const desk = await openDesk(stage, 'corner/second-thoughts');
  const { people } = stage.double;
  desk.label('mara');
  const first = await desk.pull();
  await stage.rest();
  people.close(desk.name, first.number, 'mara');
  await desk.comment('was closed without merging');
  await stage.rest();
  expect(desk.pulls()).toHaveLength(1);
  desk.say('per', '/analyse fix');
  await stage.rest();
  expect(desk.pulls()).toHaveLength(1);
  desk.say('mara', '/analyse fix');
  await stage.until('another pull request', () => desk.pulls().length > 1);
  await stage.rest();
  expect(desk.pulls().map(({ state }) => state)).toEqual(['closed', 'open']);
  expect(desk.headlines()).toEqual([expect.stringContaining(`#${desk.pulls()[1]?.number}`)]);
});

it('does not write its comment again for those who have deleted it', async () => {
  const desk = await openDesk(stage, 'corner/unwanted');
  desk.label('per');
  const result = await desk.comment('Cause found, with a fix');
  await stage.rest();
  stage.double.people.deleteComment(desk.name, result.id, 'mara');
  desk.say('mara', '/analyse fix');
  await desk.pull();
  await stage.rest();
  expect(desk.ours()).toEqual([]);
  // A new analysis is a new matter.
  desk.say('mara', '/analyse retry Something else.');
  await stage.until('a comment', () => desk.ours().length > 0);
  await stage.rest();
  expect(desk.ours()).toHaveLength(1);
});

it('withholds a change of a file that somebody has changed meanwhile', async () => {
  const desk = await openDesk(stage, 'corner/overtaken');
  const { asked, release } = model.hold('Repository corner/overtaken ');
  desk.label('mara');
  await asked;
  await stage.double.people.push(desk.name, { by: 'mara', files: { [MENDED_FILE]: 'export const gone = true;\n' } });
  release();
  await desk.comment('no pull request');
  await stage.rest();
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).toContain(`${MENDED_FILE} has changed since it was analysed`);
  expect(desk.pulls()).toEqual([]);
});

it('keeps what a person wrote into the body of its pull request, and leaves a branch that others push to', async () => {
  const desk = await openDesk(stage, 'corner/shared');
  const { people } = stage.double;
  desk.label('mara');
  const pull = await desk.pull();
  await stage.rest();
  people.edit(desk.name, pull.number, { by: 'mara', body: 'Reviewed by me. Fixes #1' });
  const sha = await people.push(desk.name, { by: 'mara', branch: pull.pull?.headRef ?? '', files: { 'N.md': 'n\n' } });
  await desk.comment('others have pushed to it');
  await people.reportCheck(desk.name, { sha, name: 'test', conclusion: 'failure' });
  await stage.rest();
  expect(pull.body).toBe('Reviewed by me. Fixes #1');
  expect(pull.pull?.headSha).toBe(sha);
  expect([desk.pulls().length, desk.ours().length]).toEqual([1, 1]);
});
