// What an answer ends with, what became of it, and whether confidence can be relied on.

export type { RecordAnswer } from './answer.ts';
export { hasCause, type Outcome } from './answer-outcome.ts';
export { chooseAnswer, keepRivals, type RankedAnswer } from './answer-rank.ts';
export {
  type Calibration,
  calibrate,
  decideThreshold,
  describeThreshold,
  LEAST_THRESHOLD,
  MOST_THRESHOLD,
  type Reliability,
  type Threshold,
  toJudged,
} from './calibration.ts';
export {
  type AnswerJudgement,
  type ClaimedAnswer,
  computeSurvival,
  describeFate,
  type Fate,
  type FileVersions,
  type FollowedAnswer,
  findFirstLook,
  findNextLook,
  isMerged,
  listLinesOfChange,
  mayBeReverted,
  type OutcomeView,
  toOutcomeView,
  type Vote,
} from './outcome.ts';
