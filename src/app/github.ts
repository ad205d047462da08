// The service over GitHub: what it knows, which events it handles, which work it takes, and `serve` in GitHub mode.

import { condenseLog } from 'causeway-ci-log';
import type { ApiDeps, ReadinessCheck } from '../api/index.ts';
import { createBuildLogs, parseBuildHosts } from '../build-logs/index.ts';
import { formatGithubStart, formatIgnoredOwners, formatNotInstalled } from '../cli/start-text.ts';
import type { ExitCode } from '../cli/terminal.ts';
import type { AppCredentials, Config } from '../config.ts';
import { createSigningSecret } from '../core/account/index.ts';
import type { Checks } from '../core/check/index.ts';
import { createHolds } from '../core/holds.ts';
import type { Forecast } from '../core/past.ts';
import { type ConfigurationOf, DEFAULT_SETTINGS, type GithubProject, isGithubProject } from '../core/project/index.ts';
import type { Worker } from '../core/queue.ts';
import type { WaitCode } from '../core/reason.ts';
import type { Memory } from '../core/thread/index.ts';
import type { InstallationStore } from '../db/index.ts';
import { createChecks } from '../github/checks/index.ts';
import {
  createGithubClients,
  createTokenClients,
  describeAllowance,
  type GithubClients,
  gitCredentials,
  type OctokitOptions,
} from '../github/clients/index.ts';
import {
  type ConfigurationReader,
  createConfigurationReader,
  effectiveConfiguration,
  investigationSettings,
} from '../github/configuration/index.ts';
import type { CausewayAppDeps } from '../github/events/index.ts';
import { createCausewayApp, createOutcomeHandler } from '../github/index.ts';
import {
  createDeliveriesInFlight,
  createDeliveryHandler,
  createReceiver,
  openProbot,
  openSmeeChannel,
  type ReceivingProbot,
} from '../github/intake/index.ts';
import {
  createContextAccess,
  createPermissions,
  createProjectSync,
  createRedelivery,
} from '../github/projects/index.ts';
import { createProveHandler, tidyProofs } from '../github/prove/index.ts';
import {
  createCheckRunHandler,
  createKnownHandler,
  createPublishHandler,
  createPutBackHandler,
  decideCheckRun,
  loadCheckRunView,
  type WantedCheckRun,
} from '../github/publish/index.ts';
import { appPage, createInstallPage } from '../github/setup/index.ts';

import { createGithubSignIn, createMayEnter } from '../github/sign-in/index.ts';

import { registerSecret } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import {
  cleanChecks,
  createBackfillHandler,
  createHeadHandler,
  guardIssues,
  type Investigator,
  isProjectVisible,
  isStillVisible,
  makeForecast,
  NOMINAL_COST,
  readPast,
  type Wait,
} from '../services/index.ts';
import type { SignInMethod } from '../web/index.ts';
import { parseCallbackAllow } from '../webhooks/index.ts';
import { type Clock, checkClock, createClock } from './clock.ts';
import { deriveSessionKey, getMirrorsFolder, openDataFolder } from './data-folder.ts';
import { createLocalConfiguration, describeOperatorLimits } from './local.ts';
import { type ActionMode, type GithubMode, isLoopback, type ServeOptions, waitForAbort } from './mode.ts';
import { describeModel, listModels, openInvestigator, PATIENCE_MS } from './model.ts';
import { readNamedFile } from './model-files.ts';
import { openPort } from './port.ts';
import { openOwnRecords } from './records.ts';
import { recordServedAs } from './served-as.ts';
import { type Lanes, openServices, type Services, startWork, USER_AGENT } from './services.ts';
import {
  type Recurring,
  startForgettingEvaluations,
  startForgettingMirrors,
  startRecurring,
  startRetention,
} from './upkeep.ts';

const RECONCILED_EVERY_MS = 6 * 60 * 60 * 1_000;
const REDELIVERED_EVERY_MS = 15 * 60 * 1_000;

