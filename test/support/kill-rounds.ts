// Kills the service at random moments between a report's POST and its webhook, again and again, and counts what became of it.

import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { HeldModel } from '../../packages/models/test/played.ts';
import { apiClient } from './api-client.ts';
import { heldModel } from './held-model.ts';
import type { ModelKillPlan } from './model-kill-rounds.ts';
import { modelSettings } from './model-service.ts';
import { printedToken, type Service, startService, temporaryFolder } from './service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from './shop-fix.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

interface KillPlan {
  readonly repository: string;
  readonly dataDir: string;
  readonly receiver: WebhookReceiver;
  readonly kills: number;
  /** Longest life of a service before it is killed, in milliseconds. */
  readonly longestLife: number;
}

interface RoundResult {
  readonly issueIds: readonly string[];
  readonly states: readonly string[];
  /** Distinct `webhook-id`s that were delivered. */
  readonly webhookIds: readonly string[];
}

const REPORT = 'TypeError: Cannot read properties of undefined\n    at start (/srv/app/src/index.js:2:9)\n';

/** One report, sent with one idempotency key until it is accepted, through `kills` lives that end with SIGKILL, then one that may finish. */
export async function killRound(plan: KillPlan, key: string, token: string): Promise<RoundResult> {
  const [result] = await killRounds(plan, [key], token);
  return result as RoundResult;
}

/** The same for several reports after each other; all of them finish in one last life. */
export async function killRounds(plan: KillPlan, keys: readonly string[], token: string): Promise<RoundResult[]> {
  for (const key of keys) {
    for (let kill = 0; kill < plan.kills; kill++) {
      const service = await startService({ projects: [plan.repository], dataDir: plan.dataDir, ownProcess: true });
      const sending = send(service, token, key, plan.receiver.url).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * plan.longestLife));
      await service.end('SIGKILL');
      await sending;
    }
  }
  await using service = await startService({ projects: [plan.repository], dataDir: plan.dataDir, ownProcess: true });
  return await Promise.all(keys.map((key) => finishRound(service, plan, key, token)));
}

async function finishRound(service: Service, plan: KillPlan, key: string, token: string): Promise<RoundResult> {
  const api = apiClient(service.address, token);
  const investigation = (await send(service, token, key, plan.receiver.url)) ?? '';
  const { state, issueId } = await api.end(investigation);
  const query = `/api/v1/investigations/?reference=${key}`;
  const all = await api.get<readonly { state: string; issueId: string | null }[]>(query);
  await waitForDelivery(plan.receiver, issueId ?? '');
  // All deliveries of the report count: a second Issue would be announced under another id.
  const announced = plan.receiver.deliveries
    .filter(({ body }) => JSON.parse(body).data.analysis.reference === key)
    .map(({ headers }) => headers['webhook-id'] ?? '');
  return {
    issueIds: all.map((one) => one.issueId ?? ''),
    states: [state, ...all.map((one) => one.state)],
    webhookIds: [...new Set(announced)],
  };
}

/** A first start that makes the data folder; gives the token that it printed. */
export async function firstStart(plan: Pick<KillPlan, 'repository' | 'dataDir'>): Promise<string> {
  await using service = await startService({ projects: [plan.repository], dataDir: plan.dataDir, ownProcess: true });
  return printedToken(service);
}

async function send(service: Service, token: string, key: string, callbackUrl: string): Promise<string | null> {
  const api = apiClient(service.address, token);
  const { id: projectId } = await api.project();
  return await api.report({ projectId, data: `${REPORT}${key}`, callbackUrl, reference: key, fresh: true }, key);
}

async function waitForDelivery(receiver: WebhookReceiver, issueId: string): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    if (receiver.deliveries.some(({ body }) => JSON.parse(body).data.id === issueId)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no webhook for ${issueId} within five minutes`);
}

export type KillGround = Omit<ModelKillPlan, 'kills'> & {
  readonly model: HeldModel;
  readonly sha: string;
} & AsyncDisposable;

export async function killGround(): Promise<KillGround> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  const sha = await repository.commit(SHOP, 'Shop');
  const { path: dataDir } = opening.use(await temporaryFolder());
  const receiver = opening.use(await webhookReceiver());
  const model = opening.use(await heldModel(FIX_TURNS));
  const settings = await modelSettings(model.endpoint, dataDir);
  await using first = await startService({ projects: [repository.path], dataDir, env: settings });
  const token = printedToken(first);
  await first.end('SIGTERM');
  const opened = opening.move();
  return {
    ...{ repository: repository.path, sha, dataDir, receiver, model, settings, token, report: SHOP_REPORT },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
