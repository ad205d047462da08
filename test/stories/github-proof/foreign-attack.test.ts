// Attempts to have more run than the pull request's own runs, to have a proof said where there is none, and to have something of others taken away.
import { expect, it } from 'vitest';
import {
  HOLDS,
  headOf,
  openProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

const STARTS_MORE = 'Not run: a branch or draft of ours would start more than the checks that have run here';

async function openHonest(name: string) {
  const shop = await openProvingShop(stage, name);
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  return { shop, pull };
}

it('pushes nothing where the base has since got a workflow, in which GitHub would run the draft', async () => {
  const { shop, pull } = await openHonest('corner/later');
  const preview =
    'on: pull_request\npermissions: write-all\njobs:\n  preview:\n    runs-on: ubuntu-24.04\n    steps: [{ run: "true" }]\n';
  await stage.double.people.push(shop.name, { by: 'mara', files: { '.github/workflows/preview.yml': preview } });
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({ title: STARTS_MORE });
  expect(shop.proofAt(headOf(pull))?.summary).toContain('.github/workflows/preview.yml:1');
  expect(shop.drafts()).toEqual([]);
});

it('pushes nothing where somebody let a job of the head run', async () => {
  const { shop, pull } = await openHonest('corner/approved');
  const { workflowRuns } = stage.double.repository(shop.name);
  for (const run of workflowRuns.values()) {
    if (run.headSha === headOf(pull)) run.approvals = [{ byId: stage.double.people.user('mara').id, environment: 'x' }];
  }
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({ title: STARTS_MORE });
  expect(shop.drafts()).toEqual([]);
});

it('pushes nothing for a branch of Dependabot, whoever opened the pull request from it', async () => {
  const shop = await openProvingShop(stage, 'corner/dependabot');
  const files = { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  const pull = await shop.pull(files, { branch: 'dependabot/npm_and_yarn/coupons' });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Not run: Dependabot/);
  expect(shop.drafts()).toEqual([]);
});

it.each(['mara', 'us'])('takes no commit for its own that was pushed in its name, committed by %s', async (who) => {
  const shop = await openProvingShop(stage, `corner/in-our-name-by-${who}`);
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes capitals': HOLDS }),
    'src/coupons.js': await shop.mended(),
  });
  const { people, app } = stage.double;
  const bot = `${app.slug}[bot]`;
  shop.meanwhile('POST', '/check-runs', async () => {
    const [run] = [...stage.double.repository(shop.name).checkRuns.values()].filter(
      (one) => one.name === 'Causeway / proof',
    );
    await people.push(shop.name, {
      ...{ by: who === 'us' ? bot : who, author: bot, branch: `causeway/prove/${pull.number}` },
      files: { [TEST_FILE]: writeTests({ 'takes capitals': 'assert.equal(10, 100);' }) },
      message: `Tests of pull request ${pull.number} alone\n\nCauseway-Proof: ${run?.externalId}`,
    });
  });
  await shop.prove(pull.number);
  const proof = shop.proofAt(headOf(pull));
  expect(proof?.conclusion).toBe('action_required');
  expect(proof?.title).toBe('Not run: its branch name is taken by others');
  expect(shop.drafts()).toEqual([]);
});

it('closes its draft and leaves the branch to whoever amended its commit', async () => {
  const { shop, pull } = await openHonest('corner/amended');
  const { people, app } = stage.double;
  const branch = `causeway/prove/${pull.number}`;
  shop.meanwhile('POST', '/pulls', async () => {
    const message = await stage.double.git(shop.name, 'log', '-1', '--format=%B', `refs/heads/${branch}`);
    await people.push(shop.name, {
      by: 'mara',
      author: `${app.slug}[bot]`,
      branch,
      files: { 'mine.md': 'Mine.\n' },
      message,
    });
  });
  await shop.prove(pull.number);
  await shop.settle();
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Given up: its branch or draft was changed by others/);
  expect(await shop.branches()).toEqual([branch]);
  expect(shop.drafts().map(({ state }) => state)).toEqual(['closed']);
});

