// Votes and chat cost no answer: nothing new is started, and a worse answer doesn't take the place of a better one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Played } from '../../../packages/models/test/played.ts';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import { SHOP_TURNS, type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { conclusion, playTurn, textsIn } from '../../support/played-model.ts';
import { readOutcomes } from './look-now.ts';

const LOST = 'Look elsewhere.';

/** With that hint it does not find the cause. */
const TURNS: readonly Played[] = SHOP_TURNS.map((_, turn) => (asked) => {
  if (!textsIn(asked).join('\n').includes(LOST)) return playTurn(SHOP_TURNS, asked);
  const ruledOut = ['The payment page answers.'];
  return turn > 0 ? {} : { calls: [conclusion({ outcome: 'inconclusive', ruledOut, solutionSteps: ['Log it.'] })] };
});

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel(TURNS);
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** What our only comment says. */
function saidOn(desk: Desk): string {
  const [comment, ...more] = desk.ours();
  expect(more).toEqual([]);
  return desk.shown(comment?.body ?? '').text;
}

async function say(desk: Desk, by: string, body: string) {
  stage.double.state.clock.advance(2_000);
  const said = desk.say(by, body);
  await stage.rest();
  return desk.reactions(said);
}

it('are counted on a merged, closed issue in any wording; nothing but a retry analyses that again', async () => {
  const name = 'corner/voted';
  const desk = await openDesk(stage, name);
  const { people } = stage.double;
  desk.label('mara');
  const { number } = await desk.pull();
  await people.merge(name, number, 'mara');
  people.close(name, desk.number, 'mara');
  await stage.rest();
  const questions = () => model.told(`Repository ${name} `).length;
  const before = questions();

  expect(await say(desk, 'per', '/analyse right that was it')).toEqual(['eyes']);
  expect(saidOn(desk)).toContain('Rated right by @per · undo: /analyse wrong');
  expect(await say(desk, 'mara', '/Analyze **Right**, confirmed on staging')).toEqual(['eyes']);
  expect(saidOn(desk)).toContain('Rated right by @per and @mara · undo: /analyse wrong');
  expect(await say(desk, 'mara', '/analyse fix')).toEqual(['confused']);
  expect(saidOn(desk)).toContain(`The fix was merged in #${number}. If the problem is still there, comment /analyse`);
  expect(await say(desk, 'per', '/analyse wrong file, look at the check')).toEqual(['eyes']);
  expect(saidOn(desk)).toContain('Rated right by @mara · rated wrong by @per');
  expect(await say(desk, 'per', '/analyse RIGHT!')).toEqual(['eyes']);
  for (const chat of ['/analyse thanks!', '/analyse great work', `@${stage.double.app.slug} thank you`]) {
    expect(await say(desk, 'mara', chat)).toEqual([]);
  }
  expect(await say(desk, 'ola', '/analyse wrong says a stranger')).toEqual([]);
  const [outcome] = await readOutcomes(stage, name);
  expect(outcome).toMatchObject({ votes: { right: 2, wrong: 0 }, judgement: 'right' });
  expect(outcome?.remarks).toEqual(['confirmed on staging']);

  expect(await say(desk, 'mara', '/analyse I think you nailed it')).toEqual(['confused']);
  expect(saidOn(desk)).toContain('There is an answer already, so nothing was started.');
  expect(await say(desk, 'mara', '/analyse')).toEqual(['confused']);
  expect(saidOn(desk)).toContain('This is closed and has an answer');
  desk.label('mara', 'analyse');
  people.unlabel(name, desk.number, 'analyse', 'mara');
  stage.double.state.clock.advance(2_000);
  desk.label('mara');
  await stage.rest();
  expect(desk.headlines()).toEqual([expect.stringMatching(/^\*\*Cause found, with a fix .* merged in/)]);
  expect(questions()).toBe(before);

  await say(desk, 'mara', `/analyse retry ${LOST}`);
  expect(questions()).toBeGreaterThan(before);
});

