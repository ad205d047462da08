// The metrics of one process for Prometheus, counted where things happen, and `/metrics`, which requires a token.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Span, SpanKind } from '@opentelemetry/api';
import { type Model, ModelFailure, type ModelTurn, type TurnUsage } from 'causeway-models';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isSameSecret, readBearer } from './core/account/index.ts';
import { isStoreAway } from './core/errors.ts';
import type { RecordAnswer } from './core/outcome/index.ts';
import { type ClaimedJob, JOB_KINDS, type JobHandler, type JobKind, type JobResult, type Queue } from './core/queue.ts';
import type { Store } from './db/index.ts';
import { type Log, type LogContext, withLogContext } from './log.ts';
import { getActiveSpan, linkToCaller, runInSpan } from './tracing.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** What the subject of a job is, by its name in the log. */
const SUBJECTS: Readonly<Record<JobKind, keyof LogContext>> = {
  run: 'run',
  webhook: 'webhook',
  delivery: 'delivery',
  'urgent-delivery': 'delivery',
  publish: 'thread',
  head: 'head',
  'check-run': 'head',
  backfill: 'project',
  outcome: 'outcome',
  known: 'known',
  'put-back': 'putBack',
  prove: 'proof',
};

/** From a look into a table to a run that takes its ten minutes and its ending. */
const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 180, 600, 1_800];
/** From acceptance to the end, waits for a model or a limit included. */
const INVESTIGATION_SECONDS = [1, 5, 15, 60, 180, 600, 1_800, 3_600, 14_400, 86_400];
const MODEL_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const HTTP_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

type Instruments = ReturnType<typeof createInstruments>;

/** One registry a process; labels only from bounded sets: no repository, owner, person or address. */
function createInstruments(registry: Registry) {
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name: `causeway_${name}`, help, labelNames, registers: [registry] });
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Gauge({ name: `causeway_${name}`, help, labelNames, registers: [registry] });
  const seconds = <T extends string>(name: string, help: string, labelNames: readonly T[], buckets: number[]) =>
    new Histogram({ name: `causeway_${name}_seconds`, help, labelNames, buckets, registers: [registry] });
  return {
    jobs: seconds('job_duration', 'Tries of jobs by outcome; dead: given up.', ['kind', 'outcome'], JOB_SECONDS),
    investigations: seconds(
      'investigation_duration',
      'Investigations from acceptance to their end, by the origin of their report.',
      ['origin', 'outcome'],
      INVESTIGATION_SECONDS,
    ),
    modelRequests: seconds(
      'model_request_duration',
      'Requests to the model including retries, by outcome.',
      ['model', 'outcome'],
      MODEL_SECONDS,
    ),
    modelTokens: counter('model_tokens_total', 'Tokens; cached tokens are also counted as input.', [
      'model',
      'direction',
    ]),
    modelCost: counter('model_cost_dollars_total', 'US dollars as budgets book them; see MODEL_PRICES.', ['model']),
    github: seconds('github_request_duration', 'Requests to GitHub by class of status.', ['status'], CALL_SECONDS),
    http: seconds(
      'http_request_duration',
      'Requests by route, until the answer began.',
      ['method', 'route', 'status'],
      HTTP_SECONDS,
    ),
    webhooks: counter('webhook_attempts_total', 'Attempts to send a webhook; abandoned: the last failed.', ['result']),
    queueJobs: gauge('queue_jobs', 'Jobs of all processes that wait, run or are dead.', ['kind', 'state']),
    oldestDue: gauge('queue_oldest_due_seconds', 'How long the oldest due job has waited; 0: none is due.', ['kind']),
    ready: gauge('ready', 'Each check of /readyz: 1 or 0; the check "pause" is 0 while paused.', ['check']),
    dataFree: gauge('data_free_bytes', 'Free space on the disk of DATA_DIR.', []),
  };
}

