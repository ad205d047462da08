// Reviews on the double: remarks at lines of the diff and no others, suggestions that people commit, and what is folded away.
import { describe, expect, test } from 'vitest';
import { type Asked, ask, askGraphql } from './ask.ts';
import type { GithubDouble } from './double.ts';
import { type Listener, listeningDouble } from './heard.ts';
import { type Shop, shop } from './shop.ts';

const R = '/repos/octo/shop';
const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
const MINIMISE = `mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) {
  minimizedComment { isMinimized minimizedReason } } }`;
const UNMINIMISE =
  'mutation ($id: ID!) { unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } } }';

interface Pulled extends Listener, Shop {
  readonly number: number;
  readonly head: string;
}

/** A pull request that changes lines 3 and 30 of forty. */
async function pulled(): Promise<Pulled> {
  const listener = await listeningDouble();
  const { people } = listener.github;
  const at = await shop(listener.github);
  await people.push('octo/shop', { by: 'ada', files: { 'a.txt': text() } });
  const head = await people.push('octo/shop', {
    by: 'ada',
    branch: 'fix',
    files: { 'a.txt': text({ 3: 'third', 30: 'thirtieth' }) },
  });
  const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Change', head: 'fix' });
  await listener.heard();
  return { ...listener, ...at, head, number };
}

function text(changed: Readonly<Record<number, string>> = {}): string {
  return `${LINES.map((line, at) => changed[at + 1] ?? line).join('\n')}\n`;
}

function review(at: Pulled, comments: readonly object[], more: object = {}): Promise<Asked> {
  const body = { event: 'COMMENT', body: 'See below', commit_id: at.head, comments, ...more };
  return ask(at.github, `POST ${R}/pulls/${at.number}/reviews`, { token: at.token, body });
}

const suggest = (lines: string) => `Rather so:\n\n\`\`\`suggestion\n${lines}\`\`\`\n`;

describe('a review', () => {
  test('stands at lines of the diff, on either side and over several, and is told', async () => {
    const at = await pulled();
    await using github = at.github;
    github.app.events = [...github.app.events];
    const made = await review(at, [
      { path: 'a.txt', line: 3, side: 'RIGHT', body: 'one line' },
      { path: 'a.txt', line: 3, side: 'LEFT', body: 'as it was' },
      { path: 'a.txt', start_line: 29, start_side: 'RIGHT', line: 31, side: 'RIGHT', body: 'several' },
    ]);
    expect(made).toMatchObject({ status: 200, body: { state: 'COMMENTED', commit_id: at.head } });
    const { id } = made.body as { id: number };
    const read = async (path: string) => (await ask(github, `GET ${R}/pulls/${path}`, { token: at.token })).body;
    expect(await read(`${at.number}/reviews`)).toMatchObject([{ id, body: 'See below', user: { type: 'Bot' } }]);
    expect(await read(`${at.number}/comments`)).toMatchObject([
      {
        path: 'a.txt',
        line: 3,
        side: 'RIGHT',
        start_line: null,
        diff_hunk: expect.stringMatching(/^@@ [\s\S]*\+third$/),
      },
      { line: 3, side: 'LEFT' },
      { line: 31, start_line: 29, pull_request_review_id: id },
    ]);
    expect(await read(`${at.number}/reviews/${id}/comments`)).toHaveLength(3);
    const [remark] = github.people.reviewComments('octo/shop', at.number);
    expect(await read(`comments/${remark?.id}`)).toMatchObject({ body: 'one line' });
    const [told] = await at.heard('pull_request_review');
    expect(told).toMatchObject({
      name: 'pull_request_review.submitted',
      payload: { review: { id, state: 'commented' } },
    });
    const edited = { token: at.token, body: { body: 'Otherwise' } };
    expect((await ask(github, `PUT ${R}/pulls/${at.number}/reviews/${id}`, edited)).body).toMatchObject({
      body: 'Otherwise',
    });
  });

  test.each([
    ['line', 'a line outside of every hunk', { path: 'a.txt', line: 15, side: 'RIGHT' }],
    ['line', 'a line that the file has not', { path: 'a.txt', line: 400, side: 'RIGHT' }],
    ['Path could not be resolved', 'a file that is not changed', { path: 'README.md', line: 1, side: 'RIGHT' }],
    ['same hunk', 'lines of two hunks', { path: 'a.txt', start_line: 3, start_side: 'RIGHT', line: 30, side: 'RIGHT' }],
    [
      'precede',
      'an end before its start',
      { path: 'a.txt', start_line: 4, start_side: 'RIGHT', line: 3, side: 'RIGHT' },
    ],
    ['precede', 'a range of one line', { path: 'a.txt', start_line: 3, start_side: 'RIGHT', line: 3, side: 'RIGHT' }],
  ])('is refused whole (%s) with %s', async (why, _what, comment) => {
    const at = await pulled();
    await using github = at.github;
    const good = { path: 'a.txt', line: 3, side: 'RIGHT', body: 'good' };
    const refused = await review(at, [good, { ...comment, body: 'bad' }]);
    expect(refused).toMatchObject({
      status: 422,
      body: { message: 'Unprocessable Entity', errors: [expect.stringContaining(why)] },
    });
    expect(github.people.reviews('octo/shop', at.number)).toEqual([]);
    expect(github.people.reviewComments('octo/shop', at.number)).toEqual([]);
  });

  test('of nothing, or at a commit that is not there, is refused; one without an event waits', async () => {
    const at = await pulled();
    await using github = at.github;
    expect((await review(at, [], { body: '' })).status).toBe(422);
    expect((await review(at, [], { commit_id: '0'.repeat(40) })).status).toBe(422);
    expect((await review(at, [], { event: undefined })).body).toMatchObject({ state: 'PENDING' });
    expect(await at.heard('pull_request_review')).toEqual([]);
    expect(github.people.reviews('octo/shop', at.number)).toHaveLength(1);
  });
});

