// `on-github`: how long people wait on GitHub: after a label for 👀 and for the facts, and after red checks for the check run.
import { setTimeout as wait } from 'node:timers/promises';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import type { Measurement, Row } from './row.ts';

const LIMIT_MS = 60_000;

export const ON_GITHUB: Measurement = {
  name: 'on-github',
  about: 'a label to 👀 and to the facts, on a GitHub double without network',
  async *measure(rounds) {
    await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
    const eyes: number[] = [];
    const facts: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const number = await reportBug(stage.double, { more: `It is the ${round + 1}. time.` });
      await stage.rest();
      const begun = performance.now();
      stage.double.people.label(SHOP_NAME, number, 'analyse', 'mara');
      eyes.push((await seeWrite(stage, `/issues/${number}/reactions`)) - begun);
      facts.push((await seeWrite(stage, `/issues/${number}/comments`)) - begun);
      await stage.rest();
    }
    yield* [
      { what: 'a label to 👀, small repository', unit: 'ms', aim: 1_000, ours: eyes },
      { what: 'a label to the facts, small repository', unit: 'ms', aim: 5_000, ours: facts },
    ] satisfies Row[];
  },
};

/** When GitHub first took a write there. */
async function seeWrite(stage: GithubStage, end: string): Promise<number> {
  for (const limit = performance.now() + LIMIT_MS; performance.now() < limit; await wait(2)) {
    if (stage.writes(SHOP_NAME).some((write) => write.endsWith(end))) return performance.now();
  }
  throw new Error(`Nothing was written to ${end}. The service printed:\n${stage.service().output()}`);
}