/** The path that `countDelivery` watches, and the answers that an alert looks at. */
const DELIVERIES = { method: 'POST', route: '/api/github/webhooks' };
const REFUSED_DELIVERIES = [401, 413, 415, 503];
/** Of an attempt to send a webhook, by the webhook's state after it. */
const ATTEMPT_RESULTS = { delivered: 'delivered', pending: 'failed', dead: 'abandoned', stopped: 'stopped' } as const;
const MODEL_OUTCOMES = [
  ...['answered', 'unavailable', 'rejected', 'overflow'],
  ...['refused', 'misbehaved', 'failed', 'aborted'],
];

/** Counters, and the spans around the same things. */
export function createMetrics({ log, now }: { readonly log: Log; readonly now: () => Date }) {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  // Alerts look at increases, and Prometheus sees none when a series appears.
  for (const kind of JOB_KINDS) instruments.jobs.zero({ kind, outcome: 'dead' });
  for (const status of REFUSED_DELIVERIES) instruments.http.zero({ ...DELIVERIES, status });
  for (const result of Object.values(ATTEMPT_RESULTS)) instruments.webhooks.inc({ result }, 0);
  let lastModelOutcome: string | null = null;
  let hasGithubAnswered: boolean | null = null;
  return {
    countHandler: (handler: JobHandler) => countHandler(handler, instruments, log),
    countStore: <T extends Store>(store: T) => countStore(store, instruments, log),
    /** `costOf` in US dollars, as budgets book it. */
    countModel: (model: Model, costOf: (usage: TurnUsage) => number) =>
      countModel(model, costOf, instruments, {
        log,
        onEnd: (outcome) => {
          if (outcome !== 'aborted') lastModelOutcome = outcome;
        },
      }),
    /** How the last request to the model ended, such as `answered` or `unavailable`; null before the first. */
    getLastModelOutcome: () => lastModelOutcome,
    /** Sends one request to GitHub. `route` is the pattern, such as `GET /repos/{owner}/{repo}`. */
    countGithubCall: <T extends { readonly status: number }>(
      { route }: { readonly route: string },
      send: () => Promise<T> | T,
    ) =>
      countGithubCall(route, send, instruments, {
        log,
        onEnd: (hasAnswered) => {
          hasGithubAnswered = hasAnswered;
        },
      }),
    /** False while the last call of all got no answer, or a fault of GitHub's own; null before the first. */
    hasGithubAnswered: () => hasGithubAnswered,
    /** Around everything that is done for one HTTP request. */
    traceRequest: (request: Request, answer: () => Promise<Response>): Promise<Response> => {
      const span = { name: 'HTTP request', kind: SpanKind.SERVER, links: linkToCaller(request.headers) };
      return withLogContext({}, () => runInSpan(span, answer));
    },
    /** Called by the API and the pages, which know the route. */
    tellAnswered: ((answered) => countAnswer(answered, instruments)) satisfies RecordAnswer as RecordAnswer,
    /** Around the receiver of GitHub's deliveries, which has one route. */
    countDelivery: async ({ method }: Request, answer: () => Promise<Response>): Promise<Response> => {
      const began = performance.now();
      const response = await answer();
      const ms = performance.now() - began;
      countAnswer({ ...DELIVERIES, method, status: response.status, ms }, instruments);
      return response;
    },
    /** Answers `GET /metrics`; `token` null: only says how to turn it on. Called once. */
    createEndpoint: (token: string | null, readings: Readings): MetricsEndpoint => {
      if (token === null) return async () => respondPlain(404, 'Metrics are off. Set METRICS_TOKEN to read them here.');
      collectDefaultMetrics({ register: registry });
      return async (request) => {
        if (!isSameSecret(readBearer(request.headers.get('Authorization') ?? ''), token)) {
          const headers = { 'WWW-Authenticate': 'Bearer' };
          return respondPlain(401, 'Send METRICS_TOKEN as "Authorization: Bearer …".', headers);
        }
        if (request.method !== 'GET') return respondPlain(405, 'Metrics are read with GET.', { Allow: 'GET' });
        await read(readings, instruments, now());
        const headers = { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' };
        return new Response(await registry.metrics(), { headers });
      };
    },
  };
}

export type MetricsEndpoint = (request: Request) => Promise<Response>;

/** What is read when `/metrics` is. */
export interface Readings {
  readonly queue: Queue;
  readonly ready: () => Promise<readonly { readonly name: string; readonly ok: boolean }[]>;
  readonly isPaused: () => boolean;
  /** Bytes that are free where DATA_DIR lies. */
  readonly freeBytes: () => Promise<number>;
}

/** Prometheus gives up after ten seconds, and all other figures with it. */
const LONGEST_READ_MS = 1_000;

/** What fails or is slow keeps its earlier value. */
async function read(
  { queue, ready, isPaused, freeBytes }: Readings,
  instruments: Instruments,
  now: Date,
): Promise<void> {
  instruments.ready.set({ check: 'pause' }, isPaused() ? 0 : 1);
  const readQueue = async () => {
    const depths = new Map((await queue.countJobsByKind(now.toISOString())).map((depth) => [depth.kind, depth]));
    for (const kind of JOB_KINDS) {
      const { waiting = 0, running = 0, dead = 0, oldestDue = null } = depths.get(kind) ?? {};
      for (const [state, count] of Object.entries({ waiting, running, dead }))
        instruments.queueJobs.set({ kind, state }, count);
      const age = oldestDue === null ? 0 : (now.getTime() - Date.parse(oldestDue)) / 1_000;
      instruments.oldestDue.set({ kind }, Math.max(0, age));
    }
  };
  const readReady = async () => {
    for (const { name, ok } of await ready()) if (name !== 'pause') instruments.ready.set({ check: name }, ok ? 1 : 0);
  };
  const readDisk = async () => instruments.dataFree.set(await freeBytes());
  const all = Promise.allSettled([readQueue(), readReady(), readDisk()]);
  await Promise.race([all, sleep(LONGEST_READ_MS, undefined, { ref: false })]);
}

function respondPlain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } });
}

