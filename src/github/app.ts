// The Probot app function: which of our handlers takes which event.
import type { Probot } from 'probot';
import { onActionRequested } from './events/action-requested.ts';
import type { CausewayAppDeps, EventHandler } from './events/app-deps.ts';
import { onAuthorizationRevoked } from './events/authorization-revoked.ts';
import { onCheckRunCompleted, onCheckSuiteCompleted, onStatus } from './events/checks-completed.ts';
import { onInstallationChanged, onInstallationDeleted, onRepositoryChanged } from './events/installation-changed.ts';
import { onIssueClosed, onIssueGone } from './events/issue-changed.ts';
import { onCommentCreated } from './events/issue-comment-created.ts';
import { onIssueLabeled } from './events/issue-labeled.ts';
import { onPullRequestChanged } from './events/pull-request-changed.ts';
import { onPush } from './events/pushed.ts';

export type { CausewayAppDeps } from './events/app-deps.ts';

/** By GitHub's names. The receiver stores these events alone; see intake/delivery-kind.ts. */
const HANDLERS = {
  'issues.labeled': onIssueLabeled,
  'issues.closed': onIssueClosed,
  'issues.reopened': onIssueClosed,
  'issues.deleted': onIssueGone,
  'issues.transferred': onIssueGone,
  'issue_comment.created': onCommentCreated,
  'pull_request.opened': onPullRequestChanged,
  'pull_request.closed': onPullRequestChanged,
  'pull_request.reopened': onPullRequestChanged,
  'pull_request.synchronize': onPullRequestChanged,
  'pull_request.ready_for_review': onPullRequestChanged,
  'check_suite.completed': onCheckSuiteCompleted,
  'check_run.completed': onCheckRunCompleted,
  'check_run.requested_action': onActionRequested,
  status: onStatus,
  push: onPush,
  'installation.created': onInstallationChanged,
  'installation.deleted': onInstallationDeleted,
  'installation.suspend': onInstallationChanged,
  'installation.unsuspend': onInstallationChanged,
  'installation.new_permissions_accepted': onInstallationChanged,
  installation_repositories: onInstallationChanged,
  installation_target: onInstallationChanged,
  repository: onRepositoryChanged,
  'github_app_authorization.revoked': onAuthorizationRevoked,
} as const satisfies Readonly<Record<string, EventHandler>>;

type HandledEvent = keyof typeof HANDLERS;

/** Registers the handlers. Who handles a delivery says by `signalOf` how long it may take. */
export function createCausewayApp(deps: CausewayAppDeps): (app: Probot) => void {
  return (app) => {
    for (const [event, handle] of Object.entries(HANDLERS)) {
      app.on(event as HandledEvent, ({ id, payload }) => handle(deps, { id, payload }, deps.signalOf(id)));
    }
  };
}
