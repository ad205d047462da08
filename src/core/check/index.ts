// Checks, heads, findings, failures, flakes and verdicts.
export { describeBisect, findOwnWord, type Installer, type LoneTest, mayBeInLine } from './bisect.ts';
export {
  ALL_OUTPUT,
  type BuildRequest,
  type ChangedFiles,
  type Check,
  type CheckExtent,
  type CheckOutput,
  type CheckRules,
  type Checks,
  ChecksBusy,
  ChecksClosed,
  ChecksCut,
  ChecksSpent,
  createResultBudget,
  describeReason,
  describeUnread,
  type NamedCheck,
  type OutputLimits,
  type Reach,
  type ReadArtifact,
  type ReadBuildLog,
  type Rerun,
  type RerunRefusal,
  type RerunRequest,
  type ShortenLog,
  toCheckKey,
  toRerunRequest,
} from './check.ts';
export { type CommitTie, describeCommitTie } from './commit-tie.ts';
export { describeDays, listDaysUntil } from './days.ts';
export { nameBareError, nameFailure, removeDuration, splitError } from './failed-check.ts';
export {
  type BlamedStep,
  type Closing,
  type CommitRange,
  describeLikeliest,
  type Failure,
  type FailureView,
  findBlamedCommit,
  findBlamedStep,
  findRange,
  isMostlyFlaky,
  isUntold,
  type LikeliestCommit,
  mayNameCommits,
  orderRange,
  type RankedCommit,
  type Sighting,
  toFailureView,
  toRangeView,
} from './failure.ts';
export { describeFlake, type Flake, type Quarantine } from './flake.ts';
export {
  type ChangedSpan,
  type CheckRunButton,
  EMPTY_EXCERPT,
  EMPTY_HEAD_RECORD,
  type Finding,
  type Head,
  type HeadPlace,
  type HeadRecord,
  type HeadState,
  type Leaning,
  type NotBegun,
  type PostedCheckRun,
  type RevertButton,
} from './head.ts';
export { readJobAddress } from './job-address.ts';
export {
  describeKnownRefusal,
  EMPTY_KNOWN_RECORD,
  type IssueState,
  KNOWN_LABEL,
  type KnownEnd,
  type KnownHit,
  type KnownHits,
  type KnownIssue,
  type KnownMatch,
  type KnownOfFailure,
  type KnownRecord,
  type KnownRefusal,
  type KnownSign,
  type KnownTie,
  LEAST_LITERALS,
  MATCHED_DAYS,
  MOST_FAILURES,
  type NamedFailure,
  type PatternMatch,
  type ProposedPattern,
} from './known-issue.ts';
export { describeNotBegun } from './not-begun.ts';
export { addOverrides, type FailureOverride, isFailing, isRepeatable, listRedKeys } from './override.ts';
export type { Override, Reason, Verdict } from './verdict.ts';
export { countWhose, describeWhoseCount, isMoreThanOnBase, judgeWhose, type Whose } from './whose.ts';
