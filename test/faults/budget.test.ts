// More labels than the money of the month pays for: it stops, says so once, gives everybody the facts, and loses nobody.
import { expect, it } from 'vitest';
import { deskOf } from '../support/github-desk.ts';
import { shopModel } from '../support/github-model.ts';
import { openShop, reportBug } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';

/** LABELLED=1000 is the hour of hostile-cases E.98. */
const MANY = Number(process.env['LABELLED'] ?? 8);
const NOTICE = 'monthly budget used up';
const SHOP = 'corner/popular';
const ALONE = 'for all repositories is used up';

it(
  'gives the facts alone when the money of the month is used up, says so once, and investigates again when there is more',
  async () => {
    await using model = await shopModel();
    // Of the model's price there is enough for the first few questions.
    const env = { ...model.env, BUDGET_MONTH: '0.02' };
    await using stage = await openGithubStage({ env, patienceMs: 60_000 + MANY * 3_000 });
    await openShop(stage.double, { name: SHOP });
    const numbers: number[] = [];
    for (let index = 0; index < MANY; index++) {
      numbers.push(await reportBug(stage.double, { name: SHOP, more: `Seen by customer ${index}.` }));
    }
    const desks = numbers.map((number) => deskOf(stage, SHOP, number));
    for (const desk of desks) desk.label('per');
    await stage.rest();

    expect(desks.map((desk) => desk.ours().length)).toEqual(desks.map(() => 1));
    const refused = desks.filter((desk) => desk.ours()[0]?.body.includes(ALONE));
    expect(refused.length).toBeGreaterThan(MANY / 2);
    expect(refused.length).toBeLessThan(MANY);
    for (const desk of refused) expect(desk.ours()[0]?.body).toContain('src/coupons.js');
    expect(stage.service().output().split(NOTICE)).toHaveLength(2);
    // What was spent stays below what was allowed: 0.5 dollars a million tokens are booked for a model without a price.
    const asked = model.endpoint.requests.length;
    expect(asked * 0.0021 * 0.5).toBeLessThan(0.02);

    await stage.service().end('SIGTERM');
    await stage.restart({ BUDGET_MONTH: '50' });
    await stage.rest();
    // Nobody is answered a second time unasked.
    expect(model.endpoint.requests).toHaveLength(asked);
    const [again] = refused;
    again?.say('per', '/analyse retry');
    await stage.until('the investigation', () => again?.ours().some(({ body }) => body.includes('as it was typed')));
    await stage.rest();
    expect(again?.ours()).toHaveLength(1);
  },
  120_000 + MANY * 5_000,
);
