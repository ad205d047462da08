// kill -9 at every write of a foreign proof, before GitHub's answer and after it.
import type { Moment } from 'causeway-github-double';
import { afterAll, beforeAll, it } from 'vitest';
import { expectOneForeignProof, FOREIGN_WRITES } from '../support/foreign-proof-kill.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ ownProcess: true });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const MOMENTS: readonly Moment[] = ['carried_out', 'answered'];

it.each(Object.keys(FOREIGN_WRITES).flatMap((write) => MOMENTS.map((moment): [string, Moment] => [write, moment])))(
  'makes one of each when it is killed at the write “%s”, %s',
  async (write, moment) => {
    await expectOneForeignProof(stage, write, moment);
  },
);
