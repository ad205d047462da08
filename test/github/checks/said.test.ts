// What a red check says: its log where it is a job of Actions, its annotations, and why there is no log.
import { expect, it } from 'vitest';
import { type Check, ChecksBusy } from '../../../src/core/check/check.ts';

import { type ChecksHouse, checksHouse, SHOP, SIGNAL } from './checks-house.ts';

type Job = Omit<Parameters<ChecksHouse['people']['reportWorkflowRun']>[1]['jobs'][number], 'name' | 'conclusion'>;

async function failedJob(house: ChecksHouse, job: Job) {
  const sha = await house.branch('topic');
  const jobs = [{ name: 'test', conclusion: 'failure' as const, ...job }];
  const run = await house.people.reportWorkflowRun(SHOP, { sha, jobs });
  const [named] = await house.checks.listAll(house.project, sha, SIGNAL);
  return { check: named!.latest, run, sha };
}

const said = (house: ChecksHouse, check: Check) => house.checks.readOutput(house.project, check, SIGNAL);

it('the log of a job and its annotations are read in two calls', async () => {
  await using house = await checksHouse();
  const annotations = [
    { path: 'cart.js', startLine: 3, endLine: 4, message: 'Not a number', title: 'TypeError' },
    { path: '.github', startLine: 1, message: 'Process completed with exit code 1.' },
  ];
  const { check } = await failedJob(house, { log: 'one\nError: no\n', annotations });
  const { got, calls } = await house.counting(() => said(house, check));
  expect(got).toEqual({
    log: 'one\nError: no\n',
    noLog: '',
    annotations: [
      { path: 'cart.js', line: 3, endLine: 4, level: 'failure', title: 'TypeError', message: 'Not a number' },
      expect.objectContaining({ path: '.github', message: 'Process completed with exit code 1.' }),
    ],
  });
  expect(calls).toHaveLength(2);
});

it('the one annotation of a job that no step has ended is read: only there it says that the runner is lost', async () => {
  await using house = await checksHouse();
  const message = 'The hosted runner lost communication with the server.';
  const annotations = [{ path: '.github', startLine: 1, message }];
  const { check } = await failedJob(house, { log: 'one\n', annotations });
  expect((await said(house, check)).annotations).toMatchObject([{ message }]);
});

it('annotations of another CI are read page by page, and no log is looked for', async () => {
  await using house = await checksHouse();
  const sha = await house.branch('topic');
  const annotations = Array.from({ length: 120 }, (_, at) => ({ path: 'a.js', startLine: at + 1, message: `m ${at}` }));
  const made = { sha, name: 'lint', app: 'other-ci', conclusion: 'failure' } as const;
  await house.people.reportCheck(SHOP, { ...made, annotations });
  const [named] = await house.checks.listAll(house.project, sha, SIGNAL);
  const { got, calls } = await house.counting(() => said(house, named!.latest));
  expect(got).toMatchObject({ log: '', noLog: '' });
  expect(got.annotations).toHaveLength(100);
  expect(calls).toHaveLength(2);
});

it('of a long log the first error is read, however far from the end it stands', async () => {
  await using house = await checksHouse();
  const noise = 'noise of the build\n'.repeat(150_000);
  const { check } = await failedJob(house, { log: `${noise}TypeError: at first\n${noise}Error: at last\n` });
  const { log } = await said(house, check);
  expect(log).toContain('\nTypeError: at first\n');
  expect(log).toMatch(/\n… \d+ lines cut \(\d+–\d+\)\n/);
  expect(Buffer.byteLength(log)).toBeLessThanOrEqual(4 * 1_024 * 1_024);
});

it.each([
  ['gone after its time', 410, 'GitHub no longer keeps the log'],
  ['not shown', 404, "The log couldn't be read from GitHub."],
  ['forbidden', 403, "`Actions: read` wasn't granted."],
])('a log that is %s is told in words, and the annotations are read all the same', async (_, status, words) => {
  await using house = await checksHouse();
  const { check } = await failedJob(house, { log: 'x\n' });
  house.double.faults.add({ path: /\/logs$/, fault: { kind: 'answer', when: 'before', status } });
  const { log, noLog, annotations } = await said(house, check);
  expect(log).toBe('');
  expect(noLog).toContain(words);
  expect(annotations).toHaveLength(1);
});

it('a log that is not at its store moments after the job has ended is asked for again, and later no more', async () => {
  await using house = await checksHouse();
  const { check } = await failedJob(house, { log: 'x\n' });
  house.double.faults.add({
    ...{ path: /\/logs$/, times: 2 },
    fault: { kind: 'answer', when: 'before', status: 502 },
  });
  await expect(said(house, check)).rejects.toBeInstanceOf(ChecksBusy);
  house.double.state.clock.advance(180_000);
  expect(await said(house, check)).toMatchObject({ log: '', noLog: "The log couldn't be read from GitHub." });
});

it.each(['logs', 'annotations'])('a limit at the %s is waited for', async (part) => {
  await using house = await checksHouse();
  // Without annotations nothing else is asked that would meet the limit.
  const annotations = part === 'logs' ? [] : [1, 2].map((startLine) => ({ path: 'a.js', startLine, message: 'No' }));
  const { check } = await failedJob(house, { log: 'x\n', annotations });
  const fault = { kind: 'secondary_limit', status: 429, retryAfter: 30 } as const;
  house.double.faults.add({ path: new RegExp(`/${part}`), fault });
  await expect(said(house, check)).rejects.toBeInstanceOf(ChecksBusy);
});
