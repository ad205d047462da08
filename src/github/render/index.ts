// Every text on GitHub, as Markdown.

export {
  type CheckRunAnnotation,
  listAnnotations,
  renderDetails,
  renderSummary,
  toAnnotationKey,
} from './check-run.ts';
export {
  type CauseFix,
  type CauseInquiry,
  type CheckRunContent,
  findRangeOf,
  isCurrent,
  isRed,
  MAX_CHECK_TITLE,
  renderTitle,
  type ShownCause,
} from './check-run-title.ts';
export {
  appendReply,
  type Beside,
  type FixState,
  type FurtherCause,
  isProofReply,
  isReplyOnly,
  type PostPlace,
  REPLY_MS,
  type RedChecks,
  readReplyMarker,
  renderConfigComplaint,
  renderEndComment,
  renderFactsComment,
  renderHandOverComment,
  renderReply,
  renderResultComment,
  renderSettledComment,
  renderSuggestions,
} from './comment.ts';
export { renderForecast } from './forecast.ts';
export {
  type ProofRunText,
  renderProofDraft,
  renderProofRun,
  renderStaleProof,
} from './foreign-proof.ts';
export { renderReason } from './issue-parts.ts';
export { isCarriedOut, renderKnownComment } from './known-issue.ts';
export { MAX_PAGE } from './page.ts';
export type { ShownProof } from './proof.ts';
export {
  type FixedFailure,
  listTitles,
  type PullRequestText,
  renderCommitMessage,
  renderPullRequest,
  renderTestCommitMessage,
} from './pull-request.ts';
export {
  type CauseRevert,
  type RevertText,
  renderRevert,
  renderRevertClosed,
  renderRevertRefused,
} from './revert.ts';
export { findStartRemedy, renderStartRefusal } from './start-refusal.ts';
