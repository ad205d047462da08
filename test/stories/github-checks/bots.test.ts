// Renovate's pull request is red: a verdict without a model, and the words that would change it; with `checks.bots: investigate` the cause.
import { expect, it } from 'vitest';
import { BESIDE_THE_BUG, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';

const stage = redStage();
const RENOVATE = 'renovate[bot]';

async function openBotPull(desk: RedDesk) {
  const { people, state } = stage.double;
  if (![...state.accounts.values()].some(({ login }) => login === RENOVATE)) people.otherApp('renovate');
  people.grant(desk.name, RENOVATE, 'write');
  const branch = 'renovate/coupons-2.x';
  const sha = await desk.push(branch, { by: RENOVATE, files: BESIDE_THE_BUG });
  const title = 'Update coupons to v2';
  const { number } = await people.openPull(desk.name, { by: RENOVATE, title, head: branch });
  await desk.run(sha, { test: COUPONS }, { by: RENOVATE, event: 'pull_request', branch });
  return { number, sha };
}

it('says by default what broke and what would have it investigated, and asks no model until a person wants it', async () => {
  const desk = await stage.desk('corner/renovated', { green: ['test'] });
  const { number, sha } = await openBotPull(desk);
  const { title, words } = desk.checkRun(sha);
  expect(title).toMatch(/^Your change: /);
  expect(words).toContain(
    'Not investigated: The author is a bot. checks.bots: investigate in .github/causeway.yml has its failed checks analysed automatically.',
  );
  expect([desk.begun(), desk.writesBeside()]).toEqual([[], []]);
  await desk.say(number, 'mara', '/analyse');
  expect(stage.model.askedAt(sha)).toHaveLength(1);
  expect(desk.onlyComment(number).body).toContain('src/coupons.js');
  // The check run says what was found for the person.
  const after = desk.checkRun(sha);
  expect(after.title).toMatch(/^Your change: The discount is looked up/);
  expect(after.words).not.toContain('Not investigated');
});

it('investigates it where the file says so, and opens the fix only when a person with write presses the button', async () => {
  const desk = await stage.desk('corner/looked-into', {
    green: ['test'],
    config: 'checks:\n  bots: investigate\n',
  });
  const { sha } = await openBotPull(desk);
  expect(desk.begun()).toHaveLength(1);
  expect(desk.checkRun(sha)).toMatchObject({ buttons: ['Open fix'], places: ['src/coupons.js:14'] });
  expect(desk.pulls()).toEqual([]);
  await desk.press(sha, 'per');
  expect(desk.pulls()).toEqual([]);
  await desk.press(sha, 'mara');
  expect(desk.pulls().map(({ pull }) => pull?.baseRef)).toEqual(['renovate/coupons-2.x']);
});
