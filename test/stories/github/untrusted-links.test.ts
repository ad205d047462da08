// Texts that were made to be slow, by somebody who may only write issues and comments: the service answers everybody else meanwhile.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { openShop, reportBug, SHOP_NAME, shopScript } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { longestAnswer } from '../../support/longest-answer.ts';

/** Each once held the event loop for about 4 s. */
const LINK = `https://x${'.'.repeat(60_000)}y`;

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ script: await shopScript(), prepare: (double) => openShop(double) });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('links made of dots hold up nobody, and what they stand in is investigated', async () => {
  const desk = deskOf(stage, SHOP_NAME, await reportBug(stage.double, { more: LINK }));
  for (let count = 0; count < 3; count += 1) desk.say('ola', LINK);
  await stage.rest();
  const longest = await longestAnswer(`${stage.service().address}/healthz`, async () => {
    desk.label('mara');
    await desk.comment('Cause found');
  });
  expect(longest).toBeLessThan(3_000);
});
