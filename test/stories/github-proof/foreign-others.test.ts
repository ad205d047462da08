// Whose pull requests are proven, by whom and how, and what happens to a proof when something else happens in the middle of it.
import type { GithubIssue } from 'causeway-github-double';
import { expect, it } from 'vitest';
import {
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';
import { storedQueue } from '../../support/github-stage.ts';

const stage = provingStage();

const TESTS = { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }) };

async function setConfig(name: string, text: string): Promise<void> {
  await stage.double.people.push(name, { by: 'mara', files: { '.github/causeway.yml': text } });
}

async function openFix(shop: ProvingShop, more: { readonly by?: string } = {}): Promise<GithubIssue> {
  return await shop.pull({ ...TESTS, 'src/coupons.js': await shop.mended() }, more);
}

it('is of an agent’s pull request as of a person’s, and of none of Dependabot’s', async () => {
  const { people } = stage.double;
  const shop = await openProvingShop(stage, 'corner/agent');
  for (const slug of ['fixing-agent', 'dependabot']) {
    people.otherApp(slug);
    people.grant(shop.name, `${slug}[bot]`, 'write');
  }
  const pull = await openFix(shop, { by: 'fixing-agent[bot]' });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
  await people.push(shop.name, {
    by: 'dependabot[bot]',
    branch: 'bump',
    files: { ...TESTS, 'src/money.js': '// 1\n' },
  });
  const bump = await people.openPull(shop.name, { by: 'dependabot[bot]', title: 'Bump', head: 'bump' });
  await shop.settle();
  await shop.prove(bump.number);
  expect(shop.proofAt(headOf(bump))?.title).toBe("Not run: Dependabot's runs have fewer rights than ours");
  expect(shop.drafts()).toHaveLength(1);
});

it('shows nothing where the base is red without new tests, not even by what mends it', async () => {
  const shop = await openProvingShop(stage, 'corner/red-base');
  const files = { 'test/early.test.js': writeTests({ 'was red before': SHOWS }) };
  await stage.double.people.push(shop.name, { by: 'mara', files });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  const { title, summary } = shop.proofAt(headOf(pull)) ?? {};
  expect(title).toMatch(/^Not proven: .test. fails on the base as well$/);
  expect(summary).toMatch(/The tests alone ran on `[0-9a-f]{12}` of the base\./);
  expect(summary).not.toContain('no log names');
  expect(summary).toContain('also where this pull request is what mends it');
});

it('costs no run of CI where every check fails with the change as it did before', async () => {
  const shop = await openProvingShop(stage, 'corner/still-red-base');
  const files = { 'test/early.test.js': writeTests({ 'was red before': "assert.equal(discountFor('NONE', 1), 7);" }) };
  await stage.double.people.push(shop.name, { by: 'mara', files });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  const proof = shop.proofAt(headOf(pull));
  expect(proof?.title).toBe('Not proven: “test” fails on the base as well');
  expect(proof?.conclusion).toBe('action_required');
  expect(shop.drafts()).toEqual([]);
});

it('is asked for and read by program, by somebody with write and for the head that they name', async () => {
  const shop = await openProvingShop(stage, 'corner/program');
  const pull = await openFix(shop);
  const mara = await stage.api('mara', 'pull-requests:write');
  const { id } = await mara.project(shop.name);
  const path = `/api/v1/projects/${id}/proofs/${pull.number}/`;
  expect(await mara.status(path)).toBe(404);
  const per = await stage.api('per', 'pull-requests:write');
  const refused = await per.post(path, { head: headOf(pull) });
  const detail = `Nothing was started: it takes write access to ${shop.name}, and the role of per there is triage.`;
  expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ detail })]);
  expect((await mara.post(path, { head: headOf(pull) })).status).toBe(202);
  await shop.settle();
  expect(await per.get(path)).toMatchObject({
    ...{ state: 'proven', head: headOf(pull), turned: ['takes lower case'], quiet: [], commands: [] },
    result: expect.stringMatching(/^The test added here fails without the change/),
    certificate: { kind: 'foreign', author: 'mara' },
  });
  expect((await mara.post(path, { head: 'a'.repeat(40) })).status).toBe(202);
  await shop.settle();
  expect(await mara.get(path)).toMatchObject({ state: 'refused', result: expect.stringContaining('a newer commit') });
  const absent = `/api/v1/projects/${id}/proofs/999/`;
  expect((await mara.post(absent, { head: headOf(pull) })).status).toBe(202);
  await shop.settle();
  expect(await mara.get(absent)).toMatchObject({ result: 'Not run: there is no pull request of that number' });
  // What it says on that head is of the pull request that has it, and it is still looked after.
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
  await stage.double.people.push(shop.name, { by: 'mara', branch: 'change', files: { [TEST_FILE]: '// None.\n' } });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Out of date/);
  expect(shop.drafts()).toHaveLength(1);
});

