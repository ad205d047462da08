// The API: its routes, in the order of the interface document.
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import type { Scope } from '../core/account.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { authenticate, requireScope } from './authenticate.ts';
import { describeApi } from './description.ts';
import { streamEvents } from './events.ts';
import { getHealth, getReadiness } from './health.ts';
import { deleteInvestigation, getInvestigation, listInvestigations } from './investigations.ts';
import { createIssue, deleteIssue, getIssue } from './issues.ts';
import { absent, problem, refuse } from './problem.ts';
import { getProject, listProjects } from './projects.ts';
import { openPullRequest } from './pull-request.ts';
import { answerError, withRequestId } from './request-boundary.ts';

export interface Api {
  /** Answers a request; held answers and streams end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
}

/** Puts the API together. It holds no resource: what is under way ends with its request or with `stopping`. */
export function createApi(deps: ApiDeps): Api {
  const app = new Hono<ApiEnv>({ getPath: canonicalPath });
  const may = guard(deps);
  const { getDocument, getDocs } = describeApi(deps);
  app.use(withRequestId(deps));
  app.onError(answerError(deps));
  app.notFound(() => absent());

  app.post('/api/v1/issues/', may('issues:write', 'creation'), createIssue(deps));
  app.get('/api/v1/issues/:issueId/', may('issues:read'), getIssue(deps));
  app.delete('/api/v1/issues/:issueId/', may('issues:write'), deleteIssue(deps));
  app.post('/api/v1/issues/:issueId/pull-request/', may('pull-requests:write'), openPullRequest(deps));
  app.get('/api/v1/projects/', may('projects:read'), listProjects(deps));
  app.get('/api/v1/projects/:projectId/', may('projects:read'), getProject(deps));

  app.get('/api/v1/investigations/', may('issues:read'), listInvestigations(deps));
  app.get('/api/v1/investigations/:investigationId/', may('issues:read'), getInvestigation(deps));
  app.delete('/api/v1/investigations/:investigationId/', may('issues:write'), deleteInvestigation(deps));
  app.get('/api/v1/investigations/:investigationId/events/', may('issues:read'), streamEvents(deps));

  app.get('/api/v1/openapi.json/', getDocument);
  app.get('/docs', getDocs);
  app.get('/healthz', getHealth());
  app.get('/readyz', getReadiness(deps));
  refuseOtherMethods(app);

  const never = new AbortController().signal;
  return { fetch: async (request, stopping = never) => app.fetch(request, { stopping }) };
}

/** Token, scope and rate, in this order, before anything else of a request is looked at. */
function guard(deps: ApiDeps) {
  return (scope: Scope, kind: 'call' | 'creation' = 'call'): MiddlewareHandler<ApiEnv> =>
    async (c, next) => {
      const caller = await authenticate(deps, c.req.raw);
      c.set('caller', caller);
      requireScope(caller, scope);
      const { allowed, retryAfter, headers } = deps.limiter.take(caller.account.id, kind, deps.now());
      c.set('answerHeaders', headers);
      if (!allowed) {
        refuse(429, `Too many requests: wait ${retryAfter} s.`, { headers: { 'Retry-After': String(retryAfter) } });
      }
      await next();
    };
}

/** Every path that is known answers every other method with 405 and what it does know. */
function refuseOtherMethods(app: Hono<ApiEnv>): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const methods = methodsOf.get(path) ?? new Set();
    methodsOf.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  for (const [path, methods] of methodsOf) {
    const allow = [...methods].join(', ');
    app.all(path, (c) =>
      problem(405, `This path does not know the method ${c.req.method}: use ${allow}.`, { headers: { Allow: allow } }),
    );
  }
}

/** Below `/api/` the slash at the end is added, elsewhere taken away: both spellings reach the one route. */
function canonicalPath(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const [path = '/'] = request.url.slice(start).split(/[?#]/, 1);
  if (path.startsWith('/api/')) return path.endsWith('/') ? path : `${path}/`;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
