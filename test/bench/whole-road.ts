// What GitHub is asked for one label on the whole road: from 👀 to the draft pull request, with the shop of the demo and its script.
import { setTimeout as wait } from 'node:timers/promises';
import { openShop, reportBug, SHOP_NAME, shopScript } from '../support/github-shop.ts';
import { openBenchStage } from './bench-stage.ts';
import { label, type Timing } from './label.ts';
import { callsIn } from './routes.ts';

const LIMIT_MS = 60_000;

export async function wholeRoad(): Promise<Timing> {
  await using stage = await openBenchStage({ script: await shopScript(), prepare: openShop });
  const { double, seen } = stage;
  const number = await reportBug(double);
  await stage.quiet();
  const from = seen.length;
  const timing = await label(stage, SHOP_NAME, number);
  for (const end = Date.now() + LIMIT_MS; double.people.pulls(SHOP_NAME).length === 0; await wait(20)) {
    if (Date.now() > end) throw new Error(`No pull request was opened. The service said:\n${stage.output()}`);
  }
  await stage.quiet();
  return { ...timing, calls: callsIn(seen.slice(from)) };
}
