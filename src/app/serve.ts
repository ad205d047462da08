// `serve`: the service in the mode that the configuration asks for, until it is stopped.

import { readFileSync } from 'node:fs';
import { startServer } from '../api/index.ts';
import { formatSetup } from '../cli/start-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import { createSetup, type MadeApp } from '../github/setup/index.ts';
import { locate } from '../installation.ts';
import { registerSecret } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { openDataFolder } from './data-folder.ts';
import { serveGithub } from './github.ts';
import { serveLocal } from './local.ts';
import {
  chooseMode,
  isLoopback,
  type KeptApp,
  keepApp,
  readKeptApp,
  type ServeOptions,
  toGithubMode,
  waitForAbort,
} from './mode.ts';
import { openOwnRecords } from './records.ts';
import { USER_AGENT } from './services.ts';

/** Serves until the signal aborts; then stops taking work, finishes requests, hands running investigations back. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, log, now } = options;
  const mode = chooseMode(config);
  if (mode.kind === 'local') return await serveLocal(options, signal);
  if (mode.kind === 'github') return await serveGithub(options, mode, signal);
  // What was counted during set-up is shown by the service that follows it.
  const metrics = createMetrics({ log, now });
  const port = await serveSetup({ ...options, metrics }, signal);
  const kept = readKeptApp(config);
  if (signal.aborted || kept === null) return 0;
  return await serveGithub({ ...options, metrics, config: { ...config, port } }, toGithubMode(config, kept), signal);
}

/** Serves `/setup` until the App is made, or the signal aborts. Returns the port, on which the service goes on. */
async function serveSetup({ config, io, log, now, metrics }: ServeOptions, signal: AbortSignal): Promise<number> {
  const { host, port, publicUrl, githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  // Now, and not after GitHub has made the App: a lost key is reported first.
  void folder.encryptionKey;
  await using open = new AsyncDisposableStack();
  open.use(openOwnRecords(folder.database));
  const setup = createSetup({
    publicUrl,
    now,
    log,
    github: { apiUrl, webUrl, userAgent: USER_AGENT, ...(metrics && { watch: metrics.countGithubCall }) },
    appFile: readFileSync(locate('../../app.yml', import.meta.url), 'utf8'),
    keep: (app, address) => keepApp(config, toKeptApp(app, address)),
  });
  const server = open.use(await startServer({ fetch: setup.fetch, host, port, loopbackOnly: false, log }));
  const lacksPublicUrl = publicUrl === '' && !isLoopback(host);
  const { address: listening } = server;
  io.out(formatSetup({ address: publicUrl || listening, listening, lacksPublicUrl, code: setup.code }));
  await Promise.race([setup.done, waitForAbort(signal)]);
  return Number(new URL(listening).port);
}

function toKeptApp(app: MadeApp, publicUrl: string): KeptApp {
  for (const secret of [app.privateKey, app.webhookSecret, app.clientSecret]) registerSecret(secret);
  const { appId, privateKey, webhookSecret, clientId, clientSecret } = app;
  return { credentials: { appId, privateKey, webhookSecrets: [webhookSecret], clientId, clientSecret }, publicUrl };
}
