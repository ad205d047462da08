// Result files among the artifacts of a red job: what a quiet log does not say, and nothing of another job's.
import { expect, it } from 'vitest';
import { SAMPLES } from '../../../packages/ci-log/test/runner-samples.ts';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS, jobLog } from '../../support/github-red-model.ts';

const stage = redStage();

const QUIET = jobLog('npm test', ['> corner-shop@1.3.0 test', 'Tests failed. See the report.']);

/** As Node's own runner writes it. */
const junit = (name: string, message: string, line: string) =>
  `<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testcase name="${name}" classname="test" file="/home/runner/work/shop/shop/test/coupons.test.js"><failure type="testCodeFailure" message="${message}">${message}\n    at discountFor (file:///home/runner/work/shop/shop/${line})</failure></testcase></testsuites>`;

const REPORT = junit(COUPONS.test, COUPONS.error[0] ?? '', 'src/coupons.js:14:11');

it('names the failed test, its message and its place where the log only says that tests failed', async () => {
  const desk = await stage.desk('corner/quiet-log');
  const { number, sha } = await desk.pull();
  const artifacts = { 'test-results': { 'junit.xml': REPORT } };
  await desk.run(sha, { test: { conclusion: 'failure', failedStep: 'npm test', log: QUIET, artifacts } });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain(COUPONS.test);
  expect(shown.words).toContain(COUPONS.error[0]);
  expect(shown.places).toContain('src/coupons.js:14');
  const [told = ''] = desk.begun();
  expect(told).toContain('=== Result files that the check "test" uploaded ===');
  expect(told).toContain('file:///home/runner/work/shop/shop/src/coupons.js:14:11');
  expect(desk.comments(number)).toHaveLength(1);
  expect(stage.double.problems).toEqual([]);
});

it('is the same failure with result files and without', async () => {
  const desk = await stage.desk('corner/same-failure');
  const loud = SAMPLES.find(({ runner }) => runner === 'node:test');
  const log = jobLog('npm test', (loud?.log ?? '').split('\n'));
  const failed = { conclusion: 'failure', failedStep: 'npm test', log } as const;
  await desk.run(await desk.push('main'), { test: failed });
  await desk.run(await desk.push('main'), {
    test: { ...failed, artifacts: { junit: { 'junit.xml': loud?.xml ?? '' } } },
  });
  expect(await desk.failures()).toMatchObject([{ hits: 2 }]);
});

it('takes nothing from an artifact of another job of the run, of another kind, or that is too large', async () => {
  const desk = await stage.desk('corner/other-job');
  const { sha } = await desk.pull();
  const bomb = `<testsuites>${' '.repeat(30_000_000)}${REPORT}</testsuites>`;
  await desk.run(sha, {
    green: { conclusion: 'success', log: '', artifacts: { 'test-results': { 'junit.xml': REPORT } } },
    test: {
      ...{ conclusion: 'failure', failedStep: 'npm test', log: QUIET },
      artifacts: { 'test-bomb': { 'junit.xml': bomb }, coverage: { 'index.html': REPORT, 'x.zip': REPORT } },
    },
  });
  const shown = desk.checkRun(sha);
  expect(shown.words).not.toContain(COUPONS.test);
  expect(desk.begun().join()).not.toContain(COUPONS.test);
});

it('says which files it does not read, since they would cost too much, and reads the others', async () => {
  const desk = await stage.desk('corner/costly-files');
  const { sha, number } = await desk.pull();
  const secret = `ghp_${'z9Y8x7W6v5U4'.repeat(3)}`;
  const brackets = (levels: number) => `{"runs": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
  await desk.run(sha, {
    test: {
      ...{ conclusion: 'failure', failedStep: 'npm test', log: QUIET },
      artifacts: {
        'test-results': {
          'junit.xml': REPORT,
          'deep.sarif': brackets(100_000),
          'wide `@a` <b>.sarif': brackets(2_000_000),
        },
        'test-more': { [`${secret}.xml`]: `<testsuites>${' '.repeat(9_000_000)}</testsuites>` },
      },
    },
  });
  const { words } = desk.checkRun(sha);
  expect(words).toContain(COUPONS.test);
  expect(words).toContain('Result files that are not read:');
  expect(words).toContain('deep.sarif: more than 64 levels or 200,000 values of SARIF');
  // A mention in code is none, and HTML in it is text.
  expect(words).toContain('wide `@a` <b>.sarif: more than 2 MB of SARIF');
  expect(words).toContain('[redacted].xml: more than 8 MB unpacked');
  expect(words).not.toContain(secret);
  expect(desk.comments(number)).toHaveLength(1);
});

it('shows no secret of a result file', async () => {
  const desk = await stage.desk('corner/secret-report');
  const { sha, number } = await desk.pull();
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const report = junit(COUPONS.test, `no coupon for ${secret}`, 'src/coupons.js:14:11');
  await desk.run(sha, {
    test: {
      ...{ conclusion: 'failure', failedStep: 'npm test', log: QUIET },
      artifacts: { junit: { 'a.xml': report } },
    },
  });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('no coupon for [redacted]');
  const all = [shown.words, ...desk.begun(), ...desk.comments(number).map(({ body }) => body)].join('\n');
  expect(all).not.toContain(secret);
});
