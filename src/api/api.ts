// The REST API: its routes, in the order of the interface document.
import { Hono } from 'hono';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { createGuard } from './auth.ts';
import { streamEvents } from './events.ts';
import { deleteInvestigation, getInvestigation, listInvestigations } from './investigations.ts';
import { createIssue, deleteIssue, getIssue, openPullRequest } from './issues.ts';
import { addCommonRoutes } from './operator-api.ts';
import { createProblem } from './problem.ts';
import { getProject, listProjects } from './projects.ts';

export interface Api {
  /** Answers a request; held answers and streams end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
}

/** Builds the API. It owns no resource: what is running ends with its request or with `stopping`. */
export function createApi(deps: ApiDeps): Api {
  const app = new Hono<ApiEnv>({ getPath: toCanonicalPath });
  const allow = createGuard(deps);
  addCommonRoutes(app, deps);

  app.post('/api/v1/issues/', allow('issues:write', 'creation'), createIssue(deps));
  app.get('/api/v1/issues/:issueId/', allow('issues:read'), getIssue(deps));
  app.delete('/api/v1/issues/:issueId/', allow('issues:write'), deleteIssue(deps));
  app.post('/api/v1/issues/:issueId/pull-request/', allow('pull-requests:write'), openPullRequest(deps));
  app.get('/api/v1/projects/', allow('projects:read'), listProjects(deps));
  app.get('/api/v1/projects/:projectId/', allow('projects:read'), getProject(deps));

  app.get('/api/v1/investigations/', allow('issues:read'), listInvestigations(deps));
  app.get('/api/v1/investigations/:investigationId/', allow('issues:read'), getInvestigation(deps));
  app.delete('/api/v1/investigations/:investigationId/', allow('issues:write'), deleteInvestigation(deps));
  app.get('/api/v1/investigations/:investigationId/events/', allow('issues:read'), streamEvents(deps));

  // Loaded with the first request for them: they take longer to load than the rest of the API together.
  app.get('/api/v1/openapi.json/', async (c) => c.json((await import('./openapi.ts')).getOpenApiDocument()));
  app.get('/docs', async (c) => (await import('./docs.ts')).answerDocs(c, deps.baseUrl()));
  refuseOtherMethods(app);

  const never = new AbortController().signal;
  return { fetch: async (request, stopping = never) => app.fetch(request, { stopping }) };
}

/** Every known path answers any other method with 405 and the methods that it does take. */
function refuseOtherMethods(app: Hono<ApiEnv>): void {
  const methodsByPath = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const methods = methodsByPath.get(path) ?? new Set();
    methodsByPath.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  for (const [path, methods] of methodsByPath) {
    const allow = [...methods].join(', ');
    app.all(path, (c) => {
      const detail = `This path does not know the method ${c.req.method}: use ${allow}.`;
      return createProblem(405, detail, { headers: { Allow: allow } });
    });
  }
}

/** Below `/api/` the slash at the end is added, elsewhere removed: both spellings reach the one route. */
function toCanonicalPath(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const [path = '/'] = request.url.slice(start).split(/[?#]/, 1);
  if (path.startsWith('/api/')) return path.endsWith('/') ? path : `${path}/`;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
