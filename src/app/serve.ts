// `serve`: the service in local mode, from the data folder to the open port, until it is told to stop.
import { parseCallbackAllow } from '../callback/callback-policy.ts';
import { checkCallbackUrl } from '../callback/check-callback-url.ts';
import type { Config } from '../config.ts';
import { DEFAULT_SCOPES } from '../domain/account.ts';
import { newId } from '../domain/ids.ts';
import { hashToken, newToken } from '../domain/token.ts';
import { createApi } from '../http/api.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import type { Log } from '../log.ts';
import { takeOwnership } from '../store/single-owner.ts';
import { type KnownToken, startText } from '../terminal/first-start.ts';
import type { ExitCode, Io } from '../terminal/io.ts';
import type { Launcher } from '../terminal/launcher.ts';
import { openDataFolder } from './data-folder.ts';
import { type House, openHouse, startWork } from './house.ts';
import { localProjects } from './local-projects.ts';
import { modelHint, openInvestigator } from './open-investigator.ts';
import { readiness } from './readiness.ts';
import { startRetention } from './retention.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
  /** False: reports are accepted, and left to another process. */
  readonly worker: boolean;
  readonly launcher: Launcher;
}

/** A model that is away for longer leaves the facts as the answer: who reported waits for one. */
const PATIENCE_MS = 2 * 60 * 60 * 1_000;

/** Serves until the signal aborts; then stops taking work, finishes requests, hands running investigations back. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now, worker, launcher } = options;
  const wanted = localProjects(config.projects, io.cwd);
  const callbackPolicy = { allow: parseCallbackAllow(config.callbackAllow), localMode: true };
  const folder = openDataFolder(config.dataDir, config.encryptionKey);
  await using open = new AsyncDisposableStack();
  open.use(takeOwnership(folder.database));
  const git = { folder: folder.mirrors, environment: config.environment };
  const house = open.use(await openHouse({ ...folder, git, callbackPolicy, log, now }));
  const projects = await house.store.syncProjects(wanted, now().toISOString());
  open.use(startRetention(house, config.retentionDays));
  const { investigator } = open.use(
    openInvestigator({
      ...{ config, log, now, patienceMs: PATIENCE_MS },
      // Local projects are the operator's own, and so are the reports about them.
      standing: { isPublic: false, isTrusted: true },
    }),
  );
  if (worker) open.use(startWork(house, { ...config, investigator }));
  const server = open.use(await startApi(house, config));
  // After the port: a token made by a start that then fails would never be seen.
  const token = await knownToken(house);
  io.out(
    startText({
      ...{ address: config.publicUrl || server.address, projects, token, worker, launcher },
      model: investigator?.model.name ?? null,
      modelHint: modelHint(config.model, investigator),
    }),
  );
  await aborted(signal);
  io.err('Stopping…\n');
  return 0;
}

async function startApi(house: House, config: Config): Promise<RunningServer> {
  let address = config.publicUrl;
  const api = createApi({
    ...house,
    checkCallbackUrl: (url) => checkCallbackUrl(url, house.callbackPolicy),
    limits: config.rateLimit,
    ready: () => readiness(house, config.dataDir),
    baseUrl: () => address,
  });
  const { host, port } = config;
  const server = await startServer({ fetch: api.fetch, host, port, loopbackOnly: true, log: house.log });
  address ||= server.address;
  return server;
}

/** A newcomer's token, made only where the account never had one. */
async function knownToken(house: House): Promise<KnownToken> {
  const tokens = await house.store.tokens(house.account.id);
  if (tokens.length > 0) return { kind: tokens.some((token) => token.lastUsedAt !== null) ? 'used' : 'unused' };
  const value = newToken();
  const record = {
    id: newId('tok'),
    accountId: house.account.id,
    name: 'first start',
    scopes: DEFAULT_SCOPES,
    projectIds: null,
    createdAt: house.now().toISOString(),
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  };
  await house.store.addToken(record, hashToken(value));
  return { kind: 'made', value };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
