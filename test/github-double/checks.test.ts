// Checks and commit statuses on the double, as others report them and as our own App makes them.
import { describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { listeningDouble } from './heard.ts';
import { shop } from './shop.ts';
import { publishedExamples } from './webhooks/examples.ts';

const R = '/repos/octo/shop';

test('annotations come in pages, check runs of one App alone where asked', async () => {
  const { github: double } = await listeningDouble();
  await using github = double;
  const { sha, token } = await shop(github);
  const annotations = Array.from({ length: 130 }, (_, at) => ({
    path: 'a.ts',
    startLine: at + 1,
    message: `no ${at}`,
  }));
  const run = await github.people.reportCheck('octo/shop', {
    sha,
    name: 'lint',
    app: 'linter',
    conclusion: 'failure',
    annotations,
  });
  await github.people.reportCheck('octo/shop', { sha, name: 'other', conclusion: 'success' });
  const page = await ask(github, `GET ${R}/check-runs/${run.id}/annotations?per_page=100&page=2`, { token });
  expect(page.body).toHaveLength(30);
  expect(page.headers.get('link')).toContain('rel="prev"');
  const only = await ask(github, `GET ${R}/commits/${sha}/check-runs?app_id=${run.appId}`, { token });
  expect(only.body).toMatchObject({ total_count: 1, check_runs: [{ name: 'lint' }] });
  const suites = await ask(github, `GET ${R}/commits/${sha}/check-suites?app_id=${run.appId}`, { token });
  expect(suites.body).toMatchObject({ total_count: 1, check_suites: [{ app: { slug: 'linter' } }] });
});

test('our own check run is found by its external id, takes back its end, and tells what GitHub tells', async () => {
  const { github: double, heard } = await listeningDouble();
  await using github = double;
  const { sha, token } = await shop(github);
  await heard();
  const actions = [{ label: 'Open fix', description: 'Opens a pull request', identifier: 'open_fix' }];
  const body = { name: 'Causeway', head_sha: sha, external_id: 'head-1', conclusion: 'neutral', actions };
  const made = (await ask(github, `POST ${R}/check-runs`, { token, body })).body as { id: number };
  const listed = await ask(github, `GET ${R}/commits/${sha}/check-runs?app_id=${github.app.id}`, { token });
  expect(listed.body).toMatchObject({ check_runs: [{ id: made.id, external_id: 'head-1' }] });
  const told = ['check_run.created', 'check_run.completed', 'check_suite.completed'];
  expect((await heard()).map(({ name }) => name)).toEqual(told);
  const again = await ask(github, `PATCH ${R}/check-runs/${made.id}`, { token, body: { status: 'in_progress' } });
  expect(again.body).toMatchObject({ status: 'in_progress', conclusion: null, completed_at: null });
  const run = github.state.repositories.get([...github.state.repositories.keys()][0] ?? 0)?.checkRuns.get(made.id);
  if (run === undefined) throw new Error('It was kept.');
  await github.people.pressAction('octo/shop', run, 'open_fix', 'ada');
  const suite = { id: run.suiteId };
  expect(await heard()).toMatchObject([
    {
      name: 'check_run.requested_action',
      payload: {
        requested_action: { identifier: 'open_fix' },
        sender: { login: 'ada' },
        check_run: { check_suite: suite },
      },
    },
  ]);
});

describe('commit statuses', () => {
  test('are set by whoever may, several of a context, of which the last counts', async () => {
    const { github: double, heard } = await listeningDouble();
    await using github = double;
    github.app.permissions = { ...github.app.permissions, statuses: 'write' };
    const { sha, token } = await shop(github);
    await heard();
    const set = (state: string, context?: string) =>
      ask(github, `POST ${R}/statuses/${sha}`, {
        token,
        body: { state, ...(context === undefined ? {} : { context }) },
      });
    const combined = async () => (await ask(github, `GET ${R}/commits/${sha}/status`, { token })).body;
    expect(await combined()).toMatchObject({ state: 'pending', statuses: [] });
    expect((await set('failure', 'ci/build')).status).toBe(201);
    await set('pending', 'ci/build');
    await set('success');
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 2 });
    await github.people.reportStatus('octo/shop', { sha, state: 'success', context: 'ci/build', by: 'jenkins' });
    expect(await combined()).toMatchObject({ state: 'success', total_count: 2 });
    expect((await ask(github, `GET ${R}/commits/${sha}/statuses`, { token })).body).toHaveLength(4);
    const told = await heard('status');
    expect(told.map(({ payload }) => payload.state)).toEqual(['failure', 'pending', 'success', 'success']);
    expect(told[0]?.payload).toMatchObject({ sha, context: 'ci/build', branches: [{ name: 'main' }] });
    expect(
      (await ask(github, `POST ${R}/statuses/${'0'.repeat(40)}`, { token, body: { state: 'error' } })).status,
    ).toBe(422);
  });
});

test('what is told of checks, reviews and queues has every part that GitHub publishes of it', async () => {
  const { github: double, heard } = await listeningDouble();
  await using github = double;
  const { app, people } = github;
  app.events = [...app.events, 'workflow_run', 'merge_group', 'pull_request_review_comment'];
  app.permissions = { ...app.permissions, merge_queues: 'read' };
  await shop(github);
  const sha = await people.push('octo/shop', {
    by: 'ada',
    branch: 'fix',
    files: { 'src/tax.ts': 'export const tax = 0;\n' },
  });
  const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Fix', head: 'fix' });
  await people.reportWorkflowRun('octo/shop', { sha, jobs: [{ name: 'test', conclusion: 'failure' }] });
  await people.reportStatus('octo/shop', { sha, state: 'failure', context: 'ci' });
  const remarks = [{ path: 'src/tax.ts', line: 1, body: 'Why?' }];
  await people.review('octo/shop', number, { by: 'ada', state: 'COMMENTED', body: 'Hm', remarks });
  await people.enqueue('octo/shop', number, 'ada');
  const told = new Map((await heard()).map(({ name, payload }) => [name, payload]));
  const parts = {
    'check_suite.completed': 'check_suite',
    'check_run.completed': 'check_run',
    'workflow_run.completed': 'workflow_run',
    'pull_request_review.submitted': 'review',
    'pull_request_review_comment.created': 'comment',
    'merge_group.checks_requested': 'merge_group',
    status: null,
  };
  for (const [name, part] of Object.entries(parts)) {
    const example = publishedExamples().find((one) => one.name === name)?.payload as Record<string, object> | undefined;
    const wanted = part === null ? example : example?.[part];
    const got = part === null ? told.get(name) : told.get(name)?.[part];
    const without = ['organization', 'installation', 'cancel_url'];
    const missing = Object.keys(wanted ?? {}).filter((key) => !(key in (got ?? {})) && !without.includes(key));
    expect({ name, missing, known: wanted !== undefined }).toEqual({ name, missing: [], known: true });
  }
});
