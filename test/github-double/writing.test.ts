// What is written through the double's API stands there afterwards, and is answered as GitHub describes it.
import { describe, expect, test } from 'vitest';
import { ask, askGraphql } from './ask.ts';
import { shop } from './shop.ts';
import { startGithubDouble } from './start.ts';

describe('what can be written', () => {
  test('comments, reactions and labels', async () => {
    await using github = await startGithubDouble();
    const { token } = await shop(github);
    const issue = github.people.openIssue('octo/shop', { by: 'ada', title: 'Price is wrong' });
    const at = `/repos/octo/shop/issues/${issue.number}`;
    const made = await ask(github, `POST ${at}/comments`, { token, body: { body: 'Looking' } });
    const { id } = made.body as { id: number };
    expect(made).toMatchObject({
      status: 201,
      body: { user: { login: 'causeway[bot]' }, performed_via_github_app: { slug: 'causeway' } },
    });
    const one = `/repos/octo/shop/issues/comments/${id}`;
    expect(await ask(github, `PATCH ${one}`, { token, body: { body: 'Found' } })).toMatchObject({
      status: 200,
      body: { body: 'Found' },
    });
    expect((await ask(github, `POST ${at}/reactions`, { token, body: { content: 'eyes' } })).status).toBe(201);
    expect((await ask(github, `POST ${at}/reactions`, { token, body: { content: 'eyes' } })).status).toBe(200);
    expect((await ask(github, `POST ${at}/labels`, { token, body: { labels: ['analysed'] } })).status).toBe(200);
    expect((await ask(github, `DELETE ${one}`, { token })).status).toBe(204);
    expect((await ask(github, `GET ${one}`, { token })).status).toBe(404);
    expect(issue.labels).toEqual(['analysed']);
  });

  test('a branch, a commit, a pull request and its reviewers', async () => {
    await using github = await startGithubDouble();
    const { token, sha } = await shop(github);
    github.people.grant('octo/shop', 'eve', 'write');
    const r = '/repos/octo/shop';
    expect(
      (await ask(github, `POST ${r}/git/refs`, { token, body: { ref: 'refs/heads/causeway/1', sha } })).status,
    ).toBe(201);
    const committed = await askGraphql(
      github,
      token,
      'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }',
      {
        input: {
          branch: { repositoryNameWithOwner: 'octo/shop', branchName: 'causeway/1' },
          expectedHeadOid: sha,
          message: { headline: 'Correct the price' },
          fileChanges: {
            additions: [
              { path: 'src/price.ts', contents: Buffer.from('export const price = 3;\n').toString('base64') },
            ],
          },
        },
      },
    );
    const { oid } = (committed.body as { data: { createCommitOnBranch: { commit: { oid: string } } } }).data
      .createCommitOnBranch.commit;
    expect(await ask(github, `GET ${r}/commits/${oid}`, { token })).toMatchObject({
      status: 200,
      body: {
        author: { login: 'causeway[bot]' },
        commit: { verification: { verified: true } },
        stats: { additions: 1 },
      },
    });
    const body = { title: 'Correct the price', head: 'causeway/1', base: 'main', draft: true };
    const opened = await ask(github, `POST ${r}/pulls`, { token, body });
    const { number } = opened.body as { number: number };
    expect(opened).toMatchObject({ status: 201, body: { draft: true, changed_files: 1, user: { type: 'Bot' } } });
    expect(await ask(github, `POST ${r}/pulls`, { token, body })).toMatchObject({
      status: 422,
      body: { errors: [{ message: 'A pull request already exists for octo:causeway/1.' }] },
    });
    const asked = await ask(github, `POST ${r}/pulls/${number}/requested_reviewers`, {
      token,
      body: { reviewers: ['eve'] },
    });
    expect(asked).toMatchObject({ status: 201, body: { requested_reviewers: [{ login: 'eve' }] } });
    expect((await ask(github, `PATCH ${r}/pulls/${number}`, { token, body: { state: 'closed' } })).status).toBe(200);
    expect((await ask(github, `DELETE ${r}/git/refs/heads/causeway/1`, { token })).status).toBe(204);
  });

  test('blobs, trees, commits and refs of git itself', async () => {
    await using github = await startGithubDouble();
    const { token, sha } = await shop(github);
    const r = '/repos/octo/shop/git';
    const blob = await ask(github, `POST ${r}/blobs`, { token, body: { content: '#!/bin/sh\n', encoding: 'utf-8' } });
    const entry = { path: 'run.sh', mode: '100755', type: 'blob', sha: (blob.body as { sha: string }).sha };
    const tree = await ask(github, `POST ${r}/trees`, { token, body: { base_tree: sha, tree: [entry] } });
    const commit = { message: 'Add a script', tree: (tree.body as { sha: string }).sha, parents: [sha] };
    const made = await ask(github, `POST ${r}/commits`, { token, body: commit });
    expect([blob.status, tree.status, made.status]).toEqual([201, 201, 201]);
    const moved = await ask(github, `PATCH ${r}/refs/heads/main`, {
      token,
      body: { sha: (made.body as { sha: string }).sha },
    });
    expect(moved.status).toBe(200);
    const back = await ask(github, `PATCH ${r}/refs/heads/main`, { token, body: { sha } });
    expect(back).toMatchObject({ status: 422, body: { message: 'Update is not a fast forward' } });
  });

  test('a check run with annotations, which others may not change', async () => {
    await using github = await startGithubDouble();
    const { token, sha } = await shop(github);
    const annotation = {
      path: 'src/price.ts',
      start_line: 1,
      end_line: 1,
      annotation_level: 'warning',
      message: 'here',
    };
    const output = { title: 'Root cause', summary: 'It is here', annotations: [annotation] };
    const body = { name: 'causeway', head_sha: sha, status: 'completed', conclusion: 'neutral', output };
    const made = await ask(github, 'POST /repos/octo/shop/check-runs', { token, body });
    expect(made).toMatchObject({ status: 201, body: { conclusion: 'neutral', output: { annotations_count: 1 } } });
    const other = await github.people.reportCheck('octo/shop', { sha, name: 'test' });
    const changed = await ask(github, `PATCH /repos/octo/shop/check-runs/${other.id}`, {
      token,
      body: { conclusion: 'success' },
    });
    expect(changed.status).toBe(403);
  });
});
