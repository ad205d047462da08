// The service in local mode: repositories on this disk, one account, loopback only.

import { type KnownToken, startText } from '../cli/first-start.ts';
import type { ExitCode } from '../cli/io.ts';
import { DEFAULT_SCOPES, hashToken, newToken } from '../core/account.ts';
import { newId } from '../core/ids.ts';
import type { Project } from '../core/project.ts';
import type { ExampleReport } from '../core/report.ts';
import type { Permissions } from '../core/role.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import type { ProjectSettings } from '../services/request-pull-request.ts';
import { parseCallbackAllow } from '../webhooks/callback-policy.ts';
import { openDataFolder } from './data-folder.ts';
import { makeDemoIssue } from './demo-project.ts';
import { startForgettingMirrors } from './forget-mirrors.ts';
import { type House, openHouse, startWork } from './house.ts';
import { localConfiguration } from './local-configuration.ts';
import { type LocalProject, localProjects } from './local-projects.ts';
import { modelHint, openInvestigator } from './open-investigator.ts';
import { openPort } from './open-port.ts';
import { ownRecords } from './open-records.ts';
import { pausedIn } from './pause.ts';
import { startRetention } from './retention.ts';
import { aborted, PATIENCE_MS, type ServeOptions } from './serve-options.ts';
import { sessionKey } from './session-key.ts';
import { DEMO_PROJECT, firstReport } from './shipped-demo.ts';
import { announceAddress, signInLink } from './sign-in-link.ts';

/** Whoever sits at this machine may do everything with its repositories. */
const EVERYTHING: Permissions = { roleOf: async () => 'admin' };

const SETTINGS: ProjectSettings = { investigation: DEFAULT_SETTINGS, noPullRequests: '' };

export async function serveLocal(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now, worker, launcher } = options;
  const own = localProjects(config.projects, io.cwd);
  const callbackPolicy = { allow: parseCallbackAllow(config.callbackAllow), localMode: true };
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using open = new AsyncDisposableStack();
  open.use(ownRecords(folder.database));
  const maxTogetherBytes = config.mirrorsMaxBytes;
  const git = { folder: folder.mirrors, maxTogetherBytes, environment: config.environment };
  const house = open.use(await openHouse({ ...folder, git, callbackPolicy, log, now, signal }));
  const { projects, example } = await knownProjects(house, own, options, signal);
  open.use(startRetention(house, config.retentionDays));
  open.use(startForgettingMirrors(house, folder.mirrors));
  const { investigator } = open.use(
    openInvestigator({ config, log, now, holds: house.holds, patienceMs: PATIENCE_MS }),
  );
  const paused = pausedIn(house, config.dataDir);
  if (worker) open.use(startWork(house, { ...config, investigator, paused }));
  const server = open.use(
    await openPort(house, {
      ...{ config, publicUrl: config.publicUrl, isLocal: true, receive: null, checks: () => [] },
      permissions: EVERYTHING,
      settingsOf: async () => SETTINGS,
      configurationOf: localConfiguration(config, investigator?.model.name ?? null),
      entrance: { kind: 'local', command: `${launcher.here} sign-in` },
      ...{ model: investigator?.model ?? null, works: worker, example },
      sessionKey: sessionKey(config.sessionSecret, folder.encryptionKey),
    }),
  );
  const address = config.publicUrl || server.address;
  open.use(announceAddress(config.dataDir, { address, listensAt: server.address }));
  // After the port: a token made by a start that then fails would never be seen.
  const token = await knownToken(house);
  io.out(
    startText({
      ...{ address, projects, example, token, worker, launcher, paused: paused() },
      signInLink: await signInLink(house, address),
      model: investigator?.model.name ?? null,
      modelHint: modelHint(config.model, investigator),
    }),
  );
  await aborted(signal);
  io.err('Stopping…\n');
  return 0;
}

interface Known {
  readonly projects: readonly Project[];
  readonly example: ExampleReport | null;
}

/** The caller's own projects; where PROJECTS names none, the demo's in addition, with its Issue where it is new here. */
async function knownProjects(
  house: House,
  own: readonly LocalProject[],
  { config, io, now }: ServeOptions,
  signal: AbortSignal,
): Promise<Known> {
  const moment = now().toISOString();
  if (config.projects.length > 0) return { projects: await house.store.syncProjects(own, moment), example: null };
  const projects = await house.store.syncProjects([...own, DEMO_PROJECT], moment);
  const demo = projects.find(({ source }) => source.kind === 'path' && source.path === DEMO_PROJECT.source.path);
  if (demo === undefined) throw new Error('the demo project that was just made is not there');
  if (demo.createdAt === moment) {
    io.err('Preparing the demo project (once)…\n');
    await makeDemoIssue(house, demo, config, signal);
  }
  return { projects, example: { projectId: demo.id, data: firstReport() } };
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
