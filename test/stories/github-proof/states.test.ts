// A fix with a test, in a repository whose CI really runs: what is proven, and what isn't, and how people read it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MENDED_FILE, type ShopModel } from '../../support/github-model.ts';
import {
  NODE_TEST,
  openProofDesk,
  type ProofDesk,
  proofModel,
  TEST_FILE,
  TEST_NAME,
} from '../../support/github-proof.ts';
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

/** From the label to the end of the proof. */
async function prove(
  shop: ProofDesk,
): Promise<{ readonly body: string; readonly files: readonly (readonly string[])[] }> {
  shop.desk.label('mara');
  await shop.desk.pull();
  await shop.settle();
  const commits = await shop.commits();
  return { body: shop.desk.shown(shop.pull().body ?? '').text, files: commits.map(({ files }) => files) };
}

it('is proven: the test alone fails, and passes with the fix', async () => {
  const shop = await openProofDesk(stage, 'corner/right');
  const { body, files } = await prove(shop);
  expect(files).toEqual([[TEST_FILE], [MENDED_FILE]]);
  const commit = shop.pull().pull?.headSha.slice(0, 12);
  expect(body).toContain(`own CI at ${commit}: ${TEST_NAME} failed without the fix and passed with it.`);
  expect(body).toContain('test: failed, then passed');
  expect(body).toContain(`Fixes #${shop.desk.number}`);
  expect(body).toContain('"state": "proven"');
  expect(shop.pull().pull?.isDraft).toBe(true);
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('proven in CI')]);
  const [base, test, fix] = shop.ci.ran;
  expect(shop.ci.ran).toHaveLength(3);
  for (const sha of [base, test, fix]) expect(body).toContain(sha);
  // Nobody is mentioned, asked or written to in the pull request.
  expect(stage.ourComments(shop.desk.name, shop.pull().number)).toEqual([]);
});

it('is proven by the test of a second try, on top of the one that passes without the fix', async () => {
  const shop = await openProofDesk(stage, 'corner/weak');
  const { body, files } = await prove(shop);
  expect(files).toEqual([[TEST_FILE], [TEST_FILE], [MENDED_FILE]]);
  const commit = shop.pull().pull?.headSha.slice(0, 12);
  expect(body).toContain(`own CI at ${commit}: ${TEST_NAME} failed without the fix and passed with it.`);
  expect(body).toContain(`Fixes #${shop.desk.number}`);
  expect(shop.ci.ran).toHaveLength(4);
  expect(stage.ourComments(shop.desk.name, shop.pull().number)).toEqual([]);
  const told = model.told('corner/weak').find((text) => text.includes('The test of a fix shows nothing'));
  expect(told).toContain(`✔ ${TEST_NAME}`);
});

it('is handed over where the second test passes without the fix as well', async () => {
  const shop = await openProofDesk(stage, 'corner/weaker');
  const { body, files } = await prove(shop);
  expect(files).toEqual([[TEST_FILE], [TEST_FILE], [MENDED_FILE]]);
  expect(body).toContain('Not proven: the new test passes without the fix (“test”), and so did the first');
  expect(body).not.toContain('Fixes #');
  const [comment, ...more] = stage.ourComments(shop.desk.name, shop.pull().number);
  expect(more).toEqual([]);
  expect(shop.desk.shown(comment?.body ?? '').text).toContain('Not shown to fix the report · over to you');
});

it('is not reproduced where the test passes without the fix: not said to be fixed, and less sure', async () => {
  const shop = await openProofDesk(stage, 'corner/weakest', { config: 'pull_request: { attempts: 0 }\n' });
  const { body, files } = await prove(shop);
  expect(files).toEqual([[TEST_FILE], [MENDED_FILE]]);
  expect(body).toContain('Not proven: the new test passes without the fix (“test”)');
  expect(body).not.toContain('Fixes #');
  expect(body).toContain('Possible cause, and a change not shown to fix it · confidence 40 %');
  const headline = 'Possible cause, not reproduced · confidence 40 % · next: review #2, its checks pass, but';
  expect(shop.desk.headlines().map((line) => shop.desk.shown(line).text)).toEqual([expect.stringContaining(headline)]);
});

