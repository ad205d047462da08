// `worker`: only runs jobs, together with any number of others, until it is stopped.
import type { ReadinessCheck } from '../api/api-deps.ts';
import { formatWorkerStart } from '../cli/start-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import { CausewayError } from '../core/errors.ts';
import type { Investigator } from '../services/investigator.ts';
import { mirrorsFolder } from './data-folder.ts';
import { checkGithub, openGithubService, startUpkeep } from './github.ts';
import { openLocalServices } from './local.ts';
import { chooseMode, type GithubMode, type ServeOptions, waitForAbort } from './mode.ts';
import { describeModel, openInvestigator, PATIENCE_MS } from './model.ts';
import { openWorkerPort } from './port.ts';
import { type Services, startWork } from './services.ts';
import { startForgettingMirrors, startRetention } from './upkeep.ts';

export type WorkerOptions = Omit<ServeOptions, 'worker' | 'launcher'>;

const ONE_PROCESS =
  'A SQLite file belongs to one process, which is "causeway serve": it takes work as well, and CONCURRENCY says how much. ' +
  'For workers beside it set DATABASE_URL to a PostgreSQL database; "causeway help move" says how records get there.';
const NO_APP =
  'There is no GitHub App yet: make it with "causeway serve", which shows the page /setup, then give this worker its APP_ID, PRIVATE_KEY and WEBHOOK_SECRET too.';

/** Throws `usage` where records are in SQLite, or there is no App yet. */
export async function serveWorker(options: WorkerOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, io } = options;
  if (config.database.kind !== 'postgres') throw new CausewayError('usage', ONE_PROCESS);
  const mode = chooseMode(config);
  if (mode.kind === 'setup') throw new CausewayError('usage', NO_APP);
  await using open = new AsyncDisposableStack();
  const working =
    mode.kind === 'github'
      ? await workForGithub(open, options, mode, signal)
      : await workForLocal(open, options, signal);
  const { services, investigator, checks } = working;
  open.use(startRetention(services, config.retentionDays));
  open.use(startForgettingMirrors(services, mirrorsFolder(config.dataDir)));
  const port = open.use(await openWorkerPort(services, config, { model: investigator?.model ?? null, checks }));
  io.out(
    formatWorkerStart({
      listening: port.address,
      concurrency: config.concurrency,
      database: config.database.shown,
      paused: services.isPaused(),
      ...describeModel(config.model, investigator),
    }),
  );
  await waitForAbort(signal);
  io.err('Stopping…\n');
  return 0;
}

interface Working {
  readonly services: Services;
  readonly investigator: Investigator | null;
  readonly checks: () => readonly ReadinessCheck[];
}

async function workForGithub(
  open: AsyncDisposableStack,
  options: WorkerOptions,
  mode: GithubMode,
  signal: AbortSignal,
): Promise<Working> {
  const service = open.use(await openGithubService(options, mode, signal));
  open.use(service.startWork());
  const installations = startUpkeep(open, service, options);
  const { services, investigator } = service;
  return { services, investigator, checks: () => [checkGithub(services, installations)] };
}

async function workForLocal(open: AsyncDisposableStack, options: WorkerOptions, signal: AbortSignal): Promise<Working> {
  const { config, log, now } = options;
  const services = open.use(await openLocalServices(options, signal));
  const { holds } = services;
  const { investigator } = open.use(openInvestigator({ config, log, now, holds, patienceMs: PATIENCE_MS }));
  const { concurrency, investigationTimeoutMs } = config;
  open.use(startWork(services, { concurrency, investigationTimeoutMs, investigator }));
  return { services, investigator, checks: () => [] };
}
