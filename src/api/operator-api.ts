// What every process answers, a worker too: request ids, one log line a request, the end of every error, health and metrics.
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { NO_SPACE_RETRY_AFTER } from '../core/disk.ts';
import { CausewayError, StoreUnusable } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Log } from '../log.ts';
import { noteRequest } from '../log.ts';
import { isId } from '../services/index.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { createAbsentProblem, createProblem } from './problem.ts';

interface OperatorDeps extends Pick<ApiDeps, 'log' | 'ready' | 'tellAnswered'> {
  /** Answers GET /metrics. */
  readonly metrics: (request: Request) => Promise<Response>;
}

/** The API of a process that only runs jobs. Its `fetch` never rejects. */
export function createOperatorApi(deps: OperatorDeps): { fetch(request: Request): Promise<Response> } {
  const app = new Hono<ApiEnv>();
  addCommonRoutes(app, deps);
  app.get('/metrics', (c) => deps.metrics(c.req.raw));
  return { fetch: async (request) => app.fetch(request) };
}

/** Adds what both APIs share. Must come before every other route, since the log line wraps them. */
export function addCommonRoutes(
  app: Hono<ApiEnv>,
  { log, ready, tellAnswered }: Pick<ApiDeps, 'log' | 'ready' | 'tellAnswered'>,
): void {
  app.use(async (c, next) => {
    const requestId = createId('req');
    const began = performance.now();
    c.set('requestId', requestId);
    c.set('answerHeaders', {});
    noteRequest(requestId, c.req.raw);
    await next();
    const headers = { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', ...c.get('answerHeaders') };
    for (const [name, value] of Object.entries<string>(headers)) c.res.headers.set(name, value);
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
    // The route and known ids, never the address: it may contain a token.
    const answered = { method: c.req.method, route: routePath(c, -1), status: c.res.status };
    const ms = performance.now() - began;
    tellAnswered?.({ ...answered, ms });
    const ids = Object.values<string>(c.req.param()).filter(isId);
    const accountId = c.get('caller')?.account.id;
    log.info({ requestId, ...answered, ids, ms: Math.round(ms), accountId }, 'request');
  });
  app.onError((error, c) => answerError(error, c.get('requestId'), log));
  app.notFound(() => createAbsentProblem());
  app.get('/healthz', (c) => c.json({ status: 'alive' }));
  app.get('/readyz', async (c) => {
    const found = await ready();
    const checks = found.map(({ name, ok, detail }) => ({ name, ok, detail }));
    const isReady = found.every(({ ok, isVital = true }) => ok || !isVital);
    return c.json({ status: isReady ? 'ready' : 'not_ready', checks }, isReady ? 200 : 503);
  });
}

/** Refusals as they are; 503 where the store or GitHub does not answer; anything else is a fault of ours. */
export function answerError(error: Error, requestId: string, log: Log): Response {
  if (error instanceof HTTPException) return error.getResponse();
  switch (error instanceof CausewayError ? error.code : '') {
    case 'store_locked':
    case 'store_unavailable':
    case 'store_unusable': {
      log.error({ err: error, requestId }, 'the store did not answer a request');
      const isFull = error instanceof StoreUnusable && error.fault === 'full';
      const detail = isFull
        ? 'Nothing was accepted: the disk of the service is full. Its operator has to free some space.'
        : 'The service cannot reach its records just now. Nothing was accepted: try again.';
      return createProblem(503, detail, { headers: { 'Retry-After': String(isFull ? NO_SPACE_RETRY_AFTER : 5) } });
    }
    case 'too_many_waiting':
      return createProblem(429, error.message, { headers: { 'Retry-After': '60' } });
    case 'github_failed': {
      log.warn({ err: error, requestId }, 'GitHub did not answer for a request');
      const detail = 'GitHub is not answering right now, and this call needs it. Try again.';
      return createProblem(503, detail, { headers: { 'Retry-After': '30' } });
    }
    default:
      log.error({ err: error, requestId }, 'a request failed');
      return createProblem(
        500,
        'The service failed on its own account; its log has the details under the X-Request-Id.',
      );
  }
}