it.each<[string, (shop: ProvingShop, pull: GithubIssue) => Promise<unknown> | unknown, RegExp]>([
  [
    'a new commit',
    ({ name }) => stage.double.people.push(name, { by: 'mara', branch: 'change', files: { 'n.md': 'n\n' } }),
    /newer commit/,
  ],
  [
    'another base',
    ({ name }, { number }) => stage.double.people.retarget(name, number, { by: 'mara', base: 'release' }),
    /set to another base branch/,
  ],
  ['another mode', ({ name }) => setConfig(name, 'mode: comment\n'), /not in mode fix \(any more\)$/],
  ['the mode that only observes', ({ name }) => setConfig(name, 'mode: observe\n'), /not in mode fix \(any more\)$/],
  [
    'the end of its base',
    ({ name }) => stage.double.git(name, 'update-ref', '-d', 'refs/heads/main'),
    /^Given up: GitHub refused/,
  ],
  ['its end', ({ name }, pull) => stage.double.people.close(name, pull.number, 'mara'), /the pull request is closed/],
  [
    'the end of our draft',
    ({ name }, pull) => stage.double.people.close(name, pull.number + 1, 'mara'),
    /changed by others/,
  ],
  [
    'its draft is ready for review',
    ({ name }, pull) => stage.double.people.markReady(name, pull.number + 1, 'mara'),
    /changed by others/,
  ],
  [
    'a new title of our draft',
    ({ name }, pull) => stage.double.people.edit(name, pull.number + 1, { by: 'per', title: 'Merge me' }),
    /changed by others/,
  ],
  [
    'another base of our draft',
    ({ drafts }) => Object.assign(drafts()[0]?.pull ?? {}, { baseRef: 'release' }),
    /changed by others/,
  ],
  [
    'auto-merge of our draft',
    ({ drafts }) => Object.assign(drafts()[0]?.pull ?? {}, { autoMergeById: stage.double.people.user('mara').id }),
    /changed by others/,
  ],
])('gives up after %s in the middle, and leaves nothing behind', async (what, act, words) => {
  const shop = await openProvingShop(stage, `corner/middle-${what.replaceAll(' ', '-')}`);
  const pull = await openFix(shop);
  const head = headOf(pull);
  await stage.double.people.push(shop.name, { by: 'mara', branch: 'release', files: { 'notes.md': 'n\n' } });
  shop.meanwhile('POST', '/pulls', () => act(shop, pull));
  await shop.prove(pull.number);
  expect(shop.proofAt(head)?.title).toMatch(words);
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed']]);
});

it('pushes nothing where the mode is switched off between the decision and the push', async () => {
  const shop = await openProvingShop(stage, 'corner/off-in-between');
  const pull = await openFix(shop);
  shop.meanwhile('GET', '/rules/branches/main.*', async () => {
    await setConfig(shop.name, 'mode: comment\n');
    await stage.double.webhooks.settled();
    const isHandled = async () => (await storedQueue(stage.dataDir)).deliveries['waiting'] === undefined;
    await stage.until('the news of the mode to be handled', isHandled);
  });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toMatch(/^Not run: .* not in mode fix \(any more\)$/);
  expect(stage.writes(shop.name).filter((line) => line.endsWith('/git/refs'))).toEqual([]);
  expect(shop.drafts()).toEqual([]);
});

it('goes on where the limit of the day is lowered, since its run has begun', async () => {
  const shop = await openProvingShop(stage, 'corner/lowered');
  const pull = await openFix(shop);
  shop.meanwhile('POST', '/pulls', () => setConfig(shop.name, 'limits: {ci_runs_day: 0}\n'));
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('is out of date while the pull request has another base branch, also where that is for a new commit', async () => {
  const shop = await openProvingShop(stage, 'corner/rebased');
  const { people } = stage.double;
  await people.push(shop.name, { by: 'mara', branch: 'release', files: { 'notes.md': 'n\n' } });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  const retarget = async (base: string) => {
    await people.retarget(shop.name, pull.number, { by: 'mara', base });
    await shop.settle();
  };
  const proven = shop.proofAt(headOf(pull));
  expect(proven?.conclusion).toBe('success');
  const stale = {
    conclusion: 'action_required',
    title: 'Out of date: the pull request was examined onto “main”, and has another base branch now',
    summary: expect.stringMatching(/Comment `\/analyse prove` for a proof onto this one\.$/),
  };
  await retarget('release');
  expect(shop.proofAt(headOf(pull))).toEqual(stale);
  people.edit(shop.name, pull.number, { by: 'mara', title: 'Another title' });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))).toEqual(stale);
  await retarget('main');
  expect(shop.proofAt(headOf(pull))).toEqual(proven);
  await retarget('release');
  expect(shop.proofAt(headOf(pull))).toEqual(stale);
  const runs = [...stage.double.repository(shop.name).checkRuns.values()];
  expect(runs.filter(({ name }) => name === 'Causeway / proof')).toHaveLength(1);

  await people.push(shop.name, { by: 'mara', branch: 'change', files: { 'more.md': 'More.\n' } });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))).toEqual(stale);
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).not.toMatch(/^Out of date/);
});

