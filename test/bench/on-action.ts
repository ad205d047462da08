// `action`: how long somebody waits for a sign of life of a job of GitHub Actions, once its runner has begun the step.
import { setTimeout as wait } from 'node:timers/promises';
import { openActionsStage } from '../support/actions-runner.ts';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import type { Measurement } from './row.ts';

const POLLED_MS = 2;

export const ON_ACTION: Measurement = {
  name: 'action',
  about: "from the start of the Action's program to its first request to GitHub, nothing compiled before",
  async *measure(rounds) {
    await using stage = await openActionsStage();
    const { double } = stage;
    await openShop(double);
    const number = await reportBug(double);
    double.people.label(SHOP_NAME, number, 'analyse', 'mara');
    const ours: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const seen = double.requests.length;
      const begun = performance.now();
      const job = stage.job('issues', SHOP_NAME, { with: { mode: 'observe' } });
      while (double.requests.length === seen) await Promise.race([wait(POLLED_MS), job.then(expectAsked)]);
      ours.push(performance.now() - begun);
      const { code, log } = await job;
      if (code !== 0) throw new Error(`The job ended with ${code}: ${log}`);
    }
    yield { ...{ what: 'start of a job of Actions until its first request', unit: 'ms', aim: 5_000 }, ours };

    function expectAsked({ log }: { readonly log: string }): void {
      if (double.requests.length === 0) throw new Error(`The job asked GitHub nothing: ${log}`);
    }
  },
};
