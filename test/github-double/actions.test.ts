// Runs of GitHub Actions on the double: matrices that end one by one, re-runs at the same commit, logs, and lists.
import { crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Asked, ask } from './ask.ts';
import { type Listener, listeningDouble } from './heard.ts';
import { type Shop, shop } from './shop.ts';

const R = '/repos/octo/shop';
const MATRIX = ['test (linux)', 'test (mac)', 'test (windows)'];

interface Body {
  readonly total_count: number;
  readonly check_runs: readonly { id: number; name: string; conclusion: string | null; check_suite: { id: number } }[];
  readonly jobs: readonly { id: number; name: string; conclusion: string | null; run_attempt: number }[];
  readonly workflow_runs: readonly { id: number; created_at: string }[];
}

async function matrixShop(): Promise<Listener & Shop> {
  const listener = await listeningDouble();
  listener.github.app.events = [...listener.github.app.events, 'workflow_run'];
  const at = await shop(listener.github);
  await listener.heard();
  return { ...listener, ...at };
}

async function read(at: Shop, line: string): Promise<Body> {
  const answer = await ask(at.github, `GET ${line}`, { token: at.token });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Body;
}

describe('a run of Actions', () => {
  test('ends job by job, and is told when the last one has ended', async () => {
    const at = await matrixShop();
    await using github = at.github;
    const { people } = github;
    const run = await people.startRun('octo/shop', { sha: at.sha, jobs: MATRIX });
    expect((await at.heard()).map(({ name }) => name)).toEqual([
      'workflow_run.requested',
      ...MATRIX.map(() => 'check_run.created'),
    ]);
    await people.finishJob('octo/shop', run, 'test (mac)', { conclusion: 'success' });
    await people.finishJob('octo/shop', run, 'test (linux)', { conclusion: 'failure', failedStep: 'Test' });
    expect((await at.heard()).map(({ name }) => name)).toEqual(['check_run.completed', 'check_run.completed']);
    expect(run).toMatchObject({ status: 'in_progress', conclusion: null });
    await people.finishJob('octo/shop', run, 'test (windows)', { conclusion: 'success' });
    const told = await at.heard();
    expect(told.map(({ name }) => name)).toEqual([
      'check_run.completed',
      'check_suite.completed',
      'workflow_run.completed',
    ]);
    expect(told[1]?.payload).toMatchObject({
      sender: { login: 'ada' },
      check_suite: { conclusion: 'failure', head_branch: 'main', head_sha: at.sha, app: { slug: 'github-actions' } },
    });
    await expect(people.finishJob('octo/shop', run, 'test (mac)', { conclusion: 'success' })).rejects.toThrow(
      'no job test (mac) in progress',
    );
  });

  test('has a suite of its own beside other runs at the same commit', async () => {
    const at = await matrixShop();
    await using github = at.github;
    for (const [workflow, conclusion] of [
      ['CI', 'failure'],
      ['Lint', 'success'],
    ] as const)
      await github.people.reportWorkflowRun('octo/shop', {
        sha: at.sha,
        workflow,
        jobs: [{ name: 'all', conclusion }],
      });
    const { check_runs } = await read(at, `${R}/commits/${at.sha}/check-runs`);
    expect(check_runs.map(({ name, conclusion }) => `${name} ${conclusion}`).sort()).toEqual([
      'all failure',
      'all success',
    ]);
    expect(new Set(check_runs.map((one) => one.check_suite.id)).size).toBe(2);
    const alone = await github.people.reportCheck('octo/shop', { sha: at.sha, name: 'alone', conclusion: 'success' });
    expect(check_runs.map((one) => one.check_suite.id)).not.toContain(alone.suiteId);
    const ended = (await at.heard('check_suite')).map(({ payload }) => [
      payload.check_suite.conclusion,
      payload.sender.login,
    ]);
    expect(ended).toEqual([
      ['failure', 'ada'],
      ['success', 'ada'],
      ['success', 'ada'],
    ]);
  });

  test('is run again by a person: new check runs in the same suite, the old ones stay', async () => {
    const at = await matrixShop();
    await using github = at.github;
    const { people } = github;
    const results = MATRIX.map((name) => ({ name, conclusion: name.includes('mac') ? 'failure' : 'success' }) as const);
    const run = await people.reportWorkflowRun('octo/shop', { sha: at.sha, jobs: results });
    await at.heard();
    await people.rerun('octo/shop', run, { by: 'ada' });
    await expect(people.rerun('octo/shop', run, { by: 'ada' })).rejects.toThrow('already running');
    expect(run).toMatchObject({ status: 'in_progress', conclusion: null });
    await people.finishJob('octo/shop', run, 'test (mac)', { conclusion: 'success' });
    const told = await at.heard('check_suite', 'workflow_run');
    expect(told.map(({ name }) => name)).toEqual([
      'workflow_run.requested',
      'check_suite.completed',
      'workflow_run.completed',
    ]);
    expect(told[1]?.payload.check_suite).toMatchObject({ id: run.suiteId, conclusion: 'success' });
    expect(told[2]?.payload.workflow_run).toMatchObject({ id: run.id, run_attempt: 2, conclusion: 'success' });
    const latest = await read(at, `${R}/commits/${at.sha}/check-runs`);
    const all = await read(at, `${R}/commits/${at.sha}/check-runs?filter=all`);
    expect(latest.check_runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success']);
    expect(all.check_runs.map(({ conclusion }) => conclusion).sort()).toEqual(['failure', ...Array(3).fill('success')]);
    expect((await read(at, `${R}/actions/runs/${run.id}/jobs`)).jobs).toHaveLength(3);
    expect((await read(at, `${R}/actions/runs/${run.id}/jobs?filter=all`)).jobs).toHaveLength(4);
    const first = await read(at, `${R}/actions/runs/${run.id}/attempts/1/jobs`);
    expect(first.jobs.map(({ conclusion }) => conclusion)).toEqual(['success', 'failure', 'success']);
  });
});

test('a run that ends without a job is told as its suite, and can be run again with jobs', async () => {
  const at = await matrixShop();
  await using github = at.github;
  const { people } = github;
  const run = await people.reportRunWithoutJobs('octo/shop', { sha: at.sha }, 'startup_failure');
  const [told] = await at.heard('check_suite');
  expect(told?.payload.check_suite).toMatchObject({ conclusion: 'startup_failure', latest_check_runs_count: 0 });
  expect((await read(at, `${R}/actions/runs?status=completed`)).total_count).toBe(1);
  expect((await read(at, `${R}/commits/${at.sha}/check-runs`)).total_count).toBe(0);
  await people.rerun('octo/shop', run, { by: 'ada', jobs: ['test'] });
  await people.finishJob('octo/shop', run, 'test', { conclusion: 'success' });
  const [green] = await at.heard('check_suite');
  expect(green?.payload.check_suite).toMatchObject({ id: run.suiteId, conclusion: 'success' });
});

describe('logs', () => {
  const log = '\uFEFF2026-03-01T10:00:00.1234567Z ##[group]Run npm test\n2026-03-01T10:00:01.0000000Z ümläut\n';

  async function logsOf(at: Shop, what: string): Promise<Asked> {
    return ask(at.github, `GET ${R}/actions/${what}/logs`, { token: at.token });
  }

  test('of a job lie on the storage as they are: not while it runs, and not after their time', async () => {
    const at = await matrixShop();
    await using github = at.github;
    const run = await github.people.startRun('octo/shop', { sha: at.sha, jobs: ['test'] });
    const job = `jobs/${run.attempts[0]?.[0]?.id}`;
    expect((await logsOf(at, job)).status).toBe(404);
    await github.people.finishJob('octo/shop', run, 'test', { conclusion: 'failure', failedStep: 'Test', log });
    const { headers, status } = await logsOf(at, job);
    expect(status).toBe(302);
    const stored = await fetch(headers.get('location') ?? '');
    expect(Buffer.from(await stored.arrayBuffer()).equals(Buffer.from(log))).toBe(true);
    github.people.expireLogs(run);
    expect([(await logsOf(at, job)).status, (await logsOf(at, `runs/${run.id}`)).status]).toEqual([410, 410]);
  });

  test('of a run are a zip with a file for each job and step', async () => {
    const at = await matrixShop();
    await using github = at.github;
    const jobs = [
      { name: 'test (a/b)', conclusion: 'failure', failedStep: 'Test', log },
      { name: 'lint', conclusion: 'success', log: 'fine\n' },
    ] as const;
    const run = await github.people.reportWorkflowRun('octo/shop', { sha: at.sha, jobs });
    const { headers, status } = await logsOf(at, `runs/${run.id}`);
    expect(status).toBe(302);
    const stored = await fetch(headers.get('location') ?? '');
    expect(unzipped(Buffer.from(await stored.arrayBuffer()))).toEqual({
      '0_test (ab).txt': log,
      'test (ab)/1_Set up job.txt': '',
      'test (ab)/2_Test.txt': log,
      '1_lint.txt': 'fine\n',
      'lint/1_Set up job.txt': '',
      'lint/2_Run.txt': 'fine\n',
    });
    expect((await logsOf(at, `runs/${run.id}/attempts/1`)).status).toBe(302);
  });
});

/** The files that the directory at the end of an archive names, held against their checksums. */
function unzipped(archive: Buffer): Record<string, string> {
  const end = archive.length - 22;
  let at = archive.readUInt32LE(end + 16);
  const files: Record<string, string> = {};
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const [sum, size, name] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26);
    const content = inflateRawSync(archive.subarray(start, start + size));
    expect(crc32(content)).toBe(sum);
    files[archive.toString('utf8', at + 46, at + 46 + name)] = content.toString('utf8');
    at += 46 + name;
  }
  return files;
}