/** `serve` in GitHub mode. The service starts even while GitHub is unreachable, which `/readyz` reports. */
export async function serveGithub(options: ServeOptions, mode: GithubMode, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, worker, launcher } = options;
  await using open = new AsyncDisposableStack();
  const service = open.use(await openGithubService(options, mode, signal));
  recordServedAs(config, 'github');
  const { services, permissions, configuration, investigator } = service;
  const kept = { ...services, ...config, clock: service.clock };
  open.use(startRetention(kept));
  open.use(startForgettingMirrors(services, getMirrorsFolder(config.dataDir)));
  open.use(startForgettingEvaluations(kept));
  if (worker) open.use(service.startWork());
  const receive = createReceiver({ ...services, secrets: () => mode.credentials.webhookSecrets });
  const installations = startUpkeep(open, service, options);
  const server = open.use(
    await openPort(services, config, {
      publicUrl: mode.publicUrl,
      isLocal: false,
      receive,
      permissions,
      settingsOf: createSettingsReader(configuration, config, listModels(investigator)),
      configurationOf: createGithubConfiguration(
        { configuration, store: services.store },
        config,
        listModels(investigator),
      ),
      knownChecks: service.checks,
      signInMethod: createSignInMethod(service, mode.credentials, config),
      model: investigator?.model ?? null,
      works: worker,
      example: null,
      sessionKey: service.sessionKey,
      checks: () => [checkGithub(services, installations), checkClock(service.clock)],
    }),
  );
  const { webhookProxyUrl: source } = config;
  if (source !== '') open.use(await openSmeeChannel({ source, receive, log }));
  io.out(
    formatGithubStart({
      address: mode.publicUrl || server.address,
      listening: server.address,
      worker,
      launcher,
      paused: services.isPaused(),
      lacksPublicUrl: mode.publicUrl === '' && !isLoopback(config.host),
      hasSignIn: findAccountArea(mode.credentials, server.address) !== '',
      webUrl: config.githubWebUrl,
      appId: mode.credentials.appId,
      maxMode: config.maxMode,
      commandNeeds: [
        ...(config.database.kind === 'postgres' ? ['DATABASE_URL'] : []),
        ...(config.encryptionKey === null ? [] : ['ENCRYPTION_KEY']),
      ],
      ...describeModel(config.model, investigator),
    }),
  );
  await waitForAbort(signal);
  io.err('Stopping…\n');
  return 0;
}

export interface GithubService extends AsyncDisposable {
  readonly services: Services;
  readonly clock: Clock;
  readonly clients: GithubClients;
  readonly permissions: ReturnType<typeof createPermissions>;
  readonly configuration: ConfigurationReader;
  readonly sync: ReturnType<typeof createProjectSync>;
  readonly redelivery: ReturnType<typeof createRedelivery>;
  readonly inFlight: ReturnType<typeof createDeliveriesInFlight>;
  readonly probot: ReceivingProbot;
  readonly checks: Pick<Checks, 'readIssue' | 'readOutput'>;
  readonly investigator: Investigator | null;
  /** Of browsers' sessions. */
  readonly sessionKey: Buffer;
  /** What our check run on that head shows, or would show; null: there is nothing to say. */
  readonly showHead: (headId: string, signal: AbortSignal) => Promise<WantedCheckRun | null>;
  /** What the last 14 days would have been like; reading ends early where GitHub has no more calls for us. */
  readonly readForecast: (project: GithubProject, signal: AbortSignal) => Promise<Forecast>;
  /** A sentence on what a job of Actions did not read, since it may not read more; "": nothing. */
  readonly notRead: () => string;
  /** Takes away what proofs left behind on GitHub. */
  readonly tidyProofs: (signal: AbortSignal) => Promise<void>;
  /** Takes work of every kind until disposed. */
  readonly startWork: () => Worker;
}

