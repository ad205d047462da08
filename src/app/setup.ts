// Set-up mode: the page on which the App is made, and nothing else, until its credentials are kept.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startServer } from '../api/server.ts';
import { formatSetup } from '../cli/start-text.ts';
import { INSTALLATION } from '../config.ts';
import type { MadeApp } from '../github/setup/made-app.ts';
import { createSetup } from '../github/setup/setup-mode.ts';
import { registerSecret } from '../log.ts';
import { openDataFolder } from './data-folder.ts';
import { isLoopback, type KeptApp, keepApp, type ServeOptions, waitForAbort } from './mode.ts';
import { ownRecords } from './records.ts';
import { USER_AGENT } from './services.ts';

/** Serves `/setup` until the App is made, or the signal aborts. Returns the port, on which the service goes on. */
export async function serveSetup(
  { config, io, log, now, metrics }: ServeOptions,
  signal: AbortSignal,
): Promise<number> {
  const { host, port, publicUrl, githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  // Now, and not after GitHub has made the App: a lost key is reported first.
  void folder.encryptionKey;
  await using open = new AsyncDisposableStack();
  open.use(ownRecords(folder.database));
  const setup = createSetup({
    ...{ publicUrl, now, log },
    github: { apiUrl, webUrl, userAgent: USER_AGENT, ...(metrics && { watch: metrics.countGithubCall }) },
    appFile: readFileSync(path.join(INSTALLATION, 'app.yml'), 'utf8'),
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
