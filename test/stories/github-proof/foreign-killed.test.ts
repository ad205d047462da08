// The service killed at writes of a foreign proof that were carried out and not answered: one of each all the same, and nothing left behind.
// `npm run test:faults` kills it at every write, before and after the answer.
import { afterAll, beforeAll, it } from 'vitest';
import { expectOneForeignProof } from '../../support/foreign-proof-kill.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ ownProcess: true });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

it.each(['check run', 'branch', 'draft', 'deletion'])(
  'makes one of each when it is killed at the write “%s”',
  async (write) => {
    await expectOneForeignProof(stage, write, 'carried_out');
  },
);
