// Webhooks of whoever has lost the project: what was found there does not go out any more, whenever it was promised.
import { afterEach, expect, it } from 'vitest';
import { createSigningSecret } from '../../src/core/account/account.ts';
import type { Webhook } from '../../src/core/account/webhook.ts';
import { GithubFailure } from '../../src/github/clients/github-clients.ts';
import { createLog } from '../../src/log.ts';
import { isStillVisible } from '../../src/services/access.ts';
import { createWebhookHandler } from '../../src/webhooks/deliver-webhook.ts';
import { type ApiGround, apiGround } from '../api/api-ground.ts';
import { githubGround } from '../api/github-ground.ts';
import { acceptance, accepted, conclusion, started } from '../support/store-samples.ts';
import { POLICY, publicAndCanary } from './public-and-canary.ts';

const SILENT = new GithubFailure({ kind: 'unsure', status: 502, retryAt: null }, 'GitHub answered 502.');

let ground: ApiGround;
afterEach(() => ground[Symbol.asyncDispose]());

/** A receiver that refuses the first attempt, and a webhook of octocat about a private project on its way to it. */
async function scene(ending: 'concluded' | 'failed' = 'concluded') {
  const answers = [500];
  const receiver = await publicAndCanary({
    answer: (_, response) => void response.writeHead(answers.shift() ?? 200).end(),
  });
  ground = await apiGround();
  const { store, clock } = ground;
  const { hidden: project, accountId } = await githubGround(ground);
  const now = clock.now.toISOString();
  await store.rotateSigningSecret({ accountId, secret: createSigningSecret(), overlapUntil: now, now });
  const account = { id: accountId, login: 'octocat', githubId: 583231 };
  const callbackUrl = `http://127.0.0.2:${receiver.port}/`;
  const { runId } = await accepted(store, acceptance({ account, project }, { callbackUrl, now }));
  const run = await started(store, runId, now);
  if (ending === 'concluded') await store.conclude(run, conclusion(), now);
  else await store.giveUp(run, { code: 'access_lost', detail: 'The App was uninstalled.' }, now);
  const [{ id: subject } = { id: '' }] = await store.listWebhooks(accountId, 1);
  let role: 'read' | 'none' | GithubFailure = 'read';
  const permissions = {
    roleOf: async () => {
      if (role instanceof GithubFailure) throw role;
      return role;
    },
  };
  const handler = createWebhookHandler({
    ...{ store, policy: POLICY, now: () => clock.now, random: () => 0.5, version: '1' },
    log: createLog({ level: 'silent' }),
    canStillSee: (webhook, signal) => isStillVisible({ store, permissions }, webhook, signal),
  });
  const job = { id: 'job_1', kind: 'webhook', subject, attempt: 1 } as const;
  return {
    attempt: () => handler.handle(job, new AbortController().signal),
    webhook: async (): Promise<Webhook> => (await store.findWebhook(subject)) ?? Promise.reject(new Error('gone')),
    role: (next: typeof role) => {
      role = next;
    },
    uninstall: () => store.removeInstallation(11, now),
    received: () => receiver.requests().length,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

it('An issue whose first attempt failed is not sent once the role is gone, and its owner reads why', async () => {
  await using at = await scene();
  expect((await at.attempt()).kind).toBe('later');
  at.role('none');
  expect(await at.attempt()).toEqual({ kind: 'done' });
  expect(at.received()).toBe(1);
  expect(await at.webhook()).toMatchObject({
    state: 'dead',
    lastError: expect.stringMatching(/^access_lost: You no longer have access to the project/),
  });
});

it('An issue waits while GitHub does not tell the role, which counts as no attempt, and goes out after', async () => {
  await using at = await scene();
  at.role(SILENT);
  const runAt = new Date(ground.clock.now.getTime() + 60_000).toISOString();
  for (let n = 0; n < 12; n++) expect(await at.attempt()).toEqual({ kind: 'later', runAt });
  expect([at.received(), await at.webhook()]).toMatchObject([0, { state: 'pending', attempts: 0 }]);
  at.role('read');
  await at.attempt();
  await at.attempt();
  expect([at.received(), await at.webhook()]).toMatchObject([2, { state: 'delivered', attempts: 2 }]);
});

it('That a report came to nothing is told even where the project is gone: it says nothing of it', async () => {
  await using at = await scene('failed');
  await at.uninstall();
  at.role('none');
  await at.attempt();
  await at.attempt();
  expect(await at.webhook()).toMatchObject({ type: 'issue.failed', state: 'delivered' });
});
