// Addresses on GitHub as reports: what is read of an issue, a run or a job, and what each refusal says to do.

import { condenseLog } from 'causeway-ci-log';
import { describe, expect, it } from 'vitest';
import type { AddressedReport } from '../../src/core/report/report.ts';
import { createAddressReader } from '../../src/github/read-address.ts';
import { patience } from '../support/patience.ts';
import { type Asked, type GithubApi, type Route, type Said, startGithubApi } from './clients/github-api.ts';

const SHA = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
const NOW = new Date('2025-03-01T12:00:00Z');
const RUN_URL = 'https://github.com/octo/shop/actions/runs/345';
const REPO = 'GET /repos/octo/shop';

function read(apiUrl: string, url: string, token: string | null = 'secret-token'): Promise<AddressedReport> {
  const options = { token, apiUrl, webUrl: 'https://github.com', userAgent: 'causeway-test', now: () => NOW };
  return createAddressReader({ ...options, shortenLog: condenseLog })(url, patience());
}

/** The part of `all` that the query asks for. */
function pageOf<T>({ path }: Asked, all: readonly T[]): readonly T[] {
  const query = new URL(path, 'http://x').searchParams;
  const size = Number(query.get('per_page') ?? 30);
  const page = Number(query.get('page') ?? 1);
  return all.slice((page - 1) * size, page * size);
}

interface Comment {
  readonly author: string | null;
  readonly body: string;
  readonly day?: string;
}

async function readIssue(issue: object, comments: readonly Comment[] = []): Promise<AddressedReport> {
  const user = (login: string | null) => (login === null ? null : { login });
  await using github = await startGithubApi({
    [`${REPO}/issues/1`]: () => ({
      body: {
        title: 'Help',
        body: '',
        user: user('ada'),
        created_at: '2025-03-01T10:00:00Z',
        comments: comments.length,
        ...issue,
      },
    }),
    [`${REPO}/issues/1/comments`]: (asked) => ({
      body: pageOf(asked, comments).map(({ author, body, day = '2025-03-02' }) => ({
        ...{ user: user(author), body, created_at: `${day}T08:00:00Z` },
      })),
    }),
  });
  return await read(github.url, 'https://github.com/octo/shop/issues/1');
}

interface Job {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly attempt: number;
  readonly log: string;
}

function job(id: number, over: Partial<Job> = {}): Job {
  return { id, name: `test (${id})`, conclusion: 'failure', attempt: 1, log: `log of ${id}\n`, ...over };
}

interface Actions extends AsyncDisposable {
  readonly url: string;
  readonly api: GithubApi;
  readonly storage: GithubApi;
}

/** A GitHub with one run, whose logs are at another host. */
async function startActions(jobs: readonly Job[], run: object = {}): Promise<Actions> {
  const storage = await startGithubApi({
    'GET /logs/*': ({ path }) => ({ body: jobs.find(({ id }) => path.startsWith(`/logs/${id}?`))?.log ?? '' }),
  });
  const bodyOf = ({ id, name, conclusion, attempt }: Job) => ({
    ...{ id, name, conclusion, run_id: 345, run_attempt: attempt },
    status: conclusion === null ? 'in_progress' : 'completed',
    steps: [
      { name: 'Set up job', conclusion: 'success' },
      { name: 'Run npm test', conclusion },
    ],
  });
  const last = Math.max(...jobs.map(({ attempt }) => attempt));
  const runOf = (attempt: number): Said => ({
    body: {
      ...{ id: 345, name: 'CI', event: 'push', head_branch: 'main', head_sha: SHA, html_url: RUN_URL },
      ...{
        run_attempt: attempt,
        status: 'completed',
        conclusion: 'failure',
        head_repository: { full_name: 'octo/shop' },
      },
      ...{ head_commit: { message: 'Take coupons\n\nin any case' }, ...run },
    },
  });
  const idIn = ({ path }: Asked, at: number) => Number(path.split(/[/?]/)[at]);
  const api = await startGithubApi({
    [`${REPO}/actions/runs/345`]: () => runOf(last),
    [`${REPO}/actions/runs/345/attempts/*`]: (asked) => runOf(idIn(asked, 8)),
    [`${REPO}/actions/runs/345/jobs`]: (asked) => {
      const latest = jobs.filter(({ attempt }) => attempt === last);
      return { body: { total_count: latest.length, jobs: pageOf(asked, latest).map(bodyOf) } };
    },
    [`${REPO}/actions/jobs/*`]: (asked) => ({ body: bodyOf(jobs.find(({ id }) => id === idIn(asked, 6))!) }),
    [`${REPO}/actions/jobs/*/logs`]: (asked) => ({
      status: 302,
      headers: { location: `${storage.url}/logs/${idIn(asked, 6)}?sig=${encodeURIComponent('a+b/c=')}` },
    }),
  });
  return {
    ...{ url: api.url, api, storage },
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all([api, storage].map((one) => one[Symbol.asyncDispose]()))),
  };
}

async function readRun(jobs: readonly Job[], run: object = {}, url = RUN_URL): Promise<AddressedReport> {
  await using github = await startActions(jobs, run);
  return await read(github.url, url);
}

