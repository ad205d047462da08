// Logs behind the addresses of other CI: read with the operator's token for that origin, and never another tenant's.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { addBuildkite, addCircleci, addJenkins, startBuildServer } from '../../support/build-host.ts';
import { redStage } from '../../support/github-red-desk.ts';
import { COUPONS, testLog } from '../../support/github-red-model.ts';
import { placesWith } from '../../support/stored-text.ts';

const TOKEN = 'canary-operators-ci-token-5f1d';
const [kite, circle, jenkins, storage, stranger] = await Promise.all(Array.from({ length: 5 }, startBuildServer));
if (!kite || !circle || !jenkins || !storage || !stranger) throw new Error('no servers');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-ci-logs-'));
const file = path.join(folder, 'ci-logs.json');
const origins = {
  [kite.origin]: { kind: 'buildkite', token: TOKEN },
  [circle.origin]: { kind: 'circleci', token: TOKEN, storage: [storage.origin] },
  [jenkins.origin]: { kind: 'jenkins', user: 'causeway', token: '$JENKINS_TOKEN' },
};
writeFileSync(file, JSON.stringify({ origins }));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const server of [kite, circle, jenkins, storage, stranger]) await server[Symbol.asyncDispose]();
});

const stage = redStage({ env: { CI_LOGS: file, JENKINS_TOKEN: TOKEN } });
const urlOf = (name: string) => `${stage.double.webUrl}/${name}.git`;
/** What runs there prints without the marks of Actions. */
const PRINTED = testLog(COUPONS)
  .split('\n')
  .map((line) => line.replace(/^\S+Z /, ''))
  .filter((line) => !line.startsWith('##['))
  .join('\n');

it.each([
  ['Buildkite', (made: Parameters<typeof addBuildkite>[1]) => addBuildkite(kite, made)],
  ['CircleCI', (made: Parameters<typeof addBuildkite>[1]) => addCircleci(circle, storage, made)],
  ['Jenkins', (made: Parameters<typeof addBuildkite>[1]) => addJenkins(jenkins, made)],
] as const)('a status of %s is judged by the log of its build', async (service, add) => {
  const name = `corner/${service.toLowerCase()}`;
  const desk = await stage.desk(name);
  const { people } = stage.double;
  await people.reportStatus(name, { sha: await desk.tip(), state: 'success', context: 'ci/tests' });
  const { number, sha } = await desk.pull();
  const targetUrl = add({ repository: urlOf(name), sha, log: PRINTED });
  await people.reportStatus(name, { sha, state: 'failure', context: 'ci/tests', targetUrl });
  await stage.rest();
  const shown = desk.checkRun(sha);
  expect(shown.title).toMatch(/^Your change: /);
  expect(shown.words).toContain(COUPONS.test);
  expect(desk.begun()[0]).toContain(COUPONS.error[0]);
  expect(desk.comments(number)).toHaveLength(1);
});

it('a check run and a status of one build are one cause', async () => {
  const desk = await stage.desk('corner/both');
  const { sha } = await desk.pull();
  const targetUrl = addJenkins(jenkins, { repository: urlOf(desk.name), sha, log: PRINTED }, { job: '/job/both' });
  await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: 'jenkins', targetUrl });
  const made = { sha, name: 'jenkins', app: 'jenkins-app', conclusion: 'failure', detailsUrl: targetUrl } as const;
  await stage.double.people.reportCheck(desk.name, made);
  await stage.rest();
  expect(await desk.failures()).toMatchObject([{ headline: COUPONS.error[0] }]);
  expect(desk.begun()).toHaveLength(1);
});

it('is read for a person who requests an analysis, where none begins unasked', async () => {
  const desk = await stage.desk('corner/draft');
  const { number, sha } = await desk.pull({ draft: true });
  const targetUrl = addJenkins(jenkins, { repository: urlOf(desk.name), sha, log: PRINTED }, { job: '/job/draft' });
  await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: 'jenkins', targetUrl });
  const theirs = { repository: urlOf('the-basement/vault'), sha, log: 'CANARY of the basement' };
  const curious = addJenkins(jenkins, theirs, { job: '/job/vault' });
  await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: 'curious', targetUrl: curious });
  await stage.rest();
  expect(desk.begun()).toEqual([]);
  await desk.say(number, 'per', '/analyse');
  const [told = ''] = stage.model.askedAt(sha);
  expect(told).toContain('--- Log: build of "jenkins" ---');
  expect(told).toContain(COUPONS.error[0]);
  expect(told).toContain('names another repository or commit');
  expect(told).not.toContain('CANARY');
});

it('a build of another tenant is not read for a status that points to it', async () => {
  const victim = 'the-basement/vault';
  const canary = 'CANARY of the basement: TypeError at src/secret-recipe.js:7';
  const theirs = 'e'.repeat(40);
  const builds = [
    addBuildkite(kite, { repository: urlOf(victim), sha: theirs, log: canary }, 'basement'),
    addCircleci(circle, storage, { repository: urlOf(victim), sha: theirs, log: canary }),
    addJenkins(jenkins, { repository: urlOf(victim), sha: theirs, log: canary }, { job: '/job/vault' }),
  ];
  const desk = await stage.desk('corner/curious');
  const { number, sha } = await desk.pull();
  for (const [at, targetUrl] of builds.entries()) {
    await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: `ci/${at}`, targetUrl });
  }
  await stage.rest();
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain('names another repository or commit');
  const told = [shown.words, shown.title, ...desk.begun(), ...desk.comments(number).map(({ body }) => body)].join();
  expect(told).not.toContain('CANARY');
  expect(await placesWith(stage.dataDir, 'CANARY of the basement')).toEqual([]);
});

it('an address of any other origin is never requested, and the token is nowhere', async () => {
  const desk = await stage.desk('corner/elsewhere');
  const { sha } = await desk.pull();
  const addresses = [
    addBuildkite(stranger, { repository: urlOf(desk.name), sha, log: 'x' }),
    `http://${new URL(kite.origin).host}@${new URL(stranger.origin).host}/acme/shop/builds/7`,
    `${stranger.origin}/${new URL(kite.origin).host}/acme/shop/builds/7`,
  ];
  for (const [at, targetUrl] of addresses.entries()) {
    await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: `ci/${at}`, targetUrl });
  }
  const away = addBuildkite(kite, { repository: urlOf(desk.name), sha, log: 'x' }, 'away');
  for (const [at] of kite.answers) {
    if (at.endsWith('log.txt')) kite.answers.set(at, { status: 302, headers: { location: `${stranger.origin}/log` } });
  }
  await stage.double.people.reportStatus(desk.name, { sha, state: 'failure', context: 'ci/away', targetUrl: away });
  await stage.rest();
  expect(desk.checkRun(sha).title).toMatch(/unclear.*unclear.*unclear.*unclear/);
  expect([stranger.seen, storage.seen.filter(({ headers }) => headers['circle-token'])]).toEqual([[], []]);
  for (const secret of [TOKEN, Buffer.from(`causeway:${TOKEN}`).toString('base64')]) {
    expect(await placesWith(stage.dataDir, secret)).toEqual([]);
    expect(stage.service().output() + JSON.stringify(stage.double.requests)).not.toContain(secret);
  }
});
