// A job that is run again takes with it what depends on it, as on GitHub: each once what it needs has ended.
import type { ActionsRun, GithubDouble } from 'causeway-github-double';
import { expect, test } from 'vitest';
import { ask, installationToken } from './ask.ts';
import { openDouble } from './shop.ts';

const CI = [
  'on: push',
  'jobs:',
  '  test: { runs-on: ubuntu-latest, strategy: { matrix: { node: [20, 22] } } }',
  '  lint: { runs-on: ubuntu-latest }',
  '  deploy: { name: Deploy, needs: [test, lint], runs-on: ubuntu-latest }',
  '  tell: { needs: deploy, if: "${{ always() }}", runs-on: ubuntu-latest }',
  '',
].join('\n');

async function openRun(github: GithubDouble) {
  const { people } = github;
  people.user('ada');
  people.organization('octo', { owners: ['ada'] });
  const repository = await people.openRepository('octo/shop');
  const installation = people.install('octo');
  const sha = await people.push('octo/shop', { by: 'ada', files: { '.github/workflows/ci.yml': CI } });
  const token = await installationToken(github, installation, { repository_ids: [repository.id] });
  const run = await people.reportWorkflowRun('octo/shop', {
    sha,
    jobs: [
      { name: 'test (20)', conclusion: 'success' },
      { name: 'test (22)', conclusion: 'failure' },
      { name: 'lint', conclusion: 'success' },
      { name: 'Deploy', conclusion: 'skipped' },
    ],
  });
  return { run, token, repository: 'octo/shop' };
}

const listJobs = ({ attempts }: ActionsRun) =>
  (attempts.at(-1) ?? []).map(({ name, conclusion, attempt }) => `${name}: ${conclusion ?? 'runs'} in ${attempt}`);

const APP = {
  app: { slug: 'shop-bot', permissions: { actions: 'write', checks: 'write', contents: 'read' } },
} as const;

test('what needs it runs after it, and the run goes on until then', async () => {
  await using github = await openDouble(APP);
  const { run, token } = await openRun(github);
  const failed = run.attempts[0]?.find(({ name }) => name === 'test (22)');
  const again = { token, body: {} };
  expect((await ask(github, `POST /repos/octo/shop/actions/jobs/${failed?.id}/rerun`, again)).status).toBe(201);
  expect(listJobs(run)).toEqual(['test (20): success in 1', 'lint: success in 1', 'test (22): runs in 2']);
  expect((await ask(github, `POST /repos/octo/shop/actions/runs/${run.id}/rerun-failed-jobs`, again)).status).toBe(403);
  await github.people.finishJob('octo/shop', run, 'test (22)', { conclusion: 'success' });
  expect([run.status, ...listJobs(run).slice(3)]).toEqual(['in_progress', 'Deploy: runs in 2']);
  await github.people.finishJob('octo/shop', run, 'Deploy', { conclusion: 'failure' });
  await github.people.finishJob('octo/shop', run, 'tell', { conclusion: 'success' });
  expect([run.status, run.conclusion]).toEqual(['completed', 'failure']);
});

test('what needs it is skipped where it fails again, but for what always runs; failed jobs run together', async () => {
  await using github = await openDouble(APP);
  const { run, token } = await openRun(github);
  const again = { token, body: {} };
  expect((await ask(github, `POST /repos/octo/shop/actions/runs/${run.id}/rerun-failed-jobs`, again)).status).toBe(201);
  await github.people.finishJob('octo/shop', run, 'test (22)', { conclusion: 'failure' });
  expect(listJobs(run).slice(3)).toEqual(['Deploy: skipped in 2', 'tell: runs in 2']);
  await github.people.finishJob('octo/shop', run, 'tell', { conclusion: 'success' });
  expect(run.status).toBe('completed');
});
