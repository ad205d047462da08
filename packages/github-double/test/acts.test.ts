// What Apps look at to know who has acted: workflows and their states, what rulesets require, runs that were held or cancelled, and timelines.
import { expect, test } from 'vitest';
import { ask, installationToken } from './ask.ts';
import { openDouble } from './shop.ts';

const CI = 'name: CI\non: push\njobs:\n  test: { runs-on: ubuntu-latest }\n';
const APP = {
  app: {
    slug: 'shop-bot',
    permissions: { actions: 'write', checks: 'read', contents: 'read', issues: 'read', pull_requests: 'read' },
  },
} as const;

test('shows which workflows are disabled, which are required, which runs were held, and who did what', async () => {
  await using github = await openDouble(APP);
  const { people } = github;
  people.organization('octo', { owners: ['ada', 'bea'] });
  const repository = await people.openRepository('octo/shop');
  const token = await installationToken(github, people.install('octo'), { repository_ids: [repository.id] });
  const files = { '.github/workflows/ci.yml': CI, '.github/workflows/old.yml': CI.replace('CI', 'Old') };
  const sha = await people.push('octo/shop', { by: 'ada', files });
  repository.disabledWorkflows.set('.github/workflows/old.yml', 'disabled_manually');
  repository.requiredWorkflows.push({ branch: 'main', repositoryId: 7, path: '.github/workflows/policy.yml' });
  const see = async (path: string) => (await ask(github, `GET /repos/octo/shop${path}`, { token })).body;
  expect(await see('/actions/workflows')).toMatchObject({
    workflows: [
      { path: '.github/workflows/ci.yml', state: 'active' },
      { path: '.github/workflows/old.yml', state: 'disabled_manually' },
    ],
  });
  const rule = { type: 'workflows', parameters: { workflows: [{ repository_id: 7 }] } };
  expect([await see('/rules/branches/main'), await see('/rules/branches/next')]).toMatchObject([[rule], []]);

  const run = await people.startRun('octo/shop', { sha, jobs: ['test', 'lint'] });
  run.heldAttempts.add(1);
  await people.finishJob('octo/shop', run, 'lint', { conclusion: 'success' });
  const cancel = () => ask(github, `POST /repos/octo/shop/actions/runs/${run.id}/cancel`, { token });
  expect([(await cancel()).status, (await cancel()).status]).toEqual([202, 409]);
  expect([run.status, run.conclusion]).toEqual(['completed', 'cancelled']);
  await people.rerun('octo/shop', run, { by: 'ada', jobs: 'all' });
  expect(await see(`/actions/runs/${run.id}/attempts/1`)).toMatchObject({ conclusion: 'action_required' });
  expect(await see(`/actions/runs/${run.id}`)).toMatchObject({ run_attempt: 2, conclusion: null });

  await people.push('octo/shop', { by: 'ada', branch: 'next', files: { 'next.md': 'Next\n' } });
  const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Next', head: 'next' });
  people.otherApp('labeller');
  people.comment('octo/shop', number, { by: 'ada', body: 'Thanks' });
  people.label('octo/shop', number, 'ready', 'labeller[bot]');
  await people.review('octo/shop', number, { by: 'bea', state: 'APPROVED', body: 'Good' });
  expect(await see(`/issues/${number}/timeline`)).toMatchObject([
    { event: 'commented', actor: { login: 'ada' } },
    { event: 'labeled', actor: { login: 'labeller[bot]', type: 'Bot' }, label: { name: 'ready' } },
    { event: 'reviewed', user: { login: 'bea' } },
  ]);
});
