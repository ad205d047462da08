// `worker`: takes work and nothing else, beside as many others as there are, until it is told to stop.

import type { ReadinessCheck } from '../api/api-deps.ts';
import type { ExitCode } from '../cli/io.ts';
import { workerText } from '../cli/worker-start.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { parseCallbackAllow } from '../webhooks/callback-policy.ts';
import { mirrorsFolder, openDataFolder } from './data-folder.ts';
import { startForgettingMirrors } from './forget-mirrors.ts';
import { openGithubService } from './github-service.ts';
import { type House, openHouse, startWork } from './house.ts';
import { modelHint, openInvestigator } from './open-investigator.ts';
import { openWorkerPort } from './open-worker-port.ts';
import { pausedIn } from './pause.ts';
import { startRetention } from './retention.ts';
import { aborted, PATIENCE_MS, type ServeOptions } from './serve-options.ts';
import { chooseMode, type ServiceMode } from './service-mode.ts';
import { githubCheck, startUpkeep } from './upkeep.ts';

export type WorkerOptions = Omit<ServeOptions, 'worker' | 'launcher'>;
type GithubMode = Extract<ServiceMode, { kind: 'github' }>;

/** Throws `usage` where records are in SQLite, or there is no App yet. */
export async function serveWorker(options: WorkerOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config } = options;
  if (config.database.kind !== 'postgres') throw new CausewayError('usage', ONE_PROCESS);
  const mode = chooseMode(config);
  if (mode.kind === 'setup') throw new CausewayError('usage', NO_APP);
  await using open = new AsyncDisposableStack();
  await (mode.kind === 'github'
    ? workGithub(open, { ...options, signal }, mode)
    : workLocal(open, { ...options, signal }));
  await aborted(signal);
  options.io.err('Stopping…\n');
  return 0;
}

const ONE_PROCESS =
  'A SQLite file belongs to one process, which is "causeway serve": it takes work as well, and CONCURRENCY says how much. ' +
  'For workers beside it set DATABASE_URL to a PostgreSQL database; "causeway help move" says how records get there.';
const NO_APP =
  'There is no GitHub App yet: make it with "causeway serve", which shows the page /setup, then give this worker its APP_ID, PRIVATE_KEY and WEBHOOK_SECRET too.';

type Starting = WorkerOptions & { readonly signal: AbortSignal };

async function workGithub(open: AsyncDisposableStack, options: Starting, mode: GithubMode): Promise<void> {
  const { config, io } = options;
  const service = open.use(await openGithubService({ ...options, ...mode }));
  const { house, investigator } = service;
  open.use(startRetention(house, config.retentionDays));
  open.use(startForgettingMirrors(house, mirrorsFolder(config.dataDir)));
  open.use(service.startWork());
  const upkeep = startUpkeep(open, service, options);
  const checks = () => [githubCheck(house, upkeep)];
  const model = investigator?.model ?? null;
  const { address } = open.use(await openWorkerPort(house, { config, model, checks }));
  io.out(workerText({ ...words(house, config, address), ...modelOf(config, investigator) }));
}

async function workLocal(open: AsyncDisposableStack, options: Starting): Promise<void> {
  const { config, io, log, now, signal } = options;
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  const callbackPolicy = { allow: parseCallbackAllow(config.callbackAllow), localMode: true };
  const git = { folder: folder.mirrors, environment: config.environment, maxTogetherBytes: config.mirrorsMaxBytes };
  const house: House = open.use(await openHouse({ ...folder, git, callbackPolicy, log, now, signal }));
  open.use(startRetention(house, config.retentionDays));
  open.use(startForgettingMirrors(house, folder.mirrors));
  const { investigator } = open.use(
    openInvestigator({ config, log, now, holds: house.holds, patienceMs: PATIENCE_MS }),
  );
  open.use(startWork(house, { ...config, investigator, paused: pausedIn(house, config.dataDir) }));
  const checks = (): readonly ReadinessCheck[] => [];
  const model = investigator?.model ?? null;
  const { address } = open.use(await openWorkerPort(house, { config, model, checks }));
  io.out(workerText({ ...words(house, config, address), ...modelOf(config, investigator) }));
}

function words(house: House, { concurrency, database, dataDir }: Config, listening: string) {
  const shown = database.kind === 'postgres' ? database.shown : '';
  return { listening, concurrency, database: shown, paused: pausedIn(house, dataDir)() };
}

function modelOf(config: Config, investigator: Parameters<typeof modelHint>[1]) {
  return { model: investigator?.model.name ?? null, modelHint: modelHint(config.model, investigator) };
}
