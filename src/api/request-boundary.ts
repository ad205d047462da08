// What every request passes: an id, one line in the log, headers on every answer, and the end of every error.
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { ROOM_RETRY_AFTER } from '../core/disk.ts';
import { CausewayError, StoreUnusable } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { isId } from '../services/access.ts';
import { noteRequest } from '../services/note-request.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { problem } from './problem.ts';

/** Outermost: the log line holds the route and no address, since addresses may hold what must not be logged. */
export function withRequestId({ log, tellAnswered }: Pick<ApiDeps, 'log' | 'tellAnswered'>): MiddlewareHandler<ApiEnv> {
  // No member of these lines is named as a secret is; to look for such names took half of the 10 µs of a line.
  const lines = log.child({}, { redact: [] });
  return async (c, next) => {
    const requestId = newId('req');
    const began = performance.now();
    c.set('requestId', requestId);
    noteRequest(requestId, c.req.raw);
    c.set('answerHeaders', {});
    await next();
    const answer = { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', ...c.get('answerHeaders') };
    for (const [name, value] of Object.entries<string>(answer)) c.res.headers.set(name, value);
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
    const [method, route, ms] = [c.req.method, routePath(c, -1), performance.now() - began];
    tellAnswered?.({ method, route, status: c.res.status, ms });
    lines.info(
      {
        requestId,
        ...{ method, route },
        ids: Object.values<string>(c.req.param()).filter(isId),
        status: c.res.status,
        ms: Math.round(ms),
        accountId: c.get('caller')?.account.id,
      },
      'request',
    );
  };
}

/** The end of every error: refusals as they are, a store or a GitHub that does not answer as 503, the rest is our fault. */
export function answerError({ log }: Pick<ApiDeps, 'log'>) {
  return (error: Error, c: Context<ApiEnv>): Response => {
    if (error instanceof HTTPException) return error.getResponse();
    const requestId = c.get('requestId');
    if (error instanceof CausewayError && (error.code === 'store_locked' || error.code === 'store_unusable')) {
      log.error({ err: error, requestId }, 'the store did not answer a request');
      return withoutRecords(error);
    }
    if (error instanceof CausewayError && error.code === 'too_many_waiting') {
      return problem(429, error.message, { headers: { 'Retry-After': '60' } });
    }
    if (error instanceof CausewayError && error.code === 'github_failed') {
      log.warn({ err: error, requestId }, 'GitHub did not answer for a request');
      const detail = 'GitHub does not answer just now, and what this call needs of it is not known. Try again.';
      return problem(503, detail, { headers: { 'Retry-After': '30' } });
    }
    log.error({ err: error, requestId }, 'a request failed');
    return problem(500, 'The service failed on its own account; its log has the details under the X-Request-Id.');
  };
}

function withoutRecords(error: CausewayError): Response {
  const isFull = error instanceof StoreUnusable && error.fault === 'full';
  const detail = isFull
    ? 'Nothing was accepted: no space left on the disk of the service. Its operator has to free some.'
    : 'The service cannot reach its records just now. Nothing was accepted: try again.';
  return problem(503, detail, { headers: { 'Retry-After': String(isFull ? ROOM_RETRY_AFTER : 5) } });
}
