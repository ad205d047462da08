// A report with text by somebody without write: in public, its change is pushed only after somebody with write has read it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel();
  stage = await openGithubStage({ env: model.env, patienceMs: 60_000 });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const OFFER = 'next: `/analyse fix` to open a pull request (write access required)';
const WHY = 'Someone without write access wrote part of this report, so read the change before you request it.';

/** Answered in one comment, and nothing pushed: no branch, no commit, no pull request. */
async function expectOnlyAnswer({ comment, ours, shown, pulls, writes }: Desk): Promise<void> {
  await comment(OFFER);
  await stage.rest();
  expect(ours()).toHaveLength(1);
  expect(shown(ours()[0]?.body ?? '').text).toContain(WHY);
  expect([pulls(), writes().filter((write) => !/\/(?:comments|reactions)(?:\/|$)/.test(write))]).toEqual([[], []]);
}

it('opens nothing in public until somebody with write asks for it with the answer in front of them', async () => {
  const desk = await openDesk(stage, 'corner/public', { by: 'ola' });
  const { asked, release } = model.hold('Repository corner/public ');
  desk.label('mara');
  await asked;
  // Nobody has seen the answer at that time, also where GitHub's clock is ahead of ours.
  stage.double.state.clock.advance(120_000);
  const early = desk.say('mara', '/analyse fix');
  await stage.until('the reaction', () => desk.reactions(early).length > 0);
  stage.double.state.clock.advance(-120_000);
  release();
  await expectOnlyAnswer(desk);

  const refused = desk.say('per', '/analyse fix');
  await stage.until('the refusal', () => desk.reactions(refused).includes('confused'));
  await stage.rest();
  expect(desk.pulls()).toEqual([]);

  // GitHub's clock need not be ours.
  stage.double.state.clock.advance(-60_000);
  desk.say('mara', '/analyse fix');
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.body).toContain('requested by `mara`');
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).not.toContain(WHY);
});

it('takes a request by REST for the same', async () => {
  const desk = await openDesk(stage, 'corner/rest', { by: 'ola' });
  desk.label('mara');
  await expectOnlyAnswer(desk);
  const api = await stage.api('mara', 'pull-requests:write');
  const [issueId] = (await api.project(desk.name)).issueIds;
  expect((await api.post(`/api/v1/issues/${issueId}/pull-request/`, {})).status).toBe(202);
  await desk.pull();
});

it.each(['ola', 'a bot with write'])('counts one comment, by %s, in the report of somebody with write', async (who) => {
  const name = `corner/comment-${who === 'ola' ? 'outside' : 'bot'}`;
  const desk = await openDesk(stage, name, { by: 'mara' });
  const { people } = stage.double;
  const by = who === 'ola' ? who : `${people.otherApp('helper').slug}[bot]`;
  if (by !== 'ola') people.grant(name, by, 'write');
  desk.say(by, 'It happens with every coupon.');
  desk.label('mara');
  await expectOnlyAnswer(desk);
});

it('asks in private where the file says so', async () => {
  const config = 'pull_request:\n  of_strangers: ask\n';
  const desk = await openDesk(stage, 'corner/careful', { by: 'ola', isPrivate: true, config });
  desk.label('mara');
  await expectOnlyAnswer(desk);
});

it.each([
  ['in private', 'private', { by: 'ola', isPrivate: true }],
  ['where the file says so', 'label', { by: 'ola', config: 'pull_request:\n  of_strangers: label\n' }],
  ['for a report that people with write have written alone', 'own', { by: 'mara' }],
])('takes the label of somebody with write for a request %s', async (_, name, options) => {
  const desk = await openDesk(stage, `corner/${name}`, options);
  desk.label('mara');
  await desk.pull();
  await stage.rest();
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).not.toContain(WHY);
});
