import { describe, expect, it } from 'vitest';
import type { AddressedReport } from '../../src/core/report.ts';
import { createAddressReader } from '../../src/github/read-address.ts';
import { addRepository, type JobState, type RepositoryState, type RunState } from '../support/github-double/state.ts';
import { type GithubDouble, startGithub } from '../support/github-double.ts';

const SHA = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
const NOW = new Date('2025-03-01T12:00:00Z');
const RUN_URL = 'https://github.com/octo/shop/actions/runs/345';

function read(github: GithubDouble, url: string, token: string | null = 'secret-token'): Promise<AddressedReport> {
  const { apiUrl, webUrl } = github;
  const options = { token, apiUrl, webUrl, userAgent: 'causeway-test', now: () => NOW };
  return createAddressReader(options)(url, AbortSignal.timeout(20_000));
}

function job(id: number, over: Partial<JobState> = {}): JobState {
  return {
    id,
    name: `test (${id})`,
    conclusion: 'failure',
    failedStep: 'Run npm test',
    log: { kind: 'text', text: `log of ${id}\n` },
    ...over,
  };
}

function addRun(repository: RepositoryState, over: Partial<RunState> = {}): void {
  repository.runs.set(345, {
    workflow: 'CI',
    headSha: SHA,
    branch: 'main',
    headRepository: 'octo/shop',
    message: 'Take coupons\n\nin any case',
    status: 'completed',
    conclusion: 'failure',
    attempts: [[job(1)]],
    ...over,
  });
}

describe('the address of an issue', () => {
  it('gives title, text and comments, with who wrote them and when', async () => {
    await using github = await startGithub();
    addRepository(github.state, 'octo/shop').issues.set(12, {
      title: 'Checkout crashes',
      body: 'TypeError: x is undefined\r\n',
      author: 'ada',
      comments: [
        { author: 'bob', body: 'Same here on 1.3.0', at: '2025-03-02T08:00:00Z' },
        { author: null, body: 'Gone', at: '2025-03-03T08:00:00Z' },
      ],
    });
    const report = await read(github, 'https://github.com/octo/shop/issues/12');
    expect(report).toEqual({
      text: [
        'Checkout crashes',
        'Reported by ada on 2025-03-01:',
        'TypeError: x is undefined',
        'Comment by bob on 2025-03-02:',
        'Same here on 1.3.0',
        'Comment by a deleted user on 2025-03-03:',
        'Gone',
      ].join('\n\n'),
      log: '',
      repository: { url: 'https://github.com/octo/shop.git', name: 'octo/shop' },
      revision: '',
    });
  });

  it('with many comments is read page by page, up to 300, and the rest is counted', async () => {
    await using github = await startGithub();
    const comments = Array.from({ length: 305 }, (_, at) => ({
      author: 'bob',
      body: `comment number ${at + 1}.`,
      at: '2025-03-02T08:00:00Z',
    }));
    addRepository(github.state, 'octo/shop').issues.set(1, { title: 'Long', body: '', author: 'ada', comments });
    const { text } = await read(github, 'https://github.com/octo/shop/issues/1');
    expect(text).toContain('comment number 300.');
    expect(text).not.toContain('comment number 301.');
    expect(text).toMatch(/\[5 more comments were left out\]$/);
  });

  it('with more than 1 MiB is cut, and says how much', async () => {
    await using github = await startGithub();
    const body = 'é'.repeat(1024 * 1024);
    addRepository(github.state, 'octo/shop').issues.set(1, { title: 'Huge', body, author: 'ada', comments: [] });
    const { text } = await read(github, 'https://github.com/octo/shop/issues/1');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/é\n\[\d+ bytes more were left out\]$/);
  });

  it('that is a pull request is refused with what to give instead', async () => {
    await using github = await startGithub();
    const issue = { title: 'Change', body: '', author: 'ada', comments: [], isPullRequest: true };
    addRepository(github.state, 'octo/shop').issues.set(9, issue);
    await expect(read(github, 'https://github.com/octo/shop/issues/9')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('open its failed check and give the address of that job'),
    });
  });
});

