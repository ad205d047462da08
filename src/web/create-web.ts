// The account area: its pages by path, and what every request passes: an id, headers, one log line, a page for every error.
import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { noteRequest } from '../log.ts';
import { isId } from '../services/access.ts';
import { getAudit } from './audit.ts';
import { getCredentials, postEndSession, postRevoke, postRotate, postShowSecret } from './credentials.ts';
import { getDeliveries, getDelivery, postResend } from './deliveries.ts';
import { getFailure, getFailures } from './failures.ts';
import { getInvestigation, getLive, postStop } from './investigation.ts';
import { getDeleteIssue, getIssue, postDeleteIssue, postPullRequest } from './issue.ts';
import { getMarkdown, getPatch } from './issue-exports.ts';
import { createAbsentRefusal, createPageHeaders, getAsset, renderRefusal, WebRefusal } from './layout.ts';
import { getTokenForm, postToken } from './new-token.ts';
import { getObserved } from './observed.ts';
import { getProject, getSettings } from './project.ts';
import { getProjects } from './projects.ts';
import { getReportForm, postReport } from './report-form.ts';
import { requireRecentSignIn, requireSession } from './session.ts';
import {
  createSignInLimiter,
  getGithubCallback,
  getLocalSignIn,
  getSignIn,
  postGithubSignIn,
  postLocalSignIn,
  postSignOut,
} from './sign-in.ts';
import { getUsage } from './usage.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

export interface Web {
  /** Answers a request for a page; live pages end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
}

/** Builds the account area. It owns no resource: what is running ends with its request or with `stopping`. */
export function createWeb(deps: WebDeps): Web {
  const app = new Hono<WebEnv>({ getPath: toCanonicalPath });
  addBoundary(app, deps);

  const limiter = createSignInLimiter(deps.now);
  app.get('/assets/:name', getAsset);
  app.get('/sign-in', getSignIn(deps));
  app.post('/sign-in', postGithubSignIn(deps, limiter));
  app.get('/account/callback', getGithubCallback(deps, limiter));
  app.get('/sign-in/local', getLocalSignIn(deps));
  app.post('/sign-in/local', postLocalSignIn(deps, limiter));

  const session = requireSession(deps);
  app.get('/', session, (c) => c.redirect('/projects', 303));
  app.get('/projects', session, getProjects(deps));
  app.get('/projects/:projectId', session, getProject(deps));
  app.get('/projects/:projectId/failures', session, getFailures(deps));
  app.get('/projects/:projectId/failures/:failureId', session, getFailure(deps));
  app.get('/projects/:projectId/observed', session, getObserved(deps));
  app.get('/projects/:projectId/settings', session, getSettings(deps));
  app.get('/projects/:projectId/reports/new', session, getReportForm(deps));
  app.post('/projects/:projectId/reports', session, postReport(deps));
  app.get('/investigations/:investigationId', session, getInvestigation(deps));
  app.get('/investigations/:investigationId/live', session, getLive(deps));
  app.post('/investigations/:investigationId/stop', session, postStop(deps));
  app.get('/issues/:issueId', session, getIssue(deps));
  app.get('/issues/:issueId/markdown', session, getMarkdown(deps));
  app.get('/issues/:issueId/patch', session, getPatch(deps));
  app.post('/issues/:issueId/pull-request', session, postPullRequest(deps));
  app.get('/issues/:issueId/delete', session, getDeleteIssue(deps));
  app.post('/issues/:issueId/delete', session, postDeleteIssue(deps));

  const [newToken, credentials] = ['/account/tokens/new', '/account/security-credentials'];
  const recentForToken = requireRecentSignIn(deps, newToken);
  const recent = requireRecentSignIn(deps, credentials);
  app.post('/sign-out', session, postSignOut(deps));
  app.get(credentials, session, getCredentials(deps));
  app.get(newToken, session, recentForToken, getTokenForm(deps));
  app.post('/account/tokens', session, recentForToken, postToken(deps));
  app.post('/account/tokens/:tokenId/revoke', session, postRevoke(deps));
  app.post('/account/signing-secret/show', session, recent, postShowSecret(deps));
  app.post('/account/signing-secret/rotate', session, recent, postRotate(deps));
  app.post('/account/sessions/:sessionId/end', session, postEndSession(deps));
  app.get('/account/deliveries', session, getDeliveries(deps));
  app.get('/account/deliveries/:webhookId', session, getDelivery(deps));
  app.post('/account/deliveries/:webhookId/resend', session, postResend(deps));
  app.get('/usage', session, getUsage(deps));
  app.get('/audit', session, getAudit(deps));
  refuseOtherMethods(app);

  const never = new AbortController().signal;
  return { fetch: async (request, stopping = never) => app.fetch(request, { stopping }) };
}

function addBoundary(app: Hono<WebEnv>, deps: WebDeps): void {
  const { log, baseUrl, tellAnswered } = deps;
  app.use(async (c, next) => {
    const requestId = createId('req');
    const began = performance.now();
    c.set('requestId', requestId);
    noteRequest(requestId, c.req.raw);
    await next();
    const headers = { ...createPageHeaders(baseUrl().startsWith('https:')), 'X-Request-Id': requestId };
    for (const [name, value] of Object.entries(headers)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    // The route and known ids, never the address: it may contain a sign-in code.
    const answered = { method: c.req.method, route: routePath(c, -1), status: c.res.status };
    const ms = performance.now() - began;
    tellAnswered?.({ ...answered, ms });
    const ids = Object.values<string>(c.req.param()).filter(isId);
    const accountId = c.get('signedIn')?.account.id;
    log.info({ requestId, ...answered, ids, ms: Math.round(ms), accountId }, 'page');
  });
  app.onError((error, c) => renderRefusal(c, deps, toRefusal(error, c, deps)));
  // Returned, not thrown: Hono would skip the headers above.
  app.notFound((c) => renderRefusal(c, deps, createAbsentRefusal()));
}

/** Refusals as they are; 503 where the store or GitHub does not answer; anything else is a fault of ours. */
function toRefusal(error: Error, c: Context<WebEnv>, { log }: WebDeps): WebRefusal {
  if (error instanceof WebRefusal) return error;
  const requestId = c.get('requestId');
  switch (error instanceof CausewayError ? error.code : '') {
    case 'store_locked':
    case 'store_unusable':
      log.error({ err: error, requestId }, 'the store did not answer a page');
      return new WebRefusal(503, "The database can't be reached right now. Nothing was changed: try again.");
    case 'github_failed':
      log.warn({ err: error, requestId }, 'GitHub did not answer for a page');
      return new WebRefusal(503, 'GitHub is not answering, and this page needs it. Try again in a minute.');
    default:
      log.error({ err: error, requestId }, 'a page failed');
      return new WebRefusal(
        500,
        `This is a fault of Causeway. The log of the service has the details under ${requestId}.`,
      );
  }
}

/** Every known path answers any other method with the methods that it does take. Called after all routes are added. */
function refuseOtherMethods(app: Hono<WebEnv>): void {
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
      const message = `This address does not know the method ${c.req.method}: use ${allow}.`;
      throw new WebRefusal(405, message, { headers: { Allow: allow } });
    });
  }
}

/** With and without a slash at the end. */
function toCanonicalPath(request: Request): string {
  const { pathname } = new URL(request.url);
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