it('keeps a merged answer above one that found nothing, though the merge moved the default branch', async () => {
  const name = 'corner/moved-on';
  const desk = await openDesk(stage, name);
  const { people } = stage.double;
  desk.label('mara');
  const { number } = await desk.pull();
  await people.merge(name, number, 'mara');
  people.close(name, desk.number, 'mara');
  await stage.rest();
  desk.say('mara', 'Works here.');
  await say(desk, 'mara', `/analyse retry ${LOST}`);
  const merged = /^\*\*Cause found, with a fix .* merged in/;
  expect(desk.headlines()).toEqual([expect.stringMatching(merged)]);
  expect(saidOn(desk)).toContain('Analysed again for mara: “Cause not found');
  expect(saidOn(desk)).toContain('The new answer');

  const api = await stage.api('mara', 'pull-requests:write');
  const { issueIds } = await api.project(name);
  const ask = async (id: string | undefined) => {
    const answer = await api.post(`/api/v1/issues/${id}/pull-request/`, {});
    return [answer.status, await answer.text()];
  };
  const refusal = `The pull request #${number} of this answer was merged`;
  const answers = await Promise.all(issueIds.map(ask));
  expect(answers).toContainEqual([409, expect.stringContaining(refusal)]);
  expect(answers).toContainEqual([409, expect.stringContaining('contains no change to publish')]);

  await say(desk, 'per', '/analyse wrong');
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause not found')]);
  expect(saidOn(desk)).toContain('Another answer was rated wrong by @per and is folded below');
  const overruled = await Promise.all(issueIds.map(ask));
  expect(overruled).toContainEqual([409, expect.stringContaining(refusal)]);
  await say(desk, 'per', '/analyse right');
  expect(desk.headlines()).toEqual([expect.stringMatching(merged)]);
  expect(desk.pulls()).toHaveLength(1);
});

it('lets a worse answer to a retry below the kept one, follows the votes on it, and takes them back', async () => {
  const name = 'corner/kept';
  const desk = await openDesk(stage, name);
  desk.label('per');
  const first = await desk.comment('Cause found, with a fix');
  await stage.rest();
  expect(await say(desk, 'per', `/analyse retry ${LOST}`)).toEqual(['eyes']);
  const kept = saidOn(desk);
  const [shown] = desk.ours();
  expect(shown?.id).not.toBe(first.id);
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause found, with a fix')]);
  expect(kept).toContain('Analysed again for per: “Cause not found');
  expect(kept).toContain('The new answer');

  expect(await say(desk, 'per', '/analyse wrong, it is the cache')).toEqual(['eyes']);
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause not found')]);
  expect(saidOn(desk)).toContain('Another answer was rated wrong by @per and is folded below');
  expect(await say(desk, 'per', '/analyse right after all')).toEqual(['eyes']);
  expect(desk.headlines()).toEqual([expect.stringContaining('Cause found, with a fix')]);
  expect(saidOn(desk)).toContain('Rated right by @per');
  // Votes edit: nobody is notified of them.
  expect(desk.ours().map(({ id }) => id)).toEqual([shown?.id]);

  const questions = model.told(`Repository ${name} `).length;
  await say(desk, 'mara', '/analyse fix');
  await desk.pull();
  expect(model.told(`Repository ${name} `)).toHaveLength(questions);
});

it('finds the answer below the end of a stopped retry, and opens its pull request without another run', async () => {
  const name = 'corner/stopped-again';
  const desk = await openDesk(stage, name);
  desk.label('per');
  await desk.comment('Cause found, with a fix');
  await stage.rest();
  const { asked, release } = model.hold('Only the lookup');
  stage.double.state.clock.advance(2_000);
  desk.say('per', '/analyse retry Only the lookup.');
  const question = await asked;
  stage.double.state.clock.advance(2_000);
  const early = desk.say('mara', '/analyse right');
  await stage.until('a vote', () => desk.reactions(early).includes('eyes'));
  desk.say('per', '/analyse stop');
  await question.closed;
  release();
  await stage.rest();
  expect(saidOn(desk)).toMatch(/^Stopped .*Cause found, with a fix/s);
  expect(await say(desk, 'per', '/analyse wrong')).toEqual(['eyes']);
  expect(saidOn(desk)).toContain('Rated right by @mara · rated wrong by @per');
  const questions = model.told(`Repository ${name} `).length;
  await say(desk, 'mara', '/analyse fix');
  await desk.pull();
  expect(model.told(`Repository ${name} `)).toHaveLength(questions);
});

it('ask back where there is no answer, and list what that person may do there', async () => {
  const desk = await openDesk(stage, 'corner/unanswered');
  expect(await say(desk, 'per', '/analyse right after the login it fails')).toEqual(['confused']);
  expect(saidOn(desk)).toContain('There is no answer here to rate. With triage access, you can comment /analyse to');
  expect(saidOn(desk)).not.toContain('/analyse fix');
  expect(await say(desk, 'mara', '/analyse help')).toEqual(['eyes']);
  expect(saidOn(desk)).toMatch(/^For @mara: With write access, you can comment .*\/analyse fix to open a pull request/);
  expect(await say(desk, 'ola', '/analyse help')).toEqual([]);
  expect(model.told('Repository corner/unanswered ')).toEqual([]);
});
