// The long run: kill -9 at every write about red checks, before its answer and right after it, twenty shops each.
import { expect, it } from 'vitest';
import { killRound, oneOfEach, WRITES } from '../support/checks-kill.ts';
import { redModel } from '../support/github-red-model.ts';
import { openGithubStage } from '../support/github-stage.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);

const MOMENTS = (['carried_out', 'answered'] as const).flatMap((moment) =>
  (['pull request', 'default branch'] as const).map((scene) => ({ moment, scene })),
);

it.each(MOMENTS)(
  `${ROUNDS} shops with a red $scene, each killed at all of its writes when they are $moment, end with one of each`,
  async ({ moment, scene }) => {
    await using model = await redModel();
    await using stage = await openGithubStage({ env: model.env });
    const writes = WRITES[scene];
    for (let round = 0; round < ROUNDS; round++) {
      const { left, struck } = await killRound(stage, model, { name: `corner/shop-${round}`, scene, writes, moment });
      expect(struck.toSorted()).toEqual(writes.toSorted());
      expect(left).toEqual(oneOfEach(scene, { killed: true }));
    }
  },
  3_600_000,
);
