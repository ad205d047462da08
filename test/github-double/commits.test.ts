// Commits through the double's GraphQL and Git APIs: only on the head that was seen, and never into workflows.
import { describe, expect, test } from 'vitest';
import { ask, askGraphql } from './ask.ts';
import { type Shop, shop } from './shop.ts';
import { startGithubDouble } from './start.ts';

const COMMIT =
  'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';

function commit(
  { github, token, sha }: Shop,
  more: { path?: string; text?: string; expected?: string; deletions?: object[] } = {},
) {
  const additions = [
    {
      path: more.path ?? 'src/price.ts',
      contents: Buffer.from(more.text ?? 'export const price = 2;\n').toString('base64'),
    },
  ];
  const input = {
    branch: { repositoryNameWithOwner: 'octo/shop', branchName: 'main' },
    expectedHeadOid: more.expected ?? sha,
    message: { headline: 'Correct the price', body: 'It was wrong.' },
    fileChanges: { additions, deletions: more.deletions ?? [] },
  };
  return askGraphql(github, token, COMMIT, { input });
}

async function head({ github, token }: Shop): Promise<string> {
  const { body } = await ask(github, 'GET /repos/octo/shop/git/ref/heads/main', { token });
  return (body as { object: { sha: string } }).object.sha;
}

describe('createCommitOnBranch', () => {
  test('writes and deletes in one commit of the bot, signed by GitHub', async () => {
    await using github = await startGithubDouble();
    const at = await shop(github);
    expect(await commit(at, { deletions: [{ path: 'src/tax.ts' }] })).toMatchObject({
      status: 200,
      body: { data: {} },
    });
    const made = await ask(github, 'GET /repos/octo/shop/commits/main', { token: at.token });
    expect(made.body).toMatchObject({
      author: { login: 'causeway[bot]' },
      commit: {
        message: 'Correct the price\n\nIt was wrong.',
        committer: { name: 'GitHub' },
        verification: { verified: true },
      },
      parents: [{ sha: at.sha }],
      files: [
        {
          filename: 'src/price.ts',
          status: 'modified',
          patch: '@@ -1 +1 @@\n-export const price = 1;\n+export const price = 2;',
        },
        { filename: 'src/tax.ts', status: 'removed' },
      ],
    });
  });

  test('is refused with STALE_DATA where the branch has moved, and of two at once one is', async () => {
    await using github = await startGithubDouble();
    const at = await shop(github);
    const newer = await github.people.push('octo/shop', { by: 'ada', files: { 'a.txt': 'a' } });
    expect(await commit(at)).toMatchObject({ body: { errors: [{ type: 'STALE_DATA' }] } });
    expect(await head(at)).toBe(newer);
    const both = await Promise.all([
      commit(at, { expected: newer, text: '1' }),
      commit(at, { expected: newer, text: '2' }),
    ]);
    const refused = both.filter((one) => 'errors' in (one.body as object));
    expect(refused).toMatchObject([{ body: { errors: [{ type: 'STALE_DATA' }] } }]);
  });

  test('is refused for workflows, for files that are not there, and without the permission', async () => {
    await using github = await startGithubDouble();
    const at = await shop(github);
    expect(await commit(at, { path: '.github/workflows/ci.yml' })).toMatchObject({
      body: { errors: [{ type: 'FORBIDDEN' }] },
    });
    const absent = await commit(at, { deletions: [{ path: 'nowhere.ts' }] });
    expect(absent.body).toMatchObject({
      data: { createCommitOnBranch: null },
      errors: [{ path: ['createCommitOnBranch'] }],
    });
    github.people.acceptPermissions(at.installation, { ...github.app.permissions, contents: 'read' }, 'ada');
    expect(await commit(at)).toMatchObject({ body: { errors: [{ type: 'FORBIDDEN' }] } });
    expect(await head(at)).toBe(at.sha);
  });
});

test('workflows do not come in by a ref of git either', async () => {
  await using github = await startGithubDouble();
  const at = await shop(github);
  const { token } = at;
  const entry = { path: '.github/workflows/ci.yml', mode: '100644', type: 'blob', content: 'on: push\n' };
  const body = { base_tree: at.sha, tree: [entry] };
  expect((await ask(github, 'POST /repos/octo/shop/git/trees', { token, body })).status).toBe(403);
  // A person may; the App may not even put a branch on what they made.
  const ada = github.people.userToken('ada');
  const tree = (await ask(github, 'POST /repos/octo/shop/git/trees', { token: ada, body })).body as { sha: string };
  const commit = { message: 'Add a workflow', tree: tree.sha, parents: [at.sha] };
  const made = (await ask(github, 'POST /repos/octo/shop/git/commits', { token: ada, body: commit })).body as {
    sha: string;
  };
  const ref = { ref: 'refs/heads/sly', sha: made.sha };
  expect((await ask(github, 'POST /repos/octo/shop/git/refs', { token, body: ref })).status).toBe(403);
  expect((await ask(github, 'POST /repos/octo/shop/git/refs', { token: ada, body: ref })).status).toBe(201);
});

test('a pull request turns into a draft and back, an issue knows who closes it, a comment is minimised', async () => {
  await using github = await startGithubDouble();
  const { token } = await shop(github);
  const { people } = github;
  const issue = people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  const comment = people.comment('octo/shop', issue.number, { by: 'ada', body: 'Old' });
  people.editComment('octo/shop', comment.id, { by: 'ada', body: 'New' });
  await people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.txt': 'a' } });
  const pull = await people.openPull('octo/shop', { by: 'ada', title: 'Fix', body: 'Fixes #1', head: 'fix' });
  const { node_id: id } = (await ask(github, `GET /repos/octo/shop/pulls/${pull.number}`, { token })).body as {
    node_id: string;
  };
  const input = { id };
  const draft =
    'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
  expect(await askGraphql(github, token, draft, input)).toMatchObject({
    body: { data: { convertPullRequestToDraft: { pullRequest: { isDraft: true } } } },
  });
  const ready =
    'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
  await askGraphql(github, token, ready, input);
  expect(pull.pull?.isDraft).toBe(false);
  const query = `query ($number: Int!) { repository(owner: "octo", name: "shop") { issue(number: $number) {
    closedByPullRequestsReferences(first: 20) { nodes { number state headRefName author { __typename login } } }
    comments(first: 5) { nodes { id lastEditedAt editor { login } userContentEdits(first: 5) { nodes { diff } } } }
  } } }`;
  const { body } = await askGraphql(github, token, query, { number: issue.number });
  expect(body).toMatchObject({
    data: {
      repository: {
        issue: {
          closedByPullRequestsReferences: {
            nodes: [
              { number: pull.number, state: 'OPEN', headRefName: 'fix', author: { __typename: 'User', login: 'ada' } },
            ],
          },
          comments: {
            nodes: [{ editor: { login: 'ada' }, userContentEdits: { nodes: [{ diff: 'New' }, { diff: 'Old' }] } }],
          },
        },
      },
    },
  });
  const subject = (body as { data: { repository: { issue: { comments: { nodes: { id: string }[] } } } } }).data
    .repository.issue.comments.nodes[0]?.id;
  const minimise =
    'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { minimizedComment { isMinimized minimizedReason } } }';
  expect(await askGraphql(github, token, minimise, { id: subject })).toMatchObject({
    body: { data: { minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: 'resolved' } } } },
  });
  const lost = await askGraphql(github, token, '{ repository(owner: "octo", name: "gone") { id } }');
  expect(lost.body).toMatchObject({
    data: { repository: null },
    errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
  });
});
