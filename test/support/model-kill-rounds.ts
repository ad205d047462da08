// Kills the service between and in the middle of a model's turns, and looks after each kill at what was recorded.

import type { HeldModel, Moment } from '../../packages/models/test/played.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { apiClient } from './api-client.ts';
import { turnsAsked } from './held-model.ts';
import { type Service, startService } from './service.ts';
import { progressOf, storedRun } from './stored-run.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

export interface ModelKillPlan {
  readonly repository: string;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly receiver: WebhookReceiver;
  readonly model: HeldModel;
  readonly token: string;
  readonly report: string;
  /** One life a kill: when it ends. */
  readonly kills: readonly KillMoment[];
  /** Looks at what a killed life left behind. */
  readonly afterKill?: () => Promise<void>;
  /** Looks at the service that has concluded, before it ends. */
  readonly beforeEnd?: (service: Service) => Promise<void>;
}

/**
 * At the `count`th question or answer of that life; as soon as so many more turns or steps lie in the file, before what follows them;
 * or so many milliseconds after the report was sent.
 */
export type KillMoment =
  | { readonly moment: Moment; readonly count: number }
  | { readonly recorded: 'turns' | 'steps'; readonly count: number }
  | { readonly afterMs: number };

export interface ModelKillResult {
  readonly issues: readonly Issue[];
  /** Distinct `webhook-id`s that told of the report. */
  readonly webhookIds: readonly string[];
  /** Of each life: turns that were recorded when it began, infinitely many where nothing was left to ask; and the turns that it asked for. */
  readonly lives: readonly { readonly recorded: number; readonly asked: readonly number[] }[];
}

/** One report, sent with one idempotency key in every life, until it is concluded. */
export async function modelKillRound(plan: ModelKillPlan, key: string): Promise<ModelKillResult> {
  let issues: readonly Issue[] = [];
  const lives: { recorded: number; asked: readonly number[] }[] = [];
  for (const kill of [...plan.kills, null]) {
    const before = turnsAsked(plan.model).length;
    const { turns, hasEnded } = await storedRun(plan.dataDir, key);
    const recorded = hasEnded ? Number.POSITIVE_INFINITY : turns;
    await using service = await start(plan);
    if (kill === null) issues = await lastLife(plan, service, key);
    else {
      await shortLife(plan, service, { key, kill });
      await plan.afterKill?.();
    }
    lives.push({ recorded, asked: turnsAsked(plan.model).slice(before) });
  }
  const told = plan.receiver.deliveries
    .filter(({ body }) => JSON.parse(body).data.analysis.reference === key)
    .map(({ headers }) => headers['webhook-id'] ?? '');
  return { issues, webhookIds: [...new Set(told)], lives };
}

/** All Issues that came of the report. */
async function issuesOf(plan: ModelKillPlan, service: Service, key: string): Promise<readonly Issue[]> {
  const api = apiClient(service.address, plan.token);
  const all = await api.get<readonly { issueId: string }[]>(`/api/v1/investigations/?reference=${key}`);
  return await Promise.all(all.map(({ issueId }) => api.get<Issue>(`/api/v1/issues/${issueId}/`)));
}

function start({ repository, dataDir, settings }: ModelKillPlan): Promise<Service> {
  return startService({ projects: [repository], dataDir, env: settings, ownProcess: true });
}

async function shortLife(
  plan: ModelKillPlan,
  service: Service,
  { key, kill }: { readonly key: string; readonly kill: KillMoment },
): Promise<void> {
  // The run of a life before goes on as soon as the service is up: the moment may have come before the report is sent again.
  const over = new AbortController();
  const moment = momentOf(plan, { key, kill }, over.signal);
  const sending = send(plan, service, key).catch(() => '');
  const ended = sending.then((investigation) => concluded(plan, service, investigation));
  await Promise.race([moment, ended]);
  await service.end('SIGKILL');
  over.abort();
  plan.model.release();
  await ended;
}

async function momentOf(
  plan: ModelKillPlan,
  { key, kill }: { readonly key: string; readonly kill: KillMoment },
  over: AbortSignal,
): Promise<void> {
  if ('afterMs' in kill) return await sleep(kill.afterMs);
  if ('moment' in kill) return void (await plan.model.at(kill.moment, kill.count));
  const recorded = async () => (await progressOf(plan.dataDir, key))[kill.recorded];
  const before = await recorded();
  while (!over.aborted && (await recorded()) < before + kill.count) await sleep(1);
}

async function lastLife(plan: ModelKillPlan, service: Service, key: string): Promise<readonly Issue[]> {
  plan.model.release();
  await concluded(plan, service, await send(plan, service, key));
  for (let tries = 0; tries < 6_000 && !isTold(plan, key); tries++) await sleep(50);
  const issues = await issuesOf(plan, service, key);
  await plan.beforeEnd?.(service);
  await service.end('SIGTERM');
  return issues;
}

function isTold({ receiver }: ModelKillPlan, key: string): boolean {
  return receiver.deliveries.some(({ body }) => JSON.parse(body).data.analysis.reference === key);
}

/** Resolves when the investigation has ended, or the service is gone. */
async function concluded(plan: ModelKillPlan, service: Service, investigation: string): Promise<void> {
  if (investigation === '') return await new Promise((resolve) => service.process.once('exit', () => resolve()));
  await apiClient(service.address, plan.token)
    .end(investigation)
    .catch(() => {});
}

async function send(plan: ModelKillPlan, service: Service, key: string): Promise<string> {
  const api = apiClient(service.address, plan.token);
  const { id: projectId } = await api.project();
  const callbackUrl = plan.receiver.url;
  const body = { projectId, data: `${plan.report}\n${key}`, callbackUrl, reference: key, fresh: true };
  return await api.report(body, key);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
