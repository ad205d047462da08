// Installed on a repository with a past: its red checks of the last 14 days fill the ledger without a model, and what is red next is known by then.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minutesAgo, redActs } from '../../support/github-red-acts.ts';
import { openRedDesk, type RedDesk, resultOf } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, type Failing } from '../../support/github-red-logs.ts';
import { type RedModel, redModel } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: RedModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await redModel();
  stage = await openGithubStage({ env: model.env, installed: false });
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const DAY = 24 * 60;

/** A run on that commit, as many days ago, of which nobody was told. */
async function past(
  desk: RedDesk,
  sha: string,
  { days, jobs }: { days: number; jobs: Record<string, Failing | 'success'> },
) {
  await stage.double.people.reportWorkflowRun(desk.name, {
    ...{ sha, at: minutesAgo(days * DAY) },
    jobs: Object.entries(jobs).map(([name, end]) => ({ name, ...resultOf(end) })),
  });
}

/** Installs on that repository alone, and waits until its past is read; what the service logged of it. */
async function install({ name }: RedDesk) {
  const { people, state } = stage.double;
  const [installation] = [...state.installations.values()];
  if (installation === undefined) people.install('corner', { by: 'nora', repositories: [name] });
  else people.changeRepositories(installation, { add: [name], by: 'nora' });
  await stage.rest();
  const line = stage
    .service()
    .output()
    .split('\n')
    .find((one) => one.includes('read the red checks of the past') && one.includes(`"${name}"`));
  return JSON.parse(line ?? 'null');
}

/** What the API was asked of that repository. */
function calls({ name }: RedDesk): readonly string[] {
  return stage.double.requests
    .map(({ method, path }) => `${method} ${path}`)
    .filter((line) => line.includes(`/repos/${name}/`) && /\/(?:actions|check-runs|commits|statuses)\b/.test(line));
}

it('fills the ledger from the runs of 14 days, with a forecast in the log, no question, and nothing written', async () => {
  const desk = await openRedDesk(stage, model, 'corner/old');
  const sha = await desk.tip();
  await past(desk, sha, { days: 20, jobs: { test: BASKET } });
  await past(desk, sha, { days: 12, jobs: { test: COUPONS } });
  await past(desk, sha, { days: 8, jobs: { test: COUPONS, deliver: DELIVERY } });
  await past(desk, sha, { days: 5, jobs: { test: 'success' } });
  await past(desk, sha, { days: 2, jobs: { deliver: DELIVERY, lint: 'success' } });
  const told = await install(desk);
  expect(told).toMatchObject({ project: 'corner/old', redChecks: 4 });
  // Two distinct failures in 14 days are four in 30.
  expect(told.forecast).toEqual({ redChecks: 9, investigations: 4, usd: 0.6 });
  expect(told.calls).toBeLessThan(20);
  expect(desk.failures().map(({ hits }) => hits)).toEqual([2, 2]);
  expect(desk.failures().map(({ investigation_id }) => investigation_id)).toEqual([null, null]);
  expect([model.endpoint.requests, desk.writes()]).toEqual([[], []]);
}, 60_000);

it('knows what is red next from the past, and looks into it once', async () => {
  const desk = await openRedDesk(stage, model, 'corner/remembered');
  const { pull } = await desk.pull({ branch: 'long-ago' });
  await past(desk, pull?.headSha ?? '', { days: 6, jobs: { test: COUPONS } });
  await past(desk, await desk.tip(), { days: 5, jobs: { test: 'success' } });
  await install(desk);
  expect(desk.failures().map(({ hits }) => hits)).toEqual([1]);
  const { number, pull: red } = await desk.pull({ branch: 'now' });
  await desk.run(red?.headSha ?? '', { test: COUPONS });
  const shown = desk.checkRun(red?.headSha ?? '');
  const day = minutesAgo(6 * DAY).slice(0, 10);
  expect(shown.words).toContain(`Known, first seen on ${day}`);
  expect(shown.words).toContain('2 times in all');
  expect(shown.words).toContain('test is green on the base');
  expect([desk.failures().map(({ hits }) => hits), desk.begun().length]).toEqual([[2], 1]);
  expect([desk.comments(number).length, redActs(stage, desk).pulls()]).toEqual([1, []]);
}, 60_000);

it('reads 200 logs of a past that is longer, and counts the rest; once, whoever starts it again', async () => {
  const desk = await openRedDesk(stage, model, 'corner/busy');
  const sha = await desk.tip();
  const jobs = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`test (${at})`, at % 2 === 0 ? COUPONS : DELIVERY]),
  );
  for (let run = 0; run < 20; run += 1) await past(desk, sha, { days: 1 + run / 2, jobs });
  const told = await install(desk);
  expect(told).toMatchObject({ redChecks: 240 });
  const asked = calls(desk);
  expect(asked.filter((call) => call.endsWith('/logs'))).toHaveLength(200);
  expect(asked.length).toBeLessThanOrEqual(500);
  expect(told.calls).toBe(asked.length);
  expect(desk.failures()).toHaveLength(2);
  expect([desk.begun(), desk.writes()]).toEqual([[], []]);
  await stage.service().end('SIGTERM');
  await stage.restart();
  await stage.rest();
  expect(calls(desk)).toHaveLength(asked.length);
}, 60_000);
