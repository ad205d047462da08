// A change in its parts, and its proof in CI.
export { ASSERTION, type ChangeParts, isTestPath, listOwnTests, splitChange } from './change-parts.ts';
export {
  type BaseCheck,
  type GreenFacts,
  type HalfCheck,
  judgeGreenHalf,
  judgeRedHalf,
  listThrown,
} from './judge-halves.ts';
export {
  type ChangedFile,
  type EndedProof,
  endProof,
  type HalfOutcome,
  hashChange,
  isRedHalf,
  isWithoutCi,
  type NotRun,
  noteChecks,
  notePassed,
  type ProofProgress,
  type ProofState,
  type ProofVerdict,
  type ProvenCheck,
  pickCommits,
  type RedHalf,
  refuteByChecks,
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
  type VerifiedProof,
} from './proof-view.ts';
