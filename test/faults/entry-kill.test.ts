// The long run: kill -9 at random moments while every entry point of the API and the account area is in use, with the file looked at each time.
import { expect, it } from 'vitest';
import { entryGround, entryKillRound, NO_LOSSES, unended } from '../support/entry-kill.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
/** Most lives are short; a few let reports become Issues that can be deleted. */
const anyLife = () => Math.random() ** 3 * 8_000;

it(`${ROUNDS} kills while reports, cancellations, deletions and keys are under way lose and double nothing`, async () => {
  await using ground = await entryGround();
  const restarts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { losses, refusals, toWorkMs } = await entryKillRound(ground, anyLife());
    expect([round, losses, refusals]).toEqual([round, NO_LOSSES, []]);
    if (toWorkMs !== null) restarts.push(toWorkMs);
  }
  const { ledger } = ground.actor;
  expect(await unended(ground, ledger)).toEqual([]);
  // Each kind of answer was given, so that there was something to lose.
  const counts = Object.fromEntries(Object.entries(ledger).map(([name, { size }]) => [name, size]));
  const sorted = restarts.toSorted((a, b) => a - b);
  const [middle, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) => Math.round(ms ?? 0));
  process.stdout.write(`${JSON.stringify({ rounds: ROUNDS, ...counts, restarts: sorted.length, middle, longest })}\n`);
  const { deliveries: _ofGithub, ...told } = counts;
  expect(Object.entries(told).filter(([, size]) => size === 0)).toEqual([]);
  // Five seconds on a machine of its own; here it may share one.
  expect(longest).toBeLessThan(30_000);
}, 7_200_000);
