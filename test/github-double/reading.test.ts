// What the double's API gives to read is as GitHub's own description says: disposal fails where it is not.
import { describe, expect, test } from 'vitest';
import { appJwt, ask } from './ask.ts';
import { type Shop, shop } from './shop.ts';
import { startGithubDouble } from './start.ts';

async function statuses({ github, token }: Shop, lines: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const line of lines) found[line] = (await ask(github, line, { token })).status;
  return found;
}

function expectAll(found: Record<string, number>, status: number): void {
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((line) => [line, status])));
}

describe('what can be read', () => {
  test('of a repository, its content and its history', async () => {
    await using github = await startGithubDouble();
    const at = await shop(github);
    const r = '/repos/octo/shop';
    const tree = (await ask(github, `GET ${r}/git/commits/${at.sha}`, { token: at.token })).body as {
      tree: { sha: string };
    };
    expectAll(
      await statuses(at, [
        `GET ${r}`,
        `GET ${r}/contents/src/price.ts`,
        `GET ${r}/contents/src?ref=main`,
        `GET ${r}/contents/README.md?ref=${at.sha}`,
        `GET ${r}/branches`,
        `GET ${r}/branches/main`,
        `GET ${r}/commits`,
        `GET ${r}/commits/main`,
        `GET ${r}/commits/${at.sha}/pulls`,
        `GET ${r}/compare/${at.sha}~1...main`,
        `GET ${r}/git/trees/main?recursive=1`,
        `GET ${r}/git/trees/${tree.tree.sha}`,
        `GET ${r}/git/ref/heads/main`,
        `GET ${r}/git/matching-refs/heads/`,
        `GET ${r}/labels`,
        `GET ${r}/collaborators/ada/permission`,
        'GET /users/ada',
        `GET /user/${github.people.user('ada').id}`,
        'GET /installation/repositories',
        'GET /rate_limit',
      ]),
      200,
    );
  });

  test('of issues, pull requests and checks', async () => {
    await using github = await startGithubDouble();
    const at = await shop(github);
    const { people } = github;
    const issue = people.openIssue('octo/shop', {
      by: 'ada',
      title: 'Price is wrong',
      body: 'It is.',
      labels: ['bug'],
    });
    const comment = people.comment('octo/shop', issue.number, { by: 'ada', body: 'Still' });
    people.react(comment, 'eyes', 'ada');
    await people.push('octo/shop', {
      by: 'ada',
      branch: 'fix',
      files: { 'src/price.ts': 'export const price = 2;\n' },
    });
    const pull = await people.openPull('octo/shop', {
      by: 'ada',
      title: 'Fix',
      body: `Fixes #${issue.number}`,
      head: 'fix',
    });
    const head = pull.pull?.headSha ?? '';
    const check = await people.reportCheck('octo/shop', {
      sha: head,
      name: 'test',
      conclusion: 'failure',
      annotations: [{ path: 'src/price.ts', startLine: 1, message: 'wrong' }],
    });
    await people.reportStatus('octo/shop', { sha: head, state: 'failure', context: 'ci/lint' });
    const run = await people.reportWorkflowRun('octo/shop', {
      sha: head,
      jobs: [{ name: 'build', conclusion: 'failure', failedStep: 'Build', log: 'Error: no\n' }],
    });
    const r = '/repos/octo/shop';
    expectAll(
      await statuses(at, [
        `GET ${r}/issues?state=all`,
        `GET ${r}/issues/${issue.number}`,
        `GET ${r}/issues/${pull.number}`,
        `GET ${r}/issues/${issue.number}/comments`,
        `GET ${r}/issues/comments/${comment.id}`,
        `GET ${r}/issues/comments/${comment.id}/reactions`,
        `GET ${r}/issues/${issue.number}/reactions`,
        `GET ${r}/pulls?head=octo:fix`,
        `GET ${r}/pulls/${pull.number}`,
        `GET ${r}/pulls/${pull.number}/files`,
        `GET ${r}/pulls/${pull.number}/commits`,
        `GET ${r}/commits/${head}/pulls`,
        `GET ${r}/commits/${head}/check-runs`,
        `GET ${r}/commits/${head}/check-suites`,
        `GET ${r}/commits/${head}/status`,
        `GET ${r}/commits/${head}/statuses`,
        `GET ${r}/check-runs/${check.id}`,
        `GET ${r}/check-runs/${check.id}/annotations`,
        `GET ${r}/actions/runs/${run.id}`,
        `GET ${r}/actions/runs/${run.id}/jobs`,
        `GET ${r}/actions/jobs/${run.attempts[0]?.[0]?.id}`,
      ]),
      200,
    );
    const log = await ask(github, `GET ${r}/actions/jobs/${run.attempts[0]?.[0]?.id}/logs`, { token: at.token });
    expect(log.status).toBe(302);
    expect(await (await fetch(log.headers.get('location') ?? '')).text()).toBe('Error: no\n');
  });

  test('by the App about itself', async () => {
    await using github = await startGithubDouble();
    await shop(github);
    const token = appJwt(github);
    const id = [...github.state.installations.keys()][0];
    const lines = ['GET /app', 'GET /app/installations', `GET /app/installations/${id}`, 'GET /app/hook/deliveries'];
    for (const line of lines) expect(await ask(github, line, { token })).toMatchObject({ status: 200 });
  });
});
