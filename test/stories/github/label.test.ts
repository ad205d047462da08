// A label on an issue by someone with write: from 👀 to a draft pull request whose checks are green.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changedFiles, deskOf, expectLeastTokens, fileAt, openDesk } from '../../support/github-desk.ts';
import { openShop, reportBug, SHOP_NAME, shopScript } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ script: await shopScript(), prepare: (double) => openShop(double) });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('leads from 👀 and facts to a result in their place and a draft pull request, and nothing else', async () => {
  const desk = deskOf(stage, SHOP_NAME, await reportBug(stage.double));
  desk.label('mara');
  const facts = await desk.comment('Investigating');
  expect(desk.reactions()).toEqual(['eyes']);
  expect(desk.shown(facts.body).text).toContain('src/coupons.js:14');
  const pull = await desk.pull();
  await stage.rest();

  expect(desk.ours()).toHaveLength(1);
  const [result] = desk.ours();
  expect(result?.id).not.toBe(facts.id);
  const shown = desk.shown(result?.body ?? '');
  expect(desk.headlines()).toEqual([
    expect.stringMatching(/^\*\*Cause found, with a fix · confidence \d+ % · next: review \[#2\]\(/),
  ]);
  expect(shown.text).toContain('COUPONS.get(code)');
  expect(shown.mentions).toEqual([]);
  expect(shown.images).toEqual([]);

  const head = pull.pull?.headSha ?? '';
  expect(pull.pull).toMatchObject({
    isDraft: true,
    baseRef: 'main',
    headRef: expect.stringMatching(/^causeway\/issue-1-\w{6}$/),
  });
  expect(pull.title).toBe('Accept coupon codes in any case');
  expect(pull.body).toContain('Fixes #1.');
  expect(await changedFiles(stage, SHOP_NAME, head)).toEqual(['M src/coupons.js', 'M test/coupons.test.js']);
  expect(await fileAt(stage, SHOP_NAME, `${head}:src/coupons.js`)).toContain('COUPONS.get(codeAsKept(code))');
  expect(desk.writes()).toEqual([
    'POST /repos/corner/shop/issues/1/reactions',
    'POST /repos/corner/shop/issues/1/comments',
    'POST /repos/corner/shop/issues/1/comments',
    expect.stringMatching('^DELETE /repos/corner/shop/issues/comments/'),
    'POST /repos/corner/shop/git/refs',
    'mutation createCommitOnBranch',
    'POST /repos/corner/shop/pulls',
    expect.stringMatching('^PATCH /repos/corner/shop/issues/comments/'),
    // The commands that show both halves name the pull request, which has a number only now. Edits notify nobody.
    'PATCH /repos/corner/shop/pulls/2',
  ]);
  expectLeastTokens(stage);
});

it('says in comment and pull request that the checks are green, and writes nothing else', async () => {
  const desk = deskOf(stage, SHOP_NAME, 1);
  const pull = await desk.pull();
  const before = desk.writes().length;
  await stage.double.people.reportCheck(SHOP_NAME, {
    sha: pull.pull?.headSha ?? '',
    name: 'test',
    conclusion: 'success',
  });
  await desk.comment('its checks pass');
  await stage.until('the body', () => pull.body?.includes('CI passes on this commit'));
  await stage.rest();
  expect(desk.writes().slice(before).toSorted()).toEqual([
    expect.stringMatching('^PATCH /repos/corner/shop/issues/comments/'),
    'PATCH /repos/corner/shop/pulls/2',
  ]);
  expect(pull.pull?.isDraft).toBe(true);
});

it('starts whatever the case of the label', async () => {
  const desk = await openDesk(stage, 'corner/capitals');
  desk.label('mara', 'Analyze');
  await desk.pull();
  await stage.rest();
  expect(desk.reactions()).toEqual(['eyes']);
  expect(desk.ours()).toHaveLength(1);
});