/** HTTP allows any token as a method, and a caller may send a new one each time. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function countAnswer({ method, route, status, ms }: Parameters<RecordAnswer>[0], { http }: Instruments): void {
  const known = METHODS.has(method) ? method : '_OTHER';
  http.observe({ method: known, route, status }, ms / 1_000);
  const span = getActiveSpan();
  span?.updateName(`${known} ${route}`);
  span?.setAttributes({ 'http.request.method': known, 'http.route': route, 'http.response.status_code': status });
}

/** Each try of a job: counted, timed, in a span, its log lines under the ids of what it works on. */
function countHandler(handler: JobHandler, { jobs }: Instruments, log: Log): JobHandler {
  const count = ({ kind }: ClaimedJob, outcome: string, began: number) => {
    const seconds = (performance.now() - began) / 1_000;
    jobs.observe({ kind, outcome }, seconds);
    // A waiting job runs every few seconds, which is not worth a line.
    log[outcome === 'later' ? 'debug' : 'info']({ outcome, ms: Math.round(seconds * 1_000) }, 'job');
  };
  const contextOf = ({ id, kind, subject, attempt }: ClaimedJob) => {
    return { job: id, kind, attempt, [SUBJECTS[kind]]: subject };
  };
  return {
    handle: (job, signal) =>
      withLogContext(contextOf(job), async () => {
        const began = performance.now();
        try {
          const result = await traceJob(job, () => handler.handle(job, signal));
          count(job, result.kind, began);
          return result;
        } catch (error) {
          count(job, signal.aborted || isStoreAway(error) ? 'handed_back' : 'failed', began);
          throw error;
        }
      }),
    dead: (job, error) =>
      withLogContext(contextOf(job), async () => {
        const began = performance.now();
        await handler.dead(job, error);
        count(job, 'dead', began);
      }),
  };
}

