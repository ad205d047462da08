// The forecast of a repository where nothing is installed: its numbers against what was put there, one by one.
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GithubDouble } from '../github-double/double.ts';
import { startGithubDouble } from '../github-double/start.ts';
import { CODE_LOG, DISK_LOG, logOf, OTHER_LOG } from '../support/head-ground.ts';
import { runCauseway } from '../support/service.ts';

const NAME = 'octo/shop';
const DAY_MS = 86_400_000;

let double: GithubDouble;
let token: string;

beforeAll(async () => {
  double = await startGithubDouble({ basePath: '/api/v3' });
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

async function run(sha: string, days: number, logs: Readonly<Record<string, string>>) {
  const jobs = Object.entries(logs).map(([name, log]) => ({
    ...{ name, log, conclusion: log === '' ? ('success' as const) : ('failure' as const) },
  }));
  return await double.people.reportWorkflowRun(NAME, { sha, at: ago(days), jobs });
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
  await run(main, 20, { test: OTHER_LOG });
  await run(main, 13, green);
  const [one, two, three] = [await pull('one'), await pull('two'), await pull('three')];
  // By the change.
  await run(one.sha, 12, { test: logOf(3), lint: '' });
  // A repetition passes at the same commit.
  const flaky = await run(two.sha, 11, { test: logOf(4), lint: '' });
  await people.rerun(NAME, flaky, { by: 'wren', at: ago(10.9) });
  await people.finishJob(NAME, flaky, 'test', { conclusion: 'success', at: ago(10.8) });
  // A commit breaks the default branch; a second one and a pull request are not to blame; another failure there is.
  await run(main, 8, { test: CODE_LOG, lint: '' });
  await run(main, 7, { test: CODE_LOG, lint: '' });
  await run(three.sha, 6, { test: CODE_LOG, lint: OTHER_LOG });
  await run(main, 5, green);
  // A full disk.
  await run(one.sha, 4, { test: DISK_LOG, lint: '' });
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

it('asks for a token, and for another name, where there is none', async () => {
  await expect(forecast('octo/nowhere')).rejects.toThrow(
    /shows this token no repository octo\/nowhere: is the name right/,
  );
  await expect(forecast('shop')).rejects.toThrow(/takes OWNER\/NAME, not "shop"/);
  await expect(runCauseway(['forecast', NAME], { cwd: tmpdir(), env: {} })).rejects.toThrow(/GITHUB_TOKEN is missing/);
});
