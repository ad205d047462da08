// Somebody else's pull request: whether its tests fail without its change, by CI that really runs, and said on its head.
import type { GithubIssue } from 'causeway-github-double';
import { expect, it } from 'vitest';
import {
  CI,
  HOLDS,
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

const SPACES = "assert.equal(discountFor(' WELCOME10 ', 1000), 100);";

/** What is said on the head; nothing of ours is left on GitHub. */
async function proveAtOnce(shop: ProvingShop, pull: GithubIssue) {
  await shop.prove(pull.number);
  expect(await shop.branches()).toEqual([]);
  expect(shop.drafts().filter(({ state }) => state === 'open')).toEqual([]);
  return shop.proofAt(headOf(pull));
}

it('is proven: its tests fail on the base and pass with its change', async () => {
  const shop = await openProvingShop(stage, 'corner/proven');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS, 'takes spaces': SPACES }),
    'src/coupons.js': await shop.mended(),
  });
  const proof = await proveAtOnce(shop, pull);
  expect(proof).toMatchObject({
    conclusion: 'success',
    title: expect.stringMatching(/^The 2 tests added here fail without the change \(“.*”\) and pass with it$/),
  });
  const certificate = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(proof?.summary ?? '')?.[1] ?? '{}');
  expect(certificate).toMatchObject({
    ...{ kind: 'foreign', repository: 'corner/proven', state: 'proven', head: headOf(pull), author: 'mara' },
    checks: [{ name: 'test' }],
    turned: ['takes lower case', 'takes spaces'],
  });
  expect(certificate.redBase).toBe(certificate.greenBase);
  expect(shop.drafts().map(({ title, pull: draft }) => [title, draft?.isDraft, draft?.reviewerIds.size])).toEqual([
    [`Proof for #${pull.number} (do not merge)`, true, 0],
  ]);
  expect(shop.started()).toEqual(['push', 'pull_request', 'pull_request']);
  const [reply, ...more] = stage.ourComments(shop.name, pull.number);
  expect([reply?.body, more]).toEqual([
    expect.stringMatching(/Proof of `[0-9a-f]{7}`: The 2 tests added here fail without the change/),
    [],
  ]);
});

it('is not proven where added tests do not fail without the change, which it names', async () => {
  const shop = await openProvingShop(stage, 'corner/quiet');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes capitals': HOLDS, 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  expect(await proveAtOnce(shop, pull)).toMatchObject({
    conclusion: 'action_required',
    title: '1 of 2 added tests does not fail without the change: “takes capitals” proves nothing',
  });
});

it('is not reproduced where no added test fails without the change', async () => {
  const shop = await openProvingShop(stage, 'corner/holds');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes capitals': HOLDS }),
    'src/coupons.js': await shop.mended(),
  });
  expect(await proveAtOnce(shop, pull)).toMatchObject({
    conclusion: 'action_required',
    title: 'The test added here does not fail without the change: “takes capitals”',
  });
});

it('fails otherwise where the tests need what comes with the change', async () => {
  const shop = await openProvingShop(stage, 'corner/needs');
  const tests = writeTests({ 'takes lower case': SHOWS }).replace('../src/coupons.js', '../src/read.js');
  const read = "export { discountFor } from './coupons.js';\n";
  const pull = await shop.pull({ [TEST_FILE]: tests, 'src/read.js': read, 'src/coupons.js': await shop.mended() });
  const proof = await proveAtOnce(shop, pull);
  expect(proof?.title).toMatch(/^Not proven: /);
  expect(proof?.conclusion).toBe('action_required');
});

it('pushes nothing where its own checks fail', async () => {
  const shop = await openProvingShop(stage, 'corner/red-head');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/money.js': 'export const percentOf = () => 0;\n',
  });
  expect((await proveAtOnce(shop, pull))?.title).toBe('Not proven: checks of this commit itself fail: “test”');
  expect(shop.drafts()).toEqual([]);
});

it.each<[string, string, RegExp]>([
  [
    'a workflow for branches of ours',
    'on: { push: { branches: ["causeway/**"] } }\njobs:\n  deploy:\n    runs-on: ubuntu-24.04\n    steps: [{ run: "true" }]\n',
    /would start on `push`, by the push of our branch/,
  ],
  [
    'a workflow with the rights of the base',
    'on: pull_request_target\njobs:\n  label:\n    runs-on: ubuntu-24.04\n    steps: [{ run: "true" }]\n',
    /with rights that the runs of this head don.t have/,
  ],
  [
    'a workflow that follows',
    'on: { workflow_run: { workflows: [CI], types: [completed] } }\njobs:\n  report:\n    runs-on: ubuntu-24.04\n    steps: [{ run: "true" }]\n',
    /would start on `workflow_run`, after `.github.workflows.ci.yml`/,
  ],
])('pushes nothing where it would start %s, and names the place', async (_, other, words) => {
  const name = `corner/starts-${words.source.length}`;
  const shop = await openProvingShop(stage, name, { workflows: { 'ci.yml': CI, 'other.yml': other } });
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  const proof = await proveAtOnce(shop, pull);
  expect(proof?.title).toBe('Not run: a branch or draft of ours would start more than the checks that have run here');
  expect(proof?.summary).toContain('.github/workflows/other.yml:1');
  expect(proof?.summary).toMatch(words);
  expect(proof?.summary).toContain('git checkout FETCH_HEAD -- ');
  expect(shop.drafts()).toEqual([]);
});

