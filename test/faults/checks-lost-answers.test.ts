// The long run: GitHub's answer is lost after the work was done, as a 502 or a reset, twenty times for every write about red checks.
import { expect, it } from 'vitest';
import { LOST_TOGETHER, lossRound, oneOfEach } from '../support/checks-kill.ts';
import { redModel } from '../support/github-red-model.ts';
import { openGithubStage } from '../support/github-stage.ts';
import type { Loss } from '../support/lost-answers.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
/** Rounds at the same time: what is unsure is looked at again after a while. */
const TOGETHER = 2;
/** What is unsure is looked at again after a minute or more, and a machine that does other work as well takes its time. */
const PATIENCE_MS = 300_000;

it.each<Loss>(['502', 'reset'])(
  `${ROUNDS} shops for every write about red checks whose answer is lost (%s) end with one of each`,
  async (loss) => {
    await using model = await redModel();
    await using stage = await openGithubStage({
      env: { ...model.env, CONCURRENCY: '8' },
      patienceMs: PATIENCE_MS,
    });
    for (let round = 0; round < ROUNDS; round += TOGETHER) {
      const now = Array.from({ length: Math.min(TOGETHER, ROUNDS - round) }, (_, index) => round + index);
      const plays = now.flatMap((number) => LOST_TOGETHER.map((lost, index) => ({ number, index, ...lost })));
      await Promise.all(
        plays.map(async ({ number, index, scene, writes }) => {
          const name = `corner/shop-${number}-${index}`;
          const { left, struck } = await lossRound(stage, model, { name, scene, writes, loss });
          expect(struck).toEqual(writes);
          expect(left).toEqual(oneOfEach(scene, { killed: false }));
        }),
      );
    }
  },
  3_600_000,
);
