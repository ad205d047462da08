// Comments of nothing but line breaks, which anybody may write, and a label: the service goes on answering, and the report says what it left out.
import { expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { openShop, reportBug, SHOP_NAME } from '../../support/github-shop.ts';
import { openGithubStage } from '../../support/github-stage.ts';
import { LOOP_PROBE, longestHold } from '../../support/held-loop.ts';

/** 300 of 64 kB held the event loop for 5.4 s; a tenth of a second is the most now. */
const MOST_MS = 1_000;

it('answers others while it reads 300 comments of 64 kB of line breaks', async () => {
  let number = 0;
  await using stage = await openGithubStage({
    ownProcess: true,
    env: LOOP_PROBE,
    // Before the App is installed, so that no delivery is sent for each.
    prepare: async (double) => {
      await openShop(double);
      number = await reportBug(double);
      for (let count = 0; count < 300; count++)
        double.people.comment(SHOP_NAME, number, { by: 'ola', body: 'x\n'.repeat(32_000) });
    },
  });
  const desk = deskOf(stage, SHOP_NAME, number);
  desk.label('mara');
  const result = await stage.until('a comment', () => desk.ours()[0]);
  expect(desk.shown(result.body).text).toContain('src/coupons.js:14');
  await stage.rest();
  const reads = stage.double.requests.filter(({ path }) =>
    path.endsWith(`/issues/${number}/comments?per_page=100&page=2`),
  );
  // The report is full after the first page.
  expect(reads).toEqual([]);
  expect(longestHold(stage.service())).toBeLessThan(MOST_MS);
});
