// The log of a failed check, its annotations and result files: the first error, failed tests, places, an excerpt, a fingerprint.
export { condenseLog, condenseText } from './condense-log.ts';
export { matchError, TIME_OUT } from './error-patterns.ts';
export { cutMiddle, type Excerpt, formatHeadline } from './excerpt.ts';
export type { FailedResult } from './failed-results.ts';
export { type FailingPlaces, findFailingPlaces } from './failing-places.ts';
export type { FirstTest, TestRunner } from './first-test.ts';
export type { InfrastructureFault } from './infrastructure.ts';
export type { LogPlace } from './places.ts';
export { type Annotation, type CheckTexts, type ReadCheck, readCheck } from './read-check.ts';
export { formatLog, type ReadLog, type ReadReport, readLogHeading } from './report-log.ts';
export { readReport } from './report-logs.ts';
export { type ArtifactResults, type ResultBudget, readArtifactResults, type UnreadFile } from './result-files.ts';
export type { FailedBefore } from './test-sections.ts';
