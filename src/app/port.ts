// The service's ports: API, account area and GitHub's deliveries on that of `serve`; what operators read on that of a
// worker.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'causeway-models';
import {
  type ApiDeps,
  createApi,
  createOperatorApi,
  type ReadinessCheck,
  type RunningServer,
  startServer,
} from '../api/index.ts';
import type { Config } from '../config.ts';
import { createSigningSecret } from '../core/account/index.ts';
import { describeSpace } from '../core/disk.ts';
import { type StoreFault, StoreUnusable } from '../core/errors.ts';
import { createSeal } from '../db/index.ts';
import type { Receiver } from '../github/intake/index.ts';
import type { McpEndpoint, McpEndpointOptions } from '../mcp-server/index.ts';
import { createRateLimiter } from '../services/index.ts';
import { createHighlighter, createWeb, type WebDeps } from '../web/index.ts';
import { checkCallbackUrl } from '../webhooks/index.ts';
import { isLoopback } from './mode.ts';
import { findShortage, REQUIRED_BYTES, readFreeBytes, type Services, VERSION } from './services.ts';

/** What differs between local mode and GitHub mode. */
export interface PortOptions {
  readonly permissions: ApiDeps['permissions'];
  readonly settingsOf: ApiDeps['settingsOf'];
  readonly configurationOf: WebDeps['configurationOf'];
  readonly signInMethod: WebDeps['signInMethod'];
  readonly example: WebDeps['example'];
  readonly knownChecks: WebDeps['knownChecks'];
  /** 32 bytes: seals browsers' sign-ins, and proves forms. */
  readonly sessionKey: Buffer;
  /** Address that callers use; "": from the port that is opened. */
  readonly publicUrl: string;
  /** True: loopback names only. */
  readonly isLocal: boolean;
  /** Takes GitHub's deliveries; null in local mode. */
  readonly receive: Receiver | null;
  /** Null: none is configured. */
  readonly model: Model | null;
  /** Whether this process takes work, and so calls the model. */
  readonly works: boolean;
  /** What `/readyz` says in addition. */
  readonly checks: () => readonly ReadinessCheck[];
}

/** GitHub's path as Probot has it, in both spellings. */
const DELIVERIES = /^[^:]+:\/\/[^/]*\/api\/github\/webhooks\/?(?:\?|$)/;
const METRICS = /^[^:]+:\/\/[^/]*\/metrics(?:\?|$)/;
const MCP = /^[^:]+:\/\/[^/]*\/mcp\/?(?:\?|$)/;
/** Paths of the API; all others are pages. */
const API = /^[^:]+:\/\/[^/]*\/(?:api|docs|healthz|readyz)(?:[/?]|$)/;