it('stays as it is on another base branch where the mode only observes by then', async () => {
  const shop = await openProvingShop(stage, 'corner/rebased-observed');
  const { people } = stage.double;
  await people.push(shop.name, { by: 'mara', branch: 'release', files: { 'notes.md': 'n\n' } });
  const pull = await openFix(shop);
  await shop.prove(pull.number);
  await setConfig(shop.name, 'mode: observe\n');
  await shop.settle();
  await people.retarget(shop.name, pull.number, { by: 'mara', base: 'release' });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('says that other tests fail without the change where these are made by a function of one’s own', async () => {
  const shop = await openProvingShop(stage, 'corner/made-tests');
  const made =
    "\nfor (const [title, run] of Object.entries({ 'takes spaces': () => assert.equal(discountFor(' WELCOME10', 1000), 100) }))\n  test(title, run);\n";
  const files = { [TEST_FILE]: `${TESTS[TEST_FILE]}${made}`, 'src/coupons.js': await shop.mended() };
  const pull = await shop.pull(files);
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({
    conclusion: 'action_required',
    title:
      'Not proven: without the change, tests fail besides those that are added or changed here by name: “takes spaces”',
  });
});

it('runs once for what it has proven, and a later refusal does not take the place of that', async () => {
  const shop = await openProvingShop(stage, 'corner/once');
  const pull = await openFix(shop);
  const { people } = stage.double;
  await shop.prove(pull.number);
  people.grant(shop.name, 'per', 'write');
  await shop.prove(pull.number, 'per');
  await people.close(shop.name, pull.number, 'mara');
  await shop.prove(pull.number);
  expect([shop.proofAt(headOf(pull))?.conclusion, shop.drafts().length]).toEqual(['success', 1]);
  expect(stage.ourComments(shop.name, pull.number).map(({ body }) => body)).toEqual([
    expect.stringContaining(': The test added here fails without the change'),
  ]);
});

it('is said not to run for a closed pull request, without a check run', async () => {
  const shop = await openProvingShop(stage, 'corner/closed');
  const pull = await openFix(shop);
  await stage.double.people.close(shop.name, pull.number, 'mara');
  await shop.prove(pull.number);
  expect([shop.proofAt(headOf(pull)), shop.drafts()]).toEqual([null, []]);
  expect(stage.ourComments(shop.name, pull.number).map(({ body }) => body)).toEqual([
    expect.stringContaining('the pull request is closed'),
  ]);
});

it('waits for checks of the head that run again before it is judged', async () => {
  const shop = await openProvingShop(stage, 'corner/again');
  const pull = await openFix(shop);
  const { people } = stage.double;
  const runs = [...stage.double.repository(shop.name).workflowRuns.values()];
  const [run] = runs.filter(({ headSha }) => headSha === headOf(pull));
  shop.meanwhile(
    'GET',
    '/actions/jobs/\\d+/logs',
    () => run && people.rerun(shop.name, run, { by: 'mara', jobs: ['test'] }),
  );
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))).toMatchObject({ conclusion: null, title: 'Its tests run without its change' });
  const log = run?.attempts[0]?.[0]?.log ?? '';
  if (run) await people.finishJob(shop.name, run, 'test', { conclusion: 'success', log });
  await shop.settle();
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('waits for its turn in a repository, and ends in each pull request that asked', async () => {
  const shop = await openProvingShop(stage, 'corner/turns');
  const first = await openFix(shop);
  const { people } = stage.double;
  await people.push(shop.name, {
    by: 'mara',
    branch: 'other',
    files: { ...TESTS, 'src/coupons.js': await shop.mended() },
  });
  const second = await people.openPull(shop.name, { by: 'mara', title: 'The same', head: 'other' });
  await shop.settle();
  for (const { number } of [first, second]) people.comment(shop.name, number, { by: 'mara', body: '/analyse prove' });
  await shop.settle();
  expect([first, second].map((pull) => shop.proofAt(headOf(pull))?.conclusion)).toEqual(['success', 'success']);
});

it('is refused where the branch is in a fork', async () => {
  const { people } = stage.double;
  const shop = await openProvingShop(stage, 'corner/afar');
  const fork = await people.fork(shop.name, 'ola');
  const headRepository = `ola/${fork.name}`;
  const files = { ...TESTS, 'src/coupons.js': await shop.mended() };
  await people.push(headRepository, { by: 'ola', branch: 'afar', files });
  const afar = await people.openPull(shop.name, { by: 'ola', title: 'From afar', head: 'afar', headRepository });
  await shop.settle();
  await shop.prove(afar.number);
  expect(shop.proofAt(headOf(afar))?.title).toMatch(/^Not run: its branch is in a fork/);
  expect(shop.proofAt(headOf(afar))?.summary).toContain(`git fetch origin pull/${afar.number}/head`);
  expect(shop.drafts()).toEqual([]);
});
