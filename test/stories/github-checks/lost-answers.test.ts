// A write about red checks that GitHub carried out, and whose answer was a 502 or never came: it is looked for before it is done again.
import { expect, it } from 'vitest';
import { oneOfEach } from '../../support/checks-kill-count.ts';
import { lossRound } from '../../support/checks-kill-rounds.ts';
import { LOST_TOGETHER } from '../../support/checks-kill-writes.ts';
import { redStage } from '../../support/github-red-stage.ts';

const stage = redStage({ env: { CONCURRENCY: '8' } });

it('makes one of each of red checks when an answer is lost', async () => {
  const rounds = LOST_TOGETHER.slice(1, 3).map(
    (lost, index) => ({ loss: index % 2 === 0 ? 'reset' : '502', ...lost }) as const,
  );
  await Promise.all(
    rounds.map(async ({ loss, scene, writes }, index) => {
      const plan = { name: `corner/lost-${index}`, scene, writes, loss };
      const { left, struck } = await lossRound(stage, stage.model, plan);
      expect({ scene, struck, ...left }).toEqual({
        scene,
        struck: writes,
        ...oneOfEach(scene, { killed: false }),
      });
    }),
  );
});
