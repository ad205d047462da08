// All checks of a commit: of every App but ours, with those before them, as the ones that count.
import { expect, it } from 'vitest';
import { ChecksBusy, ChecksClosed, type NamedCheck } from '../../../src/core/check/check.ts';
import { type ChecksHouse, checksHouse, SHOP, SIGNAL } from './checks-house.ts';

async function states(house: ChecksHouse, sha: string) {
  return inShort(await house.checks.listAll(house.project, sha, SIGNAL));
}

function inShort(checks: readonly NamedCheck[]) {
  return checks
    .map(({ latest, earlier }) => [`${latest.app}/${latest.name}`, latest.state, ...earlier.map(({ state }) => state)])
    .toSorted();
}

function waitOf(house: ChecksHouse, error: unknown): number {
  return (error as ChecksBusy).retryAt.getTime() - house.now().getTime();
}

it('check runs and statuses of any CI stand side by side, without our own, in two calls', async () => {
  await using house = await checksHouse();
  const { people, double } = house;
  const sha = await house.branch('topic');
  const output = { title: 'Two failed', summary: 'A summary', text: 'x'.repeat(40_000) };
  const annotations = [{ path: 'cart.js', startLine: 3, message: 'no' }];
  await people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion: 'failure', output, annotations });
  await people.reportCheck(SHOP, { sha, name: 'slow', app: 'other-ci' });
  await people.reportCheck(SHOP, { sha, name: 'Causeway', app: double.app.slug, conclusion: 'neutral' });
  await people.reportStatus(SHOP, { sha, context: 'jenkins', state: 'success', targetUrl: 'https://ci.example/1' });
  const { got, calls } = await house.counting(() => house.checks.listAll(house.project, sha, SIGNAL));
  expect(inShort(got)).toEqual([
    ['/jenkins', 'green'],
    ['other-ci/slow', 'waiting'],
    ['other-ci/unit', 'red'],
  ]);
  expect(calls).toHaveLength(2);
  const unit = got.find(({ latest }) => latest.name === 'unit')!.latest;
  expect(unit).toMatchObject({ conclusion: 'failure', title: 'Two failed', summary: 'A summary', annotations: 1 });
  expect(unit.runId).toBeGreaterThan(0);
  expect(unit.url).toContain('/runs/');
  expect(unit.text.length).toBeLessThan(20_000);
  const jenkins = got.find(({ latest }) => latest.name === 'jenkins')!.latest;
  expect(jenkins).toMatchObject({ runId: null, conclusion: 'success', url: 'https://ci.example/1' });
  expect(got.find(({ latest }) => latest.name === 'slow')!.latest).toMatchObject({ conclusion: '', endedAt: '' });
});

it.each([
  ['failure', 'red'],
  ['timed_out', 'red'],
  ['success', 'green'],
  ['neutral', 'green'],
  ['action_required', 'left out'],
  ['cancelled', 'left out'],
  ['skipped', 'left out'],
] as const)('a check run that ended with %s is %s', async (conclusion, state) => {
  await using house = await checksHouse();
  const sha = await house.branch('topic');
  await house.people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion });
  expect((await states(house, sha)).map(([, is]) => is)).toEqual(state === 'left out' ? [] : [state]);
});

it('what was cancelled hides no red one before it', async () => {
  await using house = await checksHouse();
  const sha = await house.branch('topic');
  await house.people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion: 'failure' });
  await house.people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion: 'cancelled' });
  expect(await states(house, sha)).toEqual([['other-ci/unit', 'red']]);
});

it('the job of another workflow that has the same name is no re-run: its pass hides no failure', async () => {
  await using house = await checksHouse();
  const { people } = house;
  const sha = await house.branch('topic');
  await people.reportWorkflowRun(SHOP, { sha, workflow: 'A', jobs: [{ name: 'test', conclusion: 'failure' }] });
  await people.reportWorkflowRun(SHOP, { sha, workflow: 'B', jobs: [{ name: 'test', conclusion: 'success' }] });
  expect(await states(house, sha)).toEqual([['github-actions/test', 'red']]);
  await people.reportWorkflowRun(SHOP, { sha, workflow: 'A', jobs: [{ name: 'test', conclusion: 'success' }] });
  expect((await states(house, sha)).map(([, state]) => state)).toEqual(['green']);
});

