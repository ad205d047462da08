// Facts without a model: what a report says, where it points in the source, and what its history says.
export { readCommitTitle } from './commit-titles.ts';
export { findDependencyTag, findInstalledVersion } from './dependency-version.ts';
export { gatherFacts } from './facts.ts';
export { concludeFromFacts } from './facts-only.ts';
export { findTestCases } from './nearest-tests.ts';
export { classifyFile, isDependencyList, isProgram } from './own-code.ts';
export { readOwnPackages } from './own-packages.ts';
export { createPathIndex, getFileName, mapPath, type PathIndex } from './paths.ts';
export { listRanks, pickLikeliest, rankCommits } from './rank-commits.ts';
export { computeReportFingerprint } from './report-text.ts';
export { resolveAsked } from './resolve-revision.ts';
export { readReportTitle } from './signals.ts';
export { createTurns, runInSlices, SLICE_PATHS } from './slices.ts';
