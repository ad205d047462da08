// The whole service: an issue of a private repository on its way to a receiver that was down, whose account loses its role meanwhile.
import { expect, it } from 'vitest';
import { openShop, SHOP_NAME } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

it.each([
  { meanwhile: 'loses the role', attempts: 1, says: 'does not see the project any more' },
  { meanwhile: 'keeps it', attempts: 2, says: 'webhook delivered' },
])('Whoever $meanwhile between two attempts is sent the issue $attempts times', async ({ attempts, says }) => {
  await using receiver = await webhookReceiver();
  receiver.answerWith(500);
  await using stage = await openGithubStage({
    patienceMs: 20_000,
    env: { CALLBACK_ALLOW: '127.0.0.1', LOG_LEVEL: 'info' },
    prepare: async (double) => {
      await openShop(double, { isPrivate: true });
      double.people.grant(SHOP_NAME, 'eve', 'triage');
    },
  });
  const eve = await stage.api('eve');
  await stage.until('the project', async () => (await eve.get<readonly object[]>('/api/v1/projects/')).length > 0);
  await eve.report({ data: 'TypeError: boom', projectId: SHOP_NAME, callbackUrl: receiver.url });
  expect((await receiver.received(1))[0]?.body).toContain('"issue.created"');
  // With the service go the roles that it remembers for five minutes.
  await stage.service().end('SIGKILL');
  if (attempts === 1) stage.double.people.revoke(SHOP_NAME, 'eve');
  receiver.answerWith(200);
  await stage.restart();
  await stage.until('the end of the webhook', () => stage.service().output().includes(says));
  expect(receiver.deliveries).toHaveLength(attempts);
});
