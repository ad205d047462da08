// What every request for a page passes: an id, headers, one line in the log, and a page for every error.
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { CausewayError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { isId } from '../services/access.ts';
import { noteRequest } from '../services/note-request.ts';
import { errorPage } from './error-page.ts';
import { createFormRoom } from './form-room.ts';
import { pageHeaders } from './headers.ts';
import { WebRefusal } from './refusal.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

/** Outermost: the log line holds the route and no address, since addresses may hold what must not be logged. */
export function aroundPages({ log, baseUrl, tellAnswered }: WebDeps): MiddlewareHandler<WebEnv> {
  const readBody = createFormRoom();
  return async (c, next) => {
    const requestId = newId('req');
    const began = performance.now();
    c.set('requestId', requestId);
    noteRequest(requestId, c.req.raw);
    c.set('readBody', readBody);
    await next();
    const headers = { ...pageHeaders({ isHttps: baseUrl().startsWith('https:') }), 'X-Request-Id': requestId };
    for (const [name, value] of Object.entries(headers)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    const [method, route, ms] = [c.req.method, routePath(c, -1), performance.now() - began];
    tellAnswered?.({ method, route, status: c.res.status, ms });
    log.info(
      {
        requestId,
        ...{ method, route },
        ids: Object.values<string>(c.req.param()).filter(isId),
        status: c.res.status,
        ms: Math.round(ms),
        accountId: c.get('signedIn')?.account.id,
      },
      'page',
    );
  };
}

/** Refusals as they are, a store or a GitHub that does not answer as 503, the rest is our fault. */
export function answerWebError(deps: WebDeps) {
  return async (error: Error, c: Context<WebEnv>): Promise<Response> => {
    if (error instanceof WebRefusal) return errorPage(c, deps, error);
    const requestId = c.get('requestId');
    const code = error instanceof CausewayError ? error.code : '';
    if (code === 'store_locked' || code === 'store_unusable') {
      deps.log.error({ err: error, requestId }, 'the store did not answer a page');
      return errorPage(
        c,
        deps,
        new WebRefusal(503, 'Records cannot be reached just now. Nothing was changed: try again.'),
      );
    }
    if (code === 'github_failed') {
      deps.log.warn({ err: error, requestId }, 'GitHub did not answer for a page');
      const detail =
        'GitHub does not answer just now, and what this page needs of it is not known. Try again in a minute.';
      return errorPage(c, deps, new WebRefusal(503, detail));
    }
    deps.log.error({ err: error, requestId }, 'a page failed');
    const detail = `Causeway failed on its own account. The log of the service has the details under ${requestId}.`;
    return errorPage(c, deps, new WebRefusal(500, detail));
  };
}
