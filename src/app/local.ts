// The service in local mode: repositories on this disk, one account, loopback only, and the demo that ships with
// Causeway.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatLocalStart, type KnownToken } from '../cli/start-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import type { Config } from '../config.ts';
import { createToken, createTokenRecord, DEFAULT_SCOPES, hashToken } from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import {
  type ConfigurationOf,
  DEFAULT_SETTINGS,
  type EffectiveConfiguration,
  type Project,
  type ProjectSource,
} from '../core/project/index.ts';
import type { Worker } from '../core/queue.ts';
import type { ExampleReport } from '../core/report/index.ts';
import {
  CONFIG_FILE,
  DEFAULT_CONFIG,
  effectiveValues,
  type OperatorLimits,
  parseRepositoryConfig,
} from '../github/configuration/index.ts';
import { INSTALLATION, locate } from '../installation.ts';
import { acceptReport, type ContextAccess, type Investigator, investigateReport } from '../services/index.ts';
import { parseCallbackAllow } from '../webhooks/index.ts';
import { type Clock, createClock } from './clock.ts';
import { deriveSessionKey, openDataFolder } from './data-folder.ts';
import { type ServeOptions, waitForAbort } from './mode.ts';
import { describeModel, openInvestigator, PATIENCE_MS } from './model.ts';
import { openPort } from './port.ts';
import { openOwnRecords } from './records.ts';
import { recordServedAs } from './served-as.ts';
import { openServices, type Services, startWork } from './services.ts';
import { announceAddress, createSignInLink } from './sign-in-link.ts';
import { startForgettingEvaluations, startForgettingMirrors, startRetention } from './upkeep.ts';

/** `serve` in local mode. */
export async function serveLocal(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, now, worker, launcher } = options;
  const own = findLocalProjects(config.projects, io.cwd);
  await using open = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  open.use(openOwnRecords(folder.database));
  const service = open.use(await openLocalService(options, signal));
  recordServedAs(config, 'local');
  const { services, investigator } = service;
  const { projects, example } = await syncLocalProjects(services, own, options, signal);
  const kept = { ...services, ...config, clock: service.clock };
  open.use(startRetention(kept));
  open.use(startForgettingMirrors(services, folder.mirrors));
  open.use(startForgettingEvaluations(kept));
  if (worker) open.use(service.startWork());
  const server = open.use(
    await openPort(services, config, {
      publicUrl: config.publicUrl,
      isLocal: true,
      receive: null,
      // The person at this machine may do everything with its repositories.
      permissions: { roleOf: async () => 'admin' },
      settingsOf: async () => ({ investigation: DEFAULT_SETTINGS, noPullRequests: '', ciRunsDay: 0, threshold: null }),
      configurationOf: createLocalConfiguration(config, investigator?.model.name ?? null),
      knownChecks: null,
      signInMethod: { kind: 'local', command: `${launcher.here} sign-in` },
      model: investigator?.model ?? null,
      works: worker,
      example,
      sessionKey: deriveSessionKey(config.sessionSecret, folder.encryptionKey),
      checks: () => [],
    }),
  );
  const address = config.publicUrl || server.address;
  open.use(announceAddress(config.dataDir, { address, listensAt: server.address }));
  // After the port is open: a token of a start that fails would never be shown.
  const token = await findOrMakeToken(services);
  const { store, account } = services;
  const signInLink = await createSignInLink({ store, account, now }, address);
  const paused = services.isPaused();
  const { model, modelHint } = describeModel(config.model, investigator);
  io.out(
    formatLocalStart({ address, projects, example, token, worker, launcher, paused, signInLink, model, modelHint }),
  );
  await waitForAbort(signal);
  io.err('Stopping…\n');
  return 0;
}

interface LocalService extends AsyncDisposable {
  readonly services: Services;
  readonly clock: Clock;
  readonly investigator: Investigator | null;
  /** Runs jobs until disposed. */
  readonly startWork: () => Worker;
}

