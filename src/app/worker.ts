// `worker`: only runs jobs, together with any number of others, until it is stopped.
import { formatWorkerStart } from '../cli/start-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import { CausewayError } from '../core/errors.ts';
import { checkClock } from './clock.ts';
import { getMirrorsFolder } from './data-folder.ts';
import { checkGithub, openGithubService, startUpkeep } from './github.ts';
import { openLocalService } from './local.ts';
import { chooseMode, type ServeOptions, waitForAbort } from './mode.ts';
import { describeModel } from './model.ts';
import { openWorkerPort } from './port.ts';
import { recordServedAs } from './served-as.ts';
import { startForgettingEvaluations, startForgettingMirrors, startRetention } from './upkeep.ts';

export type WorkerOptions = Omit<ServeOptions, 'worker' | 'launcher'>;

const ONE_PROCESS =
  'A SQLite file belongs to one process: "causeway serve" runs jobs as well, as many as CONCURRENCY says. ' +
  'For more workers set DATABASE_URL to a PostgreSQL database; "causeway help move" explains how to move the records.';
const NO_APP =
  'There is no GitHub App yet: create it with "causeway serve", on its page /setup, then set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET for this worker too.';

/** Throws `usage` where records are in SQLite, or there is no App yet. */
export async function serveWorker(options: WorkerOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, io } = options;
  if (config.database.kind !== 'postgres') throw new CausewayError('usage', ONE_PROCESS);
  const mode = chooseMode(config);
  if (mode.kind === 'setup') throw new CausewayError('usage', NO_APP);
  await using open = new AsyncDisposableStack();
  const github = mode.kind === 'github' ? open.use(await openGithubService(options, mode, signal)) : null;
  const service = github ?? open.use(await openLocalService(options, signal));
  recordServedAs(config, github === null ? 'local' : 'github');
  open.use(service.startWork());
  const { services, investigator } = service;
  const installations = github && startUpkeep(open, github, options);
  const checks = () =>
    installations === null ? [] : [checkGithub(services, installations), checkClock(service.clock)];
  const kept = { ...services, ...config, clock: service.clock };
  open.use(startRetention(kept));
  open.use(startForgettingMirrors(services, getMirrorsFolder(config.dataDir)));
  open.use(startForgettingEvaluations(kept));
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
