// The account area: its pages by path, and what every request passes: an id, headers, one log line, a page for every
// error.
import { Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { noteRequest } from '../log.ts';
import { isId } from '../services/index.ts';
import { getAudit } from './audit.ts';
import { getCalibrationPage, getProjectCalibration } from './calibration.ts';
import { getCredentials, postEndSession, postRevoke, postRotate, postShowSecret } from './credentials.ts';
import { getDeliveries, getDelivery, postResend } from './deliveries.ts';
import { getFailurePage } from './failure.ts';
import { getFailures } from './failures.ts';
import { getHome } from './home.ts';
import { getInvestigationPage, getLive, postStop } from './investigation.ts';
import { getDeleteIssue, getIssuePage, postDeleteIssue, postPullRequest } from './issue.ts';
import { getMarkdown, getPatch } from './issue-exports.ts';
import { postKnown } from './known-issue.ts';
import { createAbsentRefusal, createPageHeaders, getAsset, renderRefusal, WebRefusal } from './layout.ts';
import { getTokenForm, postToken } from './new-token.ts';
import { getObserved } from './observed.ts';
import { getProjectPage } from './project.ts';
import { getProjects } from './projects.ts';
import { postRevert } from './put-back.ts';
import { getReportForm, postReport } from './report-form.ts';
import { postRetry } from './retry.ts';
import { getSearch } from './search.ts';
import { requireRecentSignIn, requireSession } from './session.ts';
import { getSettings } from './settings.ts';
import {
  createSignInLimiter,
  getGithubCallback,
  getLocalSignIn,
  getSignIn,
  postGithubSignIn,
  postLocalSignIn,
  postSignOut,
} from './sign-in.ts';
import {
  getSubscription,
  getSubscriptionForm,
  getSubscriptions,
  postDeleteSubscription,
  postExample,
  postRotateSubscription,
  postSubscription,
} from './subscriptions.ts';
import { getUsagePage } from './usage.ts';
import type { PageContext, WebDeps, WebEnv } from './web-deps.ts';

export interface Web {
  /** Answers a request for a page; live pages end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
}

type PageResponder = (c: PageContext, deps: WebDeps) => Response | Promise<Response>;

const [NEW_TOKEN, CREDENTIALS] = ['/account/tokens/new', '/account/security-credentials'];
const [NEW_SUBSCRIPTION, SUBSCRIPTIONS] = ['/account/subscriptions/new', '/account/subscriptions'];

/**
 * For people with a session. The last part: the page to return to after a repeated sign-in, where that must be recent.
 */
const PAGES: readonly (readonly [method: 'GET' | 'POST', path: string, page: PageResponder, recentFor?: string])[] = [
  ['GET', '/', getHome],
  ['GET', '/search', getSearch],
  ['GET', '/projects', getProjects],
  ['GET', '/projects/:projectId', getProjectPage],
  ['GET', '/projects/:projectId/failures', getFailures],
  ['GET', '/projects/:projectId/failures/:failureId', getFailurePage],
  ['POST', '/projects/:projectId/failures/:failureId/known', postKnown],
  ['POST', '/projects/:projectId/failures/:failureId/revert', postRevert],
  ['GET', '/projects/:projectId/calibration', getProjectCalibration],
  ['GET', '/projects/:projectId/observed', getObserved],
  ['GET', '/projects/:projectId/settings', getSettings],
  ['GET', '/projects/:projectId/reports/new', getReportForm],
  ['POST', '/projects/:projectId/reports', postReport],
  ['GET', '/investigations/:investigationId', getInvestigationPage],
  ['GET', '/investigations/:investigationId/live', getLive],
  ['POST', '/investigations/:investigationId/stop', postStop],
  ['GET', '/issues/:issueId', getIssuePage],
  ['GET', '/issues/:issueId/markdown', getMarkdown],
  ['GET', '/issues/:issueId/patch', getPatch],
  ['POST', '/issues/:issueId/pull-request', postPullRequest],
  ['POST', '/issues/:issueId/retry', postRetry],
  ['GET', '/issues/:issueId/delete', getDeleteIssue],
  ['POST', '/issues/:issueId/delete', postDeleteIssue],
  ['POST', '/sign-out', postSignOut],
  ['GET', CREDENTIALS, getCredentials],
  ['GET', NEW_TOKEN, getTokenForm, NEW_TOKEN],
  ['POST', '/account/tokens', postToken, NEW_TOKEN],
  ['POST', '/account/tokens/:tokenId/revoke', postRevoke],
  ['POST', '/account/signing-secret/show', postShowSecret, CREDENTIALS],
  ['POST', '/account/signing-secret/rotate', postRotate, CREDENTIALS],
  ['POST', '/account/sessions/:sessionId/end', postEndSession],
  ['GET', '/account/deliveries', getDeliveries],
  ['GET', '/account/deliveries/:webhookId', getDelivery],
  ['POST', '/account/deliveries/:webhookId/resend', postResend],
  ['GET', SUBSCRIPTIONS, getSubscriptions],
  ['GET', NEW_SUBSCRIPTION, getSubscriptionForm, NEW_SUBSCRIPTION],
  ['POST', SUBSCRIPTIONS, postSubscription, NEW_SUBSCRIPTION],
  ['GET', '/account/subscriptions/:subscriptionId', getSubscription],
  ['POST', '/account/subscriptions/:subscriptionId/example', postExample],
  ['POST', '/account/subscriptions/:subscriptionId/rotate', postRotateSubscription, SUBSCRIPTIONS],
  ['POST', '/account/subscriptions/:subscriptionId/delete', postDeleteSubscription],
  ['GET', '/usage', getUsagePage],
  ['GET', '/calibration', getCalibrationPage],
  ['GET', '/audit', getAudit],
];

/** Builds the account area. It owns no resource: what is running ends with its request or with `stopping`. */
export function createWeb(deps: WebDeps): Web {
  const app = new Hono<WebEnv>({ getPath: toCanonicalPath });
  addBoundary(app, deps);
  const limiter = createSignInLimiter(deps.now);
  app.get('/assets/:name', getAsset);
  app.get('/sign-in', (c) => getSignIn(c, deps));
  app.post('/sign-in', (c) => postGithubSignIn(c, deps, limiter));
  app.get('/account/callback', (c) => getGithubCallback(c, deps, limiter));
  app.get('/sign-in/local', (c) => getLocalSignIn(c, deps));
  app.post('/sign-in/local', (c) => postLocalSignIn(c, deps, limiter));
  const session = requireSession(deps);
  const pass: MiddlewareHandler<WebEnv> = (_c, next) => next();
  for (const [method, path, page, recentFor] of PAGES) {
    const recent = recentFor === undefined ? pass : requireRecentSignIn(deps, recentFor);
    app.on(method, path, session, recent, (c) => page(c, deps));
  }
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
  app.onError((error, c) => renderRefusal(c, deps, toWebRefusal(error, c, deps)));
  // Returned, not thrown: Hono would skip the headers above.
  app.notFound((c) => renderRefusal(c, deps, createAbsentRefusal()));
}

/** Refusals as they are; 503 where the store or GitHub does not answer; anything else is our fault. */
function toWebRefusal(error: Error, c: PageContext, { log }: WebDeps): WebRefusal {
  if (error instanceof WebRefusal) return error;
  const requestId = c.get('requestId');
  switch (error instanceof CausewayError ? error.code : '') {
    case 'store_locked':
    case 'store_unavailable':
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
        `This is a bug in Causeway. The log of the service has the details under ${requestId}.`,
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
      const message = `This address doesn't support ${c.req.method}: use ${allow}.`;
      throw new WebRefusal(405, message, { headers: { Allow: allow } });
    });
  }
}

/** With and without a slash at the end. */
function toCanonicalPath(request: Request): string {
  const { pathname } = new URL(request.url);
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
