// A write about red checks that GitHub carried out, and whose answer was a 502 or never came: it is looked for before it is done again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneOfEach } from '../../support/checks-kill-count.ts';
import { lossRound } from '../../support/checks-kill-rounds.ts';
import { LOST_TOGETHER } from '../../support/checks-kill-writes.ts';
import { type RedModel, redModel } from '../../support/github-red-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: RedModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await redModel();
  stage = await openGithubStage({ env: { ...model.env, CONCURRENCY: '8' } });
}, 60_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('makes one of each of red checks whatever answer is lost', async () => {
  const rounds = LOST_TOGETHER.map((lost, index) => ({ loss: index % 2 === 0 ? 'reset' : '502', ...lost }) as const);
  await Promise.all(
    rounds.map(async ({ loss, scene, writes }, index) => {
      const { left, struck } = await lossRound(stage, model, { name: `corner/lost-${index}`, scene, writes, loss });
      expect({ scene, struck, ...left }).toEqual({
        scene,
        struck: writes,
        ...oneOfEach(scene, { killed: false }),
      });
    }),
  );
}, 240_000);
