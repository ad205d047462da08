// Facts without a model: what a report says, where it points in the source, and what its history says.
export type { MappedFrame } from './clues.ts';
export { findDependencyTag } from './dependency-version.ts';
export { gatherFacts, type KnownRange } from './facts.ts';
export { concludeFromFacts } from './facts-only.ts';
export type { Trace } from './frames.ts';
export { attempt, formatOrdinal, type Lookups, shortenSha } from './lookups.ts';
export { findTestCases } from './nearest-tests.ts';
export { classifyFile, isProgram, readOwnPackages } from './own-code.ts';
export { createPathIndex, type Ground, getFileName, type Mapping, mapPath, type PathIndex } from './paths.ts';
export { isReliable } from './rank-suspects.ts';
export { computeReportFingerprint } from './report-text.ts';
export { readReportTitle } from './signals.ts';
export { createTurns, runInSlices, SLICE_PATHS } from './slices.ts';