/** Local mode, for `serve` and `worker`. */
export async function openLocalService(
  { config, log, now }: Pick<ServeOptions, 'config' | 'log' | 'now'>,
  signal: AbortSignal,
): Promise<LocalService> {
  const { concurrency, investigationTimeoutMs } = config;
  const clock = createClock({ now, hasGithub: false });
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using opening = new AsyncDisposableStack();
  const services = opening.use(
    await openServices({
      ...folder,
      git: { folder: folder.mirrors, maxTogetherBytes: config.mirrorsMaxBytes, environment: config.environment },
      callbackPolicy: { allow: parseCallbackAllow(config.callbackAllow), localMode: true },
      log,
      now,
      signal,
    }),
  );
  const { holds } = services;
  const { investigator } = opening.use(openInvestigator({ config, log, now, holds, patienceMs: PATIENCE_MS }));
  const opened = opening.move();
  return {
    services,
    investigator,
    clock,
    startWork: () =>
      startWork(services, {
        concurrency,
        investigationTimeoutMs,
        investigator,
        context: createLocalContext(),
        pages: { accountArea: config.publicUrl },
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * A repository on this disk names others of PROJECTS in its own configuration file, as `local/FOLDER`: all of them are
 * the operator's.
 */
function createLocalContext(): ContextAccess {
  return {
    listNames: async (_, tree, signal) => {
      const read = await tree.read(CONFIG_FILE, {}, signal);
      return read.kind === 'text' ? parseRepositoryConfig(read.text, CONFIG_FILE).config.context : [];
    },
    isReadableByAll: async (_, other) => other.source.kind === 'path',
    showsSteps: true,
  };
}

interface LocalProjects {
  readonly projects: readonly Project[];
  readonly example: ExampleReport | null;
}

/**
 * The caller's own projects; where PROJECTS names none, the demo's in addition, with its Issue where it is new here.
 */
async function syncLocalProjects(
  services: Services,
  own: readonly LocalProject[],
  { config, io, now }: ServeOptions,
  signal: AbortSignal,
): Promise<LocalProjects> {
  const moment = now().toISOString();
  const { store } = services;
  if (config.projects.length > 0) return { projects: await store.syncProjects(own, moment), example: null };
  const projects = await store.syncProjects([...own, DEMO_PROJECT], moment);
  const demo = projects.find(({ source }) => source.kind === 'path' && source.path === DEMO_PROJECT.source.path);
  if (demo === undefined) throw new Error('the demo project that was just made is not there');
  if (demo.createdAt === moment) {
    io.err('Preparing the demo project (once)…\n');
    await makeDemoIssue(services, demo, config, signal);
  }
  const firstReport = readFileSync(path.join(DEMO_FOLDER, 'first-report.txt'), 'utf8').trimEnd();
  return { projects, example: { projectId: demo.id, data: firstReport } };
}

/** The first token, created only where the account never had one. */
async function findOrMakeToken({ store, account, now }: Services): Promise<KnownToken> {
  const tokens = await store.listTokens(account.id);
  if (tokens.length > 0) return { kind: tokens.some((token) => token.lastUsedAt !== null) ? 'used' : 'unused' };
  const value = createToken();
  const record = createTokenRecord(account.id, now(), { name: 'first start', scopes: DEFAULT_SCOPES });
  await store.addToken(record, hashToken(value));
  return { kind: 'made', value };
}

export interface LocalProject {
  /** Two folders may have one name; the store numbers the later one. */
  readonly name: string;
  readonly source: Extract<ProjectSource, { kind: 'path' }>;
}

/**
 * The repositories that `folders` name (PROJECTS, or the option `namedBy`), or, where there are none, the one around the caller's folder, unless
 * that is Causeway's own installation: a start from there is a trial, and it would find its own messages in its own
 * source. Throws `usage` naming every folder that is not in a git repository.
 */
export function findLocalProjects(
  folders: readonly string[],
  callersFolder: string,
  namedBy = 'PROJECTS',
): readonly LocalProject[] {
  if (folders.length === 0) {
    const around = findRepositoryAround(callersFolder);
    return around === null || around === realpathSync(INSTALLATION) ? [] : [toLocalProject(around)];
  }
  const found = folders.map((folder) => ({ folder, root: findRepositoryAround(path.resolve(callersFolder, folder)) }));
  const wrong = found.filter(({ root }) => root === null);
  if (wrong.length > 0) {
    const repair = 'name a folder that holds one, or run "git init" and commit there';
    const faults = wrong.map(
      ({ folder }) => `${namedBy} names ${folder}, which is not in a git repository: ${repair}.`,
    );
    throw new CausewayError('usage', faults.join('\n'));
  }
  return [...new Set(found.flatMap(({ root }) => root ?? []))].map(toLocalProject);
}

/** The root of the git repository (work tree or bare) that holds the folder; null where there is none. */
export function findRepositoryAround(folder: string): string | null {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null;
  for (let here = realpathSync(folder); ; here = path.dirname(here)) {
    const isBare = ['HEAD', 'objects', 'refs'].every((name) => existsSync(path.join(here, name)));
    if (isBare || existsSync(path.join(here, '.git'))) return here;
    if (here === path.dirname(here)) return null;
  }
}

function toLocalProject(root: string): LocalProject {
  const name = path.basename(root).replace(/\.git$/, '') || 'repository';
  return { name: `local/${name}`, source: { kind: 'path', path: root } };
}

/** Which values apply to a repository on this disk; the others are about what is posted on GitHub. */
const LOCAL_VALUES = new Set(['budget.run', 'budget.month', 'model']);

/** A repository on this disk has no configuration file: all settings are the operator's. `model`: null: none. */
export function createLocalConfiguration(
  config: Pick<Config, 'maxMode' | 'budget'>,
  model: string | null,
): ConfigurationOf {
  const values = effectiveValues({ config: DEFAULT_CONFIG, problem: null }, describeOperatorLimits(config, model), {
    kind: 'default',
  });
  const all: EffectiveConfiguration = {
    values: values.filter(({ name }) => LOCAL_VALUES.has(name)),
    problem: '',
    url: '',
    mode: null,
    yaml: '',
  };
  return async () => all;
}

export function describeOperatorLimits(
  { maxMode, budget }: Pick<Config, 'maxMode' | 'budget'>,
  model: string | null,
): OperatorLimits {
  return { ceiling: maxMode, model, budget };
}

const DEMO_FOLDER = fileURLToPath(locate('../../demo', import.meta.url));

/** What a model answers to the demo's report, as `MODEL=scripted:FILE` reads it. */
export const DEMO_SCRIPT = path.join(DEMO_FOLDER, 'corner-shop.script.json');
export const DEMO_SOURCE = { kind: 'path', path: path.join(DEMO_FOLDER, 'corner-shop.bundle') } as const;
const DEMO_PROJECT: LocalProject = { name: 'local/corner-shop', source: DEMO_SOURCE };
const DEMO_REFERENCE = "Example that ships with Causeway: the model's answers come from a script";

/** The demo's report. */
export function readDemoReport(): string {
  return readFileSync(path.join(DEMO_FOLDER, 'report.md'), 'utf8');
}

/** The script costs nothing, so the operator's budgets neither pay for it nor cut it short. */
const UNLIMITED = { run: 1_000, repository: 1e9, all: 1e9 };

/**
 * Runs a real investigation of the demo's report, with a script as the model, before work starts. A failure is only
 * logged: it must not prevent the start.
 */
async function makeDemoIssue(services: Services, project: Project, config: Config, signal: AbortSignal): Promise<void> {
  try {
    await investigateDemo(services, project, config, signal);
  } catch (error) {
    if (!signal.aborted) services.log.warn({ err: error }, 'failed to create the example issue of the demo project');
  }
}

async function investigateDemo(
  services: Services,
  project: Project,
  { environment, investigationTimeoutMs: timeoutMs }: Config,
  signal: AbortSignal,
): Promise<void> {
  const { store, account, log, now } = services;
  const accepted = await acceptReport(services, {
    projectId: project.id,
    accountId: account.id,
    origin: 'api',
    text: readDemoReport(),
    reference: DEMO_REFERENCE,
    revision: '',
    callbackUrl: '',
    isTrusted: true,
    // After a crash it is finished without the operator's model: an example must not cost anything.
    settings: { ...DEFAULT_SETTINGS, useModel: false },
    fresh: true,
  });
  const run = accepted.kind === 'accepted' ? await store.startRun(accepted.runId, now().toISOString()) : null;
  if (run === null) return;
  const model = { kind: 'scripted', file: DEMO_SCRIPT } as const;
  const config = { model, budget: UNLIMITED, monitoringFile: null, environment };
  await using scripted = openInvestigator({ config, log, now, patienceMs: 0 });
  const { investigator } = scripted;
  await investigateReport(
    { ...services, readReport: services.reader.readReport, timeoutMs, investigator, context: null },
    { ...run, settings: DEFAULT_SETTINGS },
    signal,
  );
}
