// Closed issues and what closed them: with a token by one query a page, without one by a list of issues alone.
import { validateExchange } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { type ClosedIssue, createReadingToken, readClosedIssues } from '../../src/github/closed-issues.ts';
import { APP_KEY } from '../support/new-key.ts';
import { patience } from '../support/patience.ts';
import { type Route, startGithubApi } from './clients/github-api.ts';

const SHA = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
const NAME = { owner: 'octo', repo: 'shop' };
const options = (apiUrl: string, token: string | null) => ({
  ...{ token, apiUrl, webUrl: 'https://github.com', userAgent: 'causeway-test' },
});

async function readAll(routes: Record<string, Route>, token: string | null) {
  await using github = await startGithubApi(routes);
  const found: ClosedIssue[] = [];
  for await (const page of readClosedIssues(options(github.url, token), NAME, patience())) {
    found.push(...page);
  }
  return { found, asked: github.asked };
}

const node = (number: number, closer: object | null, stateReason = 'COMPLETED') => ({
  ...{ number, title: `Issue ${number}`, body: 'It breaks', stateReason },
  timelineItems: { nodes: [{ closer }] },
});

describe('the closed issues of a repository', () => {
  it('come with the commit or the merge that closed each, page by page, without those that were not solved', async () => {
    const pages = [
      [
        node(9, { __typename: 'PullRequest', number: 12, mergeCommit: { oid: SHA }, commits: { totalCount: 3 } }),
        node(8, { __typename: 'Commit', oid: SHA }),
        node(7, null, 'NOT_PLANNED'),
      ],
      [
        node(6, null),
        node(5, { __typename: 'ProjectV2' }),
        node(4, { __typename: 'PullRequest', number: 11, mergeCommit: null, commits: { totalCount: 1 } }),
      ],
    ];
    const { found, asked } = await readAll(
      {
        'POST /graphql': ({ body }) => {
          const { variables } = body as { variables: { after: string | null } };
          const at = variables.after === null ? 0 : 1;
          const pageInfo = { hasNextPage: at === 0, endCursor: 'next' };
          return { body: { data: { repository: { issues: { pageInfo, nodes: pages[at] } } } } };
        },
      },
      'secret-token',
    );
    expect(found.map(({ number, closer }) => [number, closer])).toEqual([
      [9, { sha: SHA, pullRequest: 12, commits: 3 }],
      [8, { sha: SHA, pullRequest: null, commits: 1 }],
      [6, null],
      [5, null],
      [4, null],
    ]);
    expect(asked.map(({ authorization }) => authorization)).toEqual(['token secret-token', 'token secret-token']);
    const call = { method: 'POST', path: '/graphql', query: {}, requestBody: asked[0]!.body };
    expect(validateExchange({ ...call, status: 200, responseBody: { data: {} } })).toEqual([]);
  });

  it('come without a token as a list, in which pull requests are no issues', async () => {
    const issue = { title: 'Issue', body: null, state_reason: 'completed' };
    const { found, asked } = await readAll(
      {
        'GET /repos/octo/shop/issues': () => ({
          body: [
            { ...issue, number: 9 },
            { ...issue, number: 8, pull_request: {} },
            { ...issue, number: 7, state_reason: 'not_planned' },
          ],
        }),
      },
      null,
    );
    expect(found).toEqual([{ number: 9, title: 'Issue', body: '', closer: null }]);
    expect(asked.map(({ path }) => path)).toEqual(['/repos/octo/shop/issues?state=closed&per_page=100&page=1']);
  });
});

describe('a token of the App', () => {
  const key = { appId: 7, privateKey: APP_KEY };

  it('reads only, and only this repository', async () => {
    await using github = await startGithubApi({
      'GET /repos/octo/shop/installation': () => ({ body: { id: 77 } }),
      'POST /app/installations/77/access_tokens': () => ({
        status: 201,
        body: {
          token: 'ghs_reading',
          expires_at: '2099-01-01T00:00:00Z',
          permissions: {},
          repository_selection: 'selected',
        },
      }),
    });
    const token = await createReadingToken(key, options(github.url, null), NAME, patience());
    expect([token, github.asked.at(-1)?.body]).toEqual([
      'ghs_reading',
      {
        repositories: ['shop'],
        permissions: { metadata: 'read', contents: 'read', issues: 'read', pull_requests: 'read' },
      },
    ]);
  });

  it('is none where the App is not installed', async () => {
    await using github = await startGithubApi({});
    expect(await createReadingToken(key, options(github.url, null), NAME, patience())).toBeNull();
  });
});
