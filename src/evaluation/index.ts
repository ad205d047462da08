// Answers measured against the fixes that a repository really had.
export {
  buildCase,
  type Case,
  describeLeak,
  type Fix,
  findFixes,
  type ReportText,
  readPullRequest,
  type Unfit,
} from './cases.ts';
export {
  describeCases,
  describeScore,
  type EvaluatedCase,
  type Evaluation,
  type FigureRow,
  INTERVALS,
  LIMITS,
  listFigures,
  type MissingAnswer,
  nameModel,
  type StoredAnswer,
  summariseModels,
} from './report.ts';
export { scoreAnswer } from './score.ts';
