// The service in GitHub mode: deliveries and API on one port, projects kept as GitHub says, work taken from the queue.

import { githubStartText } from '../cli/github-start.ts';
import type { ExitCode } from '../cli/io.ts';
import { createReceiver } from '../github/intake/receive-delivery.ts';
import { accountAreaUrl } from './account-area.ts';
import { mirrorsFolder } from './data-folder.ts';
import { startForgettingMirrors } from './forget-mirrors.ts';
import { githubConfiguration } from './github-configuration.ts';
import { githubEntrance } from './github-entrance.ts';
import { type GithubService, openGithubService } from './github-service.ts';
import { isLoopback } from './local-mode.ts';
import { modelHint, offeredModels } from './open-investigator.ts';
import { openPort } from './open-port.ts';
import { projectSettings } from './project-settings.ts';
import { startRetention } from './retention.ts';
import { aborted, type ServeOptions } from './serve-options.ts';
import type { ServiceMode } from './service-mode.ts';
import { githubCheck, startUpkeep } from './upkeep.ts';

type GithubMode = Extract<ServiceMode, { kind: 'github' }>;

/** GitHub out of reach keeps nothing from starting: `/readyz` says so, and it is asked again. */
export async function serveGithub(options: ServeOptions, mode: GithubMode, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, worker } = options;
  await using open = new AsyncDisposableStack();
  const service = open.use(await openGithubService({ ...options, ...mode, signal }));
  const { house, parts, investigator } = service;
  open.use(startRetention(house, config.retentionDays));
  open.use(startForgettingMirrors(house, mirrorsFolder(config.dataDir)));
  if (worker) open.use(service.startWork());
  const receive = createReceiver({ ...house, secrets: () => mode.credentials.webhookSecrets });
  const upkeep = startUpkeep(open, service, options);
  const server = open.use(
    await openPort(house, {
      ...{ config, publicUrl: mode.publicUrl, isLocal: false, receive, permissions: parts.permissions },
      settingsOf: projectSettings(parts.app),
      configurationOf: githubConfiguration({
        ...{ configuration: parts.configuration, config },
        ...offeredModels(investigator),
      }),
      entrance: githubEntrance(service, mode.credentials, config),
      ...{ model: investigator?.model ?? null, works: worker, example: null },
      sessionKey: service.sessionKey,
      checks: () => [githubCheck(house, upkeep)],
    }),
  );
  const { webhookProxyUrl: source } = config;
  if (source !== '') {
    const { openSmeeChannel } = await import('../github/intake/smee-channel.ts');
    open.use(await openSmeeChannel({ source, receive, log }));
  }
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
    lacksPublicUrl: mode.publicUrl === '' && !isLoopback(config.host),
    hasSignIn: accountAreaUrl(mode.credentials, listening) !== '',
    ...{ webUrl: config.githubWebUrl, appId: mode.credentials.appId, maxMode: config.maxMode },
    model: investigator?.model.name ?? null,
    modelHint: modelHint(config.model, investigator),
  });
}
