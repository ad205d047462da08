// A merged pull request is taken back as git does it: a branch and a pull request of its own, or a refusal.
import type { AppPermissions } from 'causeway-github-double';
import { expect, test } from 'vitest';
import { ask, installationToken } from './ask.ts';
import { openDouble, shop } from './shop.ts';

const REVERT = `mutation ($input: RevertPullRequestInput!) {
  revertPullRequest(input: $input) {
    pullRequest { number }
    revertPullRequest { number isDraft headRefName headRefOid baseRefName title body author { login } }
  }
}`;

/** A shop in which a pull request with two commits to two files was merged. */
async function mergedShop(how: 'merge' | 'squash' | 'rebase') {
  const github = await openDouble();
  const opened = await shop(github);
  const { people } = github;
  const change = { by: 'ada', branch: 'cheaper' };
  await people.push('octo/shop', { ...change, files: { 'src/price.ts': 'export const price = 2;\n' } });
  await people.push('octo/shop', { ...change, files: { 'src/tax.ts': 'export const tax = 0.3;\n' } });
  const pull = await people.openPull('octo/shop', { by: 'ada', title: 'Cheaper', head: 'cheaper' });
  await people.push('octo/shop', { by: 'ada', files: { 'NOTES.md': 'meanwhile\n' } });
  const sha = await people.merge('octo/shop', pull.number, 'ada', how);
  await people.push('octo/shop', { by: 'ada', files: { 'LATER.md': 'later\n' } });
  const { body } = await ask(github, `GET /repos/octo/shop/pulls/${pull.number}`, opened);
  const nodeId = (body as { node_id: string }).node_id;
  const revert = async (input: object = {}, token = opened.token) =>
    (
      await ask(github, 'POST /graphql', {
        token,
        body: { query: REVERT, variables: { input: { pullRequestId: nodeId, ...input } } },
      })
    ).body as { data?: { revertPullRequest: Reverted | null }; errors?: { type: string; message: string }[] };
  return { ...opened, pull, sha, revert };
}

const LACKING: readonly AppPermissions[] = [
  { contents: 'write', pull_requests: 'read' },
  { contents: 'read', pull_requests: 'write' },
];

interface Reverted {
  readonly pullRequest: { readonly number: number };
  readonly revertPullRequest: Readonly<Record<string, unknown>> & { readonly headRefOid: string };
}

test.each(['merge', 'squash', 'rebase'] as const)(
  'all of a %s is taken back by one commit, and nothing else',
  async (how) => {
    const { github, pull, sha, revert, token } = await mergedShop(how);
    await using _ = github;
    const listed = await ask(github, `GET /repos/octo/shop/commits/${sha}/pulls`, { token });
    expect((listed.body as { number: number }[]).map(({ number }) => number)).toEqual([pull.number]);
    const { data } = await revert({ draft: true, title: 'Back', body: 'Why' });
    const made = data?.revertPullRequest?.revertPullRequest;
    expect(data?.revertPullRequest?.pullRequest.number).toBe(pull.number);
    expect(made).toMatchObject({ isDraft: true, title: 'Back', body: 'Why', baseRefName: 'main' });
    expect(made).toMatchObject({ headRefName: `revert-${pull.number}-cheaper`, author: { login: 'shop-bot' } });
    const head = String(made?.headRefOid);
    expect(await github.git('octo/shop', 'rev-parse', `${head}^`)).toBe(await github.tip('octo/shop'));
    expect((await github.git('octo/shop', 'diff', '--name-only', `${head}^`, head)).split('\n')).toEqual([
      ...['src/price.ts', 'src/tax.ts'],
    ]);
    expect(await github.git('octo/shop', 'show', `${head}:src/price.ts`)).toBe('export const price = 1;');
  },
);

test('a conflict, what is back already and what was not merged are refused, and leave no branch', async () => {
  const { github, revert, token } = await mergedShop('squash');
  await using _ = github;
  const { people } = github;
  await people.push('octo/shop', { by: 'ada', files: { 'src/price.ts': 'export const price = 3;\n' } });
  const { data, errors } = await revert({ draft: true });
  expect(data?.revertPullRequest).toBeNull();
  expect(errors).toMatchObject([{ type: 'UNPROCESSABLE', message: expect.stringMatching(/couldn.t be reverted/) }]);
  await people.push('octo/shop', {
    by: 'ada',
    files: { 'src/price.ts': 'export const price = 1;\n', 'src/tax.ts': 'export const tax = 0.2;\n' },
  });
  expect((await revert()).errors).toHaveLength(1);
  await people.push('octo/shop', { by: 'ada', branch: 'open', files: { 'A.md': 'a\n' } });
  const open = await people.openPull('octo/shop', { by: 'ada', title: 'Open', head: 'open' });
  const { body } = await ask(github, `GET /repos/octo/shop/pulls/${open.number}`, { token });
  expect((await revert({ pullRequestId: (body as { node_id: string }).node_id })).errors).toHaveLength(1);
  expect(await github.git('octo/shop', 'branch', '--list', 'revert-*')).toBe('');
});

test('it takes contents and pull requests to write, and a second one finds a free branch', async () => {
  const { github, installation, repository, revert } = await mergedShop('merge');
  await using _ = github;
  for (const permissions of LACKING) {
    const token = await installationToken(github, installation, { repository_ids: [repository.id], permissions });
    expect((await revert({}, token)).errors).toMatchObject([{ type: 'FORBIDDEN' }]);
  }
  const branches = [];
  for (let at = 0; at < 2; at += 1)
    branches.push((await revert()).data?.revertPullRequest?.revertPullRequest['headRefName']);
  expect(new Set(branches).size).toBe(2);
});
