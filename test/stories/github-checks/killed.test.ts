// The service killed at its writes about red checks, when one was carried out and not answered, and when it was answered: one of each all the same.
import { expect, it } from 'vitest';
import { oneOfEach } from '../../support/checks-kill-count.ts';
import { killRound } from '../../support/checks-kill-rounds.ts';
import { type Scene, WRITES, type Write } from '../../support/checks-kill-writes.ts';
import { redStage } from '../../support/github-red-stage.ts';
import { KILLS_MS } from '../../support/records.ts';

const stage = redStage();

const SCENES: readonly Scene[] = ['pull request', 'default branch'];

it.each(SCENES)(
  'makes one of each on a red %s when it is killed between a write and its answer',
  async (scene) => {
    const writes = WRITES[scene];
    const name = `corner/carried-out-${writes.length}`;
    const { left, struck } = await killRound(stage, stage.model, { name, scene, writes, moment: 'carried_out' });
    expect(struck.toSorted()).toEqual(writes.toSorted());
    expect(left).toEqual(oneOfEach(scene, { killed: true }));
  },
  KILLS_MS,
);

it(
  'makes one of each when it is killed as soon as a write is answered',
  async () => {
    const scene = 'pull request';
    const writes: readonly Write[] = ['check run', 'completed check run', 'review', 'comment'];
    const plan = { name: 'corner/answered', scene, writes, moment: 'answered' } as const;
    const { left, struck } = await killRound(stage, stage.model, plan);
    expect(struck.toSorted()).toEqual(writes.toSorted());
    expect(left).toEqual(oneOfEach(scene, { killed: true }));
  },
  KILLS_MS,
);
