// One subject on GitHub, with what was asked there and what is posted.
export { createFailureId, createHeadId, createThreadId, type Memory } from './memory.ts';
export {
  type ChecksState,
  COMMAND_NAMES,
  type CommandName,
  type CommandReply,
  EMPTY_RECORD,
  type FixRequest,
  listFurther,
  type Offer,
  type PostedComment,
  type PostedPullRequest,
  type PostedSuggestions,
  type PullRequestAttempt,
  type Subject,
  type Thread,
  type ThreadRecord,
  type Trigger,
  toSubjectKey,
  toTriggerKey,
} from './thread.ts';
export { findUnfinished, toUnfinished, type UnfinishedPull } from './unfinished.ts';
export { describeWithheld, type OtherBase, type WithheldReason } from './withheld.ts';
