// Machines that answer whatever we say with the next command: a bot is not heard, a machine's account is answered a few times in an hour.
import { expect, it } from 'vitest';
import { type Desk, openDesk } from '../../support/github-desk.ts';
import { shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { conclusion, textsIn } from '../../support/played-model.ts';

const SILENT = 'too many posts within an hour';
const TIMES = 30;

/** Comments that GitHub took from us. */
function posts({ double }: GithubStage): number {
  return double.requests.filter(({ method, path }) => method === 'POST' && /\/issues\/\d+\/comments$/.test(path))
    .length;
}

/** As long as it is answered, it waits for the answer. */
async function askAgainAndAgain(stage: GithubStage, desk: Desk, machine: string): Promise<void> {
  for (let wish = 1; wish <= TIMES; wish++) {
    const before = posts(stage);
    desk.say(machine, `You are wrong.\n\n/analyse retry Look again, number ${wish}.`);
    if (before < 5) await stage.until('an answer', () => posts(stage) > before);
    // Later it asks as fast as it can.
    if (wish <= 8) await stage.rest();
  }
  await stage.rest();
}

it('posts at most five times in an hour however often a machine asks again, and says so once in the log', async () => {
  // It finds something new each time, so that each answer would be worth a post.
  await using model = await shopModel([
    (asked) => {
      const wishes = textsIn(asked)
        .join('\n')
        .matchAll(/Look again, number (\d+)\./g);
      const wish = Math.max(...[...wishes].map(([, number]) => Number(number)));
      return { calls: [conclusion({ outcome: 'needs_information', questions: [`What happened at ${wish}?`] })] };
    },
  ]);
  await using stage = await openGithubStage({ env: model.env });
  const desk = await openDesk(stage, 'corner/chatty');
  stage.double.people.grant(desk.name, 'machine', 'triage');
  await askAgainAndAgain(stage, desk, 'machine');
  expect([posts(stage), desk.ours().length]).toEqual([5, 1]);
  expect(desk.shown(desk.ours()[0]?.body ?? '').text).toMatch(/What happened at [45]\?/);
  await stage.until('the line', () => stage.service().output().includes(SILENT));
  expect(stage.service().output().split(SILENT)).toHaveLength(2);

  // Another bot is not heard at all, whatever it may do there.
  stage.double.people.otherApp('chatty');
  stage.double.people.grant(desk.name, 'chatty[bot]', 'write');
  const writes = desk.writes().length;
  const questions = model.endpoint.requests.length;
  for (let wish = 0; wish < 20; wish++) desk.say('chatty[bot]', `/analyse retry Once more, ${wish}.`);
  await stage.rest();
  expect([desk.writes().length, model.endpoint.requests.length]).toEqual([writes, questions]);
});
