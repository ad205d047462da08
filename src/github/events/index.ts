// What each event of GitHub starts.
export type { CausewayAppDeps } from './app-deps.ts';
export {
  onCheckRunCompleted,
  onCheckSuiteCompleted,
  onPullRequestChanged,
  onPullRequestEdited,
  onStatus,
} from './checks-completed.ts';
export { onCommentCreated } from './comment-created.ts';
export { onIssueUnlabeled } from './known-label.ts';
export {
  onActionRequested,
  onAuthorizationRevoked,
  onInstallationChanged,
  onInstallationDeleted,
  onIssueClosed,
  onIssueGone,
  onPush,
  onRepositoryChanged,
  onRerequested,
} from './repository-changed.ts';
export { onIssueLabeled, onWorkflowDispatched } from './start-analysis.ts';
