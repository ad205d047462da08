// A pull request from a fork is read at its own head: no branch of the repository leads there, and nothing is pushed to the fork.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShop, SHOP_NAME } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ prepare: (double) => openShop(double) });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('finds the place in a file that stands in the fork alone', async () => {
  const { people } = stage.double;
  await people.fork(SHOP_NAME, 'ola');
  const files = { 'src/newcomer.js': 'export function greet(person) {\n  return person.name.toUpperCase();\n}\n' };
  const sha = await people.push('ola/shop', { by: 'ola', branch: 'greet', files });
  const made = { by: 'ola', title: 'Greet', head: 'greet', headRepository: 'ola/shop' };
  const pull = await people.openPull(SHOP_NAME, made);
  const log = [
    "TypeError: Cannot read properties of undefined (reading 'toUpperCase')",
    '    at greet (src/newcomer.js:2:22)',
  ].join('\n');
  await people.reportCheck(SHOP_NAME, {
    ...{ sha, name: 'test', app: 'other-ci', conclusion: 'failure' },
    output: { title: 'Tests failed', summary: log },
  });
  people.comment(SHOP_NAME, pull.number, { by: 'per', body: '/analyse' });
  const [comment] = await stage.until('the result', () => {
    const ours = stage.ourComments(SHOP_NAME, pull.number);
    return ours.length > 0 && ours;
  });
  expect(comment?.body).toContain('src/newcomer.js');
  expect(comment?.body).toContain(sha.slice(0, 12));
  await stage.rest();
  expect(stage.writes('ola/shop')).toEqual([]);
});
