// Fixes that are wrong, with tests that turn all the same: nothing of this is called proven.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ShopModel } from '../../support/github-model.ts';
import { openProofDesk, type ProofDesk, proofModel, TEST_NAME } from '../../support/github-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await proofModel();
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** The body of its pull request once all is over. */
async function prove(shop: ProofDesk): Promise<string> {
  await shop.desk.pull();
  await shop.settle();
  return shop.desk.shown(shop.pull().body ?? '').text;
}

it.each([
  ['a symptom that is hidden', 'hidden', 'the new test only asserts that there is no error'],
  ['another place than the one that fails', 'elsewhere', 'the new test fails, but not with the reported error'],
  ['a test that fails for another reason', 'unrelated', 'the new test fails, but not with the reported error'],
  ['a fix without effect', 'useless', 'with the fix, checks still fail'],
])('does not prove %s', async (_, name, reason) => {
  const shop = await openProofDesk(stage, `corner/${name}`, { config: 'pull_request: { attempts: 0 }\n' });
  shop.desk.label('mara');
  const body = await prove(shop);
  expect(body).toContain('Not proven: ');
  expect(body).toContain(reason);
  expect(body).not.toContain(`Fixes #${shop.desk.number}`);
  expect(body).not.toContain('"state": "proven"');
  expect(shop.desk.headlines().join('\n')).not.toContain('proven in CI');
});

it('does not prove a fix with a loosened test, which is only opened for a person who has read it', async () => {
  const shop = await openProofDesk(stage, 'corner/loosened', { config: 'pull_request: { attempts: 0 }\n' });
  shop.desk.label('mara');
  await shop.settle();
  expect(
    shop.desk
      .ours()
      .map(({ body }) => body)
      .join('\n'),
  ).toContain('an expectation of a test is removed or changed');
  expect(shop.desk.pulls()).toEqual([]);
  // GitHub dates comments by whole seconds.
  stage.double.state.clock.advance(2_000);
  shop.desk.say('mara', '/analyse fix');
  const body = await prove(shop);
  expect(body).toContain('Not proven: the change touches what decides which tests run or what they expect');
});

it('says of a proven fix what CI cannot tell: whether the test expects the right thing', async () => {
  const shop = await openProofDesk(stage, 'corner/accepted');
  shop.desk.label('mara');
  const body = await prove(shop);
  const commit = shop.pull().pull?.headSha.slice(0, 12);
  expect(body).toContain(`own CI at ${commit}: ${TEST_NAME} failed without the fix and passed with it.`);
  expect(body).toContain("CI can't tell whether the test expects the right thing, so read it before you merge.");
});
