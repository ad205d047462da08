// The REST API: its routes, in the order of the interface document.
import { Hono } from 'hono';
import type { TokenScope } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import type { ApiContext, ApiDeps, ApiEnv } from './api-deps.ts';
import { authenticate, createCallGuard } from './auth.ts';
import { streamEvents } from './events.ts';
import { getChecks, readGivenLog } from './explain.ts';
import { deleteInvestigation, getInvestigation, listInvestigations } from './investigations.ts';
import {
  createIssue,
  createPullRequest,
  deleteIssue,
  getIssue,
  getIssuePatch,
  getProof,
  retryAnIssue,
} from './issues.ts';
import { addCommonRoutes, answerError } from './operator-api.ts';
import { getCalibration, getFailure, listFailures, listOutcomes } from './outcomes.ts';
import { createProblem } from './problem.ts';
import { getProject, listProjects } from './projects.ts';
import { askForeignProof, getForeignProof } from './proofs.ts';
import { createSubscription, deleteSubscription, listSubscriptions, testSubscription } from './webhooks.ts';

export interface Api {
  /** Answers a request; held answers and streams end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
  /**
   * Whose token a request carries, for another door of the same service: neither a scope nor the rate is checked. Or the
   * answer that refuses it. Never rejects.
   */
  authenticate(request: Request): Promise<Authenticated | Response>;
}

interface Authenticated {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: readonly TokenScope[];
}

/** What makes work for others, or much of it here, and is counted as such. */
const CREATIONS: readonly unknown[] = [
  createIssue,
  retryAnIssue,
  createSubscription,
  testSubscription,
  readGivenLog,
  askForeignProof,
];

const ROUTES: readonly (readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  scope: TokenScope,
  answer: (c: ApiContext, deps: ApiDeps) => Promise<Response>,
])[] = [
  ['POST', '/api/v1/issues/', 'issues:write', createIssue],
  ['GET', '/api/v1/issues/:issueId/', 'issues:read', getIssue],
  ['DELETE', '/api/v1/issues/:issueId/', 'issues:write', deleteIssue],
  ['GET', '/api/v1/issues/:issueId/proof/', 'issues:read', getProof],
  ['GET', '/api/v1/issues/:issueId/patch/', 'issues:read', getIssuePatch],
  ['POST', '/api/v1/issues/:issueId/retry/', 'issues:write', retryAnIssue],
  ['POST', '/api/v1/issues/:issueId/pull-request/', 'pull-requests:write', createPullRequest],
  ['GET', '/api/v1/projects/', 'projects:read', listProjects],
  ['GET', '/api/v1/projects/:projectId/', 'projects:read', getProject],
  ['GET', '/api/v1/projects/:projectId/proofs/:number/', 'issues:read', getForeignProof],
  ['POST', '/api/v1/projects/:projectId/proofs/:number/', 'pull-requests:write', askForeignProof],
  ['GET', '/api/v1/investigations/', 'issues:read', listInvestigations],
  ['GET', '/api/v1/investigations/:investigationId/', 'issues:read', getInvestigation],
  ['DELETE', '/api/v1/investigations/:investigationId/', 'issues:write', deleteInvestigation],
  ['GET', '/api/v1/investigations/:investigationId/events/', 'issues:read', streamEvents],
  ['GET', '/api/v1/checks/', 'issues:read', getChecks],
  ['POST', '/api/v1/logs/', 'issues:read', readGivenLog],
  ['GET', '/api/v1/failures/', 'issues:read', listFailures],
  ['GET', '/api/v1/failures/:failureId/', 'issues:read', getFailure],
  ['GET', '/api/v1/outcomes/', 'issues:read', listOutcomes],
  ['GET', '/api/v1/calibration/', 'issues:read', getCalibration],
  ['GET', '/api/v1/webhooks/', 'webhooks:write', listSubscriptions],
  ['POST', '/api/v1/webhooks/', 'webhooks:write', createSubscription],
  ['DELETE', '/api/v1/webhooks/:subscriptionId/', 'webhooks:write', deleteSubscription],
  ['POST', '/api/v1/webhooks/:subscriptionId/test/', 'webhooks:write', testSubscription],
];

/** Builds the API. It owns no resource: what is running ends with its request or with `stopping`. */
export function createApi(deps: ApiDeps): Api {
  const app = new Hono<ApiEnv>({ getPath: toCanonicalPath });
  const allow = createCallGuard(deps);
  addCommonRoutes(app, deps);
  for (const [method, path, scope, answer] of ROUTES) {
    const kind = CREATIONS.includes(answer) ? 'creation' : 'call';
    app.on(method, path, allow(scope, kind), (c) => answer(c, deps));
  }
  // Loaded with the first request for them: they take longer to load than the rest of the API together.
  app.get('/api/v1/openapi.json/', async (c) => c.json((await import('./openapi.ts')).getOpenApiDocument()));
  app.get('/docs', async (c) => (await import('./docs.ts')).answerDocs(c, deps.baseUrl()));
  refuseOtherMethods(app);

  const never = new AbortController().signal;
  return {
    fetch: async (request, stopping = never) => app.fetch(request, { stopping }),
    authenticate: (request) => authenticateForDoor(deps, request),
  };
}

async function authenticateForDoor(deps: ApiDeps, request: Request): Promise<Authenticated | Response> {
  try {
    const { account, token } = await authenticate(deps, request);
    return { accountId: account.id, tokenId: token.id, scopes: token.scopes };
  } catch (error) {
    const requestId = createId('req');
    const answer = answerError(error instanceof Error ? error : new Error(String(error)), requestId, deps.log);
    answer.headers.set('X-Request-Id', requestId);
    answer.headers.set('Cache-Control', 'no-store');
    return answer;
  }
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
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/api/')) return pathname.endsWith('/') ? pathname : `${pathname}/`;
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
