// Red checks that are not ours to mend, and a pull request that people have taken over: left alone, and said so.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FURTHER, stubbornModel } from '../../support/github-kill-model.ts';
import type { ShopModel } from '../../support/github-model.ts';
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

/** What the model was told of red checks of that repository. */
function furtherOf(name: string): readonly string[] {
  return model.told(FURTHER).filter((text) => text.includes(`Repository ${name} `));
}

it('mends nothing that is red on the base as well, and says that it is', async () => {
  const shop = await openRedShop(stage, 'corner/red-base');
  await shop.checks({ test: 'failure' }, { sha: shop.pull.pull?.baseSha ?? '' });
  await shop.checks({ test: 'failure' });
  expect(shop.pull.body).toContain('Also failing on `main`, so not caused by this change: `test`.');
  expect([shop.said(), await shop.commits(), furtherOf(shop.desk.name)]).toEqual([[], [shop.head()], []]);
});

it('looks only at what is red because of it where something else is red on the base', async () => {
  const shop = await openRedShop(stage, 'corner/half-ours');
  await shop.checks({ lint: 'failure' }, { sha: shop.pull.pull?.baseSha ?? '' });
  const first = shop.head();
  await shop.checks({ lint: 'failure', test: 'failure' });
  await shop.nextHead(first);
  expect(furtherOf(shop.desk.name)[0]).toContain('these failed there and not on main: "test"');
  await shop.checks({ lint: 'failure', test: 'success' });
  expect([shop.said(), (await shop.commits()).length]).toEqual([[], 2]);
});

it('leaves a branch alone that a person has pushed to, whatever its checks say', async () => {
  const shop = await openRedShop(stage, 'corner/pushed');
  const branch = shop.pull.pull?.headRef ?? '';
  const theirs = await stage.double.people.push(shop.desk.name, { by: 'mara', branch, files: { 'N.md': 'mine\n' } });
  await shop.desk.comment('others have pushed to it');
  await shop.checks({ test: 'failure' });
  expect([shop.said(), shop.head(), furtherOf(shop.desk.name)]).toEqual([[], theirs, []]);
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('others have pushed to it')]);
});

it('pushes nothing over a person who pushed while it tried once more', async () => {
  const shop = await openRedShop(stage, 'corner/raced');
  const { asked, release } = model.hold(`these failed there and not on main: "raced"`);
  const red = shop.checks({ raced: 'failure' });
  await asked;
  const branch = shop.pull.pull?.headRef ?? '';
  const theirs = await stage.double.people.push(shop.desk.name, { by: 'mara', branch, files: { 'N.md': 'mine\n' } });
  await shop.desk.comment('others have pushed to it');
  release();
  await red;
  expect([shop.head(), (await shop.commits()).length, shop.said()]).toEqual([theirs, 2, []]);
});

it('gives up its further attempt when a person closes the pull request, and says how it stands', async () => {
  const shop = await openRedShop(stage, 'corner/shut');
  const { asked, release } = model.hold(`these failed there and not on main: "shut"`);
  const red = shop.checks({ shut: 'failure' });
  const question = await asked;
  stage.double.people.close(shop.desk.name, shop.pull.number, 'mara');
  await shop.desk.comment('was closed without merging');
  await question.closed;
  release();
  await red;
  expect([shop.said(), await shop.commits()]).toEqual([[], [shop.head()]]);
  await shop.checks({ shut: 'failure' });
  expect([shop.said(), await shop.commits()]).toEqual([[], [shop.head()]]);
});

it('says that it was merged, and looks at its checks no more', async () => {
  const shop = await openRedShop(stage, 'corner/merged');
  await stage.double.people.merge(shop.desk.name, shop.pull.number, 'mara');
  await shop.desk.comment('merged in');
  await stage.rest();
  const writes = shop.desk.writes().length;
  await shop.checks({ test: 'failure' });
  expect([shop.said(), shop.desk.writes().length, furtherOf(shop.desk.name)]).toEqual([[], writes, []]);
});

it('asks for a review when it is green, where that is configured, and not before', async () => {
  const config = 'pull_request: { ready: true, reviewers: [nora] }\n';
  const shop = await openRedShop(stage, 'corner/ready', config);
  const first = shop.head();
  await shop.checks({ test: 'failure' });
  await shop.nextHead(first);
  expect([shop.pull.pull?.isDraft, shop.pull.pull?.reviewerIds.size]).toEqual([true, 0]);
  await shop.checks({ test: 'success' });
  expect([shop.pull.pull?.isDraft, shop.pull.pull?.reviewerIds.size]).toEqual([false, 1]);
  const writes = shop.desk.writes().length;
  await shop.checks({ test: 'success' });
  expect(shop.desk.writes()).toHaveLength(writes);
});

it('takes the statuses of other CI for checks, and waits until all of them have come', async () => {
  const shop = await openRedShop(stage, 'corner/statuses');
  const { people } = stage.double;
  const first = shop.head();
  const report = async (state: 'pending' | 'success' | 'failure', context: string, sha = shop.head()) => {
    const description = state === 'failure' ? 'Stage "prices" broke' : null;
    await people.reportStatus(shop.desk.name, { sha, state, context, description });
    await stage.rest();
  };
  await report('pending', 'ci/slow');
  await report('failure', 'ci/prices');
  expect([shop.head(), furtherOf(shop.desk.name)]).toEqual([first, []]);
  await report('success', 'ci/slow');
  await shop.nextHead(first);
  const [told = ''] = furtherOf(shop.desk.name);
  expect(told).toContain('"ci/prices"');
  expect(told).toContain('Stage "prices" broke');
  await report('success', 'ci/slow');
  await report('success', 'ci/prices');
  expect(shop.desk.headlines()).toEqual([expect.stringContaining('its checks pass')]);
  await report('failure', 'ci/prices');
  expect(shop.said()).toHaveLength(1);
});