it('fails otherwise where the test cannot run without the fix', async () => {
  const { body } = await prove(await openProofDesk(stage, 'corner/helper'));
  expect(body).toContain('Not proven: ');
  expect(body).not.toContain('Fixes #');
});

it('fails otherwise where the checks stay red, after the further attempt', async () => {
  const shop = await openProofDesk(stage, 'corner/useless', { config: 'pull_request: { attempts: 0 }\n' });
  const { body } = await prove(shop);
  expect(body).toContain('Not proven: with the fix, checks still fail: “test”');
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('its checks still fail')]);
});

it('is not covered where no check runs the test', async () => {
  const jobs = { test: [...NODE_TEST, 'test/basket.test.js'] };
  const { body } = await prove(await openProofDesk(stage, 'corner/uncovered', { jobs }));
  expect(body).toContain('Not proven: no check was seen running the new test');
});

it('cannot be told where the check is red on the base as well', async () => {
  const name = 'corner/broken';
  const red = "import { test } from 'node:test';\ntest('is red', () => { throw new Error('red'); });\n";
  const prepare = async () => {
    await stage.double.people.push(name, { by: 'mara', files: { 'test/red.test.js': red } });
  };
  const { body } = await prove(await openProofDesk(stage, name, { prepare }));
  expect(body).toContain('Not proven: “test” fails on the base branch as well');
});

it('runs the tests once more where another test fails beside ours, and is proven then', async () => {
  let runs = 0;
  const interfere = (job: string) => {
    if (job === 'test') runs += 1;
    const failing = `✖ ${TEST_NAME} (1ms)\n✖ a slow machine (1ms)\n\n✖ failing tests:\n\n✖ ${TEST_NAME} (1ms)\n  TypeError: Cannot destructure\n\n✖ a slow machine (1ms)\n  AssertionError: slow\n`;
    return runs === 2 ? failing : null;
  };
  const shop = await openProofDesk(stage, 'corner/flaky', { interfere });
  const { body, files } = await prove(shop);
  expect(files).toEqual([[TEST_FILE], [], [MENDED_FILE]]);
  expect(body).toContain("Proven in this repository's own CI");
  expect(shop.ci.ran).toHaveLength(4);
});

it('is proven by each job of a matrix', async () => {
  const { body } = await prove(
    await openProofDesk(stage, 'corner/matrix', { jobs: { 'test (20)': NODE_TEST, 'test (24)': NODE_TEST } }),
  );
  expect(body).toContain('test (20): failed, then passed');
  expect(body).toContain('test (24): failed, then passed');
});

it('is one commit where there is no test, or no proof is wanted', async () => {
  const untested = await prove(await openProofDesk(stage, 'corner/untested'));
  expect(untested.files).toEqual([[MENDED_FILE]]);
  expect(untested.body).toContain('CI passes on this commit');
  expect(untested.body).not.toContain('roven');
  const off = await prove(await openProofDesk(stage, 'corner/off', { config: 'pull_request: { proof: off }\n' }));
  expect(off.files).toEqual([[MENDED_FILE, TEST_FILE].sort()]);
  expect(off.body).not.toContain('roven');
});

it("ends with a person's push, and with a closed pull request", async () => {
  const pushed = await openProofDesk(stage, 'corner/pushed');
  const closed = await openProofDesk(stage, 'corner/closed');
  const held = [pushed, closed].map(async ({ desk }) => {
    desk.label('mara');
    return await desk.pull();
  });
  const [first, second] = await Promise.all(held);
  stage.double.people.close(closed.desk.name, second?.number ?? 0, 'mara');
  await stage.double.people.push(pushed.desk.name, {
    by: 'mara',
    branch: first?.pull?.headRef ?? '',
    files: { 'NOTES.md': 'Mine.\n' },
  });
  await pushed.settle();
  await closed.settle();
  const last = (await pushed.commits()).at(-1);
  expect(last?.files).toEqual(['NOTES.md']);
  expect(pushed.desk.shown(pushed.pull().body ?? '').text).toContain('Not verified: somebody else pushed');
  // Nothing is pushed to a closed pull request, and nothing is called proven.
  expect((await closed.commits()).map(({ files }) => files)).toEqual([[TEST_FILE]]);
  expect(closed.desk.headlines().join('\n')).not.toContain('proven in CI');
});
