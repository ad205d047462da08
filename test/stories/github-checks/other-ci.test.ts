// CI of other kinds: commit statuses, check runs of other Apps, logs that are gone, jobs that ran out of time.
import { expect, it } from 'vitest';
import { redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, jobLog } from '../../support/github-red-model.ts';

const stage = redStage();

it('says that it does not know where a status says nothing but that it is red', async () => {
  const desk = await stage.desk('corner/mute');
  const { number, sha } = await desk.pull();
  await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: 'ci/prices' });
  // Here alone the seconds really pass in which more news of a status is gathered: elsewhere the head is made due at once.
  await stage.rest({ hasten: false });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Unclear: it failed, but its log, .* don't say why$/);
  expect(shown.words).toContain('ci/prices');
  expect(shown.words).toContain("The output of the check doesn't say enough to analyse.");
  expect([desk.begun(), desk.comments(number), desk.writesBeside(), shown.buttons]).toEqual([[], [], [], []]);
});

it('looks into what a status says in its description, once all statuses have come', async () => {
  const desk = await stage.desk('corner/telling');
  const { people } = stage.double;
  await people.reportStatus(desk.name, { sha: await desk.tip(), state: 'success', context: 'ci/prices' });
  const { number, sha } = await desk.pull();
  const description = "TypeError: Cannot destructure property 'percent' at src/coupons.js:14";
  await people.reportStatus(desk.name, { sha, state: 'pending', context: 'ci/slow' });
  await people.reportStatus(desk.name, { sha, state: 'failure', context: 'ci/prices', description });
  await stage.rest();
  expect([desk.writes(), desk.begun()]).toEqual([[], []]);
  await people.reportStatus(desk.name, { sha, state: 'success', context: 'ci/slow' });
  await stage.rest();
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^ci\/prices fails here, passing on main: /);
  expect(shown.words).toContain('ci/prices fails here, passing on main · ');
  expect(shown.words).toContain(description);
  expect(desk.begun().map((text) => text.includes(description))).toEqual([true]);
  expect(desk.comments(number)).toHaveLength(1);
});

it('reads output and annotations of a check run of another App', async () => {
  const desk = await stage.desk('corner/other-app');
  const { number, sha } = await desk.pull();
  await stage.double.people.reportCheck(desk.name, {
    ...{ sha, name: 'shop tests', app: 'buildhouse', conclusion: 'failure' },
    output: { title: '1 of 7 tests failed', summary: `not ok 4 - ${COUPONS.test}` },
    annotations: [
      { path: 'test/coupons.test.js', startLine: 14, message: COUPONS.error[0] ?? '' },
      { path: 'src/coupons.js', startLine: 14, message: COUPONS.error[0] ?? '' },
    ],
  });
  await stage.rest();
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  // It has its own marks there: none of ours stands beside them.
  expect(shown.places).not.toContain('src/coupons.js:14');
  const [told = ''] = desk.begun();
  expect(told).toContain(`src/coupons.js:14: failure: ${COUPONS.error[0]}`);
  expect(told).toContain('1 of 7 tests failed');
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
});

it('says that it does not know where the log has expired, and that it has', async () => {
  const desk = await stage.desk('corner/expired');
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: { ...resultOf(COUPONS), log: null } });
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Unclear: /);
  expect(shown.words).toContain('GitHub no longer keeps the log');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
});

it('says that a job ran out of time, which is nobody’s proven fault', async () => {
  const desk = await stage.desk('corner/timed-out');
  const { number, sha } = await desk.pull();
  const end = 'The job running on runner GitHub Actions 7 has exceeded the maximum execution time of 30 minutes.';
  const log = jobLog('npm test', ['> corner-shop@1.3.0 test', '✔ a basket sums what is in it (0.71ms)'], end);
  await desk.run(sha, { test: { conclusion: 'timed_out', failedStep: 'npm test', log } });
  const shown = desk.checkRun(sha);
  expect(shown.title).toBe('Unclear: it timed out or was stopped without saying what was slow');
  expect([desk.begun(), desk.comments(number), desk.writesBeside()]).toEqual([[], [], []]);
});