describe('a suggestion', () => {
  async function contentOf(github: GithubDouble, token: string): Promise<string> {
    const { body } = await ask(github, `GET ${R}/contents/a.txt?ref=fix`, { token });
    return Buffer.from((body as { content: string }).content, 'base64').toString('utf8');
  }

  test('is committed by a person to the branch, several at once, and is outdated then', async () => {
    const at = await pulled();
    await using github = at.github;
    await review(at, [
      { path: 'a.txt', line: 3, side: 'RIGHT', body: suggest('3rd\nand a half\n') },
      { path: 'a.txt', start_line: 29, start_side: 'RIGHT', line: 30, side: 'RIGHT', body: suggest('30th\n') },
    ]);
    await at.heard();
    const comments = github.people.reviewComments('octo/shop', at.number);
    const sha = await github.people.commitSuggestion('octo/shop', comments, 'ada');
    const lines = text({ 3: '3rd\nand a half', 30: '30th' }).split('\n');
    expect(await contentOf(github, at.token)).toBe(lines.filter((line) => line !== 'line 29').join('\n'));
    const commit = await ask(github, `GET ${R}/commits/${sha}`, { token: at.token });
    expect(commit.body).toMatchObject({
      author: { login: 'ada' },
      commit: { message: expect.stringContaining('Co-authored-by: causeway') },
    });
    expect((await at.heard('pull_request'))[0]).toMatchObject({
      name: 'pull_request.synchronize',
      payload: { after: sha, sender: { login: 'ada' } },
    });
    const after = await ask(github, `GET ${R}/pulls/${at.number}/comments`, { token: at.token });
    expect(after.body).toMatchObject([{ line: null, original_line: 3, position: null }, { line: null }]);
    await expect(github.people.commitSuggestion('octo/shop', comments, 'ada')).rejects.toThrow('outdated');
  });

  test('may take lines away, and a longer fence holds a shorter one', async () => {
    const at = await pulled();
    await using github = at.github;
    const fenced = '````suggestion\n```\ncode\n```\n````';
    await review(at, [
      { path: 'a.txt', line: 2, side: 'RIGHT', body: suggest('') },
      { path: 'a.txt', line: 4, side: 'RIGHT', body: fenced },
    ]);
    const comments = github.people.reviewComments('octo/shop', at.number);
    await github.people.commitSuggestion('octo/shop', comments, 'ada');
    expect(await contentOf(github, at.token)).toMatch(/^line 1\nthird\n```\ncode\n```\nline 5\n/);
  });
});

test('comments, reviews and remarks are folded away and shown again', async () => {
  const at = await pulled();
  await using github = at.github;
  await review(at, [{ path: 'a.txt', line: 3, side: 'RIGHT', body: 'here' }]);
  github.people.comment('octo/shop', at.number, { by: 'ada', body: 'Done' });
  const ids: string[] = [];
  for (const path of [`issues/${at.number}/comments`, `pulls/${at.number}/reviews`, `pulls/${at.number}/comments`]) {
    const { body } = await ask(github, `GET ${R}/${path}`, { token: at.token });
    ids.push((body as { node_id: string }[])[0]?.node_id ?? '');
  }
  for (const id of ids) {
    expect((await askGraphql(github, at.token, MINIMISE, { id })).body).toEqual({
      data: { minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: 'resolved' } } },
    });
    const node = `query ($id: ID!) { node(id: $id) { __typename id ... on Minimizable { isMinimized } } }`;
    expect((await askGraphql(github, at.token, node, { id })).body).toMatchObject({
      data: { node: { id, isMinimized: true } },
    });
  }
  expect(github.people.reviews('octo/shop', at.number)[0]?.minimized).toBe('RESOLVED');
  for (const id of ids) {
    expect((await askGraphql(github, at.token, UNMINIMISE, { id })).body).toEqual({
      data: { unminimizeComment: { unminimizedComment: { isMinimized: false } } },
    });
  }
  const query = `query { repository(owner: "octo", name: "shop") { pullRequest(number: ${at.number}) { reviews(first: 5) {
    nodes { state isMinimized comments(first: 5) { nodes { path line outdated body } } } } } } }`;
  expect((await askGraphql(github, at.token, query)).body).toMatchObject({
    data: {
      repository: { pullRequest: { reviews: { nodes: [{ state: 'COMMENTED', comments: { nodes: [{ line: 3 }] } }] } } },
    },
  });
});
