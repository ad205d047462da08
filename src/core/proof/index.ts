// A change in its parts, and its proof in CI.
export {
  ASSERTION,
  type ChangeParts,
  isProvable,
  isTestPath,
  listOwnTests,
  type OwnTests,
  splitChange,
} from './change-parts.ts';
export { type CheckedOut, findCheckedOut, findOneBase, listMovedPaths, MOST_LOGS } from './checked-out.ts';
export {
  type ForeignAct,
  type ForeignProgress,
  type ForeignProof,
  type ForeignResult,
  findForeignState,
  isForeignProofOpen,
  MOST_NEEDED,
  type NeededList,
  nameProofBranch,
  nameProofDraft,
  type PostedProofRun,
  type PostedRedHalf,
  PROOF_BRANCHES,
  type ProveRefusal,
  type RedPlan,
  type RefusedCall,
} from './foreign.ts';
export { describePlacedTest, listProofInstructions, writeProofBrief } from './foreign-advice.ts';
export { describeForeignResult, describeProofPlan, listForeignCommands } from './foreign-text.ts';
export { type ForeignProofView, toCertificate, toForeignView } from './foreign-view.ts';
export {
  type BaseCheck,
  type GreenFacts,
  type GreenJudgement,
  type HalfCheck,
  judgeGreenHalf,
  judgeRedHalf,
  listThrown,
  type RedFacts,
} from './judge-halves.ts';
export { findFailedOwn, isTold, labelTests, listShownNames, type OwnTest } from './named-tests.ts';
export {
  type ChangedFile,
  type EndedProof,
  endProof,
  type HalfOutcome,
  hashChange,
  isRedHalf,
  isWithoutCi,
  listPathsOf,
  type NotRun,
  noteChecks,
  notePassed,
  type OtherFailure,
  type ProofProgress,
  type ProofState,
  type ProofVerdict,
  type ProvenCheck,
  pickCommits,
  type RedHalf,
  refuteByChecks,
  toChangedFile,
} from './proof.ts';
export {
  describeProof,
  describeProofVerdict,
  leadDoubt,
  listCommands,
  lowerConfidence,
  nameProof,
  type Proof,
  toProof,
  toUnrunProof,
  type Unverifiable,
  type VerifiedProof,
} from './proof-view.ts';
export { DAY_MS, describeFullDay, type JudgedDay, judgeDay, type RunOfDay } from './run-of-day.ts';
export {
  listRunFaults,
  type RunFault,
  type RunRecord,
  toRunRecord,
  toWorkflowPath,
  type WantedRun,
} from './run-record.ts';
export type { FilterName, StartAct, StartRefusal, UnreadReason } from './start-refusal.ts';
export { isTestAlone } from './test-paths.ts';
export { readWrittenTests } from './written-tests.ts';