test('runs are listed by date, outcome and page, newest first', async () => {
  const at = await matrixShop();
  await using github = at.github;
  for (const [day, conclusion] of [
    ['01', 'failure'],
    ['02', 'success'],
    ['03', 'failure'],
    ['04', 'timed_out'],
  ] as const) {
    const made = { sha: at.sha, at: `2026-03-${day}T10:00:00Z`, jobs: [{ name: 'test', conclusion }] };
    await github.people.reportWorkflowRun('octo/shop', made);
  }
  const days = async (query: string) => {
    const { workflow_runs } = await read(at, `${R}/actions/runs?${query}`);
    return workflow_runs.map((run) => run.created_at.slice(8, 10)).join(' ');
  };
  expect(await days('')).toBe('04 03 02 01');
  expect(await days('status=failure')).toBe('03 01');
  expect(await days('status=completed&created=%3E%3D2026-03-02')).toBe('04 03 02');
  expect(await days('created=%3E%3D2026-03-03T10:00:00Z')).toBe('04 03');
  expect(await days('created=%3C2026-03-02')).toBe('01');
  expect(await days('created=2026-03-02..2026-03-03')).toBe('03 02');
  expect(await days('created=2026-03-02')).toBe('02');
  expect(await days('per_page=3&page=2')).toBe('01');
  expect(await days('event=pull_request')).toBe('');
  expect(await days('actor=ada&branch=main&status=failure&exclude_pull_requests=true')).toBe('03 01');
});
