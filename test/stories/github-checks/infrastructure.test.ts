// The machine failed, not the code: the check run says so, nobody is asked and nobody is disturbed; a test that prints such words is code.
import type { ReportedJob } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS, jobLog, testLog } from '../../support/github-red-model.ts';

const stage = redStage();

const REGISTRY = [
  'npm error code ECONNRESET',
  'npm error errno ECONNRESET',
  'npm error network request to https://registry.npmjs.org/left-pad failed, reason: read ECONNRESET',
  'npm error network This is a problem related to network connectivity.',
];

const LOST =
  'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection.';

const FAULTS: readonly (readonly [string, ReportedJob, string])[] = [
  [
    'the runner is lost',
    {
      conclusion: 'failure',
      failedStep: 'npm test',
      log: jobLog('npm test', ['> corner-shop@1.3.0 test', '✔ a basket sums what is in it (0.71ms)'], ''),
      annotations: [{ path: '.github', startLine: 1, message: LOST }],
    },
    'CI machine: the runner was shut down or lost',
  ],
  [
    'the package registry does not answer',
    { conclusion: 'failure', failedStep: 'npm ci', log: jobLog('npm ci', REGISTRY) },
    'CI machine: a package registry did not answer',
  ],
  [
    'the disk is full',
    {
      conclusion: 'failure',
      failedStep: 'npm ci',
      log: jobLog('npm ci', [
        'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write',
        'npm error code ENOSPC',
        'npm error syscall write',
        'npm error errno -28',
        'npm error nospc ENOSPC: no space left on device, write',
      ]),
    },
    'CI machine: the disk of the machine was full',
  ],
];

it.each(FAULTS)('says that %s, and says it in the check run alone', async (_, job, title) => {
  const desk = await stage.desk(`corner/machine-${title.split(' ').at(-1)}`);
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: job });
  const shown = desk.checkRun(sha);
  expect([shown.title, shown.status, shown.conclusion]).toEqual([title, 'completed', 'neutral']);
  expect(shown.words).toContain('re-run it once the machine has recovered');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
});

it('keeps machine and code apart where both are red at one commit: of the code it speaks', async () => {
  const desk = await stage.desk('corner/both');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { build: FAULTS[1]?.[1] ?? 'success', test: COUPONS });
  expect(desk.checkRun(sha).title).toMatch(
    /^2 checks failed, 1 because of this change · test: your change; build: a package registry did not answer/,
  );
  const [comment] = desk.comments(number);
  expect(comment?.text).toContain('src/coupons.js');
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
});

it('takes a test for code that prints ECONNREFUSED of its own', async () => {
  const desk = await stage.desk('corner/refused');
  const { number, sha } = await desk.pull();
  const failing = {
    ...COUPONS,
    test: 'the shop answers over HTTP',
    error: [
      'Error: connect ECONNREFUSED 127.0.0.1:8080',
      '    at discountFor (file:///home/runner/work/shop/shop/src/coupons.js:14:11)',
      '    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/coupons.test.js:15:16)',
    ],
  };
  const log = testLog(failing, { printed: ['connect ECONNREFUSED 127.0.0.1:8080', 'No space left for more baskets'] });
  await desk.run(sha, { test: { conclusion: 'failure', failedStep: 'npm test', log } });
  expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
});
