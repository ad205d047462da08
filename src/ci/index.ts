// Red checks: whose fault one is, what ties it to a change, and which commit of a range is the likeliest.
export { type CheckEvidence, type FailureHistory, type Judgement, judgeCheck } from './judge.ts';
export { rankRange } from './rank-commits.ts';
export { createReacher } from './reach.ts';
export { sharesCause } from './same-cause.ts';
export { findTiesByName, findTiesInTree, isCertainTie, isSameFile, type Tie } from './touches.ts';
