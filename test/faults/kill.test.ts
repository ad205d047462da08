// The long run: kill -9 at ten random moments from POST to delivery, twenty rounds.
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { firstStart, killRound } from '../support/kill-rounds.ts';
import { temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
const KILLS = Number(process.env['KILLS'] ?? 10);

it(`${ROUNDS} reports, each through ${KILLS} kills, end in exactly one Issue and one webhook each`, async () => {
  await using repository = await gitRepository();
  await repository.commit(
    { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' },
    'Start',
  );
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const plan = { repository: repository.path, dataDir: folder.path, receiver, kills: KILLS, longestLife: 400 };
  const token = await firstStart(plan);
  for (let round = 0; round < ROUNDS; round++) {
    const { issueIds, states, webhookIds } = await killRound(plan, `round-${round}`, token);
    expect(states).toEqual(['concluded', 'concluded']);
    expect(issueIds).toEqual([expect.stringMatching(/^iss_/)]);
    expect(webhookIds).toHaveLength(1);
  }
});