it.each<[string, { readonly event: string; readonly branch?: string }]>([
  ['by hand, with what they gave it', { event: 'workflow_dispatch' }],
  ['from a branch of their own at our commit', { event: 'push', branch: 'mine' }],
])('proves nothing with a run that somebody started %s', async (_, more) => {
  const shop = await openProvingShop(stage, `corner/by-hand-${more.event}`);
  const holds = writeTests({ 'takes capitals': HOLDS });
  const pull = await shop.pull({ [TEST_FILE]: holds, 'src/coupons.js': await shop.mended() });
  const { people } = stage.double;
  const report = (sha: string, conclusion: 'failure' | 'success', log: string) =>
    people.reportWorkflowRun(shop.name, {
      ...{ sha, by: 'mara', workflow: 'By hand', path: '.github/workflows/hand.yml', ...more },
      jobs: [{ name: 'by hand', conclusion, log: `##[group]Run actions/checkout@v4\n##[endgroup]\n${log}` }],
    });
  const formatCommit = (sha: string) =>
    `[command]/usr/bin/git log -1 --format='%H'\n'${sha}'\n##[group]Run node --test\n`;
  const failed = '✖ takes capitals (1.5ms)\n  AssertionError [ERR_ASSERTION]: 10 !== 100\n';
  await report(headOf(pull), 'success', `${formatCommit(headOf(pull))}✔ takes capitals (1ms)\n`);
  await shop.settle();
  shop.meanwhile('POST', '/pulls', async () => {
    const sha = await stage.double.git(shop.name, 'rev-parse', `refs/heads/causeway/prove/${pull.number}`);
    await report(sha, 'failure', `${formatCommit(sha)}${failed}`);
  });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title: 'Not proven: without the change, “by hand” fails in a run that others started, not our branch or draft',
  });
});

it('credits a failed test with its own title alone, not with one that it ends with', async () => {
  const shop = await openProvingShop(stage, 'corner/suffix');
  const tests = writeTests({ 'lower case': HOLDS, 'takes lower case': SHOWS });
  const pull = await shop.pull({ [TEST_FILE]: tests, 'src/coupons.js': await shop.mended() });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title: '1 of 2 added tests does not fail without the change: “lower case” proves nothing',
  });
});

it('takes a feature of the program for no test', async () => {
  const shop = await openProvingShop(stage, 'corner/features');
  const tests = writeTests({ 'takes lower case': SHOWS }).replace('../src/coupons.js', '../src/features/read.js');
  const base = "export { discountFor } from '../coupons.js';\n";
  await stage.double.people.push(shop.name, { by: 'mara', files: { 'src/features/read.js': base } });
  await shop.settle();
  // Half of the change alone would fail where the base passes.
  const pull = await shop.pull({
    [TEST_FILE]: tests.replaceAll(SHOWS, HOLDS),
    'src/features/read.js':
      "import * as coupons from '../coupons.js';\nexport const discountFor = (code, sum) => (coupons.isReady ? coupons.discountFor(code, sum) : 0);\n",
    'src/coupons.js': `${await shop.mended()}export const isReady = true;\n`,
  });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title: 'The test added here does not fail without the change: “takes lower case”',
  });
});

it('pushes nothing where a test reads for which branch or person CI runs', async () => {
  const shop = await openProvingShop(stage, 'corner/branch');
  const looks = `if ((process.env.GITHUB_HEAD_REF ?? '').startsWith('cause' + 'way')) assert.equal(10, 100);`;
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': looks }),
    'src/coupons.js': await shop.mended(),
  });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Not run: its tests read for which branch/);
  expect(shop.drafts()).toEqual([]);
});

it('compares nothing where the base branch was changed after the checks of the head', async () => {
  const shop = await openProvingShop(stage, 'corner/retargeted');
  const { people } = stage.double;
  await people.push(shop.name, { by: 'mara', branch: 'release', files: { 'release.md': 'One.\n' } });
  await people.push(shop.name, { by: 'mara', files: { 'main.md': 'Two.\n' } });
  await shop.settle();
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  pull.pull!.baseRef = 'release';
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Not proven: the test alone ran merged with/);
});

it('says of a failure for another reason of no test that it proves nothing', async () => {
  const { shop, pull } = await openHonest('corner/base-moved');
  const money = await stage.double.git(shop.name, 'show', 'refs/heads/main:src/money.js');
  await stage.double.people.push(shop.name, { by: 'mara', files: { 'src/money.js': `${money}\n// again\n` } });
  await shop.settle();
  await shop.prove(pull.number);
  const { title = '', summary = '' } = shop.proofAt(headOf(pull)) ?? {};
  expect(title).toMatch(/^Not proven: the test alone ran merged with/);
  expect(summary).not.toMatch(/[Ff]ail without|Do not fail/);
});

it('goes on with others where a call names a head that is nowhere', async () => {
  const { shop, pull } = await openHonest('corner/nowhere');
  const api = await stage.api('mara', 'pull-requests:write');
  const { id } = await api.project(shop.name);
  const body = { head: 'a'.repeat(40) };
  const asked = await api.post(`/api/v1/projects/${id}/proofs/${pull.number}/`, body);
  expect(asked.status).toBe(202);
  await shop.settle();
  expect(await api.get(`/api/v1/projects/${id}/proofs/${pull.number}/`)).toMatchObject({ state: 'refused' });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});
