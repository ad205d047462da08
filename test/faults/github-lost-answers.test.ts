// The long run: GitHub's answer is lost after the work was done, as a 502 or a reset, twenty times for every write.
import { expect, it } from 'vitest';
import { countLeft, oneOfEach } from '../support/github-kill-count.ts';
import { stubbornModel } from '../support/github-kill-model.ts';
import { LOST_TOGETHER, lossRound } from '../support/github-kill-rounds.ts';
import { openGithubStage } from '../support/github-stage.ts';
import type { Loss } from '../support/lost-answers.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
/** Rounds at the same time: what is unsure is looked at again after a while. */
const TOGETHER = 2;

it.each<Loss>(['502', 'reset'])(
  `${ROUNDS} threads for every write whose answer is lost (%s) end with one of each`,
  async (loss) => {
    await using model = await stubbornModel();
    await using stage = await openGithubStage({ env: { ...model.env, CONCURRENCY: '8' } });
    for (let round = 0; round < ROUNDS; round += TOGETHER) {
      const now = Array.from({ length: Math.min(TOGETHER, ROUNDS - round) }, (_, index) => round + index);
      const plays = now.flatMap((number) => LOST_TOGETHER.map((writes, index) => ({ number, index, writes })));
      await Promise.all(
        plays.map(async ({ number, index, writes }) => {
          const desk = await lossRound(stage, model, { repository: `corner/shop-${number}-${index}`, loss, writes });
          expect(await countLeft(stage, desk)).toEqual(oneOfEach({ further: writes.includes('hand-over') }));
        }),
      );
    }
  },
  3_600_000,
);