/** The port of `serve`. */
export async function openPort(services: Services, config: Config, options: PortOptions): Promise<RunningServer> {
  const { permissions, settingsOf, configurationOf, knownChecks, signInMethod, example, sessionKey, model, receive } =
    options;
  const { metrics, log } = services;
  let address = options.publicUrl;
  const ready = openReadiness(services, config, options);
  await using opening = new AsyncDisposableStack();
  const { highlight } = opening.use(createHighlighter());
  const shared = {
    ...services,
    permissions,
    settingsOf,
    limiter: createRateLimiter(config.rateLimit),
    newSigningSecret: createSigningSecret,
    checkCallbackUrl: (url: string, field?: string) => checkCallbackUrl(url, services.callbackPolicy, field),
    tellAnswered: metrics.tellAnswered,
    baseUrl: () => address,
  };
  const api = createApi({ ...shared, ready });
  const web = createWeb({
    ...shared,
    configurationOf,
    knownChecks,
    signInMethod,
    example,
    highlight,
    modelName: model?.name ?? null,
    key: sessionKey,
    seal: createSeal(sessionKey),
    budget: config.budget,
    paused: services.isPaused,
  });
  const mcp = opening.use(
    openMcpLater({
      api: api.fetch,
      authenticate: api.authenticate,
      baseUrl: () => address,
      version: VERSION,
      now: services.now,
      onFault: (error) => log.error({ err: error }, 'a tool of the MCP endpoint failed'),
    }),
  );
  const showMetrics = openMetrics(services, config, ready);
  // The API logs the calls that tools make; this line is for requests that got no further, such as with a wrong token.
  const answerMcp = async (request: Request, stopping: AbortSignal): Promise<Response> => {
    const began = performance.now();
    const response = await mcp.fetch(request, stopping);
    const [ms, requestId] = [performance.now() - began, response.headers.get('X-Request-Id') ?? undefined];
    const answered = { method: request.method, route: '/mcp', status: response.status };
    metrics.tellAnswered({ ...answered, ms });
    log.info({ requestId, ...answered, ms: Math.round(ms) }, 'request');
    return response;
  };
  const dispatch = (request: Request, stopping: AbortSignal): Promise<Response> => {
    if (receive !== null && DELIVERIES.test(request.url)) {
      return metrics.countDelivery(request, () => receive(request));
    }
    if (METRICS.test(request.url)) return showMetrics(request);
    if (MCP.test(request.url)) return answerMcp(request, stopping);
    return (API.test(request.url) ? api : web).fetch(request, stopping);
  };
  const server = await startServer({
    host: config.host,
    port: config.port,
    loopbackOnly: options.isLocal,
    log,
    fetch: (request, stopping) => metrics.traceRequest(request, () => dispatch(request, stopping)),
  });
  opening.use(server);
  address ||= server.address;
  const opened = opening.move();
  return { address: server.address, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Loaded with the first request for it: that takes a third of a second, and most services get none. */
function openMcpLater(options: McpEndpointOptions): McpEndpoint {
  let opened: Promise<McpEndpoint> | null = null;
  const open = async () => (await import('../mcp-server/index.ts')).createMcpEndpoint(options);
  return {
    fetch: async (request, stopping) => {
      opened ??= open();
      return (await opened).fetch(request, stopping);
    },
    [Symbol.asyncDispose]: async () => (await opened)?.[Symbol.asyncDispose](),
  };
}

/** The port of `worker`, for operators only. */
export function openWorkerPort(
  services: Services,
  config: Config,
  options: Pick<PortOptions, 'model' | 'checks'>,
): Promise<RunningServer> {
  const { log, metrics } = services;
  const ready = openReadiness(services, config, { ...options, works: true });
  const showMetrics = openMetrics(services, config, ready);
  const api = createOperatorApi({ log, metrics: showMetrics, ready, tellAnswered: metrics.tellAnswered });
  return startServer({
    host: config.host,
    port: config.workerPort,
    loopbackOnly: isLoopback(config.host),
    log,
    fetch: (request) => metrics.traceRequest(request, () => api.fetch(request)),
  });
}

function openMetrics({ metrics, queue, isPaused }: Services, { metricsToken, dataDir }: Config, ready: Readiness) {
  return metrics.createEndpoint(metricsToken, { queue, ready, isPaused, freeBytes: () => readFreeBytes(dataDir) });
}

function openReadiness(
  services: Services,
  { dataDir }: Config,
  { model, works, checks }: Pick<PortOptions, 'model' | 'works' | 'checks'>,
): Readiness {
  const others = () => [checkPause(services), checkModel(services, model, works), ...checks()];
  return createReadiness({ ...services, dataDir, others });
}

/** Answers are cached for so long, since each load balancer asks every second. */
const KEPT_MS = 1_000;
/** Callers give up after a few seconds, and a database that takes longer is of no use. */
const BOUND_MS = 2_000;

export interface ReadinessOptions extends Pick<Services, 'store' | 'queue'> {
  readonly dataDir: string;
  /** Checks without I/O. */
  readonly others: () => readonly ReadinessCheck[];
  /** Milliseconds that one check may take (2,000). */
  readonly boundMs?: number;
}

export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** What `/readyz` says. Never rejects, and never takes much longer than the bound. */
export function createReadiness({ store, queue, dataDir, others, boundMs = BOUND_MS }: ReadinessOptions): Readiness {
  const checkDatabase = async () => {
    await store.checkWritable();
    return { ok: true, detail: 'answers' };
  };
  const checkQueue = async () => {
    const { waiting, running, dead } = await queue.countJobs();
    return { ok: true, detail: `${waiting} waiting, ${running} running, ${dead} dead` };
  };
  const checkDisk = async () => {
    const free = await readFreeBytes(dataDir);
    return { ok: findShortage(free) === null, detail: describeSpace({ free, required: REQUIRED_BYTES }) };
  };
  const checkAll = () =>
    Promise.all([
      checkWithin(boundMs, 'database', checkDatabase),
      checkWithin(boundMs, 'queue', checkQueue),
      checkWithin(boundMs, 'disk', checkDisk),
    ]);
  let kept: { readonly answer: Promise<readonly ReadinessCheck[]>; readonly until: number } | null = null;
  return async () => {
    if (kept === null || performance.now() > kept.until) {
      kept = { answer: checkAll(), until: performance.now() + KEPT_MS };
    }
    return [...(await kept.answer), ...others()];
  };
}

async function checkWithin(
  boundMs: number,
  name: string,
  check: () => Promise<{ readonly ok: boolean; readonly detail: string }>,
): Promise<ReadinessCheck> {
  const bound = new AbortController();
  try {
    const late = sleep(boundMs, null, { signal: bound.signal, ref: false });
    const found = await Promise.race([check(), late]);
    return { name, ...(found ?? { ok: false, detail: 'no answer in time' }) };
  } catch (error) {
    // The error's own message may contain paths or queries.
    return { name, ok: false, detail: error instanceof StoreUnusable ? FAULTS[error.fault] : FAILED };
  } finally {
    bound.abort();
  }
}

const FAULTS: Readonly<Record<StoreFault, string>> = {
  full: 'no space left on its disk',
  damaged: 'damaged: stop the service and restore a backup ("causeway restore FILE")',
  replaced:
    'its file was deleted or replaced while the service was running: stop the service, put the file back or restore a backup, start it again',
  not_writable: 'cannot be written: give the user of the service write access',
};
const FAILED = 'failed: "causeway doctor" says why';

/** The operator's pause makes the service no less ready. */
function checkPause({ isPaused }: Pick<Services, 'isPaused'>): ReadinessCheck {
  const detail = isPaused() ? 'paused: reports are stored; run "causeway resume" to continue' : 'not paused';
  return { name: 'pause', ok: true, detail };
}

/** Outcomes that show a working endpoint. */
const ANSWERS: ReadonlySet<string> = new Set(['answered', 'refused', 'overflow']);

/** From the latest calls. Anyone may read it, so it names no address. */
function checkModel(
  { metrics }: Pick<Services, 'metrics'>,
  model: Pick<Model, 'name' | 'calledThrough'> | null,
  isCalledHere: boolean,
): ReadinessCheck {
  const report = (ok: boolean, detail: string): ReadinessCheck => ({ name: 'model', ok, isVital: false, detail });
  if (model === null) return report(true, 'none (search only)');
  const which = model.calledThrough === undefined ? 'a script' : `${model.name} through ${model.calledThrough()}`;
  if (!isCalledHere) return report(true, `${which}, called by the workers`);
  const last = metrics.getLastModelOutcome();
  if (last === null) return report(true, `${which}, not called yet`);
  if (ANSWERS.has(last)) return report(true, `${which}, last call answered`);
  return report(false, `${which}, last call failed: ${last}`);
}
