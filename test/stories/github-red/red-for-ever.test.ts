// The checks of our own pull request are red: as many further attempts as are allowed, one hand-over, and silence.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changedFiles, expectLeastTokens, fileAt } from '../../support/github-desk.ts';
import { FURTHER, stubbornModel } from '../../support/github-kill-model.ts';
import { MENDED_FILE, type ShopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { openRedShop } from './red-shop.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await stubbornModel();
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('tries once more with the log of what failed, hands over when that is red too, and is silent from then on', async () => {
  const shop = await openRedShop(stage, 'corner/for-ever');
  const first = shop.head();
  await shop.checks({ test: 'failure', lint: 'success' }, { log: 'not ok 7 - WINTER25 in small letters\n' });
  const second = await shop.nextHead(first);

  expect(await shop.commits()).toEqual([second, first]);
  expect(await changedFiles(stage, shop.desk.name, second)).toEqual([`M ${MENDED_FILE}`]);
  expect(await fileAt(stage, shop.desk.name, `${second}:${MENDED_FILE}`)).toContain('// try 1');
  const [told = ''] = model.told(FURTHER).filter((text) => text.includes('Repository corner/for-ever '));
  expect(told).toContain('not ok 7 - WINTER25 in small letters');
  expect(told).toContain(`commit ${first}`);
  expect(told).toContain('these failed there and not on main: "test"');
  expect(shop.said()).toEqual([]);
  expect(shop.pull.body).toContain('Attempt 2, after failing checks: `test`.');

  await shop.checks({ test: 'failure', lint: 'success' });
  const [words = ''] = shop.said();
  expect(words).toContain('CI still fails after a second attempt · over to you');
  expect(words).toContain('test');
  expect(words).not.toContain('lint');
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('its checks still fail')]);
  expect(shop.pull.pull?.isDraft).toBe(true);

  // Whoever takes over gets one block for their agent, on the pull request and under the answer.
  const branch = shop.pull.pull?.headRef;
  for (const { body } of [...stage.ourComments(shop.desk.name, shop.pull.number), ...shop.desk.ours()]) {
    const fold = shop.desk.shown(body.slice(body.lastIndexOf('<details>'))).text;
    expect(fold).toContain('For a coding agent');
    expect(fold).toContain('Finish the fix of this problem.');
    expect(fold).toContain(`branch ${branch} at ${second}`);
    expect(fold).toContain('test');
  }

  const writes = shop.desk.writes().length;
  const questions = model.endpoint.requests.length;
  await shop.checks({ test: 'failure', lint: 'failure' });
  await stage.double.people.reportStatus(shop.desk.name, { sha: second, state: 'error', context: 'ci/other' });
  await stage.rest();
  expect([shop.said().length, shop.desk.writes().length]).toEqual([1, writes]);
  expect([model.endpoint.requests.length, await shop.commits()]).toEqual([questions, [second, first]]);
  expectLeastTokens(stage);
});

it('hands over at once where no further attempts are wanted', async () => {
  const shop = await openRedShop(stage, 'corner/no-attempt', 'pull_request: { attempts: 0 }\n');
  await shop.checks({ test: 'failure' });
  expect(shop.said()).toEqual([expect.stringContaining('CI still fails · over to you')]);
  expect(await shop.commits()).toEqual([shop.head()]);
  await shop.checks({ test: 'failure' });
  expect(shop.said()).toHaveLength(1);
});

it('tries three times where three are wanted, each on top of the one before, and hands over once', async () => {
  const shop = await openRedShop(stage, 'corner/three', 'pull_request: { attempts: 3 }\n');
  const heads = [shop.head()];
  for (let attempt = 1; attempt <= 3; attempt++) {
    await shop.checks({ test: 'failure' });
    heads.unshift(await shop.nextHead(heads[0] ?? ''));
    expect(await fileAt(stage, shop.desk.name, `${heads[0]}:${MENDED_FILE}`)).toContain(`// try ${attempt}`);
    expect(shop.said()).toEqual([]);
  }
  await shop.checks({ test: 'failure' });
  expect(shop.said()).toEqual([expect.stringContaining('still fails after 3 more attempts')]);
  expect(await shop.commits()).toEqual(heads);
  await shop.checks({ test: 'failure' });
  expect([shop.said().length, shop.desk.pulls().length, shop.desk.ours().length]).toEqual([1, 1, 1]);
});

it('says that it is green when the further attempt was right, and hands nothing over', async () => {
  const shop = await openRedShop(stage, 'corner/second-try');
  const first = shop.head();
  await shop.checks({ test: 'failure' });
  await shop.nextHead(first);
  await shop.checks({ test: 'success' });
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('its checks pass')]);
  expect(shop.pull.body).toContain('CI passes on this commit');
  expect([shop.said(), (await shop.commits()).length]).toEqual([[], 2]);
});

it('tries no more for a person who may not write any more, and hands over', async () => {
  const shop = await openRedShop(stage, 'corner/demoted');
  stage.double.people.grant(shop.desk.name, 'mara', 'triage');
  // Roles are remembered for some minutes: a new process asks anew.
  await stage.service().end('SIGTERM');
  await stage.restart();
  await shop.checks({ test: 'failure' });
  expect(shop.said()).toEqual([expect.stringContaining('CI still fails · over to you')]);
  expect(await shop.commits()).toEqual([shop.head()]);
});
