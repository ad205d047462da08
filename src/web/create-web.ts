// The account area: its pages, by path.
import { Hono } from 'hono';
import { getAudit } from './account/audit-page.ts';
import { getCredentials } from './account/credentials-page.ts';
import { getDeliveries, getDelivery, postResend } from './account/deliveries-page.ts';
import { postEndSession } from './account/end-session.ts';
import { getTokenForm, postToken } from './account/new-token.ts';
import { postRevoke } from './account/revoke-token.ts';
import { postRotate, postShowSecret } from './account/signing-secret.ts';
import { getUsage } from './account/usage-page.ts';
import { getAsset } from './assets.ts';
import { answerWebError, aroundPages } from './boundary.ts';
import { errorPage } from './error-page.ts';
import { getFailure, getFailures } from './failures/failures-page.ts';
import { getObserved } from './failures/observed-page.ts';
import { getInvestigation } from './investigations/investigation-page.ts';
import { getLive } from './investigations/live.ts';
import { postStop } from './investigations/stop.ts';
import { getDeleteIssue, postDeleteIssue } from './issues/delete-issue.ts';
import { getMarkdown } from './issues/issue-markdown.ts';
import { getIssue } from './issues/issue-page.ts';
import { getPatch } from './issues/issue-patch.ts';
import { postPullRequest } from './issues/open-pull-request.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { getReportForm, postReport } from './projects/new-report.ts';
import { getProject } from './projects/project-page.ts';
import { getProjects } from './projects/projects-page.ts';
import { getSettings } from './projects/settings-page.ts';
import { absentPage } from './refusal.ts';
import { getSignIn } from './sign-in/sign-in-page.ts';
import { signOut } from './sign-in/sign-out.ts';
import { createThreshold } from './sign-in/threshold.ts';
import { getCodeForm, signInWithCode } from './sign-in/with-code.ts';
import { beginWithGithub, endWithGithub } from './sign-in/with-github.ts';
import { requireRecentSignIn, requireSession } from './signed-in.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

export interface Web {
  /** Answers a request for a page; live pages end when `stopping` aborts. Never rejects. */
  fetch(request: Request, stopping?: AbortSignal): Promise<Response>;
}

/** Puts the pages together. It holds no resource: what is under way ends with its request or with `stopping`. */
export function createWeb(deps: WebDeps): Web {
  const app = new Hono<WebEnv>({ getPath: withoutLastSlash });
  app.use(aroundPages(deps));
  app.onError(answerWebError(deps));
  app.notFound((c) => errorPage(c, deps, absentPage()));
  openPages(app, deps);
  pagesOfProjects(app, deps);
  pagesOfTheAccount(app, deps);
  refuseOtherMethods(app);
  const never = new AbortController().signal;
  return { fetch: async (request, stopping = never) => app.fetch(request, { stopping }) };
}

/** Those for somebody who has not signed in. */
function openPages(app: Hono<WebEnv>, deps: WebDeps): void {
  const threshold = createThreshold(deps.now);
  app.get('/assets/:name', getAsset());
  app.get('/sign-in', getSignIn(deps));
  app.post('/sign-in', beginWithGithub(deps, threshold));
  app.get('/account/callback', endWithGithub(deps, threshold));
  app.get('/sign-in/local', getCodeForm(deps));
  app.post('/sign-in/local', signInWithCode(deps, threshold));
}

function pagesOfProjects(app: Hono<WebEnv>, deps: WebDeps): void {
  const person = requireSession(deps);
  app.get('/', person, (c) => c.redirect('/projects', 303));
  app.get('/projects', person, getProjects(deps));
  app.get('/projects/:projectId', person, getProject(deps));
  app.get('/projects/:projectId/failures', person, getFailures(deps));
  app.get('/projects/:projectId/failures/:failureId', person, getFailure(deps));
  app.get('/projects/:projectId/observed', person, getObserved(deps));
  app.get('/projects/:projectId/settings', person, getSettings(deps));
  app.get('/projects/:projectId/reports/new', person, getReportForm(deps));
  app.post('/projects/:projectId/reports', person, postReport(deps));
  app.get('/investigations/:investigationId', person, getInvestigation(deps));
  app.get('/investigations/:investigationId/live', person, getLive(deps));
  app.post('/investigations/:investigationId/stop', person, postStop(deps));
  app.get('/issues/:issueId', person, getIssue(deps));
  app.get('/issues/:issueId/markdown', person, getMarkdown(deps));
  app.get('/issues/:issueId/patch', person, getPatch(deps));
  app.post('/issues/:issueId/pull-request', person, postPullRequest(deps));
  app.get('/issues/:issueId/delete', person, getDeleteIssue(deps));
  app.post('/issues/:issueId/delete', person, postDeleteIssue(deps));
}

function pagesOfTheAccount(app: Hono<WebEnv>, deps: WebDeps): void {
  const person = requireSession(deps);
  const [newToken, credentials] = ['/account/tokens/new', '/account/security-credentials'];
  const recentForToken = requireRecentSignIn(deps, newToken);
  const recent = requireRecentSignIn(deps, credentials);
  app.post('/sign-out', person, signOut(deps));
  app.get(credentials, person, getCredentials(deps));
  app.get(newToken, person, recentForToken, getTokenForm(deps));
  app.post('/account/tokens', person, recentForToken, postToken(deps));
  app.post('/account/tokens/:tokenId/revoke', person, postRevoke(deps));
  app.post('/account/signing-secret/show', person, recent, postShowSecret(deps));
  app.post('/account/signing-secret/rotate', person, recent, postRotate(deps));
  app.post('/account/sessions/:sessionId/end', person, postEndSession(deps));
  app.get('/account/deliveries', person, getDeliveries(deps));
  app.get('/account/deliveries/:webhookId', person, getDelivery(deps));
  app.post('/account/deliveries/:webhookId/resend', person, postResend(deps));
  app.get('/usage', person, getUsage(deps));
  app.get('/audit', person, getAudit(deps));
}

/** Both spellings reach the one route. */
function withoutLastSlash(request: Request): string {
  const { pathname } = new URL(request.url);
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
