// What the README offers for trying out on the double: the script whose first fix turns CI red, and whose further attempt turns it green.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectForPeople } from '../../support/for-people.ts';
import { fileAt, openDesk } from '../../support/github-desk.ts';
import { shopScript } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

const SCRIPT = path.join(import.meta.dirname, '..', '..', '..', 'demo', 'second-attempt.script.json');
/** As the form of the double proposes it. */
const LOG = 'Error: expected 1 to equal 2\n    at test/coupons.test.js:7:3\n';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ script: JSON.parse(await readFile(SCRIPT, 'utf8')) });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('shows a red check on the fix, one further attempt, and then green', async () => {
  const desk = await openDesk(stage, 'corner/shop', { by: 'ola' });
  const { people } = stage.double;
  const ci = (sha: string, conclusion: 'success' | 'failure') =>
    people.reportWorkflowRun(desk.name, {
      ...{ sha, event: 'pull_request' },
      jobs: [{ name: 'CI', conclusion, failedStep: 'Test', log: conclusion === 'failure' ? LOG : 'ok\n' }],
    });
  desk.label('mara');
  await desk.comment('next: `/analyse fix`');
  await stage.rest();
  expect(desk.pulls()).toEqual([]);
  desk.say('mara', '/analyse fix');
  const pull = await desk.pull();
  await stage.rest();
  const first = pull.pull?.headSha ?? '';
  expect(await fileAt(stage, desk.name, `${first}:src/coupons.js`)).toContain('COUPONS.get(code.toUpperCase())');

  await ci(first, 'failure');
  const second = await stage.until('a further commit', () => pull.pull?.headSha !== first && pull.pull?.headSha);
  await stage.rest();
  expect(await fileAt(stage, desk.name, `${second}:src/coupons.js`)).toContain(
    'COUPONS.get(code.trim().toUpperCase())',
  );

  await ci(second, 'success');
  await desk.comment('its checks pass');
  await stage.rest();
  expect([desk.ours().length, desk.pulls().length, stage.ourComments(desk.name, pull.number)]).toEqual([1, 1, []]);
});

it('with the first script hands over after a second attempt, and names neither the script nor how its quotations were checked', async () => {
  await using other = await openGithubStage({ script: await shopScript() });
  const desk = await openDesk(other, 'corner/shop');
  desk.label('mara');
  const pull = await desk.pull();
  await other.rest();
  await other.double.people.reportWorkflowRun(desk.name, {
    ...{ sha: pull.pull?.headSha ?? '', event: 'pull_request' },
    jobs: [{ name: 'CI', conclusion: 'failure', failedStep: 'Test', log: LOG }],
  });
  const [word] = await other.until('the hand-over', () => {
    const said = other.ourComments(desk.name, pull.number);
    return said.length > 0 && said;
  });
  const shown = desk.shown((word?.body ?? '').split('<details>')[0] ?? '').text;
  expect(shown).toContain('over to you');
  expect(shown).not.toMatch(/\d of \d quotations|\bscript\b/);
  expectForPeople(shown, ['src/coupons.js', 'test/coupons.test.js']);
});