describe('the address of a failed run', () => {
  it('gives what failed, the commit and the logs of the failed jobs only', async () => {
    await using github = await startGithub();
    const jobs = [job(1), job(2, { conclusion: 'success' }), job(3, { conclusion: 'timed_out', name: 'e2e' })];
    addRun(addRepository(github.state, 'octo/shop'), { attempts: [jobs] });
    const report = await read(github, RUN_URL);
    expect(report).toEqual({
      text: [
        'GitHub Actions: CI failed on main (push).',
        'Job "test (1)" failed in step "Run npm test".',
        'Job "e2e" timed out in step "Run npm test".',
        `Commit ${SHA}: Take coupons`,
        'Run https://github.com/octo/shop/actions/runs/345, attempt 1',
      ].join('\n'),
      log: '=== Log of job "test (1)" ===\nlog of 1\n\n\n=== Log of job "e2e" ===\nlog of 3\n',
      repository: { url: 'https://github.com/octo/shop.git', name: 'octo/shop' },
      revision: SHA,
    });
  });

  it('sends the token to the API and never to the host that stores the logs', async () => {
    await using github = await startGithub();
    addRun(addRepository(github.state, 'octo/shop'));
    await read(github, RUN_URL);
    expect(new Set(github.requests.map(({ authorization }) => authorization))).toEqual(new Set(['token secret-token']));
    expect(github.state.storage.size).toBe(1);
  });

  it('from a fork is cloned from the fork, and from the base where the fork is gone', async () => {
    await using github = await startGithub();
    const repository = addRepository(github.state, 'octo/shop');
    addRun(repository, { headRepository: 'ada/shop' });
    expect((await read(github, RUN_URL)).repository).toEqual({
      url: 'https://github.com/ada/shop.git',
      name: 'octo/shop',
    });
    addRun(repository, { headRepository: null });
    expect((await read(github, RUN_URL)).repository.url).toBe('https://github.com/octo/shop.git');
  });

  it('with many failed jobs reads five logs and counts the rest', async () => {
    await using github = await startGithub();
    const jobs = Array.from({ length: 130 }, (_, at) => job(at + 1));
    addRun(addRepository(github.state, 'octo/shop'), { attempts: [jobs] });
    const { log } = await read(github, RUN_URL);
    expect(log.match(/=== Log of job/g)).toHaveLength(5);
    expect(log).toMatch(/\[The logs of 125 more failed jobs were left out\]$/);
  });

  it('keeps the end of a long log, in whole lines, and says how much was left out', async () => {
    await using github = await startGithub();
    const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}`);
    const log = { kind: 'text', text: `${lines.join('\n')}\n` } as const;
    addRun(addRepository(github.state, 'octo/shop'), { attempts: [[job(1, { log })]] });
    const report = await read(github, RUN_URL);
    expect(Buffer.byteLength(report.text + report.log)).toBeLessThanOrEqual(1024 * 1024);
    const [, words = '', first = ''] = report.log.split('\n');
    expect(first).toMatch(/^line \d+ x{40}$/);
    const kept = report.log.slice(report.log.indexOf(first));
    expect(words).toBe(`[The first ${log.text.length - kept.length} bytes of this log were left out]`);
    expect(report.log).toMatch(/line 59999 x+\n$/);
  });

  it('that is still running, or in which nothing failed, is refused with the reason', async () => {
    await using github = await startGithub();
    const repository = addRepository(github.state, 'octo/shop');
    addRun(repository, { status: 'in_progress', conclusion: null, attempts: [[job(1, { conclusion: null })]] });
    await expect(read(github, RUN_URL)).rejects.toThrow('has not failed so far (in_progress)');
    addRun(repository, { conclusion: 'success', attempts: [[job(1, { conclusion: 'success' })]] });
    await expect(read(github, RUN_URL)).rejects.toThrow('has no failed job to look at (it ended with: success)');
  });
});

describe('the address of a job', () => {
  it('gives that job alone, failed attempts before the last one too', async () => {
    await using github = await startGithub();
    addRun(addRepository(github.state, 'octo/shop'), { attempts: [[job(1), job(2)], [job(3)]] });
    const report = await read(github, `${RUN_URL}/job/2`);
    expect(report.text).toContain('attempt 1');
    expect(report.log).toBe('=== Log of job "test (2)" ===\nlog of 2\n');
    expect(report.revision).toBe(SHA);
  });
});

describe('a refusal of GitHub', () => {
  const ISSUE = 'https://github.com/octo/shop/issues/1';
  const failures = [
    [{ status: 401 }, 'token', 'usage', 'refuses the token in GITHUB_TOKEN'],
    [{ status: 403 }, 'token', 'usage', 'The token in GITHUB_TOKEN may not read the issue (403)'],
    [{ status: 403, headers: { 'x-github-sso': 'required; url=x' } }, 'token', 'usage', 'single sign-on'],
    [{ status: 410 }, 'token', 'absent', 'GitHub has deleted the issue (410)'],
    [{ status: 451 }, 'token', 'absent', 'legal reasons'],
    [{ status: 502, body: '<html>' }, 'token', 'repository_unreachable', 'GitHub answered 502'],
    [{ status: 200, body: '<html>Sign in</html>' }, 'token', 'repository_unreachable', 'check GHE_HOST'],
    [
      {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 720) },
      },
      null,
      'repository_unreachable',
      'opens again at 12:12 UTC (in 12 minutes). A token in GITHUB_TOKEN',
    ],
    [
      { status: 429, headers: { 'retry-after': '60' } },
      'token',
      'repository_unreachable',
      'at 12:01 UTC (in 1 minute).',
    ],
    [{ status: 429 }, 'token', 'repository_unreachable', 'try again in a minute'],
  ] as const;

  it.each(failures)('%j is said with its repair', async (failure, token, code, words) => {
    await using github = await startGithub();
    github.state.failure = { body: { message: 'no' }, ...failure };
    await expect(read(github, ISSUE, token)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('of a wrong token, of a private repository without one, and of an absent issue are told apart', async () => {
    await using github = await startGithub();
    const issue = { title: 'Help', body: '', author: 'ada', comments: [] };
    addRepository(github.state, 'octo/shop', { private: true }).issues.set(1, issue);
    github.state.tokens = ['good'];
    await expect(read(github, ISSUE, 'bad')).rejects.toMatchObject({ code: 'usage' });
    await expect(read(github, ISSUE, null)).rejects.toThrow('if it is private, set GITHUB_TOKEN');
    await expect(read(github, `${ISSUE}2`, 'good')).rejects.toThrow('may not read the issue');
    expect((await read(github, ISSUE, 'good')).text).toContain('Help');
  });
});

describe('a GitHub that does not answer', () => {
  it('is named with the reason', async () => {
    const github = await startGithub();
    await github[Symbol.asyncDispose]();
    await expect(read(github, 'https://github.com/octo/shop/issues/1')).rejects.toMatchObject({
      code: 'repository_unreachable',
      message: expect.stringMatching(/Can't reach GitHub \(ECONNREFUSED\)\. Check the network.*GHE_HOST/),
    });
  });
});
