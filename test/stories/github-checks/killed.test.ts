// The service killed at writes about red checks that were carried out and not answered: one of each all the same. `npm run test:faults` kills it
// at every write, before and after the answer, on a default branch too.
import { expect, it } from 'vitest';
import { oneOfEach } from '../../support/checks-kill-count.ts';
import { killRound } from '../../support/checks-kill-rounds.ts';
import type { Write } from '../../support/checks-kill-writes.ts';
import { redStage } from '../../support/github-red-stage.ts';

const stage = redStage({ ownProcess: true });

it('makes one of each when it is killed between a write and its answer', async () => {
  const scene = 'pull request';
  const writes: readonly Write[] = ['check run', 'review', 'comment', 'shrunk comment'];
  const plan = { name: 'corner/carried-out', scene, writes, moment: 'carried_out' } as const;
  const { left, struck } = await killRound(stage, stage.model, plan);
  expect(struck.toSorted()).toEqual(writes.toSorted());
  expect(left).toEqual(oneOfEach(scene, { killed: true }));
});
