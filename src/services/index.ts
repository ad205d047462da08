// What the doors of the App share: accepting, investigating, judging checks, access, limits and forecasts.

export {
  type AcceptReportDeps,
  acceptReport,
  type CancelDeps,
  cancelInvestigation,
  eraseIssue,
} from './accept-report.ts';
export {
  type Asking,
  canErase,
  findVisibleInvestigation,
  findVisibleIssue,
  findVisibleProject,
  isId,
  isProjectVisible,
  isStillVisible,
  type KnownProjects,
  listKnownProjects,
  listVisibleInvestigations,
  listVisibleIssueLines,
  listVisibleProjects,
  type Seen,
  type SeenProject,
} from './access.ts';
export { createBackfillHandler } from './backfill.ts';
export {
  type CheckReader,
  cleanChecks,
  createCheckReader,
  OUTSIDE_OUTPUT,
  readCheckTexts,
  stripAddress,
} from './checks/check-texts.ts';
export { compareChanges, type OtherChange, readWholeText } from './compare-changes.ts';
export { type ContextAccess, guardIssues, isContextReadable } from './context.ts';
export { type ExplainedHead, explainChecks } from './explain-checks.ts';
export { explainLog } from './explain-log.ts';
export { type BranchState, findNeeds, type Need, readBranchStates } from './find-needs.ts';
export { listReachedPaths } from './find-reached.ts';
export {
  type Changes,
  createChanges,
  type FollowEvent,
  followInvestigation,
  STILL_FOLLOWING,
  STREAM_HEADERS,
  streamOf,
  waitForEnd,
  withTicks,
} from './follow.ts';
export { MOST_CALLS, makeForecast, NOMINAL_COST, readPast } from './forecast.ts';
export { createBudgetLog, createPausableModel, type Investigator } from './investigator.ts';
export { createHeadHandler } from './judge-head.ts';
export {
  confirmPattern,
  type KnownAnswer,
  type KnownDeps,
  proposePattern,
  tieFailure,
  untieIssue,
} from './known-failures.ts';
export { isAlwaysDeciding, listDecidingPaths } from './list-deciding-paths.ts';
export { createRateLimiter, type Hold, type RateLimiter, takeFromQuota } from './rate-limit.ts';
export { listPatchHeaders, loadChange, toPatch, UNWRITABLE } from './read-patch.ts';
export { findObstacle, type ProjectSettings, requestPullRequest } from './request-pull-request.ts';
export { type Retried, type RetryRequest, retryIssue } from './retry-issue.ts';
export { createRunHandler, investigateReport, type Wait } from './run-investigation.ts';
export { listRunParts, type RunPart, type RunParts } from './run-phases.ts';
export { findStepSource, type GatheredFacts } from './run-records.ts';
export { describeRunning, type Running } from './running.ts';
export { PAUSED_MS } from './services.ts';
export { type CheckCallbackUrl, subscribe } from './subscribe.ts';
