// The Issue: what an investigation concluded, and which parts of it are shown where.
export { type AgentGround, writeAgentBrief } from './agent-brief.ts';
export {
  describeContext,
  findContextFile,
  isWithheld,
  listRead,
  MAX_CONTEXT,
  nameContextFile,
  parseSubmodules,
  resolveSubmodule,
  WITHHELD_TITLE,
  withholdIssue,
} from './context.ts';
export { describeCost, formatDollars, formatDuration } from './effort.ts';
export {
  type Analysis,
  type Conclusion,
  type Issue,
  isReliable,
  MAX_CHANGE_TITLE,
  type Ownership,
  RELIABLE_SCORE,
  type ReportClaim,
  type RunUsage,
  SCRIPTED_MODEL,
  type Step,
  type Suspect,
  TOUCHED_BY_CHANGE,
  toIssue,
} from './issue.ts';
export {
  ALL_OUTCOMES,
  createIssueView,
  describeMissingClaims,
  describeNext,
  describeOutcome,
  findExcerpt,
  formatPercent,
  getIssueTitle,
  type IssueView,
  removeCitations,
  splitSentences,
} from './issue-view.ts';
export {
  changesResult,
  describeLook,
  explainLook,
  isSureEnough,
  JUDGE,
  type LookEvidence,
  lowerByLook,
  nameLook,
  type SecondLook,
} from './second-look.ts';
export {
  addSources,
  buildLineAddress,
  buildSourceLinks,
  filterIssue,
  NO_LINKS,
  type NumberedStep,
  type ShownIssue,
  type SourcedIssue,
} from './shown-issue.ts';
