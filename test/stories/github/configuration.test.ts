// What a repository says in `.github/causeway.yml` holds there, a file that cannot be used is told once, and the organisation's steps in.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deskOf, expectLeastTokens, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { reportBug } from '../../support/github-shop.ts';
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

const COMPLAINT = '`.github/causeway.yml`, line 3 is invalid';

it('complains once of a file that cannot be used, with the line, and goes by safe defaults', async () => {
  const desk = await openDesk(stage, 'corner/faulty', { config: 'labels: [analyse]\nmode: fix\nlabls: [bug]\n' });
  desk.label('mara');
  const complaint = await desk.comment(COMPLAINT);
  expect(desk.shown(complaint.body).text).toContain('labls');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  // The analysis that was asked for goes on; nothing is pushed on the word of a file that nobody can read.
  expect([desk.ours().length, desk.pulls().length]).toEqual([2, 0]);
  expect(desk.shown(desk.ours().at(-1)?.body ?? '').text).toContain('mode comment');

  const other = deskOf(stage, desk.name, await reportBug(stage.double, { name: desk.name, more: 'Again.' }));
  other.label('per');
  await other.comment('Cause found, with a fix');
  await stage.rest();
  expect(other.headlines().join()).not.toContain('is invalid');

  const files = { '.github/causeway.yml': 'labels: [analyse]\nmode: fix\n\nlabls: [bug]\n' };
  await stage.double.people.push(desk.name, { by: 'mara', files });
  await stage.rest();
  const third = deskOf(stage, desk.name, await reportBug(stage.double, { name: desk.name, more: 'And again.' }));
  third.label('per');
  await third.comment('line 4 is invalid');
  await stage.rest();
  expect(third.ours()).toHaveLength(2);
});

it('hears the labels of the file, and no others', async () => {
  const desk = await openDesk(stage, 'corner/labels', { config: 'labels: ["Needs Triage"]\n' });
  desk.label('mara', 'analyse');
  await stage.rest();
  expect([desk.ours(), desk.reactions()]).toEqual([[], []]);
  desk.label('mara', 'needs triage');
  await desk.pull();
  await stage.rest();
  expect(desk.ours()).toHaveLength(1);
});

it('publishes no change of a path that the file blocks, and says so', async () => {
  const desk = await openDesk(stage, 'corner/blocked', { config: 'paths:\n  block: ["src/**"]\n' });
  desk.label('mara');
  const result = await desk.comment('Cause found');
  await stage.rest();
  expect(desk.pulls()).toEqual([]);
  const { text } = desk.shown(desk.ours().at(-1)?.body ?? result.body);
  expect(text).toContain('src/coupons.js');
  expect(text).toMatch(/closed to changes|configuration/);
});

it('tells the model what the repository wants to be heeded, from the default branch alone', async () => {
  const desk = await openDesk(stage, 'corner/instructed', { config: 'instructions: HEED prices are in cents\n' });
  const { people } = stage.double;
  await people.push(desk.name, { by: 'mara', files: { 'AGENTS.md': 'AGENTS say: two spaces.\n' } });
  await people.push(desk.name, { by: 'mara', branch: 'other', files: { 'AGENTS.md': 'OTHER branch\n' } });
  desk.label('per');
  await desk.comment('Cause found');
  const [told = ''] = model.told('Repository corner/instructed ');
  expect(told).toContain('HEED prices are in cents');
  expect(told).toContain('AGENTS say: two spaces.');
  expect(told).not.toContain('OTHER branch');
});

it('asks no model where the file says so', async () => {
  const desk = await openDesk(stage, 'corner/no-model', { config: 'model: none\n' });
  desk.label('mara');
  await desk.comment('Facts only, no model was used');
  await stage.rest();
  expect(model.told('Repository corner/no-model ')).toEqual([]);
  expect(desk.pulls()).toEqual([]);
});

it('opens no pull request in mode comment, and one that is no draft, on another base, where the file wants it', async () => {
  const silent = await openDesk(stage, 'corner/comment-only', { config: 'mode: comment\n' });
  silent.label('mara');
  await silent.comment('no pull request, see the reason below');
  silent.say('mara', '/analyse fix');
  await stage.rest();
  expect([silent.ours().length, silent.pulls().length]).toEqual([1, 0]);

  const config = 'pull_request:\n  draft: false\n  base: next\n';
  const desk = await openDesk(stage, 'corner/ordinary', { config });
  await stage.double.people.push(desk.name, { by: 'mara', branch: 'next', files: { 'N.md': 'n\n' } });
  desk.label('mara');
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.pull).toMatchObject({ isDraft: false, baseRef: 'next' });
});

it('marks its pull request ready and asks for reviews when the checks are green, where the file wants it', async () => {
  const desk = await openDesk(stage, 'corner/ready', { config: 'pull_request:\n  ready: true\n  reviewers: [per]\n' });
  desk.label('mara');
  const { pull } = await desk.pull();
  await stage.rest();
  expect([pull?.isDraft, pull?.reviewerIds.size]).toEqual([true, 0]);
  await stage.double.people.reportCheck(desk.name, { sha: pull?.headSha ?? '', name: 'test', conclusion: 'success' });
  await desk.comment('its checks pass');
  await stage.rest();
  expect(pull?.isDraft).toBe(false);
  expect([...(pull?.reviewerIds ?? [])]).toEqual([stage.double.people.user('per').id]);
});

it("goes by the organisation's file where a repository has none, read with a token of that repository alone", async () => {
  const { people } = stage.double;
  const files = { '.github/causeway.yml': 'mode: comment\nlabels: [look]\n' };
  const shared = await people.openRepository('corner/.github', { files, isPrivate: true });
  await stage.rest();
  const desk = await openDesk(stage, 'corner/heir');
  desk.label('mara', 'analyse');
  desk.label('mara', 'look');
  await desk.comment('Cause found');
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length]).toEqual([1, 0]);
  const reads = stage.double.requests.filter(({ path, status }) => path.includes('/corner/.github/') && status < 300);
  expect(new Set(reads.map(({ repositoryIds }) => String(repositoryIds)))).toEqual(new Set([String(shared.id)]));

  const own = await openDesk(stage, 'corner/own', { config: 'mode: fix\n' });
  own.label('mara');
  await own.pull();
  expectLeastTokens(stage);
});