/** Owns the data folder until disposed. Asks GitHub nothing yet. `signal` ends the wait for the records' server. */
export async function openGithubService(
  options: Pick<ServeOptions, 'config' | 'log' | 'now' | 'metrics'>,
  mode: GithubMode | ActionMode,
  signal?: AbortSignal,
): Promise<GithubService> {
  const { config, log, now } = options;
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl, allowedOwners, dataDir } = config;
  for (const secret of listModeSecrets(mode)) registerSecret(secret);
  const { ciLogsFile, environment } = config;
  const text = ciLogsFile === null ? null : readNamedFile('CI_LOGS', ciLogsFile);
  const hosts = text === null ? new Map() : parseBuildHosts(text, environment);
  const readBuildLog = createBuildLogs({ hosts, webUrl, userAgent: USER_AGENT, shortenLog: condenseLog, log, now });
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(dataDir, config.encryptionKey, config.database);
  opening.use(openOwnRecords(folder.database));
  const metrics = options.metrics ?? createMetrics({ log, now });
  const clock = createClock({ now, hasGithub: true });
  // Git needs the clients, which need the store of the services, which need git.
  const holds = createHolds(now);
  const installations = { findInstallation: (id: number) => services.store.findInstallation(id) };
  const { investigator } = opening.use(openInvestigator({ config, log, now, holds, patienceMs: PATIENCE_MS }));
  const place = {
    apiUrl,
    webUrl,
    userAgent: USER_AGENT,
    holds,
    now,
    watch: (call, send) =>
      metrics.countGithubCall(call, async () => {
        const answer = await send();
        clock.compare(answer);
        return answer;
      }),
  } satisfies Partial<OctokitOptions>;
  const unread = new Set<string>();
  const notRead = () => (mode.kind === 'action' ? describeUnreadSubjects([...unread], mode) : '');
  const clients = opening.use(
    mode.kind === 'action'
      ? createTokenClients({ ...place, ...mode, onUnread: (what) => unread.add(what) })
      : createGithubClients({ ...place, ...mode.credentials, installations }),
  );
  const services: Services = opening.use(
    await openServices({
      ...folder,
      git: {
        folder: folder.mirrors,
        maxTogetherBytes: config.mirrorsMaxBytes,
        environment: config.environment,
        credentials: (project, until) => gitCredentials(clients, project, until),
      },
      callbackPolicy: { allow: parseCallbackAllow(config.callbackAllow), localMode: false },
      log,
      now,
      metrics,
      signal,
    }),
  );
  // A job's limit is for what it analyses: whoever writes down what was found still reads what that takes.
  const writing = mode.kind === 'action' ? { ...clients, repository: () => clients.app } : clients;
  // Projects of an earlier local mode would be visible to everyone.
  await services.store.syncProjects([], now().toISOString());
  const permissions = createPermissions({ clients: writing, now });
  const configuration = createConfigurationReader({ ...services, clients: writing });
  const context = createContextAccess({ clients: writing });
  const sync = createProjectSync({ ...services, clients, allowedOwners });
  const redelivery = createRedelivery({ ...services, clients });
  const inFlight = createDeliveriesInFlight();
  const memory: Memory = mode.kind === 'action' ? 'github' : 'records';
  const { readCheck, readArtifact } = services.reader;
  const base = {
    ...services,
    ...listModels(investigator),
    memory,
    clients,
    configuration,
    permissions,
    newSigningSecret: createSigningSecret,
    apiUrl,
    webUrl,
    userAgent: USER_AGENT,
    projects: sync,
    ceiling: config.maxMode,
    paused: services.isPaused,
    signalOf: inFlight.signalOf,
    readBuildLog,
    shortenLog: condenseLog,
  };
  const forChecks = { ...base, readArtifact };
  const checks = createChecks(forChecks);
  const app: CausewayAppDeps = { ...base, checks };
  const probot = await openProbot({
    credentials: getProbotCredentials(mode),
    apiUrl,
    log,
    app: createCausewayApp(app),
  });
  const waits = createWaits(services);
  const accountArea = mode.kind === 'action' ? '' : findAccountArea(mode.credentials, mode.publicUrl);
  const published = {
    ...app,
    ...services,
    clients: writing,
    store: guardIssues({ ...services, context }),
    context,
    checks: cleanChecks(createChecks({ ...forChecks, clients: writing }), services.redactor),
    readCheck,
    permissions,
    waitsFor: waits.waitsFor,
    notRead,
    // The page of an Issue requires a sign-in.
    recordUrl: ({ id }: { readonly id: string }) => (accountArea === '' ? '' : `${accountArea}/issues/${id}`),
  };
  const startAll = () => {
    const checked = { ...services, memory, checks, readCheck } as const;
    const deliveries = createDeliveryHandler({ ...services, probot, inFlight, clients, allowedOwners });
    const lanes: Lanes = {
      delivery: { handler: deliveries, limits: IN_ORDER },
      // With its own slots, since those of the other lane may all wait for GitHub.
      'urgent-delivery': { handler: deliveries, limits: IN_ORDER },
      publish: { handler: createPublishHandler(published), limits: IN_ORDER },
      head: { handler: createHeadHandler(checked), limits: HEADS },
      'check-run': { handler: createCheckRunHandler(published), limits: IN_ORDER },
      // What was long ago, what became of an answer, what people tied to issues, and what is taken back, needs records.
      ...(memory === 'records' && {
        backfill: { handler: createBackfillHandler(checked), limits: BACKFILLS },
        outcome: { handler: createOutcomeHandler(published), limits: BACKFILLS },
        known: { handler: createKnownHandler(published), limits: BACKFILLS },
        'put-back': { handler: createPutBackHandler(published), limits: IN_ORDER },
        prove: { handler: createProveHandler(published), limits: IN_ORDER },
      }),
    };
    return startWork(services, {
      concurrency: config.concurrency,
      investigationTimeoutMs: config.investigationTimeoutMs,
      investigator,
      context,
      onWait: waits.onWait,
      canStillSee: ({ projectId, ...webhook }, until) => {
        const deps = { ...services, permissions };
        if (projectId === null) return isStillVisible(deps, webhook, until);
        return isProjectVisible(deps, { ...webhook, projectId }, until);
      },
      pages: { accountArea, githubUrl: webUrl },
      lanes,
    });
  };
  const opened = opening.move();
  return {
    services,
    clock,
    clients,
    permissions,
    configuration,
    sync,
    redelivery,
    inFlight,
    probot,
    checks,
    investigator,
    notRead,
    tidyProofs: (until) => tidyProofs(published, until),
    sessionKey: deriveSessionKey(config.sessionSecret, folder.encryptionKey),
    showHead: async (id, until) => {
      const view = await loadCheckRunView(published, id, until);
      return view === null ? null : decideCheckRun(view);
    },
    readForecast: async (project, until) => {
      const past = await readPast({ ...services, checks, readCheck }, { project, isPatient: false }, until);
      // Whoever asks has no records, or those of one job: no mean to go by.
      return makeForecast(past, NOMINAL_COST);
    },
    startWork: startAll,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function describeUnreadSubjects(what: readonly string[], { mostReads }: ActionMode): string {
  if (what.length === 0) return '';
  const why = `this job has made as many calls of GitHub as it may (${describeAllowance(mostReads)})`;
  return `Not read: ${what.join(', ')}, since ${why}. Run it again in an hour.`;
}

function listModeSecrets(mode: GithubMode | ActionMode): readonly string[] {
  if (mode.kind === 'action') return [mode.token];
  const { privateKey, webhookSecrets, clientSecret } = mode.credentials;
  return [privateKey, ...webhookSecrets, clientSecret];
}

function getProbotCredentials(mode: GithubMode | ActionMode): Parameters<typeof openProbot>[0]['credentials'] {
  if (mode.kind === 'action') return { token: mode.token };
  const { appId, privateKey } = mode.credentials;
  return { appId, privateKey };
}

/** Events of one issue, pull request or repository, and effects of one thread or head, come one after the other. */
const IN_ORDER = { concurrency: 8, perGroup: 1 };
/** Two commits of a project at a time, so that a slow log delays only one of them. */
const HEADS = { concurrency: 8, perGroup: 2 };
/** The past is not urgent. */
const BACKFILLS = { concurrency: 2, perGroup: 1 };

const MOST_WAITS = 1_000;

/**
 * What runs wait for, such as an unreachable model, shown in their threads. In memory: a waiting run reports it again
 * after a restart.
 */
function createWaits({ store, log, now }: Pick<Services, 'store' | 'log' | 'now'>) {
  const waits = new Map<string, Wait>();
  return {
    onWait: (wait: Wait): void => {
      const isShown = wait.code === 'disk_full' && waits.get(wait.runId)?.code === wait.code;
      waits.delete(wait.runId);
      waits.set(wait.runId, wait);
      const [oldest] = waits.keys();
      if (waits.size > MOST_WAITS && oldest !== undefined) waits.delete(oldest);
      // On a full disk every waiting run reports this every few seconds.
      if (isShown) return;
      store.schedulePublishOfRun(wait.runId, now().toISOString()).catch((error: unknown) => {
        log.warn({ err: error, run: wait.runId }, 'failed to publish that a run waits');
      });
    },
    /** Null: for nothing. */
    waitsFor: (runId: string): WaitCode | null => {
      const wait = waits.get(runId);
      return wait === undefined || wait.until < now() ? null : wait.code;
    },
  };
}

/**
 * Installations and missed deliveries, read from GitHub at the start and from time to time, and what proofs left behind, by one process over
 * a database.
 */
export function startUpkeep(
  open: AsyncDisposableStack,
  { services, sync, clients, redelivery, tidyProofs: tidy }: GithubService,
  { config, io }: Pick<ServeOptions, 'config' | 'io'>,
): Recurring {
  const { log, store, leads: isOurs } = services;
  let isSaid = false;
  const reconcile = async (signal: AbortSignal) => {
    await sync.reconcile(signal);
    if (isSaid || (await store.listInstallations()).length > 0) return;
    isSaid = true;
    const { slug } = await clients.identity(signal);
    const page = appPage(config.githubWebUrl, slug);
    const ignored = sync.ignoredOwners();
    io.out(`\n${ignored.length === 0 ? formatNotInstalled(page) : formatIgnoredOwners(page, ignored)}`);
  };
  const installations = open.use(
    startRecurring({
      what: 'reading the installations of the App',
      everyMs: RECONCILED_EVERY_MS,
      log,
      isOurs,
      work: reconcile,
    }),
  );
  open.use(
    startRecurring({
      what: 'requesting missed deliveries again',
      everyMs: REDELIVERED_EVERY_MS,
      log,
      isOurs,
      work: (signal) => redelivery.askAgain(signal),
    }),
  );
  open.use(
    startRecurring({
      what: 'taking away what proofs left behind',
      everyMs: RECONCILED_EVERY_MS,
      log,
      isOurs,
      work: tidy,
    }),
  );
  return installations;
}

/** What `/readyz` says about GitHub, from the latest calls. */
export function checkGithub(
  { leads, metrics }: Pick<Services, 'leads' | 'metrics'>,
  installations: Recurring,
): ReadinessCheck {
  const report = (ok: boolean, detail: string): ReadinessCheck => ({ name: 'github', ok, isVital: false, detail });
  const hasAnswered = metrics.hasGithubAnswered();
  const silence = hasAnswered === false ? 'the last call got no answer, or a server error' : '';
  const fault = (leads() ? installations.fault() : '') || silence;
  if (fault) return report(false, `does not answer as it should: ${fault}`);
  if (hasAnswered === true) return report(true, 'answers');
  return leads() ? report(false, 'not asked yet') : report(true, 'asked by another process');
}

/**
 * The address of the account area; "" where it is not known, or sign-in is not configured: then nothing links to it.
 */
function findAccountArea({ clientId, clientSecret }: AppCredentials, publicUrl: string): string {
  return clientId === '' || clientSecret === '' ? '' : publicUrl;
}

/** How people sign in: with GitHub, once the App's client id and secret are there. */
function createSignInMethod(
  { services, clients }: GithubService,
  { clientId, clientSecret }: AppCredentials,
  { githubApiUrl: apiUrl, githubWebUrl: webUrl, allowedOwners }: Config,
): SignInMethod {
  const { origin } = new URL(webUrl);
  const installUrl = createInstallPage(clients, webUrl);
  if (clientId === '' || clientSecret === '') return { kind: 'github', signIn: null, origin, installUrl };
  const { log, metrics, store } = services;
  const mayEnter = createMayEnter({ clients, store, allowedOwners });
  const place = { clientId, clientSecret, apiUrl, webUrl, userAgent: USER_AGENT };
  const signIn = createGithubSignIn({ ...place, log, mayEnter, watch: metrics.countGithubCall });
  return { kind: 'github', signIn, origin, installUrl };
}

/** What a project's configuration on GitHub comes to, read as every analysis reads it, for the account area. */
export function createGithubConfiguration(
  {
    configuration,
    store,
  }: {
    readonly configuration: Pick<ConfigurationReader, 'of'>;
    readonly store: Pick<InstallationStore, 'findInstallation'>;
  },
  config: Pick<Config, 'maxMode' | 'budget' | 'githubWebUrl'>,
  { operatorModel, otherModels }: ReturnType<typeof listModels>,
): ConfigurationOf {
  const operator = { ...describeOperatorLimits(config, operatorModel), otherModels };
  const local = createLocalConfiguration(config, operatorModel);
  return async (project, signal) => {
    if (!isGithubProject(project)) return await local(project, signal);
    const read = await configuration.of(project, signal);
    const permissions = (await store.findInstallation(project.source.installationId))?.permissions ?? {};
    const mayRerun = permissions['actions'] === 'write';
    return effectiveConfiguration(project, read, { operator, mayRerun, webUrl: config.githubWebUrl });
  };
}

/** What the API needs to know of a project's own configuration on GitHub, under the operator's ceiling. */
export function createSettingsReader(
  configuration: Pick<ConfigurationReader, 'of'>,
  { maxMode }: Pick<Config, 'maxMode'>,
  models: ReturnType<typeof listModels>,
): ApiDeps['settingsOf'] {
  return async (project, signal) => {
    if (!isGithubProject(project))
      return { investigation: DEFAULT_SETTINGS, noPullRequests: '', ciRunsDay: 0, threshold: null };
    const { config } = await configuration.of(project, signal);
    let noPullRequests = '';
    if (maxMode !== 'fix') {
      noPullRequests = `The operator of this service does not allow pull requests (mode ${maxMode} at most).`;
    } else if (config.mode !== 'fix') {
      noPullRequests = `The repository opens no pull requests: .github/causeway.yml says "mode: ${config.mode}".`;
    }
    return {
      investigation: investigationSettings(config, models),
      noPullRequests,
      ciRunsDay: config.limits.ciRunsDay,
      threshold: config.pullRequest.threshold,
    };
  };
}
