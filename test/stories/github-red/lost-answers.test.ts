// A write that GitHub carried out, and whose answer was a 502 or never came: it is looked for before it is done again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countLeft, oneOfEach } from '../../support/github-kill-count.ts';
import { stubbornModel } from '../../support/github-kill-model.ts';
import { LOST_TOGETHER, lossRound } from '../../support/github-kill-rounds.ts';
import type { ShopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await stubbornModel();
  stage = await openGithubStage({ env: { ...model.env, CONCURRENCY: '8' } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('makes one of each when an answer is lost', async () => {
  const rounds = LOST_TOGETHER.slice(1, 3).map(
    (writes, index) => ({ loss: index === 0 ? '502' : 'reset', writes }) as const,
  );
  await Promise.all(
    rounds.map(async ({ loss, writes }) => {
      const desk = await lossRound(stage, model, {
        ...{ repository: `corner/${writes.join('-').replaceAll(' ', '-')}-${loss}`, loss, writes },
      });
      const further = writes.includes('hand-over');
      expect({ writes, ...(await countLeft(stage, desk)) }).toEqual({ writes, ...oneOfEach({ further }) });
    }),
  );
});
