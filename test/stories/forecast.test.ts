// The forecast of a repository where nothing is installed: its numbers against what was put there, one by one.

import { tmpdir } from 'node:os';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import { CODE_LOG, DISK_LOG, logOf, OTHER_LOG } from '../support/head-ground.ts';
import { runCauseway } from '../support/service.ts';

const NAME = 'octo/shop';
const DAY_MS = 86_400_000;

let double: GithubDouble;
let token: string;

beforeAll(async () => {
  double = await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP });
  const { people } = double;
  await people.openRepository(NAME, { files: { 'cart.py': 'one\n' } });
  people.grant(NAME, 'wren', 'write');
  token = people.userToken('wren');
});
afterAll(async () => {
  await double[Symbol.asyncDispose]();
});

const ago = (days: number) =>
  `${new Date(double.state.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 19)}Z`;

async function run(name: string, sha: string, days: number, logs: Readonly<Record<string, string | null>>) {
  const jobs = Object.entries(logs).map(([job, log]) => ({
    ...{ name: job, log, conclusion: log === '' ? ('success' as const) : ('failure' as const) },
  }));
  return await double.people.reportWorkflowRun(name, { sha, at: ago(days), jobs });
}

async function pull(branch: string): Promise<{ readonly number: number; readonly sha: string }> {
  const sha = await double.people.push(NAME, { by: 'wren', branch, files: { [`${branch}.py`]: 'x\n' } });
  const { number } = await double.people.openPull(NAME, { by: 'wren', title: branch, head: branch });
  return { number, sha };
}

async function forecast(...args: readonly string[]): Promise<string> {
  const { host, protocol } = new URL(double.webUrl);
  const env = { GHE_HOST: host, GHE_PROTOCOL: protocol.replace(':', ''), GITHUB_TOKEN: token };
  return await runCauseway(['forecast', ...args], { cwd: tmpdir(), env });
}

