// The service in GitHub mode: deliveries and API on one port, projects kept as GitHub says, work taken from the queue.
import { createReceiver } from '../github/intake/receive-delivery.ts';
import { openSmeeChannel } from '../github/intake/smee-channel.ts';
import { appPage } from '../github/setup/made-app.ts';
import type { ReadinessCheck } from '../http/api-deps.ts';
import { githubStartText, ignoredText, installText } from '../terminal/github-start.ts';
import type { ExitCode } from '../terminal/io.ts';
import { githubConfiguration } from './github-configuration.ts';
import { githubEntrance } from './github-entrance.ts';
import { type GithubService, openGithubService } from './github-service.ts';
import { modelHint } from './open-investigator.ts';
import { openPort } from './open-port.ts';
import { projectSettings } from './project-settings.ts';
import { type Recurring, startRecurring } from './recurring.ts';
import { startRetention } from './retention.ts';
import { aborted, type ServeOptions } from './serve-options.ts';
import type { ServiceMode } from './service-mode.ts';

type GithubMode = Extract<ServiceMode, { kind: 'github' }>;

const RECONCILED_EVERY_MS = 6 * 60 * 60 * 1_000;
const REDELIVERED_EVERY_MS = 15 * 60 * 1_000;

/** GitHub out of reach keeps nothing from starting: `/readyz` says so, and it is asked again. */
export async function serveGithub(options: ServeOptions, mode: GithubMode, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, worker } = options;
  await using open = new AsyncDisposableStack();
  const service = open.use(await openGithubService({ ...options, ...mode }));
  const { house, parts, investigator } = service;
  const operatorModel = investigator?.model.name ?? null;
  open.use(startRetention(house, config.retentionDays));
  if (worker) open.use(service.startWork());
  const receive = createReceiver({ ...house, secrets: () => mode.credentials.webhookSecrets });
  const upkeep = startUpkeep(open, service, options);
  const server = open.use(
    await openPort(house, {
      ...{ config, publicUrl: mode.publicUrl, isLocal: false, receive, permissions: parts.permissions },
      settingsOf: projectSettings(parts.app),
      configurationOf: githubConfiguration({ configuration: parts.configuration, config, operatorModel }),
      entrance: githubEntrance(service, mode.credentials, config),
      modelName: operatorModel,
      sessionKey: service.sessionKey,
      checks: () => [githubCheck(upkeep)],
    }),
  );
  const { webhookProxyUrl: source } = config;
  if (source !== '') open.use(await openSmeeChannel({ source, receive, log }));
  io.out(startText(options, mode, { service, listening: server.address }));
  await aborted(signal);
  io.err('Stopping…\n');
  return 0;
}

function startText(
  { config, worker, launcher }: ServeOptions,
  mode: GithubMode,
  { service, listening }: { readonly service: GithubService; readonly listening: string },
): string {
  const { investigator, parts } = service;
  return githubStartText({
    ...{ address: mode.publicUrl || listening, listening, worker, launcher, paused: parts.app.paused() },
    ...{ webUrl: config.githubWebUrl, appId: mode.credentials.appId, maxMode: config.maxMode },
    model: investigator?.model.name ?? null,
    modelHint: modelHint(config.model, investigator),
  });
}

/** Installations and missed deliveries, read from GitHub at the start and from time to time. */
function startUpkeep(
  open: AsyncDisposableStack,
  { house, parts }: GithubService,
  { config, io }: ServeOptions,
): Recurring {
  const { log, store } = house;
  let isTold = false;
  const reconcile = async (signal: AbortSignal) => {
    await parts.sync.reconcile(signal);
    if (isTold || (await store.installations()).length > 0) return;
    isTold = true;
    const { slug } = await parts.clients.identity(signal);
    const page = appPage(config.githubWebUrl, slug);
    const ignored = parts.sync.ignoredOwners();
    io.out(`\n${ignored.length === 0 ? installText(page) : ignoredText(page, ignored)}`);
  };
  const what = 'reading the installations of the App';
  const installations = open.use(startRecurring({ what, everyMs: RECONCILED_EVERY_MS, work: reconcile, log }));
  open.use(
    startRecurring({
      ...{ what: 'asking again for missed deliveries', everyMs: REDELIVERED_EVERY_MS, log },
      work: (signal) => parts.redelivery.askAgain(signal),
    }),
  );
  return installations;
}

function githubCheck(installations: Recurring): ReadinessCheck {
  const fault = installations.fault();
  const detail = fault === null ? 'not asked yet' : fault === '' ? 'answers' : `does not answer as it should: ${fault}`;
  return { name: 'github', ok: fault === '', isVital: false, detail };
}
