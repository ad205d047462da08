// The long run: kill -9 at every write on GitHub, before its answer and right after it, twenty threads each.
import { expect, it } from 'vitest';
import { countLeft, oneOfEach } from '../support/github-kill-count.ts';
import { stubbornModel } from '../support/github-kill-model.ts';
import { killRound, WRITES } from '../support/github-kill-rounds.ts';
import { openGithubStage } from '../support/github-stage.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);

it.each(['carried_out', 'answered'] as const)(
  `${ROUNDS} threads, each killed at all of its writes when they are %s, end with one of each`,
  async (moment) => {
    await using model = await stubbornModel();
    await using stage = await openGithubStage({ env: model.env });
    for (let round = 0; round < ROUNDS; round++) {
      const plan = { repository: `corner/shop-${round}`, moment, writes: WRITES };
      const { desk, killed } = await killRound(stage, model, plan);
      expect(killed).toEqual(WRITES);
      expect(await countLeft(stage, desk)).toEqual(oneOfEach({ further: true }));
    }
  },
  3_600_000,
);
