// Our event handlers as Probot's own tools start them: `probot receive`, which has no receiver, no queue and no end of
// its own.
import { readProcessConfig } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { createCausewayApp } from '../github/index.ts';
import type { ArrivedEvent } from '../github/intake/index.ts';
import { createLog, registerSecret } from '../log.ts';
import { type GithubService, openGithubService } from './github.ts';
import { chooseMode } from './mode.ts';

/** An investigation and what it posts are waited for so long. */
const LONGEST_MS = 60 * 60 * 1_000;

/**
 * The app function, by the settings of the service. For each event the store of DATA_DIR is opened, and all jobs that
 * it causes are run to their end. Throws `usage` without the credentials of an App.
 */
export async function openProbotApp(): Promise<ReturnType<typeof createCausewayApp>> {
  const config = readProcessConfig();
  for (const secret of config.secrets) registerSecret(secret);
  const mode = chooseMode(config);
  if (mode.kind !== 'github') {
    throw new CausewayError('usage', 'This needs a GitHub App: set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.');
  }
  const log = createLog({ level: config.logLevel });
  const options = { config, log, now: () => new Date() };
  let before: Promise<void> = Promise.resolve();
  return (app) => {
    app.onAny((event) => {
      // One after the other: the data folder has one owner.
      before = before.catch(() => undefined).then(() => handleAlone(() => openGithubService(options, mode), event));
      return before;
    });
  };
}

async function handleAlone(open: () => Promise<GithubService>, { id, name, payload }: ArrivedEvent): Promise<void> {
  await using service = await open();
  const { sync, inFlight, probot } = service;
  const signal = AbortSignal.timeout(LONGEST_MS);
  // The event must be about a known project, and no installation event has arrived here.
  await sync.reconcile(signal);
  await inFlight.during(id, signal, () => probot.receive({ id, name, payload }));
  await using worker = service.startWork();
  await worker.waitUntilIdle(signal);
}
