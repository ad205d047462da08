// Red checks: whose fault one is, and what ties it to a change.
export { isUnreadDocumentation, mayExcludeDocumentation } from './documentation.ts';
export { type CheckEvidence, type FailureHistory, type Judgement, judgeCheck } from './judge.ts';
export { compilePattern } from './known-pattern.ts';
export { findLeaning, listRedefined } from './leaning.ts';
export { createReacher, type FollowedFailure, followFailure, MOST_FOLLOWED_TESTS } from './reach.ts';
export { hasMoreErrors, sharesCause } from './same-cause.ts';
export { listBesideFailing } from './test-lines.ts';
export {
  findTestFiles,
  findTiesByName,
  findTiesInTree,
  isCertainTie,
  isDoubtfulTie,
  isSameFile,
  type Tie,
} from './touches.ts';
