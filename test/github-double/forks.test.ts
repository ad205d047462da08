// Pull requests from forks, and the merge queue, on the double: what the base repository sees of commits that no branch of it has.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { GIT_ENVIRONMENT } from './git/run-git.ts';
import { type Listener, listeningDouble } from './heard.ts';
import { type Shop, shop } from './shop.ts';

const R = '/repos/octo/shop';

interface Forked extends Listener, Shop {
  readonly head: string;
  readonly number: number;
}

/** `ola` opens a pull request from the `main` of her fork. */
async function forkedShop(): Promise<Forked> {
  const listener = await listeningDouble();
  const at = await shop(listener.github);
  const { people } = listener.github;
  people.user('ola');
  await people.fork('octo/shop', 'ola');
  const head = await people.push('ola/shop', { by: 'ola', files: { 'src/tax.ts': 'export const tax = 0.1;\n' } });
  const made = { by: 'ola', title: 'Less tax', head: 'main', headRepository: 'ola/shop' };
  const { number } = await people.openPull('octo/shop', made);
  await listener.heard();
  return { ...listener, ...at, head, number };
}

/** Whether git gets that commit, named by its sha alone. */
async function fetches(at: Shop, sha: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'double-fetch-'));
  try {
    const git = (...args: readonly string[]) =>
      promisify(execFile)('git', ['-C', folder, ...args], { env: GIT_ENVIRONMENT });
    await git('init', '--quiet');
    const url = at.github.webUrl.replace('://', `://x-access-token:${at.token}@`);
    await git('fetch', '--quiet', '--depth=1', `${url}/octo/shop.git`, sha);
    return (await git('rev-parse', 'FETCH_HEAD')).stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a pull request from a fork', () => {
  test('has its checks in the base repository, which name no pull request and the branch of the fork', async () => {
    const at = await forkedShop();
    await using github = at.github;
    const jobs = [{ name: 'test', conclusion: 'failure' }] as const;
    const run = await github.people.reportWorkflowRun('octo/shop', { sha: at.head, jobs });
    const [told] = await at.heard('check_suite');
    expect(told?.payload).toMatchObject({
      repository: { full_name: 'octo/shop' },
      check_suite: { head_sha: at.head, head_branch: 'main', pull_requests: [] },
      sender: { login: 'ola' },
    });
    const read = await ask(github, `GET ${R}/actions/runs/${run.id}`, { token: at.token });
    expect(read.body).toMatchObject({
      event: 'pull_request',
      head_branch: 'main',
      head_repository: { full_name: 'ola/shop' },
      pull_requests: [],
    });
    await github.people.reportCheck('octo/shop', { sha: at.head, name: 'lint', app: 'linter', conclusion: 'failure' });
    const [other] = await at.heard('check_suite');
    expect(other?.payload.check_suite).toMatchObject({ head_branch: null, pull_requests: [] });
  });

  test('is found by the name of its head, not by its commit, and git gets the commit by its sha', async () => {
    const at = await forkedShop();
    await using github = at.github;
    const read = async (line: string) => (await ask(github, `GET ${R}/${line}`, { token: at.token })).body;
    expect(await read(`commits/${at.head}/pulls`)).toEqual([]);
    const found = [{ number: at.number, head: { sha: at.head, repo: { full_name: 'ola/shop', fork: true } } }];
    expect(await read('pulls?head=ola:main')).toMatchObject(found);
    expect(await read(`commits/${at.head}`)).toMatchObject({
      author: { login: 'ola' },
      files: [{ filename: 'src/tax.ts', patch: expect.stringContaining('+export const tax = 0.1;') }],
    });
    expect(await read(`compare/${at.sha}...${at.head}`)).toMatchObject({ status: 'ahead', total_commits: 1 });
    expect(await fetches(at, at.head)).toBe(at.head);
  });

  test('stays when the fork goes: without a repository, its commit still there', async () => {
    const at = await forkedShop();
    await using github = at.github;
    await github.people.deleteRepository('ola/shop', 'ola');
    const pull = await ask(github, `GET ${R}/pulls/${at.number}`, { token: at.token });
    expect(pull.body).toMatchObject({ state: 'open', head: { repo: null, label: 'ola:main', user: { login: 'ola' } } });
    const listed = await ask(github, `GET ${R}/pulls?head=ola:main`, { token: at.token });
    expect(listed.body).toMatchObject([{ number: at.number, head: { repo: null } }]);
    expect(await fetches(at, at.head)).toBe(at.head);
    await github.people.reportWorkflowRun('octo/shop', {
      sha: at.head,
      jobs: [{ name: 'test', conclusion: 'success' }],
    });
  });
});

