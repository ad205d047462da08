// The Probot app function: which of our handlers takes which event.
import type { EmitterWebhookEventName } from '@octokit/webhooks';
import type { Probot } from 'probot';
import {
  type CausewayAppDeps,
  onActionRequested,
  onAuthorizationRevoked,
  onCheckRunCompleted,
  onCheckSuiteCompleted,
  onCommentCreated,
  onInstallationChanged,
  onInstallationDeleted,
  onIssueClosed,
  onIssueGone,
  onIssueLabeled,
  onIssueUnlabeled,
  onPullRequestChanged,
  onPullRequestEdited,
  onPush,
  onRepositoryChanged,
  onRerequested,
  onStatus,
  onWorkflowDispatched,
} from './events/index.ts';

/** A handler of any event: the union of all their payloads is too large for the compiler. */
type AnyHandler = (deps: CausewayAppDeps, delivered: never, signal: AbortSignal) => Promise<void>;

/** By GitHub's names. The receiver stores these events only; see intake/delivery.ts. */
const HANDLERS: readonly (readonly [AnyHandler, ...EmitterWebhookEventName[]])[] = [
  [onIssueLabeled, 'issues.labeled'],
  [onIssueUnlabeled, 'issues.unlabeled'],
  [onIssueClosed, 'issues.closed', 'issues.reopened'],
  [onIssueGone, 'issues.deleted', 'issues.transferred'],
  [onCommentCreated, 'issue_comment.created'],
  [onPullRequestChanged, 'pull_request.opened', 'pull_request.closed', 'pull_request.reopened'],
  [onPullRequestChanged, 'pull_request.synchronize', 'pull_request.ready_for_review'],
  [onPullRequestEdited, 'pull_request.edited'],
  [onCheckSuiteCompleted, 'check_suite.completed'],
  [onCheckRunCompleted, 'check_run.completed'],
  [onActionRequested, 'check_run.requested_action'],
  [onRerequested, 'check_run.rerequested', 'check_suite.rerequested'],
  [onStatus, 'status'],
  [onPush, 'push'],
  [onInstallationDeleted, 'installation.deleted'],
  [onInstallationChanged, 'installation.created', 'installation.suspend', 'installation.unsuspend'],
  [onInstallationChanged, 'installation.new_permissions_accepted', 'installation_repositories', 'installation_target'],
  [onRepositoryChanged, 'repository'],
  [onAuthorizationRevoked, 'github_app_authorization.revoked'],
];

/** What comes to a job of GitHub Actions and to no server. */
const HANDLERS_OF_JOBS: typeof HANDLERS = [[onWorkflowDispatched, 'workflow_dispatch']];

/**
 * Registers the handlers. They call GitHub with our own clients: Probot's Octokit has every permission of the
 * installation. `signalOf` says how long a delivery may take.
 */
export function createCausewayApp(deps: CausewayAppDeps): (app: Probot) => void {
  return (app) => {
    for (const [handle, ...events] of deps.memory === 'github' ? [...HANDLERS, ...HANDLERS_OF_JOBS] : HANDLERS) {
      app.on(events, ({ id, payload }) => handle(deps, { id, payload } as never, deps.signalOf(id)));
    }
  };
}
