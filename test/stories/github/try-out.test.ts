// What docs/github.md offers for trying out on the double, in its order: its shop, its CI that runs, and the script that plays the model.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Comment, GithubIssue, RunningCi } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Issue as Answer } from '../../../src/core/issue/issue.ts';
import { DEMO_SHOP, openDemoShop } from '../../double-program/demo-shop.ts';
import { expectForPeople } from '../../support/for-people.ts';
import { type Desk, deskOf, fileAt, openDesk } from '../../support/github-desk.ts';
import { shopScript } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

const SCRIPT = path.join(import.meta.dirname, '..', '..', '..', 'demo', 'corner-shop.script.json');
const PROVEN = 'proven in CI: its test failed without the fix and passes with it';

let stage: GithubStage;
let ci: RunningCi;

beforeAll(async () => {
  stage = await openGithubStage({ script: JSON.parse(await readFile(SCRIPT, 'utf8')) });
  ci = await openDemoShop(stage.double);
});

afterAll(() => stage[Symbol.asyncDispose]());

/** Until nothing runs any more, neither ours nor CI. */
async function settle(): Promise<void> {
  do await stage.rest();
  while (await ci.settled());
}

function pullOf(number: number): GithubIssue {
  const found = stage.double.people
    .pulls(DEMO_SHOP)
    .find(({ pull }) => pull?.headRef.startsWith(`causeway/issue-${number}-`));
  if (found === undefined) throw new Error(`there is no pull request for #${number}`);
  return found;
}

function at(revision: string, file: string): Promise<string> {
  return fileAt(stage, DEMO_SHOP, `${revision}:${file}`);
}

async function answer(desk: Desk, number = desk.number): Promise<Comment> {
  await settle();
  const [only, ...more] = stage.ourComments(DEMO_SHOP, number);
  expect(more).toEqual([]);
  if (only === undefined) throw new Error(`#${number} has no comment of ours`);
  return only;
}

it('answers a report by a stranger, takes a hint, opens the fix on request and has it proven by the tests themselves', async () => {
  const desk = deskOf(stage, DEMO_SHOP, 1);
  desk.label('mara');
  expect((await answer(desk)).body).toMatch(/^.*Cause found, with a fix.*next: `\/analyse fix`/);
  desk.say('mara', '/analyse retry Test it through the checkout, as a customer meets it');
  expect((await answer(desk)).body).toContain('a checkout with the code as it was typed pins it');
  expect(desk.pulls()).toEqual([]);
  desk.say('mara', '/analyse fix');
  expect((await answer(desk)).body.split('\n')[0]).toContain(PROVEN);
  expect(pullOf(1).body).toContain('a coupon counts as the customer typed it');
});

it('opens the fix at once where who labelled and who reported may write', async () => {
  const desk = deskOf(stage, DEMO_SHOP, 2);
  desk.label('mara');
  expect((await answer(desk)).body.split('\n')[0]).toContain(PROVEN);
  expect(await at(`refs/heads/${pullOf(2).pull?.headRef}`, 'src/server.js')).toContain('There is no delivery');
});

it('makes one more attempt where its first fix is not enough', async () => {
  const desk = deskOf(stage, DEMO_SHOP, 3);
  desk.label('mara');
  const { body } = await answer(desk);
  expect(body.split('\n')[0]).toContain(PROVEN);
  const pullRequest = pullOf(3);
  const { pull } = pullRequest;
  expect(pull?.stats.commits).toBe(3);
  expect(await at(pull?.headSha ?? '', 'src/server.js')).toContain('An order needs a body');

  // What is shown as proven is the change that is there, not the first one, whose checks failed.
  const texts = [body, pullRequest.body ?? ''];
  for (const text of texts) {
    expect(text).toContain('An order without a body is answered with 400 before anything reads it.');
    expect(text).not.toContain('The order reads no coupon of a body that is missing');
  }
  const said = `Attempt 2: checks failed with the first change. The diff below is all of [#${pullRequest.number}]`;
  expect(body).toContain(said);
  expect(body).toMatch(/^\+.*An order needs a body/m);
  expect(body).toMatch(/^\+.*an order without a body is answered with 400/m);
  expect(body).not.toMatch(/^[+-].*body \?\? \{\}/m);
  const api = await stage.api('mara');
  const issues = await Promise.all(
    (await api.project()).issueIds.map((id) => api.get<Answer>(`/api/v1/issues/${id}/`)),
  );
  const of = (problem: string) => issues.find((one) => one.problem.startsWith(problem))?.analysis;
  expect(of('An order without a body stops')?.proof).toBe(null);
  expect(of('The empty order still fails')).toMatchObject({
    proof: { state: 'proven', fixCommit: pull?.headSha },
    links: { pullRequest: expect.stringMatching(`/pull/${pullRequest.number}$`) },
  });
});

