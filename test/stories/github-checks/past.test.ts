// Installed on a repository with a past: its red checks of the last 14 days fill the ledger without a model, and what is red next is known by then.
import { expect, it } from 'vitest';
import { minutesAgo, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, type Failing } from '../../support/github-red-model.ts';

const stage = redStage({ installed: false });

const DAY = 24 * 60;

/** A run on that commit, as many days ago, of which nobody was told. */
async function past(
  desk: RedDesk,
  sha: string,
  { days, jobs }: { days: number; jobs: Record<string, Failing | 'success'> },
) {
  await desk.report(sha, jobs, { at: minutesAgo(days * DAY) });
}

/** Installs on that repository alone, and waits until its past is read; what the service logged of it. */
async function install({ name }: RedDesk) {
  const { people, state } = stage.double;
  const [installation] = [...state.installations.values()];
  if (installation === undefined) people.install('corner', { by: 'nora', repositories: [name] });
  else people.changeRepositories(installation, { add: [name], by: 'nora' });
  await stage.rest();
  // What is written is not heard at once.
  const line = await stage.until('word of the past', () =>
    stage
      .service()
      .output()
      .split('\n')
      .find((one) => one.includes(`read the last 14 days of ${name}`)),
  );
  return JSON.parse(line);
}

/** What the API was asked of that repository. */
function calls({ name }: RedDesk): readonly string[] {
  return stage.double.requests
    .map(({ method, path }) => `${method} ${path}`)
    .filter((line) => line.includes(`/repos/${name}/`) && /\/(?:actions|check-runs|commits|statuses)\b/.test(line));
}

it('fills the ledger from the runs of 14 days, with a forecast in the log, no question, and nothing written', async () => {
  const desk = await stage.desk('corner/old');
  const sha = await desk.tip();
  await past(desk, sha, { days: 20, jobs: { test: BASKET } });
  await past(desk, sha, { days: 12, jobs: { test: COUPONS } });
  await past(desk, sha, { days: 8, jobs: { test: COUPONS, deliver: DELIVERY } });
  await past(desk, sha, { days: 5, jobs: { test: 'success' } });
  await past(desk, sha, { days: 2, jobs: { deliver: DELIVERY, lint: 'success' } });
  const told = await install(desk);
  expect(told.msg).toBe(
    'read the last 14 days of corner/old: 4 failed checks: 3 by the change, 1 the base; 0 issues labelled; about $0.30',
  );
  expect(told.calls).toBeLessThan(20);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([2, 2]);
  expect((await desk.failures()).map(({ investigation_id }) => investigation_id)).toEqual([null, null]);
  expect([stage.model.endpoint.requests, desk.writes()]).toEqual([[], []]);
});

it('knows what is red next from the past, and looks into it once', async () => {
  const desk = await stage.desk('corner/remembered');
  const { sha } = await desk.pull({ branch: 'long-ago' });
  await past(desk, sha, { days: 6, jobs: { test: COUPONS } });
  await past(desk, await desk.tip(), { days: 5, jobs: { test: 'success' } });
  await install(desk);
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([1]);
  const { number, sha: red } = await desk.pull({ branch: 'now' });
  await desk.run(red, { test: COUPONS });
  const shown = desk.checkRun(red);
  const day = minutesAgo(6 * DAY).slice(0, 10);
  expect(shown.words).toMatch(new RegExp(`First seen ${day} .*2 times in total`));
  expect(shown.words).toContain('test passes on the base');
  expect([(await desk.failures()).map(({ hits }) => hits), desk.begun().length]).toEqual([[2], 1]);
  expect([desk.comments(number).length, desk.pulls()]).toEqual([1, []]);
});

it('reads as much of a longer past as 250 calls give, and says what is left; once, whoever starts it again', async () => {
  const desk = await stage.desk('corner/busy');
  const sha = await desk.tip();
  const jobs = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`test (${at})`, at % 2 === 0 ? COUPONS : DELIVERY]),
  );
  for (let run = 0; run < 20; run += 1) await past(desk, sha, { days: 1 + run / 2, jobs });
  const told = await install(desk);
  expect(told.msg).toContain('240 failed checks: ');
  expect(told.msg).toMatch(/, \d\d not read; /);
  const asked = calls(desk);
  expect(asked.length).toBeLessThanOrEqual(250);
  expect(told.calls).toBeGreaterThanOrEqual(asked.length);
  expect(await desk.failures()).toHaveLength(2);
  expect([desk.begun(), desk.writes()]).toEqual([[], []]);
  await stage.service().end('SIGTERM');
  await stage.restart();
  await stage.rest();
  expect(calls(desk)).toHaveLength(asked.length);
});

it('reads what is red on a base that was never judged: another failure there excuses nothing', async () => {
  const desk = await stage.desk('corner/never-judged');
  await past(desk, await desk.tip(), { days: 20, jobs: { test: BASKET, deliver: DELIVERY } });
  await install(desk);
  const { sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS, deliver: DELIVERY });
  const { words } = desk.checkRun(sha);
  expect(words).toContain('2 checks failed, 1 because of this change');
  expect(words).toMatch(/Your change: .*coupon/);
  expect(words).toMatch(/Broken on main: deliver fails on the base too, for the same reason/);
});