it.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['changes a workflow', { '.github/workflows/ci.yml': `${CI}# again\n` }, /changes what decides which tests run/],
  [
    'changes which tests run',
    { 'package.json': '{ "type": "module", "scripts": { "test": "true" } }\n' },
    /changes what decides which tests run/,
  ],
  ['has no tests', {}, /^Not run: the pull request adds or changes no tests$/],
  [
    'has more tests than a log is read for',
    { [TEST_FILE]: writeTests(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`takes ${at}`, SHOWS]))) },
    /more than 50 tests/,
  ],
])('pushes nothing where the pull request %s', async (what, files, words) => {
  const shop = await openProvingShop(stage, `corner/${what.replaceAll(' ', '-')}`);
  const tests = Object.keys(files).length === 0 ? {} : { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }) };
  const pull = await shop.pull({ ...tests, ...files, 'src/coupons.js': await shop.mended() });
  const proof = await proveAtOnce(shop, pull);
  expect(proof?.title).toMatch(words);
  expect(proof?.summary.trim()).not.toBe('');
  expect(shop.drafts()).toEqual([]);
});

it('says what is missing where a pull request has tests alone, or none that is known by its name', async () => {
  const shop = await openProvingShop(stage, 'corner/half');
  const alone = await shop.pull({ [TEST_FILE]: writeTests({ 'takes capitals': HOLDS }) }, { branch: 'alone' });
  expect((await proveAtOnce(shop, alone))?.title).toMatch(/changes tests alone, so there is no change/);
  const unnamed = await shop.pull(
    { [TEST_FILE]: '// Nothing yet.\n', 'src/coupons.js': await shop.mended() },
    { branch: 'unnamed' },
  );
  expect((await proveAtOnce(shop, unnamed))?.title).toMatch(/no test that it adds or changes is found by its name/);
});

it('is said to have failed in the answer as well where Causeway fails at it', async () => {
  const shop = await openProvingShop(stage, 'corner/failed');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  const fault = { kind: 'answer', when: 'before', status: 500 } as const;
  stage.double.faults.add({ path: /^\/corner\/failed\.git\//, times: Number.POSITIVE_INFINITY, fault });
  await shop.prove(pull.number);
  const [reply, ...more] = await stage.until('the end', () => {
    const said = stage.ourComments(shop.name, pull.number).map(({ body }) => body);
    return said.some((body) => body.includes('Not run')) ? said : null;
  });
  stage.double.faults.clear();
  expect(reply).toMatch(/Proof of `[0-9a-f]{7}`: Not run: Causeway failed at it several times/);
  expect([more, shop.proofAt(headOf(pull))?.title]).toEqual([[], expect.stringMatching(/^Not run: Causeway failed/)]);
});

it('is refused to people without write, and by a fork', async () => {
  const shop = await openProvingShop(stage, 'corner/whose');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  await shop.prove(pull.number, 'per');
  await shop.prove(pull.number, 'ola');
  expect(shop.proofAt(headOf(pull))).toBeNull();
  expect(stage.ourComments(shop.name, pull.number).map(({ body }) => body)).toEqual([
    expect.stringContaining('`/analyse prove` needs write access'),
  ]);
});

it('is said to be out of date by a commit that changes its tests or its change', async () => {
  const shop = await openProvingShop(stage, 'corner/stale');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  const proven = headOf(pull);
  expect((await proveAtOnce(shop, pull))?.conclusion).toBe('success');
  const { people } = stage.double;
  await people.push(shop.name, {
    by: 'mara',
    branch: 'change',
    files: { [TEST_FILE]: writeTests({ 'takes lower case': HOLDS }) },
  });
  await shop.settle();
  expect(shop.proofAt(proven)?.conclusion).toBe('success');
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title: expect.stringMatching(/^Out of date/),
  });
});

it('compares nothing where the base has moved in what the tests reach', async () => {
  const shop = await openProvingShop(stage, 'corner/moved');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  const money = await stage.double.git(shop.name, 'show', 'refs/heads/main:src/money.js');
  await stage.double.people.push(shop.name, { by: 'mara', files: { 'src/money.js': `${money}\n// again\n` } });
  await shop.settle();
  expect((await proveAtOnce(shop, pull))?.title).toMatch(
    /^Not proven: the test alone ran merged with [0-9a-f]{12}, the checks of this commit with [0-9a-f]{12}/,
  );
});

it('is proven though the base has moved elsewhere', async () => {
  const shop = await openProvingShop(stage, 'corner/elsewhere');
  const pull = await shop.pull({
    [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  const delivery = await stage.double.git(shop.name, 'show', 'refs/heads/main:src/delivery.js');
  await stage.double.people.push(shop.name, { by: 'mara', files: { 'src/delivery.js': `${delivery}\n// again\n` } });
  await shop.settle();
  expect((await proveAtOnce(shop, pull))?.conclusion).toBe('success');
});