it('says of each failed check whose it was, with the lists behind the numbers', async () => {
  const { people } = double;
  const main = await people.push(NAME, { by: 'wren', files: { 'a.py': 'x\n' } });
  const green = { test: '', lint: '' };
  await run(NAME, main, 20, { test: OTHER_LOG });
  await run(NAME, main, 13, green);
  const [one, two, three] = [await pull('one'), await pull('two'), await pull('three')];
  // By the change.
  await run(NAME, one.sha, 12, { test: logOf(3), lint: '' });
  // A repetition passes at the same commit.
  const flaky = await run(NAME, two.sha, 11, { test: logOf(4), lint: '' });
  await people.rerun(NAME, flaky, { by: 'wren', at: ago(10.9) });
  await people.finishJob(NAME, flaky, 'test', { conclusion: 'success', at: ago(10.8) });
  // A commit breaks the default branch; a second one and a pull request are not to blame; another failure there is.
  await run(NAME, main, 8, { test: CODE_LOG, lint: '' });
  await run(NAME, main, 7, { test: CODE_LOG, lint: '' });
  await run(NAME, three.sha, 6, { test: CODE_LOG, lint: OTHER_LOG });
  await run(NAME, main, 5, green);
  // A full disk.
  await run(NAME, one.sha, 4, { test: DISK_LOG, lint: '' });
  people.openIssue(NAME, { by: 'wren', title: 'Crash \u202Eon start', labels: ['analyse'] });
  people.openIssue(NAME, { by: 'wren', title: 'Idea' });

  const said = await forecast(NAME);
  expect(said).toContain(
    'octo/shop, the last 14 days: 7 failed checks: 3 by the change, 1 flaky, 2 the base, 1 the machine; 1 issue labelled; about $0.60.',
  );
  const groups = said.split('\n\n').map((part) => part.split('\n'));
  const shown = Object.fromEntries(
    groups.slice(1, -1).map(([head = '', ...lines]) => [head, lines.filter((line) => !line.includes('http'))]),
  );
  const line = (name: string, place: string, text: string) =>
    expect.stringMatching(new RegExp(`^  ${name} +${place} +${text}`));
  expect(shown).toEqual({
    'By the change: 3': [
      line('lint', `#${three.number} three`, 'ValueError: till is not empty'),
      line('test', 'main', "KeyError: 'sum'"),
      line('test', `#${one.number} one`, "KeyError: 'dddaaa_key'"),
    ],
    'Flaky: 1': [line('test', `#${two.number} two`, "KeyError: 'eeeaaa_key'")],
    'The base: 2': [line('test', `#${three.number} three`, "KeyError: 'sum'"), line('test', 'main', "KeyError: 'sum'")],
    'The machine: 1': [line('test', `#${one.number} one`, 'npm ERR! code ENOSPC')],
    'Issues labelled: 1': [expect.stringMatching(/^ {2}#\d+ Crash on start$/)],
  });
  expect(said).toContain('4 investigations (3 distinct failures, 1 labelled issue) at about $0.15 each');

  // By its address, for a program; and the double was only read.
  const { groups: byVerdict, issues } = JSON.parse(await forecast(`${double.webUrl}/${NAME}`, '--json'));
  expect([byVerdict.code.checks, issues.opened]).toEqual([3, 2]);
  const writes = double.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('graphql'));
  expect(writes).toEqual([]);
});

describe('a repository that shows less', () => {
  const other = 'octo/other';
  let sha: string;
  beforeAll(async () => {
    const { people } = double;
    await people.openRepository(other, { files: { 'cart.py': 'one\n' } });
    people.grant(other, 'wren', 'write');
    sha = await people.push(other, { by: 'wren', files: { 'a.py': 'x\n' } });
  });
  afterEach(() => double.faults.clear());
  const failing = (path: RegExp, status: number, message = 'Refused') =>
    double.faults.add({ path, times: 9, fault: { kind: 'answer', when: 'before', status, body: { message } } });

  it('such as one without a run, or without issues, is said to be that', async () => {
    failing(/issues\?/, 410);
    const said = await forecast(other);
    expect(said).toContain(`${other}, the last 14 days: 0 failed checks; 0 issues labelled; about $0.`);
    expect(said).toContain('GitHub Actions has run nothing there since 20');
    expect(said).toContain('Issues were not read: they are switched off there, or');
    expect(said).toContain('Cost: there was nothing to investigate.');
    expect(said).not.toContain('No issue was opened');
  });

  it('such as one whose runs are hidden is not said to have none', async () => {
    failing(/actions\/runs\?/, 404);
    expect(await forecast(other)).toContain('GitHub shows this token no workflow runs');
    double.faults.clear();
    failing(/actions\/runs\?/, 403, 'Resource not accessible by personal access token');
    await expect(forecast(other)).rejects.toThrow(
      'The token may not do "GET /repos/{owner}/{repo}/actions/runs" (403): it needs',
    );
  });

  it('such as a log that is gone or does not come is named, and so is a run without its jobs', async () => {
    await run(other, sha, 3, { test: null });
    expect(await forecast(other)).toMatch(/^ {2}test +main +GitHub no longer keeps the log\./m);
    await run(other, sha, 2, { test: CODE_LOG });
    failing(/\/logs/, 502);
    expect(await forecast(other)).toMatch(/^ {2}test +main +The log couldn't be read from GitHub\.$/m);
    double.faults.clear();
    failing(/\/jobs\?/, 404);
    const said = await forecast(other);
    expect(said).toContain('the last 14 days: 0 failed checks; 2 more failed runs not read; 0 issues labelled');
    expect(said).toContain("didn't show them: 2 failed workflow runs.");
  });

  it('says all jobs of a matrix, however many there are', async () => {
    const jobs = Array.from({ length: 120 }, (_, at) => [`job ${at}`, at < 110 ? '' : CODE_LOG] as const);
    await run(other, sha, 1, Object.fromEntries(jobs));
    const said = await forecast(other);
    expect(said).toContain('12 failed checks: 11 by the change, 1 unclear;');
    expect(said).not.toContain('On the default branch "the base"');
  });
});

describe('where GitHub says no', () => {
  afterEach(() => double.faults.clear());

  it('at once or in the middle: what was read by then is said, with what was not', async () => {
    const limit = { kind: 'primary_limit', resetInSeconds: 1_800 } as const;
    double.faults.add({ path: /./, times: 99, fault: limit });
    await expect(forecast(NAME)).rejects.toThrow(/rate limit is used up until .* UTC; run it again then\./);
    double.faults.clear();
    double.faults.add({ path: /\/jobs\?/, skip: 2, times: 99, fault: limit });
    expect(await forecast(NAME)).toMatch(/failed checks?: .*not read; \d more failed runs? not read/);
    double.faults.clear();
    double.faults.add({ path: /./, times: 9, fault: { kind: 'answer', when: 'before', status: 502 } });
    await expect(forecast(NAME)).rejects.toThrow('Run it again later.');
  });

  it('to a token that it does not know, that is said, and not that there is no repository', async () => {
    const known = token;
    token = `ghp_${'a'.repeat(36)}`;
    await expect(forecast(NAME)).rejects.toThrow('GitHub does not accept the token (401)');
    token = known;
  });
});

it('takes an address as it is copied, of this GitHub alone', async () => {
  const { host } = new URL(double.webUrl);
  for (const address of [`${NAME}.git`, `${double.webUrl}/${NAME}/pull/3`, `${host}/${NAME}`]) {
    expect(await forecast(address)).toContain('octo/shop, the last 14 days');
  }
  await expect(forecast(`git@gitlab.com:${NAME}.git`)).rejects.toThrow(`gitlab.com is not ${host}`);
  await expect(forecast(`https://gitlab.com/${NAME}`)).rejects.toThrow('set GHE_HOST');
});

it('asks for a token, and for another name, where there is none', async () => {
  await expect(forecast('octo/nowhere')).rejects.toThrow(
    /shows this token no repository octo\/nowhere: is the name right/,
  );
  await expect(forecast('shop')).rejects.toThrow(/takes OWNER\/NAME, not "shop"/);
  await expect(runCauseway(['forecast', NAME], { cwd: tmpdir(), env: {} })).rejects.toThrow(/GITHUB_TOKEN is missing/);
});