it('a red status is told with those of its context before, in one more call', async () => {
  await using house = await checksHouse();
  const { people } = house;
  const sha = await house.branch('topic');
  for (const state of ['pending', 'success', 'failure'] as const) {
    await people.reportStatus(SHOP, { sha, context: 'ci', state });
  }
  await people.reportStatus(SHOP, { sha, context: 'other', state: 'success' });
  const { got, calls } = await house.counting(() => states(house, sha));
  expect(got).toEqual([
    ['/ci', 'red', 'green'],
    ['/other', 'green'],
  ]);
  expect(calls).toHaveLength(3);
});

it.each(['issue_comment', 'issues', 'workflow_run', 'pull_request_target', 'pull_request_review', 'watch'])(
  'what %s started tests no commit, whoever did: it is neither red, nor waiting, nor green',
  async (event) => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    await people.reportWorkflowRun(SHOP, { sha, jobs: [{ name: 'test', conclusion: 'success' }] });
    const by = { sha, by: 'eve', event, workflow: 'Bot' };
    await people.reportWorkflowRun(SHOP, { ...by, jobs: [{ name: 'test', conclusion: 'failure' }] });
    await people.reportWorkflowRun(SHOP, { ...by, jobs: [{ name: 'reply', conclusion: 'success' }] });
    await people.startRun(SHOP, { ...by, jobs: ['slow'] });
    await people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion: 'failure' });
    expect(await states(house, sha)).toEqual([
      ['github-actions/test', 'green'],
      ['other-ci/unit', 'red'],
    ]);
  },
);

it.each(['push', 'merge_group', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'dynamic', 'pull_request'])(
  'what %s started does',
  async (event) => {
    await using house = await checksHouse();
    const sha = await house.branch('topic');
    await house.people.reportWorkflowRun(SHOP, { sha, event, jobs: [{ name: 'test', conclusion: 'failure' }] });
    expect(await states(house, sha)).toEqual([['github-actions/test', 'red']]);
  },
);

it('a pull request has no say in its commit any more once that was pushed to the default branch', async () => {
  await using house = await checksHouse();
  const { people } = house;
  const sha = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
  const title = { sha, by: 'eve', event: 'pull_request', workflow: 'Title' };
  await people.reportWorkflowRun(SHOP, { ...title, jobs: [{ name: 'title', conclusion: 'failure' }] });
  await people.reportWorkflowRun(SHOP, { sha, jobs: [{ name: 'test', conclusion: 'failure' }] });
  expect(await states(house, sha)).toEqual([['github-actions/test', 'red']]);
});

it('where we may not read what was started, nothing of Actions counts', async () => {
  const permissions = { metadata: 'read', contents: 'read', checks: 'read', statuses: 'read' } as const;
  await using house = await checksHouse({ permissions });
  const sha = await house.branch('topic');
  await house.people.reportWorkflowRun(SHOP, { sha, jobs: [{ name: 'test', conclusion: 'failure' }] });
  await house.people.reportCheck(SHOP, { sha, name: 'unit', app: 'other-ci', conclusion: 'failure' });
  expect(await states(house, sha)).toEqual([['other-ci/unit', 'red']]);
});

it('a limit names when to ask again, a lost answer a quarter of a minute, and a commit that is gone is closed', async () => {
  await using house = await checksHouse();
  const sha = await house.branch('topic');
  const { faults } = house.double;
  const asked = (of: string) => house.checks.listAll(house.project, of, SIGNAL).catch((error: unknown) => error);
  faults.add({ path: /check-runs/, fault: { kind: 'answer', when: 'before', status: 502 } });
  const lost = await asked(sha);
  expect(lost).toBeInstanceOf(ChecksBusy);
  expect(waitOf(house, lost)).toBeGreaterThan(10_000);
  expect(waitOf(house, lost)).toBeLessThanOrEqual(15_000);
  expect(await asked('0'.repeat(40))).toBeInstanceOf(ChecksClosed);
  faults.add({ path: /check-runs/, fault: { kind: 'secondary_limit', status: 403, retryAfter: 90 } });
  const limited = await asked(sha);
  expect(limited).toBeInstanceOf(ChecksBusy);
  expect(waitOf(house, limited)).toBeGreaterThan(80_000);
});