test('a branch of the repository is found by its commit, and after the merge by what it brought', async () => {
  const { github: double } = await listeningDouble();
  await using github = double;
  const { token } = await shop(github);
  const { people } = github;
  const sha = await people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.ts': '1\n' } });
  const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Fix', head: 'fix' });
  const other = await people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.ts': '2\n' } });
  const of = async (commit: string) => (await ask(github, `GET ${R}/commits/${commit}/pulls`, { token })).body;
  await people.push('octo/shop', { by: 'ada', branch: 'more', from: 'fix', files: { 'b.ts': '1\n' } });
  const stacked = await people.openPull('octo/shop', { by: 'ada', title: 'More', head: 'more' });
  expect(await of(sha)).toMatchObject([{ number, state: 'open' }, { number: stacked.number }]);
  people.close('octo/shop', stacked.number, 'ada');
  expect(await of(sha)).toMatchObject([{ number }]);
  people.reopen('octo/shop', stacked.number, 'ada');
  people.close('octo/shop', number, 'ada');
  expect(await of(sha)).toMatchObject([{ number: stacked.number }]);
  people.reopen('octo/shop', number, 'ada');
  const merged = await people.merge('octo/shop', number, 'ada');
  for (const one of [sha, other, merged]) expect(await of(one)).toMatchObject([{ number, state: 'closed' }]);
  expect(people.issue('octo/shop', stacked.number).state).toBe('open');
});

describe('the merge queue', () => {
  test('tests a merge commit on a branch of its own, which goes when it fails; the commit is still there', async () => {
    const { github: double, heard } = await listeningDouble();
    await using github = double;
    const at = await shop(github);
    const { people } = github;
    await people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.ts': '1\n' } });
    const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Fix', head: 'fix' });
    await heard();
    const group = await people.enqueue('octo/shop', number, 'ada');
    expect(group.branch).toBe(`gh-readonly-queue/main/pr-${number}-${at.sha}`);
    expect((await heard('pull_request', 'push')).map(({ name, payload }) => [name, payload.ref ?? ''])).toEqual([
      ['pull_request.enqueued', ''],
      ['push', `refs/heads/${group.branch}`],
    ]);
    const commit = await ask(github, `GET ${R}/commits/${group.sha}`, { token: at.token });
    expect(commit.body).toMatchObject({ parents: [{ sha: at.sha }, {}], committer: null });
    await people.reportWorkflowRun('octo/shop', {
      sha: group.sha,
      event: 'merge_group',
      jobs: [{ name: 'test', conclusion: 'failure' }],
    });
    const [told] = await heard('check_suite');
    expect(told?.payload).toMatchObject({
      check_suite: { head_branch: group.branch, conclusion: 'failure', pull_requests: [] },
      sender: { login: 'github-merge-queue[bot]' },
    });
    await people.leaveQueue('octo/shop', group, 'failed');
    const branch = await ask(github, `GET ${R}/branches/${encodeURIComponent(group.branch)}`, { token: at.token });
    expect(branch.status).toBe(404);
    expect(people.issue('octo/shop', number).state).toBe('open');
    expect(await fetches(at, group.sha)).toBe(group.sha);
  });

  test('merges what is green', async () => {
    const { github: double } = await listeningDouble();
    await using github = double;
    const at = await shop(github);
    const { people } = github;
    await people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.ts': '1\n' } });
    const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Fix', head: 'fix' });
    const group = await people.enqueue('octo/shop', number, 'ada');
    await people.leaveQueue('octo/shop', group, 'merged');
    const main = await ask(github, `GET ${R}/branches/main`, { token: at.token });
    expect(main.body).toMatchObject({ commit: { sha: group.sha } });
    const pull = await ask(github, `GET ${R}/pulls/${number}`, { token: at.token });
    expect(pull.body).toMatchObject({ merged: true, state: 'closed', merge_commit_sha: group.sha });
  });
});