it('tells who broke a test that it was their change, and opens the fix that they ask for', async () => {
  const { people } = stage.double;
  const text = await at('refs/heads/main', 'src/delivery.js');
  const files = { 'src/delivery.js': text.replace('cents >= FREE_FROM', 'cents > FREE_FROM') };
  const sha = await people.push(DEMO_SHOP, { by: 'mara', branch: 'delivery-change', files });
  const { number } = await people.openPull(DEMO_SHOP, { by: 'mara', title: 'Change', head: 'delivery-change' });
  await settle();
  const { app } = stage.double;
  const run = [...stage.double.repository(DEMO_SHOP).checkRuns.values()].find(
    (one) => one.appId === app.id && one.headSha === sha,
  );
  expect(run?.output.title).toMatch(/^Your change: Delivery is free above the limit only/);
  const [button] = run?.actions ?? [];
  if (run === undefined || button === undefined) throw new Error('there is nothing to press');
  await people.pressAction(DEMO_SHOP, run, button.identifier, 'mara');
  await settle();
  const fix = people.pulls(DEMO_SHOP).find(({ pull }) => pull?.baseRef === 'delivery-change');
  expect(fix?.body).toContain("Proven in this repository's own CI");
  // It is a single commit: what failed before is the change that it goes into.
  expect(fix?.body).not.toContain('Squash');
  expect(number).toBeLessThan(fix?.number ?? 0);
});

it('says of any other report that a script plays the model and has no answer', async () => {
  const { number } = stage.double.people.openIssue(DEMO_SHOP, {
    by: 'mara',
    title: 'Prices',
    body: 'Is milk too cheap?',
  });
  const desk = deskOf(stage, DEMO_SHOP, number);
  desk.label('mara');
  const { body } = await answer(desk);
  expect(body).toContain('A script plays the language model here, and it has no answer for this.');
  expect(body).not.toMatch(/Cause found|gave no usable answer/);
});

it('hands over where CI stays red and the script ends, and names neither its file nor how its quotations were checked', async () => {
  await using other = await openGithubStage({ script: await shopScript() });
  const desk = await openDesk(other, 'corner/shop');
  desk.label('mara');
  const pull = await desk.pull();
  await other.rest();
  const body = () => desk.shown(desk.pulls()[0]?.body?.split('<details>')[0] ?? '').text;
  expect(body()).toContain('Not verified: this repository has no CI.');
  expect(desk.headlines().join()).toContain('without a CI result');
  await other.double.people.reportWorkflowRun(desk.name, {
    ...{ sha: pull.pull?.headSha ?? '', event: 'pull_request' },
    jobs: [
      {
        ...{ name: 'CI', conclusion: 'failure', failedStep: 'Test' },
        log: 'Error: expected 1 to equal 2\n    at test/coupons.test.js:7:3\n',
      },
    ],
  });
  const [word] = await other.until('the hand-over', () => {
    const said = other.ourComments(desk.name, pull.number);
    return said.length > 0 && said;
  });
  const shown = desk.shown((word?.body ?? '').split('<details>')[0] ?? '').text;
  expect(shown).toContain('over to you');
  expect(shown).toContain('A script plays the language model here, and it has no answer for this.');
  expect(shown).not.toMatch(/\d of \d quotations|discarded/);
  // Files of the shop, not of the machine.
  expectForPeople(shown.replace(/\b(?:src|test)\/[\w.]+\.js\b/g, ''));

  // All that was said of a fix follows: title, body, comment, confidence and API.
  await other.rest();
  expect(desk.pulls()[0]?.title).toMatch(/^Unfinished fix: /);
  expect(body()).toContain('Possible cause, and a change with which CI still fails · confidence 40 %');
  expect(body()).toContain('Not proven: with the fix, checks still fail: “CI”.');
  expect(body()).not.toMatch(/Cause found|Fixes #|not_run|No CI|no CI/);
  expect(await desk.comment('take over')).toMatchObject({
    body: expect.stringMatching(/^\*\*Possible cause, CI fails with the fix · confidence 40 % · next: take over/),
  });
  const api = await other.api('mara');
  const [id = ''] = (await api.project()).issueIds.slice(-1);
  const { analysis } = await api.get<Answer>(`/api/v1/issues/${id}/`);
  expect(analysis).toMatchObject({ confidence: 0.4, proof: { state: 'fails_otherwise', failing: ['CI'] } });
});
