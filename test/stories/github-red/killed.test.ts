// The service killed at writes on GitHub that were carried out and not answered: one of each all the same. `npm run test:faults` kills it at
// every write, before and after the answer.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countLeft, oneOfEach } from '../../support/github-kill-count.ts';
import { stubbornModel } from '../../support/github-kill-model.ts';
import { killRound, type Write } from '../../support/github-kill-rounds.ts';
import type { ShopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await stubbornModel();
  stage = await openGithubStage({ env: model.env, ownProcess: true });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('makes one of each when it is killed between a write and its answer', async () => {
  const writes: readonly Write[] = ['facts', 'result', 'branch', 'commit', 'pull request'];
  const plan = { repository: 'corner/carried-out', moment: 'carried_out', writes } as const;
  const { desk, killed } = await killRound(stage, model, plan);
  expect(killed).toEqual(writes);
  expect(await countLeft(stage, desk)).toEqual(oneOfEach({ further: false }));
});
