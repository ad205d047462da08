// A service that is killed in the middle of its work loses nothing and makes nothing twice.
import { expect, it } from 'vitest';
import { gitRepository } from '../support/git-repository.ts';
import { firstStart, killRound } from '../support/kill-rounds.ts';
import { temporaryFolder } from '../support/service.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

it('a report whose service is killed three times on its way ends in exactly one Issue and one webhook', async () => {
  await using repository = await gitRepository();
  await repository.commit(
    { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' },
    'Start',
  );
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const plan = { repository: repository.path, dataDir: folder.path, receiver, kills: 3, longestLife: 300 };
  const { issueIds, states, webhookIds } = await killRound(plan, 'ticket-1', await firstStart(plan));
  expect(states).toEqual(['concluded', 'concluded']);
  expect(issueIds).toEqual([expect.stringMatching(/^iss_/)]);
  expect(webhookIds).toHaveLength(1);
});