describe('the address of an issue', () => {
  it('gives title, text and comments, with who wrote them and when', async () => {
    const issue = { title: 'Checkout crashes', body: 'TypeError: x is undefined\r\n' };
    const report = await readIssue(issue, [
      { author: 'bob', body: 'Same here on 1.3.0' },
      { author: null, body: 'Gone', day: '2025-03-03' },
    ]);
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
    const { text } = await readIssue(
      {},
      Array.from({ length: 305 }, (_, at) => ({ author: 'bob', body: `comment number ${at + 1}.` })),
    );
    expect(text).toContain('comment number 300.');
    expect(text).not.toContain('comment number 301.');
    expect(text).toMatch(/\[5 more comments were left out\]$/);
  });

  it('with more than 1 MiB is cut, and says how much', async () => {
    const { text } = await readIssue({ body: 'é'.repeat(1024 * 1024) });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/é\n\[\d+ bytes more were left out\]$/);
  });

  it('that is a pull request is refused with what to give instead', async () => {
    await expect(readIssue({ pull_request: {} })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('open its failed check and give the address of that job'),
    });
  });
});

describe('the address of a failed run', () => {
  it('gives what failed, the commit and the logs of the failed jobs only', async () => {
    const report = await readRun([
      job(1),
      job(2, { conclusion: 'success' }),
      job(3, { conclusion: 'timed_out', name: 'e2e' }),
    ]);
    expect(report).toEqual({
      text: [
        'GitHub Actions: CI failed on main (push).',
        'Job "test (1)" failed in step "Run npm test".',
        'Job "e2e" timed out in step "Run npm test".',
        `Commit ${SHA}: Take coupons`,
        'Run https://github.com/octo/shop/actions/runs/345, attempt 1',
      ].join('\n'),
      log: '--- Log: job "test (1)" ---\n\nlog of 1\n\n--- Log: job "e2e" ---\n\nlog of 3\n',
      repository: { url: 'https://github.com/octo/shop.git', name: 'octo/shop' },
      revision: SHA,
    });
  });

  it('sends the token to the API and never to the host that stores the logs', async () => {
    await using github = await startActions([job(1)]);
    await read(github.url, RUN_URL);
    expect(new Set(github.api.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['token secret-token']),
    );
    expect(github.storage.asked.map(({ authorization }) => authorization)).toEqual(['']);
  });

  it.each([
    ['from the fork', { full_name: 'ada/shop' }, 'https://github.com/ada/shop.git'],
    ['from the base where the fork is gone', null, 'https://github.com/octo/shop.git'],
  ])('from a fork is cloned %s', async (_, head_repository, url) => {
    expect((await readRun([job(1)], { head_repository })).repository).toEqual({ url, name: 'octo/shop' });
  });

  it('with many failed jobs reads five logs and counts the rest', async () => {
    const { log } = await readRun(Array.from({ length: 130 }, (_, at) => job(at + 1)));
    expect(log.match(/--- Log: job/g)).toHaveLength(5);
    expect(log).toMatch(/^\[The logs of 125 more failed jobs were left out\]\n/);
  });

  it('keeps what matters of a long log, wherever it is, and says how much was left out', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}`);
    const log = `${lines.with(9_000, '--- FAIL: TestCoupon (0.00s)').join('\n')}\n`;
    const report = await readRun([job(1, { log })]);
    expect(Buffer.byteLength(report.text + report.log)).toBeLessThanOrEqual(1024 * 1024);
    expect(report.log).toMatch(new RegExp(`^--- Log: .*\n\n\\[Cut from ${log.length} bytes in 60000 lines\\]\n`));
    expect(report.log).toContain('\n--- FAIL: TestCoupon (0.00s)\n');
    expect(report.log).toMatch(/line 59999 x+\n$/);
  });

  it.each([
    ['in_progress', null, 'has not failed so far (in_progress)'],
    ['completed', 'success', 'has no failed job to look at (it ended with: success)'],
  ])('that is %s with %s is refused with the reason', async (status, conclusion, words) => {
    await expect(readRun([job(1, { conclusion })], { status, conclusion })).rejects.toThrow(words);
  });
});

it('the address of a job gives that job alone, failed attempts before the last one too', async () => {
  const report = await readRun([job(1), job(2), job(3, { attempt: 2 })], {}, `${RUN_URL}/job/2`);
  expect(report.text).toContain('attempt 1');
  expect(report.log).toBe('--- Log: job "test (2)" ---\n\nlog of 2\n');
  expect(report.revision).toBe(SHA);
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
      'resets at 12:12 UTC (in 12 minutes). With a token in GITHUB_TOKEN',
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
    const route: Route = () => ({ body: { message: 'no' }, ...failure });
    await using github = await startGithubApi({ [`${REPO}/issues/1`]: route });
    await expect(read(github.url, ISSUE, token)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ['without a token', null, 'If it is private, set GITHUB_TOKEN'],
    ['with a token', 'good', 'may not read the issue'],
  ])('to show what is absent, or private, says what may help: %s', async (_, token, words) => {
    await using github = await startGithubApi({});
    await expect(read(github.url, ISSUE, token)).rejects.toThrow(words);
  });
});

it('a GitHub that does not answer is named with the reason', async () => {
  const github = await startGithubApi({});
  await github[Symbol.asyncDispose]();
  await expect(read(github.url, 'https://github.com/octo/shop/issues/1')).rejects.toMatchObject({
    code: 'repository_unreachable',
    message: expect.stringMatching(/Can't reach GitHub \(ECONNREFUSED\)\. Check the network.*GHE_HOST/),
  });
});
