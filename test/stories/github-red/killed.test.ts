// The service killed at its writes on GitHub, when one was carried out and not answered, and when it was answered: one of each all the same.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countLeft, oneOfEach } from '../../support/github-kill-count.ts';
import { stubbornModel } from '../../support/github-kill-model.ts';
import { killRound, WRITES, type Write } from '../../support/github-kill-rounds.ts';
import type { ShopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { KILLS_MS } from '../../support/records.ts';

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await stubbornModel();
  stage = await openGithubStage({ env: model.env });
}, 180_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it(
  'makes one of each when it is killed between a write and its answer',
  async () => {
    const { desk, killed } = await killRound(stage, model, {
      ...{ repository: 'corner/carried-out', moment: 'carried_out', writes: WRITES },
    });
    expect(killed).toEqual(WRITES);
    expect(await countLeft(stage, desk)).toEqual(oneOfEach({ further: true }));
  },
  KILLS_MS,
);

it(
  'makes one of each when it is killed as soon as a write is answered',
  async () => {
    const writes: readonly Write[] = ['facts', 'result', 'branch', 'commit', 'pull request'];
    const { desk, killed } = await killRound(stage, model, {
      ...{ repository: 'corner/answered', moment: 'answered', writes },
    });
    expect(killed).toEqual(writes);
    expect(await countLeft(stage, desk)).toEqual(oneOfEach({ further: false }));
  },
  KILLS_MS,
);