function traceJob({ id, kind, subject, attempt }: ClaimedJob, work: () => Promise<JobResult>): Promise<JobResult> {
  const attributes = {
    'causeway.job.id': id,
    'causeway.job.kind': kind,
    'causeway.job.attempt': attempt,
    [`causeway.${SUBJECTS[kind]}.id`]: subject,
  };
  // An investigation is what the conventions call an agent's invocation.
  const agent = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'causeway',
    'gen_ai.conversation.id': subject,
    'causeway.run.id': subject,
  };
  return runInSpan({ name: `job ${kind}`, kind: SpanKind.CONSUMER, attributes }, () =>
    kind === 'run' ? runInSpan({ name: 'invoke_agent causeway', attributes: agent }, work) : work(),
  );
}

/**
 * Each request to the model: counted with its tokens and cost, in a span by OpenTelemetry's GenAI conventions, without
 * its text.
 */
function countModel(
  model: Model,
  costOf: (usage: TurnUsage) => number,
  { modelRequests, modelTokens, modelCost }: Instruments,
  { log, onEnd }: { readonly log: Log; readonly onEnd: (outcome: string) => void },
): Model {
  const { name } = model;
  for (const outcome of MODEL_OUTCOMES) modelRequests.zero({ model: name, outcome });
  modelCost.inc({ model: name }, 0);
  const count = (outcome: string, usage: TurnUsage | null, ms: number) => {
    onEnd(outcome);
    modelRequests.observe({ model: name, outcome }, ms / 1_000);
    if (usage !== null) {
      modelTokens.inc({ model: name, direction: 'in' }, usage.promptTokens);
      modelTokens.inc({ model: name, direction: 'cached' }, usage.cachedTokens);
      modelTokens.inc({ model: name, direction: 'out' }, usage.completionTokens);
      modelCost.inc({ model: name }, costOf(usage));
    }
    const tokens = usage && { in: usage.promptTokens, cached: usage.cachedTokens, out: usage.completionTokens };
    log.info({ model: name, outcome, tokens, ms: Math.round(ms) }, 'model call');
  };
  const attributes = {
    'gen_ai.operation.name': 'chat',
    // One value for every model; the operator knows which provider answers.
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': name,
  };
  return {
    ...model,
    ask: (request, signal) =>
      runInSpan({ name: `chat ${name}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
        const began = performance.now();
        try {
          const turn = await model.ask(request, signal);
          describeTurn(span, turn);
          count('answered', turn.usage, performance.now() - began);
          return turn;
        } catch (error) {
          const failure = error instanceof ModelFailure ? error : null;
          // `model_unavailable` is `unavailable`.
          const outcome = failure?.code.replace(/^model_/, '') ?? (signal.aborted ? 'aborted' : 'failed');
          count(outcome, failure?.spent ?? null, performance.now() - began);
          throw error;
        }
      }),
  };
}

function describeTurn(span: Span, { usage, toolCalls, model }: ModelTurn): void {
  span.setAttributes({
    ...(model !== undefined && { 'gen_ai.response.model': model }),
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    ...(usage.cacheWriteTokens !== undefined && {
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    }),
    'gen_ai.response.finish_reasons': [toolCalls.length > 0 ? 'tool_calls' : 'stop'],
  });
}

async function countGithubCall<T extends { readonly status: number }>(
  route: string,
  send: () => Promise<T> | T,
  { github }: Instruments,
  { log, onEnd }: { readonly log: Log; readonly onEnd: (hasAnswered: boolean) => void },
): Promise<T> {
  const [method = ''] = route.split(' ');
  const attributes = { 'http.request.method': method, 'url.template': route.slice(method.length + 1) };
  return await runInSpan({ name: `GitHub ${route}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
    const began = performance.now();
    const count = (status: number | null) => {
      const ms = performance.now() - began;
      github.observe({ status: status === null ? 'none' : `${Math.floor(status / 100)}xx` }, ms / 1_000);
      if (status !== null) span.setAttribute('http.response.status_code', status);
      const hasAnswered = status !== null && status < 500;
      onEnd(hasAnswered);
      log[hasAnswered ? 'debug' : 'info']({ route, status, ms: Math.round(ms) }, 'GitHub call');
    };
    try {
      const answer = await send();
      count(answer.status);
      return answer;
    } catch (error) {
      count(readErrorStatus(error));
      throw error;
    }
  });
}

/** Octokit throws for every status from 400 on, with the response on the error where there was one. */
function readErrorStatus(error: unknown): number | null {
  const response: unknown = error instanceof Error && 'response' in error ? error.response : null;
  return typeof response === 'object' && response !== null && 'status' in response ? Number(response.status) : null;
}

/** Of one run; further callers count like the first. */
const MOST_LOOKED_UP = 20;

/** The same store, with the methods counted by which something ends. Counting never makes one fail. */
function countStore<T extends Store>(store: T, instruments: Instruments, log: Log): T {
  const { investigations, webhooks } = instruments;
  const count = async (ids: readonly string[], outcome: string, now: string): Promise<void> => {
    try {
      let last: { readonly origin: string; readonly createdAt: string } | null = null;
      for (const [at, id] of ids.entries()) {
        if (at < MOST_LOOKED_UP) last = await store.findInvestigation(id);
        if (last === null) continue;
        const seconds = (Date.parse(now) - Date.parse(last.createdAt)) / 1_000;
        investigations.observe({ origin: last.origin, outcome }, Math.max(0, seconds));
      }
    } catch (error) {
      log.warn({ err: error }, 'an investigation that ended could not be looked up for the metrics');
    }
  };
  const countIssues = async (issueIds: readonly string[], now: string): Promise<void> => {
    for (const issueId of issueIds.slice(0, MOST_LOOKED_UP)) {
      const issue = await store.findIssue(issueId).catch(() => null);
      if (issue !== null) await count([issue.analysis.investigationId], issue.analysis.outcome, now);
    }
  };
  const counted: Partial<Store> = {
    accept: async (acceptance) => {
      const accepted = await store.accept(acceptance);
      if (accepted.kind !== 'accepted') return accepted;
      // The run has a trace of its own, later and perhaps elsewhere: it is found by its id.
      const { runId, investigationId } = accepted;
      getActiveSpan()?.setAttributes({ 'causeway.run.id': runId, 'causeway.investigation.id': investigationId });
      return accepted;
    },
    conclude: async (run, conclusion, now) => {
      const issueIds = await store.conclude(run, conclusion, now);
      await countIssues(issueIds, now);
      return issueIds;
    },
    concludeFromEqual: async (run, equal, now) => {
      const issueIds = await store.concludeFromEqual(run, equal, now);
      await countIssues(issueIds, now);
      return issueIds;
    },
    giveUp: async (run, reason, now) => {
      const ids = await store.giveUp(run, reason, now);
      await count(ids, 'gave_up', now);
      return ids;
    },
    cancel: async (id, reason, now, by) => {
      const cancelled = await store.cancel(id, reason, now, by);
      const outcome = reason.code === 'cancelled' ? 'cancelled' : 'gave_up';
      if (cancelled.kind === 'cancelled') await count([id], outcome, now);
      return cancelled;
    },
    recordAttempt: async (id, result) => {
      await store.recordAttempt(id, result);
      webhooks.inc({ result: ATTEMPT_RESULTS[result.state] });
      getActiveSpan()?.setAttribute('causeway.webhook.result', ATTEMPT_RESULTS[result.state]);
    },
  };
  return { ...store, ...counted };
}
