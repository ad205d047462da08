// The long run: kill -9 at every write of a proof on GitHub, before its answer and right after it, ten proofs each.
import { it } from 'vitest';
import { expectOneProof, PROOF_WRITES } from '../support/github-kill-rounds.ts';
import { proofModel } from '../support/github-proof.ts';
import { openGithubStage } from '../support/github-stage.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);

it.each(['carried_out', 'answered'] as const)(
  `${ROUNDS} proofs, each killed at all of its writes when they are %s, end with one of each`,
  async (moment) => {
    await using model = await proofModel();
    await using stage = await openGithubStage({ env: model.env });
    for (let round = 0; round < ROUNDS; round++) {
      await expectOneProof(stage, model, { repository: `corner/right-${round}`, moment, writes: PROOF_WRITES });
    }
  },
  3_600_000,
);
