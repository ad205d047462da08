// The long run: kill -9 while a model investigates, before answers, right after them, right after what they led to is recorded, and at random, twenty rounds.
import { expect, it } from 'vitest';
import { expectOneFix } from '../support/expect-one-fix.ts';
import { killGround } from '../support/kill-rounds.ts';
import { type KillMoment, modelKillRound } from '../support/model-kill-rounds.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
const KILLS = Number(process.env['KILLS'] ?? 6);
/** About as long as the whole investigation takes, from the report on. */
const LONGEST_MS = 1_200;

it(`${ROUNDS} investigations, each through ${KILLS} kills, end in exactly one Issue and one webhook each`, async () => {
  await using ground = await killGround();
  let midway = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const plan = { ...ground, kills: Array.from({ length: KILLS }, anyMoment) };
    const result = await modelKillRound(plan, `round-${round}`);
    await expectOneFix(plan, `round-${round}`, result);
    midway += result.lives.filter(({ recorded }) => recorded > 0).length;
  }
  // The kills were not all too early or too late.
  expect(midway).toBeGreaterThan(ROUNDS);
});

function anyMoment(): KillMoment {
  const count = 1 + Math.floor(Math.random() * 3);
  const kinds: readonly KillMoment[] = [
    { moment: 'asked', count },
    { moment: 'answered', count },
    { recorded: 'turns', count },
    { recorded: 'steps', count },
    { afterMs: Math.random() * LONGEST_MS },
  ];
  return kinds[Math.floor(Math.random() * kinds.length)] ?? { afterMs: 0 };
}
