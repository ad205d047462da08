// Kill -9 at random moments from POST to webhook, a few rounds on each engine; `npm run test:faults` runs the long ones.
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { firstStart, killRounds } from '../support/kill-rounds.ts';
import { temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const ROUNDS = 5;

it(`${ROUNDS} reports, each through a kill of the service, end in exactly one Issue and one webhook each`, async () => {
  await using repository = await gitRepository();
  await repository.commit(
    { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' },
    'Start',
  );
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const plan = { repository: repository.path, dataDir: folder.path, receiver, kills: 1, longestLife: 300 };
  const keys = Array.from({ length: ROUNDS }, (_, round) => `ticket-${round + 1}`);
  for (const { issueIds, states, webhookIds } of await killRounds(plan, keys, await firstStart(plan))) {
    expect(states).toEqual(['concluded', 'concluded']);
    expect(issueIds).toEqual([expect.stringMatching(/^iss_/)]);
    expect(webhookIds).toHaveLength(1);
  }
});
