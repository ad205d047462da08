// What others do on a draft of ours or to the ground under it, and what may not start there: nothing is pushed, or what was is taken back at once.
import type { ActionsRun, GithubIssue } from 'causeway-github-double';
import { expect, it } from 'vitest';
import {
  CI,
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

const MORE = 'a branch or draft of ours would start more than the checks that have run here';
const STARTS_MORE = `Not run: ${MORE}`;
/** After the push. */
const STARTED_MORE = `Given up: ${MORE}`;
const PREVIEW = `on: pull_request
permissions: write-all
jobs:
  preview:
    runs-on: ubuntu-24.04
    steps: [{ run: "true" }]
`;

async function openHonest(name: string, workflows: Readonly<Record<string, string>> = { 'ci.yml': CI }) {
  const shop = await openProvingShop(stage, name, { workflows });
  return { shop, pull: await openFix(shop) };
}

async function openFix(shop: ProvingShop, branch = 'change'): Promise<GithubIssue> {
  const files = { [TEST_FILE]: writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  return await shop.pull(files, { branch });
}

async function testCommitOf(shop: ProvingShop, pull: GithubIssue): Promise<string> {
  return (await stage.double.git(shop.name, 'rev-parse', `refs/heads/causeway/prove/${pull.number}`)).trim();
}

/** A run that goes on until somebody ends it, where no file of the repository says so. */
async function startRun(
  shop: ProvingShop,
  { sha, branch, path, event = 'dynamic' }: Record<'sha' | 'branch' | 'path', string> & { readonly event?: string },
): Promise<ActionsRun> {
  const of = { sha, branch, path, event, workflow: path, jobs: ['analyse'], by: 'mara' };
  return await stage.double.people.startRun(shop.name, of);
}

interface ActOfApp {
  readonly shop: ProvingShop;
  readonly number: number;
  readonly sha: string;
}

it.each<[string, (on: ActOfApp) => Promise<unknown> | unknown]>([
  [
    'reports a check',
    ({ shop, sha }) =>
      stage.double.people.reportCheck(shop.name, { sha, app: 'preview-bot', name: 'Preview', conclusion: 'success' }),
  ],
  [
    'sets a status',
    ({ shop, sha }) => {
      const creatorId = stage.double.people.otherApp('preview-bot').botId;
      const status = { sha, creatorId, state: 'success', context: 'preview' } as const;
      return stage.double.people.reportStatus(shop.name, status);
    },
  ],
  [
    'comments',
    ({ shop, number }) => stage.double.people.comment(shop.name, number, { by: 'preview-bot[bot]', body: 'Look!' }),
  ],
  [
    'labels',
    ({ shop, number }) => {
      stage.double.people.makeLabel(shop.name, 'preview', { description: 'To be looked at' });
      stage.double.people.label(shop.name, number, 'preview', 'preview-bot[bot]');
    },
  ],
])('gives up where a foreign App %s, and pushes nothing again but where it acts too', async (what, act) => {
  const { people } = stage.double;
  people.otherApp('preview-bot');
  const { shop, pull } = await openHonest(`corner/app-${what.replaceAll(' ', '-')}`);
  shop.meanwhile('POST', '/pulls', async () => {
    const [draft] = shop.drafts();
    await act({ shop, number: draft?.number ?? 0, sha: await testCommitOf(shop, pull) });
  });
  await shop.prove(pull.number);
  const words = '“preview-bot” acted on a draft of ours and did not on this pull request';
  expect(shop.proofAt(headOf(pull))).toMatchObject({ conclusion: 'action_required', title: `Given up: ${words}` });
  expect(shop.proofAt(headOf(pull))?.summary).toMatch(/Have it leave `causeway\/prove\/\*\*` out/);
  // Locked, so that nobody from outside has an App answer there.
  expect([await shop.branches(), shop.drafts().map(({ state, locked }) => [state, locked])]).toEqual([
    [],
    [['closed', true]],
  ]);

  const other = await openFix(shop, 'other');
  await shop.prove(other.number);
  expect(shop.proofAt(headOf(other))?.title).toBe(`Not run: ${words}`);
  expect(shop.drafts()).toHaveLength(1);

  await act({ shop, number: other.number, sha: headOf(other) });
  await shop.settle();
  await shop.prove(other.number);
  expect(shop.proofAt(headOf(other))?.conclusion).toBe('success');
});

it('takes back a draft on which a workflow starts that no file shows, and cancels it where it may', async () => {
  const { people, state, app } = stage.double;
  const run: Record<string, ActionsRun> = {};
  const proveWithRun = async (name: string) => {
    const { shop, pull } = await openHonest(name);
    const branch = `causeway/prove/${pull.number}`;
    shop.meanwhile('POST', '/pulls', async () => {
      run[name] = await startRun(shop, { sha: await testCommitOf(shop, pull), branch, path: 'dynamic/agents/review' });
    });
    await shop.prove(pull.number);
    expect(shop.proofAt(headOf(pull))?.title).toBe(
      'Given up: “dynamic/agents/review” started on a draft of ours and did not on this pull request',
    );
    expect([await shop.branches(), shop.drafts().map(({ state: of }) => of)]).toEqual([[], ['closed']]);
    return shop.proofAt(headOf(pull))?.summary ?? '';
  };
  expect(await proveWithRun('corner/unseen')).toContain('GitHub did not let us cancel 1 run of it');
  const installation = [...state.installations.values()].find(({ appId }) => appId === app.id);
  if (installation === undefined) throw new Error('The App is installed nowhere.');
  people.acceptPermissions(installation, { ...installation.permissions, actions: 'write' }, 'nora');
  await stage.rest();
  expect(await proveWithRun('corner/unseen-cancelled')).toMatch(/is closed, and what ran for it is cancelled\.$/m);
  expect(Object.values(run).map(({ conclusion }) => conclusion)).toEqual([null, 'cancelled']);
});

it('goes on where code scanning looks at the draft as it did at the head, and where a person starts something', async () => {
  const { shop, pull } = await openHonest('corner/scanned');
  const run = async (of: Parameters<typeof startRun>[1]) => {
    const started = await startRun(shop, of);
    await stage.double.people.finishJob(shop.name, started, 'analyse', { conclusion: 'success' });
  };
  const path = 'dynamic/github-code-scanning/codeql';
  await run({ sha: headOf(pull), branch: `refs/pull/${pull.number}/head`, path });
  shop.meanwhile('POST', '/pulls', async () => {
    const sha = await testCommitOf(shop, pull);
    await run({ sha, branch: `refs/pull/${pull.number + 1}/head`, path });
    const byHand = { path: '.github/workflows/hand.yml', event: 'workflow_dispatch' };
    await run({ sha, branch: `causeway/prove/${pull.number}`, ...byHand });
  });
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('closes the draft at once where the base got a workflow while it was opened', async () => {
  const { shop, pull } = await openHonest('corner/in-between');
  shop.meanwhile('POST', '/git/refs', () =>
    stage.double.people.push(shop.name, { by: 'mara', files: { '.github/workflows/preview.yml': PREVIEW } }),
  );
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toBe(STARTED_MORE);
  expect(shop.proofAt(headOf(pull))?.summary).toContain('.github/workflows/preview.yml:1');
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed']]);
});

it('takes a disabled workflow for none, unless somebody enables it meanwhile', async () => {
  const labels = PREVIEW.replace('pull_request', 'pull_request_target');
  const { shop, pull } = await openHonest('corner/disabled', { 'ci.yml': CI, 'labels.yml': labels });
  const { disabledWorkflows } = stage.double.repository(shop.name);
  disabledWorkflows.set('.github/workflows/labels.yml', 'disabled_manually');
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
  const other = await openFix(shop, 'other');
  shop.meanwhile('POST', '/git/refs', () => disabledWorkflows.clear());
  await shop.prove(other.number);
  expect(shop.proofAt(headOf(other))).toMatchObject({ conclusion: 'action_required', title: STARTED_MORE });
  expect([await shop.branches(), shop.drafts().map(({ state }) => state)]).toEqual([[], ['closed', 'closed']]);
});

it('pushes nothing where a ruleset requires a workflow that the head does not show', async () => {
  const { shop, pull } = await openHonest('corner/required');
  const path = '.github/workflows/policy.yml';
  stage.double.repository(shop.name).requiredWorkflows.push({ branch: 'main', repositoryId: 1, path });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toBe(STARTS_MORE);
  expect(shop.proofAt(headOf(pull))?.summary).toContain('policy.yml:1` is required of pull requests by a ruleset');
  const place = { sha: headOf(pull), branch: 'change', path: `${path}@refs/heads/main` };
  const run = await startRun(shop, { ...place, event: 'pull_request' });
  await stage.double.people.finishJob(shop.name, run, 'analyse', { conclusion: 'success' });
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('pushes nothing where GitHub held a run of the head until somebody let it go', async () => {
  const { shop, pull } = await openHonest('corner/held');
  const { people } = stage.double;
  for (const run of stage.double.repository(shop.name).workflowRuns.values()) {
    if (run.headSha !== headOf(pull)) continue;
    run.heldAttempts.add(1);
    await people.rerun(shop.name, run, { by: 'mara', jobs: 'all' });
    await people.finishJob(shop.name, run, 'test', { conclusion: 'success', log: '' });
  }
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toBe(STARTS_MORE);
  expect(shop.proofAt(headOf(pull))?.summary).toMatch(/its run on this head had to be approved/);
  expect(shop.drafts()).toEqual([]);
});

const DEPLOY = `name: Deploy
on: { push: { branches: ['causeway/**', 'release/**'] } }
jobs:
  deploy:
    runs-on: ubuntu-24.04
    steps: [{ run: "true" }]
`;

it('takes no run of another branch for the head’s own, though it is of the same commit', async () => {
  const { shop, pull } = await openHonest('corner/same-commit', { 'ci.yml': CI, 'deploy.yml': DEPLOY });
  await stage.double.people.reportWorkflowRun(shop.name, {
    ...{ sha: headOf(pull), branch: 'release/1', event: 'push', workflow: 'Deploy', by: 'mara' },
    ...{ path: '.github/workflows/deploy.yml', jobs: [{ name: 'deploy', conclusion: 'success' }] },
  });
  await shop.settle();
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toBe(STARTS_MORE);
  expect(shop.proofAt(headOf(pull))?.summary).toContain('.github/workflows/deploy.yml:2');
  expect(shop.drafts()).toEqual([]);
});

it('is not held up by the runs of a fork that has the same commit', async () => {
  const { shop, pull } = await openHonest('corner/same-in-fork');
  const { people } = stage.double;
  const fork = await people.fork(shop.name, 'ola');
  const headRepository = `ola/${fork.name}`;
  const from = stage.double.repository(shop.name).gitDir;
  await stage.double.git(headRepository, 'fetch', '--quiet', from, '+refs/heads/change:refs/heads/change');
  await people.openPull(shop.name, { by: 'ola', title: 'The same', head: 'change', headRepository });
  await shop.settle();
  const ofFork = [...stage.double.repository(shop.name).workflowRuns.values()].filter(
    (run) => run.headRepositoryId === fork.id,
  );
  expect(ofFork.map(({ headSha }) => headSha)).toEqual([headOf(pull)]);
  for (const run of ofFork) run.heldAttempts.add(1);
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.conclusion).toBe('success');
});

it('counts the path that a moved test leaves', async () => {
  const old = DEPLOY.replace("branches: ['causeway/**', 'release/**']", "paths: ['old/**']");
  const { people } = stage.double;
  const shop = await openProvingShop(stage, 'corner/moved-test', { workflows: { 'ci.yml': CI, 'deploy.yml': old } });
  const text = writeTests({ 'takes capitals': "assert.equal(discountFor('WELCOME10', 1000), 100);" });
  const held = text.replaceAll('../src', '../../src');
  await people.push(shop.name, { by: 'mara', files: { 'old/test/a.test.js': held } });
  await shop.settle();
  // The push that moves it is not the head's.
  const moved = {
    'old/test/a.test.js': null,
    [TEST_FILE]: `${text}${writeTests({ lower: SHOWS }).split('\n').slice(3).join('\n')}`,
  };
  await people.push(shop.name, { by: 'mara', branch: 'change', files: moved });
  const pull = await shop.pull({ 'src/coupons.js': await shop.mended() });
  await shop.prove(pull.number);
  expect(shop.proofAt(headOf(pull))?.title).toBe(STARTS_MORE);
  expect(shop.proofAt(headOf(pull))?.summary).toContain('.github/workflows/deploy.yml:2');
  expect(shop.drafts()).toEqual([]);
});
