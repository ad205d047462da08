// Set-up mode: the page on which the App is made, and nothing else, until its credentials are kept.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startServer } from '../api/server.ts';
import { setupText } from '../cli/github-start.ts';
import { INSTALLATION } from '../config/data-dir.ts';
import type { MadeApp } from '../github/setup/made-app.ts';
import { createSetup } from '../github/setup/setup-mode.ts';
import { registerSecret } from '../log.ts';
import { openDataFolder } from './data-folder.ts';
import { type KeptApp, keepApp } from './kept-app.ts';
import { isLoopback } from './local-mode.ts';
import { ownRecords } from './open-records.ts';
import { aborted, type ServeOptions } from './serve-options.ts';
import { VERSION } from './version.ts';

/** Serves `/setup` until the App is made, or the signal aborts. Gives the port, which the service goes on with. */
export async function serveSetup(
  { config, io, log, now, telemetry }: ServeOptions,
  signal: AbortSignal,
): Promise<number> {
  const { host, port, publicUrl, githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  // Not after GitHub has made the App: a key that is lost is said before.
  void folder.encryptionKey;
  await using open = new AsyncDisposableStack();
  open.use(ownRecords(folder.database));
  const setup = createSetup({
    ...{ publicUrl, now, log },
    github: { apiUrl, webUrl, userAgent: `causeway/${VERSION}`, ...(telemetry && { watch: telemetry.github.call }) },
    appFile: readFileSync(path.join(INSTALLATION, 'app.yml'), 'utf8'),
    keep: (app, address) => keepApp(config, keptApp(app, address)),
  });
  const server = open.use(await startServer({ fetch: setup.fetch, host, port, loopbackOnly: false, log }));
  const lacksPublicUrl = publicUrl === '' && !isLoopback(host);
  io.out(
    setupText({ address: publicUrl || server.address, listening: server.address, lacksPublicUrl, code: setup.code }),
  );
  await Promise.race([setup.done, aborted(signal)]);
  return Number(new URL(server.address).port);
}

function keptApp(app: MadeApp, publicUrl: string): KeptApp {
  for (const secret of [app.privateKey, app.webhookSecret, app.clientSecret]) registerSecret(secret);
  const { appId, privateKey, webhookSecret, clientId, clientSecret } = app;
  return { credentials: { appId, privateKey, webhookSecrets: [webhookSecret], clientId, clientSecret }, publicUrl };
}
